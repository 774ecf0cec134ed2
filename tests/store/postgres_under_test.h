// The store on PostgreSQL, held to the contract of the ports.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/event_store.h"
#include "store/order_store.h"
#include "store/privileges.h"
#include "store/reader.h"
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
        stored_(connection_, "server1"),
        privileges_(database_.options(), "server1"),
        reader_(database_.options(), "server1") {}

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
                 CASE WHEN unordered THEN 'unordered' END, CASE WHEN certain THEN 'certain' END)
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

  int64_t refuted() override {
    return side_.query("SELECT refuted FROM followers WHERE server = 'server1'").integer(0, 0);
  }

  PostgresPrivilegeStore& privileges() override { return privileges_; }
  follower::PrivilegeOutcome create_role(const std::string& role, const std::string& who) override {
    return privileges_.create_role(role, who);
  }
  follower::PrivilegeOutcome drop_role(const std::string& role, const std::string& who) override {
    return privileges_.drop_role(role, who);
  }
  SettledGrants restore_suspended(const GrantIds& ids, bool force,
                                  const std::string& who) override {
    return store::restore_suspended(side_, "server1", ids, force, who);
  }
  SettledGrants purge_suspended(const GrantIds& ids, const std::string& who) override {
    return store::purge_suspended(side_, "server1", ids, who);
  }
  void record_head(int64_t head) override { events_.record_head(head); }
  int64_t ask_poll() override { return orders_.ask_poll(); }
  follower::ReadablePosition position() override { return reader_.position(); }

  void put_grant(const TestGrant& grant) override {
    side_.query(R"(
INSERT INTO grants (role_id, server, database_name, table_name, column_name, action, grant_option,
                    identity, as_of_event, suspended, suspended_reason)
SELECT role_id, 'server1', split_part($1, '.', 1), split_part($1, '.', 2), split_part($1, '.', 3),
       $2, $3, $4, $5, $6 <> '', $6 FROM roles WHERE role = 'analyst')",
                {grant.on, grant.action, grant.grant_option ? "true" : "false", grant.identity,
                 std::to_string(grant.as_of), grant.suspended_reason});
  }
  std::vector<int64_t> grant_ids(const std::string& identity, bool suspended) override {
    const Result rows = side_.query(
        "SELECT grant_id FROM grants WHERE identity = $1 AND suspended = $2 ORDER BY grant_id",
        {identity, suspended ? "true" : "false"});
    std::vector<int64_t> ids;
    for (int row = 0; row < rows.rows(); ++row) ids.push_back(rows.integer(row, 0));
    return ids;
  }
  std::vector<std::string> grants() override {
    return lines(R"(
SELECT CASE WHEN role <> 'analyst' THEN role || ': ' ELSE '' END ||
       CASE WHEN catalog <> 'hive' THEN catalog || ':' ELSE '' END ||
       coalesce(nullif(uri, ''), nullif(concat_ws('.', nullif(database_name, ''),
                nullif(table_name, ''), nullif(column_name, '')), ''), 'server') || ' ' ||
       action || ' ' || as_of_event || ' ' || identity ||
       CASE WHEN grant_option THEN ' option' ELSE '' END ||
       CASE WHEN suspended THEN ' (' || suspended_reason || ')' ELSE '' END
FROM grants JOIN roles USING (role_id))");
  }
  std::vector<std::string> audit() override {
    return lines_in_order(R"(
SELECT concat_ws(' ', who, action, nullif(object, ''), event, nullif(outcome, 'done'))
FROM audit WHERE action <> 'snapshot' ORDER BY audit_id)");
  }
  std::vector<std::string> audited_grants() override {
    return lines_in_order("SELECT who || ' ' || action || ': ' || " + grant_text("before") +
                          " || ' -> ' || " + grant_text("after") +
                          " FROM audit WHERE before ? 'grantor' OR after ? 'grantor' "
                          "ORDER BY audit_id");
  }
  std::vector<std::string> permission_changes() override {
    return lines_in_order(R"(
SELECT concat_ws(' ', event_id, change, role, database_name, table_name, column_name, action,
                 new_database_name, new_table_name) FROM permission_changes ORDER BY change_id)");
  }
  std::vector<std::string> path_changes() override {
    return lines_in_order(R"(
SELECT concat_ws(' ', event_id, change, database_name || '.' || coalesce(table_name, ''),
                 partition_values::text,
                 nullif(concat(scheme || ':', '//' || authority, path), ''),
                 'to ' || new_database_name || '.' || new_table_name)
FROM path_changes ORDER BY change_id)");
  }
  std::vector<std::string> revokes() override {
    return lines_in_order(
        "SELECT concat_ws(' ', at_event, state, requested_by, outcome->>'changed') FROM requests "
        "WHERE kind = 'revoke' ORDER BY request_id");
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
  /// Of a column of the audit: a grant, or "-".
  static std::string grant_text(const std::string& of) {
    const auto field = [&](const char* name) { return of + "->>'" + name + "'"; };
    return "CASE WHEN " + of + " ? 'grantor' THEN concat_ws(' ', coalesce(" + field("uri") +
           ", nullif(concat_ws('.', " + field("database") + ", " + field("table") + ", " +
           field("column") + "), ''), 'server'), (" + field("action") + ") || CASE WHEN (" +
           field("grant_option") + ")::boolean THEN '+' ELSE '' END, " + field("as_of_event") +
           ", " + field("grantor") + ", CASE WHEN (" + field("suspended") +
           ")::boolean THEN 'suspended' END) ELSE '-' END";
  }

  OwnDatabase database_;
  CountingObserver observer_;
  Connection connection_;
  Connection side_;
  PostgresEventStore events_;
  PostgresSnapshotStore snapshots_;
  PostgresOrderStore orders_;
  PostgresStoredObjects stored_;
  PostgresPrivilegeStore privileges_;
  Reader reader_;
};

}  // namespace hmsync::store
