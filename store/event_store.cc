#include "store/event_store.h"

#include <algorithm>

#include "store/claim_sql.h"
#include "store/digest_pack.h"
#include "store/event_grants.h"
#include "store/fenced.h"
#include "store/mutation_groups.h"
#include "store/mutation_sql.h"
#include "store/quarantine_sql.h"
#include "store/storable.h"

namespace hmsync::store {

namespace {

constexpr const char* kState = R"(
SELECT f.cursor, f.commit_number, f.generation, f.token_epoch, f.token_nonce, f.metastore_uuid,
       f.shared_ids_seen, coalesce(d.digests, '')
FROM followers f LEFT JOIN event_digests d USING (server) WHERE f.server = $1)";

Statement store_digests(const std::string& server,
                        const std::vector<processor::EventDigest>& digests) {
  return {
      "INSERT INTO event_digests AS d (server, digests) VALUES ($1, $2) "
      "ON CONFLICT (server) DO UPDATE SET digests = excluded.digests "
      "WHERE d.digests <> excluded.digests",
      {server, pack_digests(digests)}};
}

std::vector<Statement> note_statements(const std::string& server,
                                       const std::vector<follower::Note>& notes) {
  if (notes.empty()) return {};
  Columns rows(3);
  for (const follower::Note& note : notes) {
    rows.add({storable(note.action), std::to_string(note.event), storable(note.text)});
  }
  return {
      {"INSERT INTO audit (server, who, action, event, after) "
       "SELECT $1, 'event', action, event + 0 * $2::bigint, jsonb_build_object('text', text) "
       "FROM unnest($3::text[], $4::bigint[], $5::text[]) AS i(action, event, text)",
       rows.parameters({true, server, 0})}};
}

/// In the order of time, as the indexes have it: no walk over what has not expired.
std::string trim_rows(const std::string& table, const std::string& id, const std::string& time,
                      const std::string& which = "") {
  return "WITH gone AS (DELETE FROM " + table + " WHERE " + id + " IN (SELECT " + id + " FROM " +
         table + " WHERE server = $1 AND " + which + time +
         " < now() - $2::bigint * interval '1 second' ORDER BY " + time + ", " + id +
         " LIMIT $3::bigint) RETURNING " + id + ")\nSELECT count(*) AS rows_written FROM gone";
}

/// Readers of a change log can tell "trimmed" from "not yet there".
std::string trim_changes(const std::string& table, const std::string& log) {
  std::string sql = trim_rows(table, "change_id", "changed_at");
  const std::string trimmed = R"(,
told AS (
  INSERT INTO change_log_trims AS t (log, server, trimmed_through)
  SELECT ')" + log + R"(', $1, max(change_id) FROM gone HAVING count(*) > 0
  ON CONFLICT (log, server)
  DO UPDATE SET trimmed_through = greatest(t.trimmed_through, excluded.trimmed_through)))";
  return sql.insert(sql.rfind("\nSELECT"), trimmed);
}

void append(std::vector<Statement>& statements, std::vector<Statement> more) {
  std::move(more.begin(), more.end(), std::back_inserter(statements));
}

}  // namespace

PostgresEventStore::PostgresEventStore(Connection& connection, std::string server,
                                       Retention retention)
    : connection_(connection), server_(std::move(server)), retention_(retention) {}

follower::FollowerState PostgresEventStore::state() {
  Result row = connection_.query(kState, {server_});
  if (row.rows() == 0) {
    connection_.query("INSERT INTO followers (server) VALUES ($1) ON CONFLICT DO NOTHING",
                      {server_});
    row = connection_.query(kState, {server_});
  }
  follower::FollowerState state;
  if (!row.is_null(0, 0)) state.cursor = row.integer(0, 0);
  state.commit_number = row.integer(0, 1);
  state.generation = row.integer(0, 2);
  state.token = {row.integer(0, 3), std::string(row.text(0, 4))};
  state.metastore_uuid = row.text(0, 5);
  state.shared_ids_seen = row.boolean(0, 6);
  state.digests = unpack_digests(row.text(0, 7));
  return state;
}

void PostgresEventStore::apply(const follower::Fence& fence, const follower::Batch& batch) {
  const Target target{true, server_, fence.commit_number + 1};
  std::vector<Statement> statements{
      {"SELECT stop_at_revokes($1, $2)", {server_, std::to_string(batch.cursor)}},
      advance_follower(server_, fence, batch.cursor, batch.counts)};
  for (const MutationGroup& group : group_mutations(batch.mutations)) {
    append(statements, grant_statements(target, group));
    append(statements, object_statements(target, group));
    append(statements, revive_statements(target, group));
  }
  append(statements, claim_statements(server_, batch.claims));
  append(statements, quarantine_statements(server_, batch.quarantined));
  append(statements, note_statements(server_, batch.notes));
  statements.push_back(store_digests(server_, batch.digests));
  append(statements, tell_progress(server_));
  connection_.transaction(statements);
}

void PostgresEventStore::note(const follower::Fence& fence,
                              const std::vector<follower::Note>& notes) {
  std::vector<Statement> statements{advance_follower(server_, fence)};
  append(statements, note_statements(server_, notes));
  connection_.transaction(statements);
}

bool PostgresEventStore::trim(const follower::Fence& fence) {
  const auto seconds = [](std::chrono::milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
  };
  const std::string limit = std::to_string(kTrimmedRows);
  const std::string changes = seconds(retention_.change_logs);
  const std::string audit = seconds(retention_.audit);
  const std::vector<Result> results = connection_.transaction(std::vector<Statement>{
      advance_follower(server_, fence),
      {trim_changes("path_changes", "path"), {server_, changes, limit}},
      {trim_changes("permission_changes", "permission"), {server_, changes, limit}},
      {trim_rows("audit", "audit_id", "time"), {server_, audit, limit}},
      {trim_rows("requests", "request_id", "finished_at", "state = 'finished' AND "),
       {server_, audit, limit}}});
  return std::any_of(results.begin() + 1, results.end(),
                     [](const Result& removed) { return removed.integer(0, 0) >= kTrimmedRows; });
}

void PostgresEventStore::answer_polls(int64_t asked) {
  connection_.query(R"(
WITH answered AS (
  INSERT INTO follower_progress AS p (server, polls_answered) VALUES ($1, $2)
  ON CONFLICT (server) DO UPDATE
  SET polls_answered = greatest(p.polls_answered, excluded.polls_answered))
SELECT pg_notify($3, $1))",
                    {server_, std::to_string(asked), kCursorChannel});
}

void PostgresEventStore::record_head(int64_t head) {
  connection_.query(R"(
INSERT INTO follower_progress AS p (server, head, head_read_at, caught_up_at)
SELECT $1, $2::bigint, clock_timestamp(), CASE WHEN f.cursor >= $2::bigint THEN clock_timestamp() END
FROM (SELECT $1::text AS server) s LEFT JOIN followers f USING (server)
ON CONFLICT (server) DO UPDATE
SET head = excluded.head, head_read_at = excluded.head_read_at,
    caught_up_at = coalesce(excluded.caught_up_at, p.caught_up_at))",
                    {server_, std::to_string(head)});
}

void PostgresEventStore::record_phase(const std::string& phase) {
  connection_.query(
      "INSERT INTO follower_progress AS p (server, phase) VALUES ($1, $2) "
      "ON CONFLICT (server) DO UPDATE SET phase = excluded.phase WHERE p.phase <> excluded.phase",
      {server_, phase});
}

}  // namespace hmsync::store
