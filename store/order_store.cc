#include "store/order_store.h"

#include <fmt/format.h>

#include "store/claim_sql.h"
#include "store/fenced.h"
#include "store/quarantine_sql.h"
#include "store/revoke.h"
#include "store/snapshot_difference.h"
#include "store/storable.h"

namespace hmsync::store {

namespace {

using follower::ObjectCounts;

/// One row for the pause in force, one for each resync and retry that waits, one for each object to
/// be read again, one for the polls, one if a revoke is due or ahead.
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
(SELECT 'retry', requested_by, request_id, (arguments->>'event')::bigint, NULL, NULL, NULL, NULL
 FROM requests WHERE server = $1 AND state = 'pending' AND kind = 'retry' ORDER BY request_id)
UNION ALL
(SELECT 're_read', NULL, NULL, NULL, catalog, nullif(database_name, ''), nullif(table_name, ''),
        NULL
 FROM pending_re_reads WHERE server = $1 ORDER BY request_id LIMIT 500)
UNION ALL
SELECT 'polls', NULL, polls_asked, polls_answered, NULL, NULL, NULL, NULL
FROM follower_progress WHERE server = $1
UNION ALL
SELECT 'revokes', NULL, v.ahead, NULL, CASE WHEN v.due THEN 'due' END, NULL, NULL, NULL
FROM (SELECT )") +
         kRevokesDue + ", " + kRevokeAhead +
         ") AS v(due, ahead) WHERE v.due OR v.ahead IS NOT NULL";
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

follower::ResyncRequest resync_of(const Result& rows, int row) {
  follower::ResyncRequest request;
  request.id = rows.integer(row, 2);
  request.scope = scope_of(rows, row, 4);
  request.dry_run = rows.text(row, 7).starts_with("true");
  request.force = rows.text(row, 7).ends_with("true");
  request.requested_by = rows.text(row, 1);
  return request;
}

constexpr const char* kRequest = R"(
SELECT arguments->>'catalog', arguments->>'database', arguments->>'table',
       coalesce((arguments->>'dry_run')::boolean, false), state = 'finished',
       outcome->>'outcome', outcome->>'reason', outcome->>'event', outcome->>'seconds',
       outcome#>>'{difference,added,databases}', outcome#>>'{difference,added,tables}',
       outcome#>>'{difference,added,partitions}', outcome#>>'{difference,changed,databases}',
       outcome#>>'{difference,changed,tables}', outcome#>>'{difference,changed,partitions}',
       outcome#>>'{difference,removed,databases}', outcome#>>'{difference,removed,tables}',
       outcome#>>'{difference,removed,partitions}', outcome#>>'{difference,suspended_grants}',
       kind = 'retry', coalesce((arguments->>'event')::bigint, 0)
FROM requests WHERE server = $1 AND request_id = $2 AND kind IN ('resync', 'retry'))";

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

Statement finish_request(const std::string& server, int64_t request,
                         const follower::ResyncOutcome& outcome) {
  return {
      "UPDATE requests SET state = 'finished', finished_at = clock_timestamp(), outcome = "
      "jsonb_build_object('outcome', $3::text, 'reason', $4::text, 'event', $5::bigint, "
      "'seconds', $6::float8, 'difference', $7::jsonb) "
      "WHERE server = $1 AND request_id = $2 AND state = 'pending'",
      {server, std::to_string(request), outcome.outcome, outcome.reason,
       std::to_string(outcome.event), fmt::format("{}", outcome.seconds),
       difference_json(outcome.difference)}};
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
      orders.resyncs.push_back(resync_of(rows, row));
    } else if (rows.text(row, 0) == "retry") {
      orders.retries.push_back(
          {rows.integer(row, 2), rows.integer(row, 3), std::string(rows.text(row, 1))});
    } else if (rows.text(row, 0) == "re_read") {
      orders.re_reads.push_back(scope_of(rows, row, 4));
    } else if (rows.text(row, 0) == "polls") {
      orders.polls_asked = rows.integer(row, 2);
      orders.polls_answered = rows.integer(row, 3);
    } else {
      orders.revokes_due = !rows.is_null(row, 4);
      if (!rows.is_null(row, 2)) orders.revoke_ahead = rows.integer(row, 2);
    }
  }
  return orders;
}

void PostgresOrderStore::finish(const follower::Fence& fence, int64_t request,
                                const follower::ResyncOutcome& outcome) {
  connection_.transaction(std::vector<Statement>{advance_follower(server_, fence),
                                                 finish_request(server_, request, outcome)});
}

void PostgresOrderStore::repeat_revokes(const follower::Fence& fence) {
  Transaction transaction(connection_);
  const Statement fenced = advance_follower(server_, fence);
  connection_.query(fenced.sql, fenced.parameters);
  repeat_due_revokes(connection_, server_);
  // Whoever waits for the event waits for this, too.
  for (const Statement& statement : tell_progress(server_)) {
    connection_.query(statement.sql, statement.parameters);
  }
  transaction.commit();
}

std::vector<processor::Event> PostgresOrderStore::quarantined(int64_t event) {
  return quarantined_events(connection_, server_, event);
}

void PostgresOrderStore::retried(const follower::Fence& fence,
                                 const follower::RetryRequest& request,
                                 const std::vector<follower::Retried>& outcomes) {
  Transaction transaction(connection_);
  const auto run = [this](const Statement& statement) {
    return connection_.query(statement.sql, statement.parameters);
  };
  run(advance_follower(server_, fence));
  settle_retried(connection_, server_, request.event, outcomes);
  follower::ResyncOutcome outcome;
  outcome.reason = outcomes.empty() ? "there is no such event in quarantine" : "";
  for (const follower::Retried& retried : outcomes) {
    for (const Statement& statement : claim_statements(server_, retried.claims)) run(statement);
    if (!outcome.reason.empty() && !retried.failure.empty()) outcome.reason += "; ";
    outcome.reason += storable(retried.failure);
  }
  outcome.outcome = outcome.reason.empty() ? "done" : "failed";
  outcome.event = request.event;
  run(finish_request(server_, request.id, outcome));
  connection_.query(
      "INSERT INTO audit (server, who, action, event, after, outcome) "
      "VALUES ($1, $2, 'retried', $3, jsonb_build_object('id', $4::bigint, 'reason', $5::text), "
      "$6)",
      {server_, request.requested_by, std::to_string(request.event), std::to_string(request.id),
       outcome.reason, outcome.outcome});
  transaction.commit();
}

int64_t PostgresOrderStore::ask_retry(int64_t event, const std::string& who) {
  return connection_
      .query(R"(
WITH asked AS (
  INSERT INTO requests (server, kind, arguments, requested_by)
  VALUES ($1, 'retry', jsonb_build_object('event', $2::bigint), $3)
  RETURNING request_id),
audited AS (
  INSERT INTO audit (server, who, action, event, after)
  SELECT $1, $3, 'retry', $2, jsonb_build_object('id', request_id) FROM asked)
SELECT request_id FROM asked)",
             {server_, std::to_string(event), who})
      .integer(0, 0);
}

int64_t PostgresOrderStore::ask_poll() {
  return connection_
      .query(
          "INSERT INTO follower_progress AS p (server, polls_asked) VALUES ($1, 1) "
          "ON CONFLICT (server) DO UPDATE SET polls_asked = p.polls_asked + 1 "
          "RETURNING polls_asked",
          {server_})
      .integer(0, 0);
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
  state.kind = row.boolean(0, 19) ? RequestState::Kind::retry : RequestState::Kind::resync;
  state.event = row.integer(0, 20);
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
