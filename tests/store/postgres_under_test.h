// The store on PostgreSQL, held to the contract of the ports.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/event_store.h"
#include "store/order_store.h"
#include "store/snapshot_store.h"
#include "tests/store/own_database.h"
#include "tests/store/store_under_test.h"

namespace hmsync::store {

/// Counts what goes over the connection.
class CountingObserver : public ConnectionObserver {
 public:
  void round_trip() override { ++round_trips; }
  void commit_sent() override { on_commit_sent(); }
  void rows_written(int64_t count) override { rows += count; }

  int round_trips = 0;
  int64_t rows = 0;
  std::function<void()> on_commit_sent = [] {};
};

class PostgresUnderTest : public StoreUnderTest {
 public:
  PostgresUnderTest()
      : connection_(database_.options(), &observer_),
        side_(database_.options()),
        events_(connection_, "server1"),
        snapshots_(connection_, "server1"),
        orders_(connection_, "server1") {}

  PostgresEventStore& events() override { return events_; }
  PostgresSnapshotStore& snapshots() override { return snapshots_; }
  PostgresOrderStore& orders() override { return orders_; }

  void elect(const follower::Token& token) override {
    events_.state();
    side_.query("UPDATE followers SET token_epoch = $1, token_nonce = $2 WHERE server = 'server1'",
                {std::to_string(token.epoch), token.nonce});
  }
  int64_t ask_resync(const follower::ResyncRequest& request) override {
    return orders_.ask_resync(request);
  }
  void pause(const std::string& by, const std::string& reason) override {
    orders_.pause(by, std::nullopt, reason);
  }

  std::vector<std::string> objects() override {
    return lines(R"(
SELECT concat_ws(' ', 'database', database, coalesce(owner, '-'), coalesce(location, '-'))
FROM v1_databases WHERE server = 'server1' UNION ALL
SELECT concat_ws(' ', 'table', database || '.' || "table", type, coalesce(owner, '-'),
                 coalesce(location, '-'))
FROM v1_tables WHERE server = 'server1' UNION ALL
SELECT concat_ws(' ', 'partition', database || '.' || "table", values::text,
                 coalesce(location, '-'))
FROM v1_partitions WHERE server = 'server1')");
  }

  /// The first column of a query on another session, sorted.
  std::vector<std::string> lines(const std::string& sql) {
    const Result rows = side_.query(sql);
    std::vector<std::string> found;
    for (int row = 0; row < rows.rows(); ++row) found.emplace_back(rows.text(row, 0));
    std::sort(found.begin(), found.end());
    return found;
  }

  Connection& connection() { return connection_; }
  /// Another session.
  Connection& side() { return side_; }
  CountingObserver& observer() { return observer_; }
  const ConnectionOptions& options() { return database_.options(); }

 private:
  OwnDatabase database_;
  CountingObserver observer_;
  Connection connection_;
  Connection side_;
  PostgresEventStore events_;
  PostgresSnapshotStore snapshots_;
  PostgresOrderStore orders_;
};

}  // namespace hmsync::store
