// The lease on PostgreSQL: tables `leases` and `followers`.
#pragma once

#include <optional>
#include <string>

#include "leader/lease.h"
#include "store/connection.h"

namespace hmsync::leader {

/// Has a connection of its own, so that no batch delays a renewal; made at the first use and again
/// after a failure. All replicas use one database role: ending another's session needs that.
class PostgresLease final : public LeaseStore {
 public:
  /// Time-outs, application name and the rest of `options` are set from `times`. `observer` may be
  /// null and outlives this.
  PostgresLease(store::ConnectionOptions options, const LeaseTimes& times, std::string server,
                store::ConnectionObserver* observer = nullptr);

  LeaseRow read() override;
  std::optional<LeaseRow> acquire(const LeaseRow& expected, const LeaseRow& next) override;
  bool renew(const Token& token, int64_t renewal) override;
  void release(const Token& token) override;

 private:
  store::Connection& connection();

  const store::ConnectionOptions options_;
  const std::string server_;
  store::ConnectionObserver* const observer_;
  std::optional<store::Connection> connection_;
};

/// Names this session in the lease as the one that the holder writes with, so that a successor can
/// end it; to be called with each new session before it writes. One that was named before is ended:
/// it was lost, and may still have a lock. One round trip. Throws Error(fenced) where the lease has
/// another token, or was released.
void name_writer(store::Connection& connection, const std::string& server, const Token& token);

}  // namespace hmsync::leader
