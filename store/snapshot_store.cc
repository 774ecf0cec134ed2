#include "store/snapshot_store.h"

#include <random>

#include "store/event_store.h"
#include "store/fenced.h"
#include "store/mutation_groups.h"
#include "store/mutation_sql.h"
#include "store/revoke.h"
#include "store/snapshot_difference.h"
#include "store/snapshot_grants.h"
#include "store/snapshot_page.h"

namespace hmsync::store {

namespace {

std::string new_id(const std::string& server) {
  std::random_device random;
  return server + "-" + std::to_string((uint64_t{random()} << 32) | random());
}

/// Restores the time-out when the long work is over.
class LongStatements {
 public:
  explicit LongStatements(Connection& connection)
      : connection_(connection), before_(connection.options().statement_timeout) {
    if (before_.count() != 0 && before_ < PostgresSnapshotStore::kSwitchTimeout) {
      connection_.set_statement_timeout(PostgresSnapshotStore::kSwitchTimeout);
    }
  }
  ~LongStatements() {
    try {
      if (connection_.options().statement_timeout != before_) {
        connection_.set_statement_timeout(before_);
      }
    } catch (const Error&) {
      // The session is gone; the next one begins with the options, which are right again.
    }
  }
  LongStatements(const LongStatements&) = delete;
  LongStatements& operator=(const LongStatements&) = delete;

 private:
  Connection& connection_;
  std::chrono::milliseconds before_;
};

/// Joins over fresh tables are planned badly without statistics. PostgreSQL skips a table whose
/// owner this role is not.
void analyze_staging(Connection& connection) {
  connection.execute("ANALYZE staging_objects, staging_paths");
}

int64_t changed_paths(const follower::Difference& difference) {
  int64_t sum = 0;
  for (const auto* counts : {&difference.added, &difference.changed, &difference.removed}) {
    sum += counts->databases + counts->tables + counts->partitions;
  }
  return sum;
}

}  // namespace

PostgresSnapshotStore::PostgresSnapshotStore(Connection& connection, std::string server)
    : connection_(connection), server_(std::move(server)) {}

void PostgresSnapshotStore::run(const Statement& statement) {
  connection_.query(statement.sql, statement.parameters);
}

void PostgresSnapshotStore::remove_staged(const std::string& condition, const std::string& value) {
  const LongStatements patience(connection_);
  const std::string of_snapshots =
      " IN (SELECT snapshot FROM staging_snapshots WHERE " + condition + ")";
  // The snapshots' rows first: whoever still works with one of them holds its row.
  connection_.transaction(std::vector<Statement>{
      {"SELECT FROM staging_snapshots WHERE " + condition + " FOR UPDATE", {value}},
      {"DELETE FROM staging_paths WHERE object_id IN "
       "(SELECT object_id FROM staging_objects WHERE snapshot" +
           of_snapshots + ")",
       {value}},
      {"DELETE FROM staging_objects WHERE snapshot" + of_snapshots, {value}},
      {"DELETE FROM staging_re_reads WHERE snapshot" + of_snapshots, {value}},
      {"DELETE FROM staging_scopes WHERE snapshot" + of_snapshots, {value}},
      {"DELETE FROM staging_snapshots WHERE " + condition, {value}}});
}

std::string PostgresSnapshotStore::begin(const std::vector<follower::Scope>& scopes) {
  std::string id = new_id(server_);
  std::vector<Statement> statements{
      {"INSERT INTO staging_snapshots (snapshot, server, whole, re_reads_through) "
       "SELECT $1, $2, $3, greatest("
       "(SELECT max(request_id) FROM pending_re_reads WHERE server = $2), "
       "(SELECT max(claim_id) FROM event_claims WHERE server = $2), 0)",
       {id, server_, reaches_everything(scopes) ? "true" : "false"}}};
  if (!reaches_everything(scopes)) statements.push_back(add_scopes(id, scopes));
  connection_.transaction(statements);
  return id;
}

void PostgresSnapshotStore::add(const std::string& snapshot, const follower::SnapshotPage& page,
                                const std::vector<follower::Scope>& more) {
  Transaction transaction(connection_);
  run(hold_snapshot(server_, snapshot));
  if (!more.empty()) run(add_scopes(snapshot, more));
  copy_page(connection_, snapshot, page);
  transaction.commit();
}

void PostgresSnapshotStore::replay(const std::string& snapshot,
                                   const std::vector<processor::Mutation>& mutations) {
  const Target target{false, snapshot, 0};
  std::vector<Statement> statements{hold_snapshot(server_, snapshot)};
  for (const MutationGroup& group : group_mutations(mutations)) {
    for (Statement& statement : object_statements(target, group)) {
      statements.push_back(std::move(statement));
    }
  }
  connection_.transaction(statements);
}

follower::Difference PostgresSnapshotStore::compare(const std::string& snapshot) {
  const LongStatements patience(connection_);
  analyze_staging(connection_);
  Transaction transaction(connection_);
  // One view of both sides, also while batches are being applied by others.
  connection_.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  run(hold_snapshot(server_, snapshot));
  const Sides sides = read_sides(connection_, server_, snapshot);
  follower::Difference difference = count_difference(connection_, sides);
  const Result cursor = connection_.query(
      "SELECT coalesce(max(cursor), 0) FROM followers WHERE server = $1", {server_});
  difference.suspended_grants = count_vanished_grants(connection_, sides, cursor.integer(0, 0));
  transaction.commit();
  return difference;
}

follower::Published PostgresSnapshotStore::publish(const follower::Fence& fence,
                                                   const std::string& snapshot,
                                                   const follower::Publication& publication) {
  const LongStatements patience(connection_);
  analyze_staging(connection_);
  Transaction transaction(connection_);
  const bool first =
      connection_.query("SELECT FROM followers WHERE server = $1 AND cursor IS NOT NULL", {server_})
          .rows() == 0;
  run(advance_follower(server_, fence, publication.cursor));
  run(hold_snapshot(server_, snapshot));
  const Sides sides = read_sides(connection_, server_, snapshot);
  connection_.query(
      "UPDATE followers SET metastore_uuid = CASE WHEN $2 = '' THEN metastore_uuid ELSE $2 END, "
      "generation = generation + $3::bigint WHERE server = $1",
      {server_, publication.metastore_uuid, publication.raise_generation ? "1" : "0"});
  follower::Difference difference = count_difference(connection_, sides);
  difference.suspended_grants = settle_grants(connection_, sides, publication);
  const int64_t changes = changed_paths(difference);
  if (first || changes > 0) {
    log_difference(connection_, sides, fence.commit_number + 1, publication.cursor,
                   first || changes > kListedChanges);
  }
  write_difference(connection_, sides, difference);
  if (changes > kListedChanges) connection_.execute("ANALYZE objects, paths");
  connection_.query("DELETE FROM pending_re_reads WHERE server = $1", {server_});
  connection_.query(
      "INSERT INTO pending_re_reads (server, catalog, database_name, table_name, event_id, "
      "generation) SELECT $1, catalog, database_name, table_name, event_id, "
      "(SELECT generation FROM followers WHERE server = $1) FROM staging_re_reads "
      "WHERE snapshot = $2",
      {server_, snapshot});
  // A grant that the switch moved to a name, and that was revoked there, is never readable.
  repeat_due_revokes(connection_, server_);
  connection_.query(
      "INSERT INTO audit (server, who, action, object, event, after) "
      "VALUES ($1, 'hmsyncd', 'snapshot', $2, $3, $4)",
      {server_, publication.reason, std::to_string(publication.cursor),
       difference_json(difference)});
  for (const Statement& statement : tell_progress(server_)) run(statement);
  transaction.commit();
  follower::Published published;
  published.difference = difference;
  return published;
}

void PostgresSnapshotStore::discard(const std::optional<std::string>& snapshot) {
  if (snapshot) return remove_staged("snapshot = $1", *snapshot);
  remove_staged("server = $1", server_);
}

}  // namespace hmsync::store
