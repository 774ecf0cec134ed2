#include "store/order_store.h"

#include <fmt/format.h>

#include "store/fenced.h"
#include "store/revoke.h"
#include "store/snapshot_difference.h"

namespace hmsync::store {

namespace {

using follower::ObjectCounts;

/// One row for the pause in force, one for each resync that waits, one if something is to be read
/// again, one if a revoke is due.
std::string pending_sql() {
  return std::string(R"(
SELECT 'pause', paused_by, extract(epoch FROM since)::bigint, extract(epoch FROM until)::bigint,
       reason, NULL, NULL, NULL
FROM pauses WHERE server = $1 AND (until IS NULL OR until > clock_timestamp())
UNION ALL
(SELECT 'resync', requested_by, request_id, NULL, arguments->>'catalog', arguments->>'database',
        arguments->>'table', (arguments->>'dry_run') || '/' || (arguments->>'force')
 FROM requests WHERE server = $1 AND state = 'pending' AND kind = 'resync' ORDER BY request_id)
UNION ALL
SELECT 're_read', NULL, NULL, NULL, NULL, NULL, NULL, NULL
WHERE EXISTS (SELECT FROM pending_re_reads WHERE server = $1)
UNION ALL
SELECT 'revoke', NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE )") +
         kRevokesDue;
}

/// paused_by, since, until, reason at `column`.
follower::Pause pause_of(const Result& rows, int row, int column) {
  follower::Pause pause;
  pause.by = rows.text(row, column);
  pause.since = rows.integer(row, column + 1);
  if (!rows.is_null(row, column + 2)) pause.until = rows.integer(row, column + 2);
  pause.reason = rows.text(row, column + 3);
  return pause;
}

follower::Scope scope_of(const Result& rows, int row, int catalog) {
  follower::Scope scope;
  if (rows.is_null(row, catalog + 1)) return scope;
  scope.database = {std::string(rows.text(row, catalog)), std::string(rows.text(row, catalog + 1))};
  scope.table = rows.optional_text(row, catalog + 2);
  return scope;
}

constexpr const char* kRequest = R"(
SELECT arguments->>'catalog', arguments->>'database', arguments->>'table',
       coalesce((arguments->>'dry_run')::boolean, false), state = 'finished',
       outcome->>'outcome', outcome->>'reason', outcome->>'event', outcome->>'seconds',
       outcome#>>'{difference,added,databases}', outcome#>>'{difference,added,tables}',
       outcome#>>'{difference,added,partitions}', outcome#>>'{difference,changed,databases}',
       outcome#>>'{difference,changed,tables}', outcome#>>'{difference,changed,partitions}',
       outcome#>>'{difference,removed,databases}', outcome#>>'{difference,removed,tables}',
       outcome#>>'{difference,removed,partitions}', outcome#>>'{difference,suspended_grants}'
FROM requests WHERE server = $1 AND request_id = $2 AND kind = 'resync')";

follower::ResyncOutcome outcome_of(const Result& row) {
  follower::ResyncOutcome outcome;
  outcome.outcome = row.text(0, 5);
  outcome.reason = row.text(0, 6);
  outcome.event = row.integer(0, 7);
  outcome.seconds = std::stod(std::string(row.text(0, 8)));
  follower::Difference& difference = outcome.difference;
  int column = 9;
  for (ObjectCounts* counts : {&difference.added, &difference.changed, &difference.removed}) {
    counts->databases = row.integer(0, column++);
    counts->tables = row.integer(0, column++);
    counts->partitions = row.integer(0, column++);
  }
  difference.suspended_grants = row.integer(0, column);
  return outcome;
}

}  // namespace

PostgresOrderStore::PostgresOrderStore(Connection& connection, std::string server)
    : connection_(connection), server_(std::move(server)) {}

follower::Orders PostgresOrderStore::pending() {
  const Result rows = connection_.query(pending_sql(), {server_});
  follower::Orders orders;
  for (int row = 0; row < rows.rows(); ++row) {
    if (rows.text(row, 0) == "pause") {
      orders.pause = pause_of(rows, row, 1);
    } else if (rows.text(row, 0) == "resync") {
      follower::ResyncRequest request;
      request.id = rows.integer(row, 2);
      request.scope = scope_of(rows, row, 4);
      request.dry_run = rows.text(row, 7).starts_with("true");
      request.force = rows.text(row, 7).ends_with("true");
      request.requested_by = rows.text(row, 1);
      orders.resyncs.push_back(std::move(request));
    } else if (rows.text(row, 0) == "re_read") {
      orders.re_reads_due = true;
    } else {
      orders.revokes_due = true;
    }
  }
  return orders;
}

void PostgresOrderStore::finish(const follower::Fence& fence, int64_t request,
                                const follower::ResyncOutcome& outcome) {
  connection_.transaction(std::vector<Statement>{
      advance_follower(server_, fence),
      {"UPDATE requests SET state = 'finished', finished_at = clock_timestamp(), outcome = "
       "jsonb_build_object('outcome', $3::text, 'reason', $4::text, 'event', $5::bigint, "
       "'seconds', $6::float8, 'difference', $7::jsonb) "
       "WHERE server = $1 AND request_id = $2 AND state = 'pending'",
       {server_, std::to_string(request), outcome.outcome, outcome.reason,
        std::to_string(outcome.event), fmt::format("{}", outcome.seconds),
        difference_json(outcome.difference)}}});
}

void PostgresOrderStore::repeat_revokes(const follower::Fence& fence) {
  Transaction transaction(connection_);
  const Statement fenced = advance_follower(server_, fence);
  connection_.query(fenced.sql, fenced.parameters);
  repeat_due_revokes(connection_, server_);
  transaction.commit();
}

int64_t PostgresOrderStore::ask_resync(const follower::ResyncRequest& request) {
  const auto& database = request.scope.database;
  const Parameter name = database ? Parameter{database->database} : Parameter{};
  const Parameter catalog = database ? Parameter{database->catalog} : Parameter{};
  return connection_
      .query(R"(
WITH asked AS (
  INSERT INTO requests (server, kind, arguments, requested_by)
  VALUES ($1, 'resync', jsonb_build_object('catalog', $2::text, 'database', $3::text,
          'table', $4::text, 'dry_run', $5::boolean, 'force', $6::boolean), $7)
  RETURNING request_id, arguments),
audited AS (
  INSERT INTO audit (server, who, action, object, after)
  SELECT $1, $7, 'resync', concat_ws('.', $3::text, $4::text),
         arguments || jsonb_build_object('id', request_id)
  FROM asked)
SELECT request_id FROM asked)",
             {server_, catalog, name, request.scope.table, request.dry_run ? "true" : "false",
              request.force ? "true" : "false", request.requested_by})
      .integer(0, 0);
}

std::optional<RequestState> PostgresOrderStore::request(int64_t id) {
  const Result row = connection_.query(kRequest, {server_, std::to_string(id)});
  if (row.rows() == 0) return std::nullopt;
  RequestState state;
  state.id = id;
  state.scope = scope_of(row, 0, 0);
  state.dry_run = row.boolean(0, 3);
  state.finished = row.boolean(0, 4);
  if (state.finished) state.outcome = outcome_of(row);
  return state;
}

follower::Pause PostgresOrderStore::pause(const std::string& by,
                                          std::optional<std::chrono::seconds> length,
                                          const std::string& reason) {
  const Parameter seconds = length ? Parameter{std::to_string(length->count())} : Parameter{};
  const Result row = connection_.query(R"(
WITH paused AS (
  INSERT INTO pauses (server, paused_by, since, until, reason)
  VALUES ($1, $2, clock_timestamp(), clock_timestamp() + $3::bigint * interval '1 second', $4)
  ON CONFLICT (server) DO UPDATE
  SET paused_by = excluded.paused_by, since = excluded.since, until = excluded.until,
      reason = excluded.reason
  RETURNING *),
audited AS (
  INSERT INTO audit (server, who, action, after)
  SELECT server, paused_by, 'pause', jsonb_build_object('until', until, 'reason', reason)
  FROM paused)
SELECT paused_by, extract(epoch FROM since)::bigint, extract(epoch FROM until)::bigint, reason
FROM paused)",
                                       {server_, by, seconds, reason});
  return pause_of(row, 0, 0);
}

std::optional<follower::Pause> PostgresOrderStore::resume(const std::string& by) {
  const Result row = connection_.query(R"(
WITH ended AS (DELETE FROM pauses WHERE server = $1 RETURNING *),
in_force AS (SELECT * FROM ended WHERE until IS NULL OR until > clock_timestamp()),
audited AS (
  INSERT INTO audit (server, who, action, before)
  SELECT server, $2, 'resume',
         jsonb_build_object('by', paused_by, 'since', since, 'until', until, 'reason', reason)
  FROM in_force)
SELECT paused_by, extract(epoch FROM since)::bigint, extract(epoch FROM until)::bigint, reason
FROM in_force)",
                                       {server_, by});
  if (row.rows() == 0) return std::nullopt;
  return pause_of(row, 0, 0);
}

}  // namespace hmsync::store
