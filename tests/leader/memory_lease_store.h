// The lease's database in memory, with faults, for tests without PostgreSQL.
#pragma once

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
  Token follower_token;
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

  std::optional<LeaseRow> acquire(const LeaseRow& expected, const LeaseRow& next) override {
    return call("acquire", [&]() -> std::optional<LeaseRow> {
      if (!database_.row.same_version(expected)) return std::nullopt;
      database_.row = next;
      database_.row.since = 1;
      database_.follower_token = next.token;
      return database_.row;
    });
  }

  bool renew(const Token& token, int64_t renewal) override {
    return call("renew", [&] {
      if (database_.row.token != token || database_.row.released) return false;
      database_.row.renewal = renewal;
      return true;
    });
  }

  void release(const Token& token) override {
    call("release", [&] {
      if (database_.row.token != token) return false;
      ++database_.row.renewal;
      database_.row.released = true;
      return true;
    });
  }

 private:
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
