#include "leader/postgres_lease.h"

#include <utility>

namespace hmsync::leader {

namespace {

using store::Parameter;

/// Before 14 pg_terminate_backend has no time-out of its own, and none is needed: the update of
/// `followers` waits for the locks of the sessions that end, under the statement time-out.
constexpr const char* kEndWriters = R"(
SELECT pg_terminate_backend(a.pid)
FROM leases l
CROSS JOIN unnest(l.writer_pids, l.writer_backend_starts) AS w(pid, backend_start)
JOIN pg_stat_activity a ON a.pid = w.pid AND a.backend_start = w.backend_start
WHERE l.server = $1 AND l.epoch = $2 AND l.nonce = $3 AND l.renewal = $4 AND l.released = $5
  AND a.pid <> pg_backend_pid() AND a.pid <> ALL ($6::integer[]))";

constexpr const char* kTake = R"(
UPDATE leases
SET epoch = $6, nonce = $7, renewal = 0, released = false, instance = $8, since = now(),
    writer_pids = $9::integer[], writer_backend_starts = $10::timestamptz[]
WHERE server = $1 AND epoch = $2 AND nonce = $3 AND renewal = $4 AND released = $5
RETURNING extract(epoch FROM since))";

constexpr const char* kTakeFollower = R"(
UPDATE followers SET token_epoch = $2, token_nonce = $3
WHERE server = $1
  AND EXISTS (SELECT FROM leases WHERE server = $1 AND epoch = $2 AND nonce = $3))";

std::string pids_of(const WriterSessions& writers) {
  std::vector<int64_t> pids;
  for (const auto& writer : writers) pids.push_back(writer.pid);
  return store::text_array(pids);
}

std::string starts_of(const WriterSessions& writers) {
  std::vector<std::string> starts;
  for (const auto& writer : writers) starts.push_back(writer.backend_start);
  return store::text_array(starts);
}

store::ConnectionOptions with_times(store::ConnectionOptions options, const LeaseTimes& times) {
  options.application_name += " lease";
  options.connect_timeout = times.call;
  options.statement_timeout = times.call;
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
      "SELECT epoch, nonce, renewal, released, instance, extract(epoch FROM since) "
      "FROM leases WHERE server = $1",
      {server_});
  if (result.rows() == 0) return {};
  return {.token = {result.integer(0, 0), std::string(result.text(0, 1))},
          .renewal = result.integer(0, 2),
          .released = result.boolean(0, 3),
          .instance = std::string(result.text(0, 4)),
          .since = seconds_of(result, 0, 5)};
}

std::optional<LeaseRow> PostgresLease::acquire(const LeaseRow& expected, const Token& next,
                                               const std::string& instance,
                                               const WriterSessions& writers) {
  const Parameter server = server_;
  const Parameter epoch = std::to_string(next.epoch);
  const std::vector<Parameter> version = {server, std::to_string(expected.token.epoch),
                                          expected.token.nonce, std::to_string(expected.renewal),
                                          expected.released ? "t" : "f"};
  auto end = version;
  end.emplace_back(pids_of(writers));
  auto take = version;
  take.insert(take.end(), {epoch, next.nonce, instance, pids_of(writers), starts_of(writers)});

  // All in one round trip: a process that is stopped in between leaves no lock behind.
  const store::Statement statements[] = {
      {"INSERT INTO leases (server) VALUES ($1) ON CONFLICT DO NOTHING", {server}},
      {"SELECT FROM leases WHERE server = $1 FOR UPDATE", {server}},
      {kEndWriters, std::move(end)},
      // Not before: even where the row is there, this waits for whoever has just updated it.
      {"INSERT INTO followers (server) VALUES ($1) ON CONFLICT DO NOTHING", {server}},
      {kTake, std::move(take)},
      {kTakeFollower, {server, epoch, next.nonce}},
  };
  const auto results = connection().transaction(statements);
  const auto& taken = results[4];
  if (taken.rows() == 0) return std::nullopt;
  return LeaseRow{.token = next,
                  .renewal = 0,
                  .released = false,
                  .instance = instance,
                  .since = seconds_of(taken, 0, 0)};
}

bool PostgresLease::renew(const Token& token, const WriterSessions& writers) {
  const auto result = connection().query(
      "UPDATE leases SET renewal = renewal + 1, writer_pids = $4::integer[], "
      "writer_backend_starts = $5::timestamptz[] "
      "WHERE server = $1 AND epoch = $2 AND nonce = $3 AND NOT released",
      {server_, std::to_string(token.epoch), token.nonce, pids_of(writers), starts_of(writers)});
  return result.affected() == 1;
}

void PostgresLease::release(const Token& token) {
  connection().query(
      "UPDATE leases SET released = true, renewal = renewal + 1, writer_pids = '{}', "
      "writer_backend_starts = '{}' WHERE server = $1 AND epoch = $2 AND nonce = $3",
      {server_, std::to_string(token.epoch), token.nonce});
}

WriterSession writer_session(store::Connection& connection) {
  const auto result = connection.query(
      "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()");
  return {static_cast<int32_t>(result.integer(0, 0)), std::string(result.text(0, 1))};
}

}  // namespace hmsync::leader
