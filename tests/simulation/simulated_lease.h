// The lease's row beside the store's state: one database, which a fail-over takes back as a whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "leader/lease.h"
#include "tests/follower/memory_store.h"
#include "tests/simulation/violation.h"

namespace hmsync::simulation {

struct Database {
  doubles::MemoryStore store;
  leader::LeaseRow lease;
};

class SimulatedLease final : public leader::LeaseStore {
 public:
  using Hook = std::function<void(std::string_view call, bool after)>;
  SimulatedLease(Database& database, std::string instance, Hook hook)
      : database_(database), instance_(std::move(instance)), hook_(std::move(hook)) {}

  leader::LeaseRow read() override {
    return call("lease:read", [&] { return database_.lease; });
  }
  std::optional<leader::LeaseRow> acquire(const leader::LeaseRow& expected,
                                          const leader::LeaseRow& next) override {
    return call("lease:acquire", [&]() -> std::optional<leader::LeaseRow> {
      if (!database_.lease.same_version(expected)) return std::nullopt;
      database_.lease = next;
      database_.store.follower.token = {next.token.epoch, next.token.nonce};
      return database_.lease;
    });
  }
  bool renew(const leader::Token& token, int64_t renewal) override {
    return call("lease:renew", [&] {
      if (database_.lease.token != token || database_.lease.released) return false;
      if (database_.lease.instance != instance_) {
        throw Violation(instance_ + " renews the lease of " + database_.lease.instance);
      }
      database_.lease.renewal = renewal;
      return true;
    });
  }
  void release(const leader::Token& token) override {
    call("lease:release", [&] {
      if (database_.lease.token != token) return false;
      ++database_.lease.renewal;
      database_.lease.released = true;
      return true;
    });
  }

 private:
  template <typename Effect>
  std::invoke_result_t<const Effect&> call(std::string_view name, const Effect& effect) {
    hook_(name, false);
    auto reply = effect();
    hook_(name, true);
    return reply;
  }

  Database& database_;
  const std::string instance_;
  const Hook hook_;
};

}  // namespace hmsync::simulation
