#include "daemon/logging.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <cmath>
#include <iterator>

namespace hmsync::daemon {
namespace {

constexpr std::array kNames = {"debug", "info", "warn", "error"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// Length of the well-formed UTF-8 character of several bytes that the text begins with, else 0.
size_t sequence_length(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool too_long = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool too_high = (byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return too_long || too_high ? 0 : length;
}

/// Control characters would let an event's text forge lines of the log, and what is not UTF-8 would
/// break a reader of JSON, which needs quotes and backslashes escaped too.
void append_escaped(std::string& line, std::string_view text, bool json) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const size_t length = sequence_length(text.substr(i));
      line += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(i, length);
      i += length == 0 ? 0 : length - 1;
    } else if (c == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      if (json && (c == '"' || c == '\\')) line += '\\';
      line += c;
    }
  }
}

void append_json_string(std::string& line, std::string_view text) {
  line += '"';
  append_escaped(line, text, true);
  line += '"';
}

struct AppendValue {
  std::string& line;
  bool json;

  void operator()(std::string_view text) const {
    if (json || text.empty() || text.find_first_of(" \"=\\") != std::string_view::npos) {
      append_json_string(line, text);
    } else {
      append_escaped(line, text, false);
    }
  }
  void operator()(int64_t number) const { line += std::to_string(number); }
  void operator()(double number) const {
    line += std::isfinite(number) ? fmt::format("{}", number) : "null";
  }
  void operator()(bool flag) const { line += flag ? "true" : "false"; }
};

// The level is written here, since spdlog's own word for warn is another.
std::string text_line(LogLevel level, std::string_view message, Log::Fields fields) {
  std::string line = fmt::format("{:<5} ", to_string(level));
  append_escaped(line, message, false);
  for (const LogField& field : fields) {
    line += fmt::format(" {}=", field.name);
    std::visit(AppendValue{line, false}, field.value);
  }
  return line;
}

std::string json_members(LogLevel level, std::string_view message, Log::Fields fields) {
  std::string line = fmt::format(R"("level":"{}","message":)", to_string(level));
  append_json_string(line, message);
  for (const LogField& field : fields) {
    line += ',';
    append_json_string(line, field.name);
    line += ':';
    std::visit(AppendValue{line, true}, field.value);
  }
  return line;
}

/// UTC, so that lines of several machines compare.
std::unique_ptr<spdlog::formatter> formatter(LogFormat format) {
  const char* pattern = format == LogFormat::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})"
                                                  : "%Y-%m-%dT%H:%M:%S.%eZ %v";
  return std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc);
}

}  // namespace

const char* to_string(LogLevel level) { return kNames.at(static_cast<size_t>(level)); }

LogLevel log_level(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<LogLevel>(i);
  }
  return LogLevel::info;
}

Log::Log(LogLevel level, LogFormat format, Counter counter)
    : Log(level, format, std::move(counter), std::make_shared<spdlog::sinks::stderr_sink_mt>()) {}

Log::Log(LogLevel level, LogFormat format, Counter counter,
         std::shared_ptr<spdlog::sinks::sink> sink)
    : format_(format),
      counter_(std::move(counter)),
      logger_(std::make_unique<spdlog::logger>("hmsyncd", std::move(sink))) {
  logger_->set_formatter(formatter(format));
  logger_->set_error_handler([](const std::string&) {});  // nowhere left to tell
  logger_->flush_on(spdlog::level::debug);
  set_level(level);
}

Log::~Log() = default;

void Log::set_level(LogLevel level) { logger_->set_level(spdlog_level(level)); }

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  if (!logger_->should_log(spdlog_level(level))) return;
  if (counter_) counter_(level);
  const std::string line = format_ == LogFormat::json ? json_members(level, message, fields)
                                                      : text_line(level, message, fields);
  // As an argument: the text is no format string.
  logger_->log(spdlog_level(level), spdlog::string_view_t(line));
}

}  // namespace hmsync::daemon
