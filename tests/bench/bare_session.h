// PostgreSQL without a store: what the same rows cost when COPY writes them, what a look-up costs.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hmsync::bench {

/// Rows of one table, as COPY's text format has them, by the number of their transaction.
struct CopiedRows {
  std::string table;  ///< with its columns: "paths (object_id, path)"
  std::map<int64_t, std::string> rows;
};

/// A session of libpq alone; its schema is hmsync. Throws std::runtime_error with the database's
/// words.
class BareSession {
 public:
  explicit BareSession(const std::string& dsn);

  void run(const std::string& sql);
  /// A query of one parameter, which must find a row each time that it is looked up.
  void prepare(const std::string& query);
  void look_up(const std::string& parameter);
  /// Whether a notification has come since it was asked last; for a session that listens.
  bool notified();
  /// A query's one value, escaped as in COPY's text format.
  std::string read_value(const std::string& query);
  /// Rows for `table`: the query's first column is the number of their transaction.
  CopiedRows read(const std::string& table, const std::string& query);
  /// All of it, transaction by transaction; `each` is run in each of them.
  void write(const std::vector<CopiedRows>& tables, const std::string& each);

 private:
  void write(const std::string& table, const std::string& rows);
  void copy_out(const std::string& query, const std::function<void(std::string_view)>& row);

  void end_copy(const std::string& what, bool went_well);

  std::unique_ptr<PGconn, decltype(&PQfinish)> session_;
};

}  // namespace hmsync::bench
