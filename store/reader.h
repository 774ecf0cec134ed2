// What the store holds, for people and programs that read it: lists are streamed as lines of JSON,
// made and sorted by PostgreSQL, in the form of `export`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "follower/waiters.h"
#include "store/connection.h"

namespace hmsync::store {

/// Names are taken in any case; nothing set: everything.
struct ObjectFilter {
  std::optional<std::string> catalog;
  std::optional<std::string> database;
  std::optional<std::string> table;
};

struct GrantFilter {
  std::optional<std::string> role;  ///< as it is written
  std::optional<std::string> database;
  std::optional<std::string> table;
  bool suspended = false;  ///< true: only suspended grants; false: only those that authorise
};

/// What v1_follower tells beside the lease.
struct FollowerRow {
  std::optional<int64_t> cursor;
  std::optional<int64_t> head;
  std::string phase = "starting";
  int64_t generation = 0;
  int64_t commit_number = 0;
  std::string metastore_uuid;
  std::optional<double> caught_up_ago;  ///< seconds, by the database's clock; never below zero
  int64_t quarantined_now = 0;
  int64_t suspended_grants = 0;
  int64_t applied = 0;
  int64_t ignored = 0;
  int64_t quarantined = 0;
  int64_t late = 0;
  int64_t shared_id = 0;
  int64_t refuted = 0;
};

/// Reads one server's objects and grants (roles are global), on a connection of its own. Holds one
/// row at a time. Used by one thread at a time; throws as Connection does.
class Reader {
 public:
  /// Called with each line, without its end. What it throws ends the list.
  using Line = std::function<void(std::string_view)>;

  Reader(ConnectionOptions options, std::string server, ConnectionObserver* observer = nullptr);

  /// As Connection::interrupt().
  void interrupt() { connection_.interrupt(); }

  /// Everything, as of one moment, sorted as interface.md says.
  void export_lines(const Line& line);
  /// Lines of databases, then of tables, as `export` writes them; with a table only tables.
  void objects(const ObjectFilter& filter, const Line& line);
  /// All paths that begin with the prefix: {"kind", "server", "catalog", "database", "table",
  /// "values", "location"}; no table for a database, no values but for a partition. Sorted by
  /// location and name. The prefix is normalised as locations are, but a slash at its end stays:
  /// `/a/b` also finds /a/bc, `/a/b/` only what is below /a/b. Without a scheme it is sought under
  /// every scheme. Empty: everything that has a path.
  void paths(const std::string& prefix, const Line& line);
  /// Lines of `export` and "id", "grantor", "time", "as_of_event", "reason" (null: not suspended).
  void grants(const GrantFilter& filter, const Line& line);
  void roles(const Line& line);

  /// Who owns a path: of the objects that lie at it or above it the one that lies deepest; at one
  /// path a partition before a table before a database, then the first by name. Its line, after
  /// "path", the path as it was looked for. Scheme and authority must be equal: a path without
  /// scheme is owned only by a location without one.
  std::optional<std::string> owner_of(std::string_view path);

  /// Up to where events are readable: below the first whose re-read is pending, and which polls
  /// that waiters asked for are answered, all as of one moment. The cursor is -1 before the first
  /// snapshot.
  follower::ReadablePosition position();
  /// Nothing before anybody followed this metastore.
  std::optional<FollowerRow> follower_row();

  /// For lists that have a file of their own: quarantine_store.h, audit_reader.h.
  [[nodiscard]] Connection& connection() { return connection_; }
  [[nodiscard]] const std::string& server() const { return server_; }

 private:
  void stream(std::string_view sql, std::initializer_list<Parameter> parameters, const Line& line);

  Connection connection_;
  std::string server_;
};

}  // namespace hmsync::store
