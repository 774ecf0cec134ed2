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
  std::optional<LeaseRow> acquire(const LeaseRow& expected, const Token& next,
                                  const std::string& instance,
                                  const WriterSessions& writers) override;
  bool renew(const Token& token, const WriterSessions& writers) override;
  void release(const Token& token) override;

 private:
  store::Connection& connection();

  const store::ConnectionOptions options_;
  const std::string server_;
  store::ConnectionObserver* const observer_;
  std::optional<store::Connection> connection_;
};

/// How this connection's present session is named in the lease. One round trip; to be asked again
/// after a reconnect.
WriterSession writer_session(store::Connection& connection);

}  // namespace hmsync::leader
