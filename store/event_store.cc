#include "store/event_store.h"

#include "store/event_grants.h"
#include "store/fenced.h"
#include "store/mutation_groups.h"
#include "store/mutation_sql.h"
#include "store/quarantine_sql.h"

namespace hmsync::store {

namespace {

constexpr const char* kState = R"(
SELECT f.cursor, f.commit_number, f.generation, f.token_epoch, f.token_nonce, f.metastore_uuid,
       EXISTS (SELECT FROM pending_re_reads p WHERE p.server = f.server)
FROM followers f WHERE f.server = $1)";

void append(std::vector<Statement>& statements, std::vector<Statement> more) {
  std::move(more.begin(), more.end(), std::back_inserter(statements));
}

}  // namespace

PostgresEventStore::PostgresEventStore(Connection& connection, std::string server)
    : connection_(connection), server_(std::move(server)) {}

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
  state.re_reads_pending = row.boolean(0, 6);
  return state;
}

void PostgresEventStore::apply(const follower::Fence& fence, const follower::Batch& batch) {
  const Target target{true, server_, fence.commit_number + 1};
  std::vector<Statement> statements{advance_follower(server_, fence, batch.cursor, batch.counts)};
  for (const MutationGroup& group : group_mutations(batch.mutations)) {
    append(statements, grant_statements(target, group));
    append(statements, object_statements(target, group));
    append(statements, revive_statements(target, group));
  }
  append(statements, quarantine_statements(server_, batch.quarantined));
  append(statements, tell_progress(server_));
  connection_.transaction(statements);
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
