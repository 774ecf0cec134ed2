// The daemon's log: lines of text for people or of JSON for machines, on standard error. A Log is
// made by main and handed to whoever writes; there is no logger to be found by name.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace spdlog {
class logger;
namespace sinks {
class sink;
}
}  // namespace spdlog

namespace hmsync::daemon {

enum class LogLevel { debug, info, warn, error };

const char* to_string(LogLevel level);
/// info for a text that is none of the four; the configuration lets only those through.
LogLevel log_level(std::string_view text);

enum class LogFormat { text, json };

/// One named fact of a line: text shows it as name=value after the message, JSON as a member. Every
/// line about an event has one named `event`.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, int64_t, double, bool> value;

  LogField(std::string_view n, std::string_view text) : name(n), value(text) {}
  LogField(std::string_view n, const std::string& text) : LogField(n, std::string_view(text)) {}
  LogField(std::string_view n, const char* text) : LogField(n, std::string_view(text)) {}
  LogField(std::string_view n, int64_t number) : name(n), value(number) {}
  LogField(std::string_view n, int number) : LogField(n, int64_t{number}) {}
  LogField(std::string_view n, double number) : name(n), value(number) {}
  LogField(std::string_view n, bool flag) : name(n), value(flag) {}
};

/// Safe to use from several threads. Never throws; a line that cannot be written is lost.
class Log {
 public:
  /// Called for every line written, by the writing thread; must not throw and must not log.
  using Counter = std::function<void(LogLevel)>;

  Log(LogLevel level, LogFormat format, Counter counter = {});
  /// Writes to another sink, for tests.
  Log(LogLevel level, LogFormat format, Counter counter, std::shared_ptr<spdlog::sinks::sink> sink);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void set_level(LogLevel level);

  using Fields = std::initializer_list<LogField>;
  void debug(std::string_view message, Fields fields = {}) {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warn(std::string_view message, Fields fields = {}) {
    write(LogLevel::warn, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) {
    write(LogLevel::error, message, fields);
  }

 private:
  void write(LogLevel level, std::string_view message, Fields fields);

  LogFormat format_;
  Counter counter_;
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace hmsync::daemon
