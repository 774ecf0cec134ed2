#include "store/connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "store/connect_parameters.h"
#include "store/postgres_error.h"

namespace hmsync::store {

namespace {

using Clock = std::chrono::steady_clock;

/// Since then the server can be told when to give up a client that vanished.
constexpr int kTcpUserTimeout = 120000;
/// How libpq begins to tell of each host that it could not use.
constexpr std::string_view kAttempt = "connection to server";

std::string quoted_identifier(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

/// libpq ends a text parameter at its first NUL: what stands behind it must not vanish in silence.
std::vector<const char*> values_of(std::span<const Parameter> parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& parameter : parameters) {
    if (parameter && parameter->find('\0') != std::string::npos) {
      throw Error(ErrorKind::poison, "a text with U+0000 cannot be stored in PostgreSQL");
    }
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  return values;
}

std::string reason(int number) { return std::generic_category().message(number); }

/// In the words of libpq where it is about connecting, so that all attempts read alike.
std::string silence_of(const PGconn* connection, bool connecting) {
  if (!connecting) return "the database did not answer in time";
  const char* host = PQhost(connection);
  const char* port = PQport(connection);
  return std::string(kAttempt) + " at \"" + (host == nullptr ? "" : host) + "\", port " +
         (port == nullptr ? "" : port) + " failed: no answer in time";
}

std::string text_of(std::chrono::milliseconds time) { return std::to_string(time.count()); }

}  // namespace

Connection::Connection(ConnectionOptions options, ConnectionObserver* observer)
    : options_(std::move(options)),
      observer_(observer),
      connection_(nullptr, &PQfinish),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) throw Error(ErrorKind::transient, "no file descriptor is left for a connection");
  try {
    connect();
  } catch (...) {
    close(wake_);
    throw;
  }
}

Connection::~Connection() {
  connection_.reset();
  close(wake_);
}

void Connection::fail(const Error& error) {
  // While there are other hosts to try it is no failure yet.
  if (observer_ != nullptr && !connect_until_) observer_->failed(error.kind());
  throw error;
}

/// The error of a statement, and what it says of the session.
Error Connection::refusal(const PGresult* result) {
  outdated_ = outdated_ || tells_of_read_only_database(result);
  return statement_error(result);
}

void Connection::refuse(const Error& error) {
  if (std::exchange(outdated_, false)) connection_.reset();
  fail(error);
}

void Connection::lose(const std::string& why) {
  const std::string text = one_line(why);  // it may live in the connection
  connection_.reset();
  fail(Error(ErrorKind::transient, text));
}

// libpq gives no single host a limit when it is used asynchronously: the first one that is silent
// would use up the time of all.
void Connection::connect() {
  const ConnectParameters parameters = connect_parameters(options_);
  const auto end = Clock::now() + options_.connect_timeout;
  std::string failures;
  connection_.reset();
  outdated_ = false;
  for (size_t host = 0; host < parameters.hosts.size() && !connection_; ++host) {
    const auto left = end - Clock::now();
    connect_until_ = Clock::now() + left / static_cast<int64_t>(parameters.hosts.size() - host);
    try {
      open(parameters, host);
    } catch (const Error& error) {
      connection_.reset();
      if (!connect_until_) throw;  // interrupted
      const std::string_view what = error.what();
      if (!what.starts_with(kAttempt)) failures += std::string(kAttempt) + " failed: ";
      failures += std::string(what) + '\n';
    }
  }
  connect_until_.reset();
  if (!connection_) fail(connect_error(failures, parameters.password));
  greet(end);
}

void Connection::open(const ConnectParameters& parameters, size_t host) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto* list : {&parameters.values, &parameters.hosts[host]}) {
    for (const auto& [keyword, value] : *list) {
      keywords.push_back(keyword.c_str());
      values.push_back(value.c_str());
    }
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 1));
  if (!connection_) throw Error(ErrorKind::transient, "no memory is left for a connection");
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  auto state =
      PQstatus(connection_.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    wait(state == PGRES_POLLING_WRITING ? POLLOUT : POLLIN, connect_until_);
    state = PQconnectPoll(connection_.get());
  }
  if (state == PGRES_POLLING_FAILED) {
    throw Error(ErrorKind::transient, PQerrorMessage(connection_.get()));
  }
  PQsetErrorVerbosity(connection_.get(), PQERRORS_DEFAULT);
  PQsetnonblocking(connection_.get(), 1);
  set_session();
}

void Connection::greet(Deadline end) {
  if (!options_.connected) return;
  connect_until_ = end;
  try {
    options_.connected(*this);
    connect_until_.reset();
  } catch (const Error& error) {
    connect_until_.reset();
    connection_.reset();
    fail(error);
  }
}

void Connection::set_session() {
  std::string sql = "SET search_path = " + quoted_identifier(options_.schema) +
                    ", pg_catalog, pg_temp; SET client_min_messages = warning;"
                    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET bytea_output = 'hex';"
                    "SET default_transaction_isolation = 'read committed';"
                    "SET standard_conforming_strings = on; SET statement_timeout = " +
                    text_of(options_.statement_timeout);
  if (options_.writes) {
    sql += "; SET idle_in_transaction_session_timeout = " + text_of(options_.idle_in_transaction);
  }
  // A client that vanished without a word must not hold a lock until the system's time-outs.
  if (PQserverVersion(connection_.get()) >= kTcpUserTimeout) {
    sql +=
        "; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5"
        "; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 30000";
  }
  for (const std::string& channel : channels_) sql += "; LISTEN " + quoted_identifier(channel);
  missed_ = !channels_.empty();
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1)
    lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
  last_result();
}

void Connection::set_statement_timeout(std::chrono::milliseconds timeout) {
  options_.statement_timeout = timeout;
  if (!connection_ || PQstatus(connection_.get()) != CONNECTION_OK) return;
  execute("SET statement_timeout = " + text_of(timeout));
}

// The server may have gone while the connection lay idle: what it said last is there to be read,
// and the statement to come is better sent on a new connection than lost on this one.
bool Connection::alive() const {
  if (!connection_ || PQstatus(connection_.get()) != CONNECTION_OK) return false;
  pollfd polled{PQsocket(connection_.get()), POLLIN, 0};
  while (poll(&polled, 1, 0) > 0) {
    if (PQconsumeInput(connection_.get()) == 0) return false;
  }
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

void Connection::ready() {
  if (alive()) return;
  if (in_transaction_) lose("the connection to the database was lost within a transaction");
  connect();
}

Connection::Deadline Connection::deadline() const {
  if (connect_until_) return connect_until_;
  if (options_.statement_timeout.count() == 0) return std::nullopt;
  return Clock::now() + options_.statement_timeout + options_.silence;
}

void Connection::wait(short events, Deadline deadline) {
  for (;;) {
    int milliseconds = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      milliseconds = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1'000'000));
    }
    pollfd polled[] = {{PQsocket(connection_.get()), events, 0}, {wake_, POLLIN, 0}};
    const int ready = poll(polled, 2, milliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) lose("the connection to the database cannot be waited for: " + reason(errno));
    if (polled[1].revents != 0) {
      uint64_t calls = 0;
      [[maybe_unused]] const auto bytes = read(wake_, &calls, sizeof calls);
      connect_until_.reset();
      lose("the call to the database was interrupted");
    }
    if (polled[0].revents != 0) return;
    if (ready == 0 && deadline && Clock::now() >= *deadline) {
      lose(silence_of(connection_.get(), connect_until_.has_value()));
    }
  }
}

void Connection::flush() {
  const auto limit = deadline();
  for (int left = PQflush(connection_.get()); left != 0; left = PQflush(connection_.get())) {
    if (left < 0) return;  // the reason comes with the next result
    wait(POLLIN | POLLOUT, limit);
    // Without reading, both sides could wait for each other with full buffers.
    if (PQconsumeInput(connection_.get()) == 0) return;
  }
}

PGresult* Connection::next_result() {
  const auto limit = deadline();
  while (PQisBusy(connection_.get()) != 0) {
    wait(POLLIN, limit);
    if (PQconsumeInput(connection_.get()) == 0) {
      lose(std::string("the connection to the database was lost: ") +
           PQerrorMessage(connection_.get()));
    }
  }
  return PQgetResult(connection_.get());
}

Result Connection::last_result() {
  flush();
  std::optional<Result> last;
  std::optional<Error> failure;
  int64_t rows = 0;
  while (PGresult* next = next_result()) {
    Result result(next);
    const auto status = PQresultStatus(next);
    if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
      if (!failure) failure = refusal(next);
    } else {
      rows += result.written();
      last = std::move(result);
    }
    if (status == PGRES_COPY_IN) break;
  }
  if (observer_ != nullptr) observer_->round_trip();
  if (failure) refuse(*failure);
  wrote(rows);
  if (!last) lose("the database closed the connection without an answer");
  return std::move(*last);
}

/// What a transaction wrote counts once it is committed.
void Connection::wrote(int64_t rows) {
  written_ += rows;
  if (in_transaction_) return;
  if (observer_ != nullptr && written_ > 0) observer_->rows_written(written_);
  written_ = 0;
}

void Connection::send(std::string_view sql, std::span<const Parameter> parameters) {
  const auto values = values_of(parameters);
  const std::string text(sql);
  if (PQsendQueryParams(connection_.get(), text.c_str(), static_cast<int>(values.size()), nullptr,
                        values.data(), nullptr, nullptr, 0) != 1) {
    lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
  }
}

Result Connection::query(std::string_view sql, std::span<const Parameter> parameters) {
  ready();
  send(sql, parameters);
  return last_result();
}

Result Connection::query(std::string_view sql, std::initializer_list<Parameter> parameters) {
  return query(sql, std::span<const Parameter>(parameters.begin(), parameters.size()));
}

void Connection::execute(const std::string& sql) {
  ready();
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) {
    lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
  }
  last_result();
}

void Connection::listen(const std::string& channel) {
  channels_.push_back(channel);
  execute("LISTEN " + quoted_identifier(channel));
}

void Connection::interrupt() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto bytes = write(wake_, &one, sizeof one);
}

int Connection::backend_pid() const { return connection_ ? PQbackendPID(connection_.get()) : 0; }

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.execute("BEGIN ISOLATION LEVEL READ COMMITTED");
  connection_.in_transaction_ = true;
  connection_.written_ = 0;
}

Transaction::~Transaction() {
  connection_.in_transaction_ = false;
  if (!open_) return;
  connection_.written_ = 0;
  if (connection_.connection_ == nullptr) return;
  try {
    if (PQtransactionStatus(connection_.connection_.get()) != PQTRANS_IDLE)
      connection_.execute("ROLLBACK");
  } catch (const Error&) {
    // A session that is not there any more has rolled back.
    connection_.connection_.reset();
  }
}

void Transaction::commit() {
  connection_.ready();
  if (PQtransactionStatus(connection_.connection_.get()) != PQTRANS_INTRANS) {
    throw Error(ErrorKind::fatal, "a transaction that failed was to be committed");
  }
  if (connection_.observer_ != nullptr) connection_.observer_->commit_due();
  if (PQsendQuery(connection_.connection_.get(), "COMMIT") == 1) {
    connection_.flush();
    if (connection_.observer_ != nullptr) connection_.observer_->commit_sent();
  }
  connection_.last_result();
  open_ = false;
  connection_.in_transaction_ = false;
  connection_.wrote(0);
}

}  // namespace hmsync::store
