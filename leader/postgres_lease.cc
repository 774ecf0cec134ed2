#include "leader/postgres_lease.h"

#include <utility>
#include <vector>

namespace hmsync::leader {

namespace {

using store::Parameter;

/// The sessions that the lease names, process ids being used again. Before 14 pg_terminate_backend
/// has no time-out of its own, and none is needed: the next statement on `followers` waits for the
/// locks of the sessions that end, under the statement time-out.
constexpr const char* kEndWriters = R"(
SELECT pg_terminate_backend(a.pid)
FROM leases l
CROSS JOIN unnest(l.writer_pids, l.writer_backend_starts) AS w(pid, backend_start)
JOIN pg_stat_activity a ON a.pid = w.pid AND a.backend_start = w.backend_start
WHERE l.server = $1 AND l.epoch = $2 AND l.nonce = $3 AND a.pid <> pg_backend_pid())";

constexpr const char* kThisVersion = " AND l.renewal = $4 AND l.released = $5";

constexpr const char* kTake = R"(
UPDATE leases
SET epoch = $6, nonce = $7, renewal = $8, released = false, instance = $9, length_ms = $10,
    since = now(), writer_pids = '{}', writer_backend_starts = '{}'
WHERE server = $1 AND epoch = $2 AND nonce = $3 AND renewal = $4 AND released = $5
RETURNING extract(epoch FROM since))";

constexpr const char* kNameWriter = R"(
UPDATE leases
SET writer_pids = ARRAY[a.pid], writer_backend_starts = ARRAY[a.backend_start]
FROM pg_stat_activity a
WHERE server = $1 AND epoch = $2 AND nonce = $3 AND NOT released AND a.pid = pg_backend_pid())";

constexpr const char* kTakeFollower = R"(
UPDATE followers SET token_epoch = $2, token_nonce = $3
WHERE server = $1
  AND EXISTS (SELECT FROM leases WHERE server = $1 AND epoch = $2 AND nonce = $3))";

/// Only where it was taken.
constexpr const char* kAudit = R"(
INSERT INTO audit (server, who, action, object, event, before, after)
SELECT server, 'hmsyncd', 'lead', $4, cursor,
  CASE WHEN $5::bigint > 0
    THEN jsonb_build_object('epoch', $5::bigint, 'instance', $6::text) END,
  jsonb_build_object('epoch', $2::bigint, 'instance', $4::text)
FROM followers WHERE server = $1 AND token_epoch = $2::bigint AND token_nonce = $3)";

store::ConnectionOptions with_times(store::ConnectionOptions options, const LeaseTimes& times) {
  options.application_name += " lease";
  options.connect_timeout = times.call;
  // Together a call, also where the server is silent.
  options.silence = times.call / 4;
  options.statement_timeout = times.call - options.silence;
  options.writes = true;
  return options;
}

double seconds_of(const store::Result& result, int row, int column) {
  return std::stod(std::string(result.text(row, column)));
}

}  // namespace

PostgresLease::PostgresLease(store::ConnectionOptions options, const LeaseTimes& times,
                             std::string server, store::ConnectionObserver* observer)
    : options_(with_times(std::move(options), times)),
      server_(std::move(server)),
      observer_(observer) {}

store::Connection& PostgresLease::connection() {
  if (!connection_) connection_.emplace(options_, observer_);
  return *connection_;
}

LeaseRow PostgresLease::read() {
  const auto result = connection().query(
      "SELECT epoch, nonce, renewal, released, instance, extract(epoch FROM since), length_ms "
      "FROM leases WHERE server = $1",
      {server_});
  if (result.rows() == 0) return {};
  return {.token = {result.integer(0, 0), std::string(result.text(0, 1))},
          .renewal = result.integer(0, 2),
          .released = result.boolean(0, 3),
          .length = std::chrono::milliseconds(result.integer(0, 6)),
          .instance = std::string(result.text(0, 4)),
          .since = seconds_of(result, 0, 5)};
}

std::optional<LeaseRow> PostgresLease::acquire(const LeaseRow& expected, const LeaseRow& next) {
  const Parameter server = server_;
  const Parameter epoch = std::to_string(next.token.epoch);
  const std::vector<Parameter> version = {server, std::to_string(expected.token.epoch),
                                          expected.token.nonce, std::to_string(expected.renewal),
                                          expected.released ? "t" : "f"};
  auto take = version;
  take.insert(take.end(), {epoch, next.token.nonce, std::to_string(next.renewal), next.instance,
                           std::to_string(next.length.count())});

  // All in one round trip: a process that is stopped in between leaves no lock behind.
  const store::Statement statements[] = {
      {"INSERT INTO leases (server) VALUES ($1) ON CONFLICT DO NOTHING", {server}},
      {"SELECT FROM leases WHERE server = $1 FOR UPDATE", {server}},
      {std::string(kEndWriters) + kThisVersion, version},
      // Not before: even where the row is there, this waits for whoever has just updated it.
      {"INSERT INTO followers (server) VALUES ($1) ON CONFLICT DO NOTHING", {server}},
      {kTake, std::move(take)},
      {kTakeFollower, {server, epoch, next.token.nonce}},
      {kAudit,
       {server, epoch, next.token.nonce, next.instance, std::to_string(expected.token.epoch),
        expected.instance}},
  };
  const auto results = connection().transaction(statements);
  const auto& taken = results[4];
  if (taken.rows() == 0) return std::nullopt;
  LeaseRow row = next;
  row.since = seconds_of(taken, 0, 0);
  return row;
}

bool PostgresLease::renew(const Token& token, int64_t renewal) {
  const auto result = connection().query(
      "UPDATE leases SET renewal = $4 "
      "WHERE server = $1 AND epoch = $2 AND nonce = $3 AND NOT released",
      {server_, std::to_string(token.epoch), token.nonce, std::to_string(renewal)});
  return result.affected() == 1;
}

void PostgresLease::release(const Token& token) {
  connection().query(
      "UPDATE leases SET released = true, renewal = renewal + 1, writer_pids = '{}', "
      "writer_backend_starts = '{}' WHERE server = $1 AND epoch = $2 AND nonce = $3",
      {server_, std::to_string(token.epoch), token.nonce});
}

void name_writer(store::Connection& connection, const std::string& server, const Token& token) {
  const std::vector<Parameter> held = {server, std::to_string(token.epoch), token.nonce};
  const store::Statement statements[] = {
      {"SELECT FROM leases WHERE server = $1 AND epoch = $2 AND nonce = $3 FOR UPDATE", held},
      {kEndWriters, held},
      {kNameWriter, held},
  };
  if (connection.transaction(statements)[2].affected() == 1) return;
  throw Error(ErrorKind::fenced,
              "the lease has another holder: this process does not write any more");
}

}  // namespace hmsync::leader
