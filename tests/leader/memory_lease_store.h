// The lease's database in memory, with faults, for tests without PostgreSQL.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "leader/lease.h"

namespace hmsync::leader {

/// Shared by the stores of several replicas.
struct MemoryLeaseDatabase {
  std::mutex mutex;
  LeaseRow row;
  WriterSessions row_writers;
  Token follower_token;
  WriterSessions running_sessions;
};

/// Thread-safe, as far as its hooks are.
class MemoryLeaseStore final : public LeaseStore {
 public:
  explicit MemoryLeaseStore(MemoryLeaseDatabase& database) : database_(database) {}

  /// Called with "read", "acquire", "renew" or "release". What `before` throws is a lost request,
  /// what `after` throws is a lost reply. They may let time pass.
  std::function<void(const std::string& call)> before = [](const std::string&) {};
  std::function<void(const std::string& call)> after = [](const std::string&) {};

  LeaseRow read() override {
    return call("read", [this] { return database_.row; });
  }

  std::optional<LeaseRow> acquire(const LeaseRow& expected, const Token& next,
                                  const std::string& instance,
                                  const WriterSessions& writers) override {
    return call("acquire", [&]() -> std::optional<LeaseRow> {
      if (!database_.row.same_version(expected)) return std::nullopt;
      std::erase_if(database_.running_sessions, [&](const WriterSession& session) {
        return contains(database_.row_writers, session) && !contains(writers, session);
      });
      database_.row = {
          .token = next, .renewal = 0, .released = false, .instance = instance, .since = 1};
      database_.row_writers = writers;
      database_.follower_token = next;
      return database_.row;
    });
  }

  bool renew(const Token& token, const WriterSessions& writers) override {
    return call("renew", [&] {
      if (database_.row.token != token || database_.row.released) return false;
      ++database_.row.renewal;
      database_.row_writers = writers;
      return true;
    });
  }

  void release(const Token& token) override {
    call("release", [&] {
      if (database_.row.token != token) return false;
      ++database_.row.renewal;
      database_.row.released = true;
      database_.row_writers.clear();
      return true;
    });
  }

 private:
  static bool contains(const WriterSessions& sessions, const WriterSession& session) {
    return std::find(sessions.begin(), sessions.end(), session) != sessions.end();
  }

  template <typename Effect>
  std::invoke_result_t<Effect> call(const std::string& name, const Effect& effect) {
    before(name);
    auto reply = [&] {
      const std::lock_guard lock(database_.mutex);
      return effect();
    }();
    after(name);
    return reply;
  }

  MemoryLeaseDatabase& database_;
};

}  // namespace hmsync::leader
