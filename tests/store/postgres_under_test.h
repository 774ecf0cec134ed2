// The store on PostgreSQL, held to the contract of the ports.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/event_store.h"
#include "store/order_store.h"
#include "store/snapshot_store.h"
#include "store/stored_objects.h"
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
        orders_(connection_, "server1"),
        stored_(connection_, "server1") {}

  PostgresEventStore& events() override { return events_; }
  PostgresSnapshotStore& snapshots() override { return snapshots_; }
  PostgresOrderStore& orders() override { return orders_; }
  PostgresStoredObjects& stored() override { return stored_; }

  void elect(const follower::Token& token) override {
    events_.state();
    side_.query("UPDATE followers SET token_epoch = $1, token_nonce = $2 WHERE server = 'server1'",
                {std::to_string(token.epoch), token.nonce});
  }
  int64_t ask_resync(const follower::ResyncRequest& request) override {
    return orders_.ask_resync(request);
  }
  int64_t ask_retry(int64_t event, const std::string& who) override {
    return orders_.ask_retry(event, who);
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

  std::vector<std::string> re_reads() override {
    return lines(
        "SELECT event_id || ' ' || database_name || '.' || table_name FROM pending_re_reads "
        "WHERE server = 'server1'");
  }
  std::vector<std::string> claims() override {
    return lines_in_order(R"(
SELECT concat_ws(' ', event_id, kind, database_name || '.' || table_name,
                 'from ' || from_database || '.' || from_table, nullif(identity, ''),
                 CASE WHEN unordered THEN 'unordered' END)
FROM event_claims WHERE server = 'server1' ORDER BY claim_id)");
  }
  std::vector<std::string> notes() override {
    return lines_in_order(
        "SELECT concat_ws(' ', action, event, after->>'text') FROM audit "
        "WHERE server = 'server1' AND who = 'event' AND after ? 'text' ORDER BY audit_id");
  }
  int64_t polls_answered() override {
    return side_.query("SELECT polls_answered FROM follower_progress WHERE server = 'server1'")
        .integer(0, 0);
  }

  /// The first column of a query on another session.
  std::vector<std::string> lines_in_order(const std::string& sql) {
    const Result rows = side_.query(sql);
    std::vector<std::string> found;
    for (int row = 0; row < rows.rows(); ++row) found.emplace_back(rows.text(row, 0));
    return found;
  }
  /// The same, sorted.
  std::vector<std::string> lines(const std::string& sql) {
    std::vector<std::string> found = lines_in_order(sql);
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
  PostgresStoredObjects stored_;
};

}  // namespace hmsync::store
