// One connection to PostgreSQL: RAII over libpq, its errors translated, every round trip counted.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "processor/error.h"

namespace hmsync::store {

class Connection;
struct ConnectParameters;

struct ConnectionOptions {
  std::string dsn;  ///< libpq URI or keyword string; PG* variables and .pgpass work
  std::string schema = "hmsync";
  std::string password_file;  ///< read at each connect; empty: none
  std::string application_name = "hmsyncd";
  /// For the whole of it: all hosts of the dsn, the session's settings, `connected`.
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds statement_timeout{60000};  ///< zero: none
  /// What a silent server, which ends no statement, is given beyond statement_timeout.
  std::chrono::milliseconds silence{1000};
  bool writes = false;  ///< sets idle_in_transaction, too
  /// How long a stopped process may hold its locks between two statements of a transaction. At
  /// least 1 ms: zero would be for ever.
  std::chrono::milliseconds idle_in_transaction{30000};
  /// Called with each new session before it is used for anything else; may be empty. An Error that
  /// it throws ends the session and is thrown to whoever needed it.
  std::function<void(Connection&)> connected = {};
};

/// Told of every exchange with the server. Must not throw; called by the connection's thread.
class ConnectionObserver {
 public:
  virtual ~ConnectionObserver() = default;
  virtual void round_trip() = 0;
  /// A Transaction over several round trips is about to send its COMMIT: its locks are held.
  virtual void commit_due() {}
  /// A COMMIT is on its way, its answer not yet read.
  virtual void commit_sent() {}
  /// Rows that were written and, within a transaction, committed: see Result::written().
  virtual void rows_written(int64_t /*rows*/) {}
  virtual void failed(ErrorKind /*kind*/) {}
};

/// A parameter in text form; nothing is SQL null.
using Parameter = std::optional<std::string>;

/// PostgreSQL's text form of an array: elements quoted, nothing as NULL.
std::string text_array(std::span<const std::string> elements);
std::string text_array(std::span<const std::optional<std::string>> elements);
std::string text_array(std::span<const int64_t> elements);
/// And back: NULL becomes empty, nested arrays are not read.
std::vector<std::string> parse_text_array(std::string_view text);

class Result {
 public:
  explicit Result(PGresult* result) : result_(result, &PQclear) {}

  [[nodiscard]] int rows() const { return PQntuples(result_.get()); }
  [[nodiscard]] bool is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
  }
  [[nodiscard]] std::string_view text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<size_t>(PQgetlength(result_.get(), row, column))};
  }
  [[nodiscard]] std::optional<std::string> optional_text(int row, int column) const {
    if (is_null(row, column)) return std::nullopt;
    return std::string(text(row, column));
  }
  [[nodiscard]] int64_t integer(int row, int column) const;
  [[nodiscard]] bool boolean(int row, int column) const { return text(row, column) == "t"; }
  /// Rows that INSERT, UPDATE or DELETE touched.
  [[nodiscard]] int64_t affected() const;
  /// Rows that INSERT, UPDATE, DELETE or COPY wrote. A statement that writes within WITH says
  /// itself what counts: in its first column, if that is named rows_written. For a mutation that
  /// is the objects or partitions it was given, for a grant the grants that changed; rows of logs
  /// that are written along with them are not counted.
  [[nodiscard]] int64_t written() const;

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

/// One statement of a pipeline.
struct Statement {
  std::string sql;
  std::vector<Parameter> parameters;
};

/// Connects on construction and sets search_path to the schema. Used by one thread at a time; only
/// interrupt() may come from another. Throws Error: transient for connection trouble, shutdown,
/// serialisation, dead-lock and time-outs; fenced for SQLSTATE HS001 (raised by the fence); poison
/// for data that PostgreSQL cannot hold (U+0000, broken UTF-8, a key beyond its limits); fatal for
/// wrong SQL, missing rights, a missing schema or database. After a lost connection the object
/// reconnects at its next use, but never within a Transaction; so it does after a database said
/// that it is read-only, since a fail-over may have made another one the right one. Of several
/// hosts in the dsn each is tried within its share of connect_timeout: one that is silent does not
/// keep the next from being asked.
class Connection {
 public:
  explicit Connection(ConnectionOptions options, ConnectionObserver* observer = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// One statement, one round trip.
  Result query(std::string_view sql, std::span<const Parameter> parameters = {});
  Result query(std::string_view sql, std::initializer_list<Parameter> parameters);
  /// All statements in one round trip, by pipeline mode, as one transaction (BEGIN and COMMIT are
  /// added). Results in order; the first error is thrown and everything is rolled back.
  std::vector<Result> transaction(std::span<const Statement> statements);
  /// Several statements without parameters, in one simple query.
  void execute(const std::string& sql);
  /// Rows one by one, without holding them all.
  void for_each_row(std::string_view sql, std::span<const Parameter> parameters,
                    const std::function<void(const Result&)>& row);
  /// COPY table (columns) FROM STDIN, text format. `write` calls its argument with whole lines.
  void copy_in(const std::string& copy_sql,
               const std::function<void(const std::function<void(std::string_view)>&)>& write);

  /// Repeated at each reconnect, since LISTEN ends with its session.
  void listen(const std::string& channel);
  /// True once a NOTIFY with this payload came on a channel listened to, or may have been missed
  /// since a reconnect lay in between; false when the time is over or `wake_descriptor` (-1: none)
  /// is readable, which is left to its owner to read. Throws Error(transient) when the connection
  /// is lost meanwhile. Not within a Transaction.
  bool wait_for_notification(std::string_view payload, int wake_descriptor,
                             std::chrono::milliseconds time);

  /// Ends the connection's current call, or its next one while none is running, from another
  /// thread: it throws Error(transient), and the effect of that call is unknown.
  void interrupt();
  /// Beyond it the server ends a statement; a little later the call gives up on a silent server.
  void set_statement_timeout(std::chrono::milliseconds timeout);
  [[nodiscard]] int backend_pid() const;
  [[nodiscard]] const ConnectionOptions& options() const { return options_; }

 private:
  friend class Transaction;
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  void connect();
  void open(const ConnectParameters& parameters, size_t host);
  void set_session();
  void greet(Deadline end);
  [[nodiscard]] bool alive() const;
  void ready();
  [[nodiscard]] Deadline deadline() const;
  void wait(short events, Deadline deadline);
  void flush();
  PGresult* next_result();
  Result last_result();
  void send(std::string_view sql, std::span<const Parameter> parameters);
  void read_pipeline(std::vector<Result>& results, std::optional<Error>& failure);
  bool take_notifications(std::string_view payload);
  void wrote(int64_t rows);
  Error refusal(const PGresult* result);
  void refuse(const Error& error);
  void fail(const Error& error);
  void lose(const std::string& why);

  ConnectionOptions options_;
  ConnectionObserver* observer_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  int wake_;                ///< an eventfd: readable once interrupt() was called
  Deadline connect_until_;  ///< while connecting
  bool in_transaction_ = false;
  bool outdated_ = false;  ///< the session is with a database that cannot be written
  int64_t written_ = 0;    ///< rows not told to the observer yet
  std::vector<std::string> channels_;
  bool missed_ = false;  ///< notifications may have been
};

/// A transaction over several round trips: rolls back unless commit() was called.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace hmsync::store
