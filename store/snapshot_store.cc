#include "store/snapshot_store.h"

#include <random>

#include "store/claim_sql.h"
#include "store/digest_pack.h"
#include "store/fenced.h"
#include "store/mutation_groups.h"
#include "store/mutation_sql.h"
#include "store/revoke.h"
#include "store/snapshot_difference.h"
#include "store/snapshot_grants.h"
#include "store/snapshot_guard.h"
#include "store/snapshot_page.h"
#include "store/snapshot_re_reads.h"

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

int64_t changed_objects(const follower::Difference& difference) {
  int64_t sum = 0;
  for (const auto* counts : {&difference.added, &difference.changed, &difference.removed}) {
    sum += counts->databases + counts->tables + counts->partitions;
  }
  return sum;
}

struct Before {
  bool first = true;  ///< nothing was ever published
  int64_t cursor = 0;
};

Before state_before(Connection& connection, const std::string& server) {
  const Result row = connection.query(
      "SELECT cursor FROM followers WHERE server = $1 AND cursor IS NOT NULL", {server});
  if (row.rows() == 0) return {};
  return {false, row.integer(0, 0)};
}

/// What is remembered of the history that the publication stands in.
void take_history(Connection& connection, const std::string& server,
                  const follower::Publication& publication) {
  if (publication.raise_generation || !publication.metastore_uuid.empty()) {
    connection.query(
        "UPDATE followers SET metastore_uuid = CASE WHEN $2 = '' THEN metastore_uuid ELSE $2 END, "
        "generation = generation + $3::bigint WHERE server = $1",
        {server, publication.metastore_uuid, publication.raise_generation ? "1" : "0"});
  }
  if (publication.raise_generation || !publication.digests.empty()) {
    connection.query(
        "INSERT INTO event_digests (server, digests) VALUES ($1, $2::bytea) "
        "ON CONFLICT (server) DO UPDATE SET digests = excluded.digests",
        {server, pack_digests(publication.digests)});
  }
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
      {"DELETE FROM staging_claims WHERE snapshot" + of_snapshots, {value}},
      {"DELETE FROM staging_scopes WHERE snapshot" + of_snapshots, {value}},
      {"DELETE FROM staging_snapshots WHERE " + condition, {value}}});
}

bool PostgresSnapshotStore::is_whole(const std::string& snapshot) {
  return connection_
             .query("SELECT FROM staging_snapshots WHERE snapshot = $1 AND whole", {snapshot})
             .rows() > 0;
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
                                   const std::vector<processor::Mutation>& mutations,
                                   const std::vector<processor::Claim>& claims) {
  const Target target{false, snapshot, 0};
  std::vector<Statement> statements{hold_snapshot(server_, snapshot)};
  for (const MutationGroup& group : group_mutations(mutations)) {
    for (Statement& statement : object_statements(target, group)) {
      statements.push_back(std::move(statement));
    }
  }
  for (Statement& statement : staged_claim_statements(snapshot, claims)) {
    statements.push_back(std::move(statement));
  }
  connection_.transaction(statements);
}

follower::Difference PostgresSnapshotStore::compare(const std::string& snapshot) {
  const LongStatements patience(connection_);
  const bool whole = is_whole(snapshot);
  if (whole) analyze_staging(connection_);
  Transaction transaction(connection_);
  // One view of both sides, also while batches are being applied by others.
  connection_.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  run(hold_snapshot(server_, snapshot));
  settle_doubtful(connection_, server_, snapshot, whole);
  Sides sides = read_sides(connection_, server_, snapshot);
  sides.untouched = grants_not_to_judge(connection_, sides);
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
  const bool whole = is_whole(snapshot);
  if (whole) analyze_staging(connection_);
  Transaction transaction(connection_);
  const Before before = state_before(connection_, server_);
  run(advance_follower(server_, fence, publication.cursor));
  run(hold_snapshot(server_, snapshot));
  if (publication.unbroken && settle_doubtful(connection_, server_, snapshot, whole)) {
    keep_owed(connection_, server_, snapshot);
  }
  Sides sides = read_sides(connection_, server_, snapshot);
  if (publication.unbroken) sides.untouched = grants_not_to_judge(connection_, sides);
  const Claims claims = read_claims(connection_, sides);
  const Sources sources = find_sources(connection_, sides, claims);
  follower::Published published;
  published.missing = beyond_scopes(claims);
  published.missing.insert(published.missing.end(), sources.missing.begin(), sources.missing.end());
  if (!published.missing.empty()) {
    published.outcome = follower::Published::Outcome::incomplete;
    return published;
  }
  follower::Difference& difference = published.difference;
  difference = count_difference(connection_, sides);
  const Losses losses = count_losses(connection_, sides, claims, difference);
  published.stored_tables = losses.stored_tables;
  published.lost_tables = losses.lost_tables;
  if (publication.guard) published.reason = refusal(*publication.guard, losses);
  if (!published.reason.empty()) {
    published.outcome = follower::Published::Outcome::refused;
    return published;
  }

  take_history(connection_, server_, publication);
  const GrantsOfSnapshot grants = settle_grants(connection_, sides, publication, claims, sources);
  difference.suspended_grants = grants.suspended;
  const int64_t changes = changed_objects(difference);
  if (before.first || changes > 0) {
    log_difference(connection_, sides, fence.commit_number + 1, publication.cursor,
                   before.first || changes > kListedChanges);
  }
  write_difference(connection_, sides, difference);
  if (changes > kListedChanges) connection_.execute("ANALYZE objects, paths");
  if (!publication.raise_generation) {
    published.refuted = refuted_claims(claims);
    record_refuted(connection_, server_, published.refuted);
  }
  const int64_t ended = end_re_reads(connection_, sides, publication);
  // A grant that the switch moved to a name, and that was revoked there, is never readable.
  if (sides.whole || grants.changed) repeat_due_revokes(connection_, server_);
  const bool changed = sides.whole || changes > 0 || grants.changed;
  if (changed || publication.reason == "resync") {
    connection_.query(
        "INSERT INTO audit (server, who, action, object, event, after) "
        "VALUES ($1, 'hmsyncd', 'snapshot', $2, $3, $4)",
        {server_, publication.reason, std::to_string(publication.cursor),
         difference_json(difference)});
  }
  if (changed || ended > 0 || before.cursor != publication.cursor) {
    for (const Statement& statement : tell_progress(server_)) run(statement);
  }
  transaction.commit();
  return published;
}

void PostgresSnapshotStore::discard(const std::optional<std::string>& snapshot) {
  if (snapshot) return remove_staged("snapshot = $1", *snapshot);
  remove_staged("server = $1", server_);
}

}  // namespace hmsync::store
