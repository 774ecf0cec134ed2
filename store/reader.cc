#include "store/reader.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "processor/location.h"
#include "processor/lower_case.h"
#include "store/reader_sql.h"

namespace hmsync::store {

namespace {

/// All of its queries see the same state; left by whatever way, it ends.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection) : connection_(connection), transaction_(connection) {
    connection_.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  }
  void end() { transaction_.commit(); }

 private:
  Connection& connection_;
  Transaction transaction_;
};

Parameter lower(const std::optional<std::string>& text) {
  return text ? Parameter(processor::lower_case(*text)) : std::nullopt;
}

/// The path itself and everything above it.
std::vector<std::string> ancestors(const std::string& path) {
  std::vector<std::string> paths{path};
  for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    paths.push_back(path.substr(0, slash));
  }
  if (path.starts_with('/') && path != "/") paths.emplace_back("/");
  return paths;
}

std::optional<double> seconds(const Result& row, int column) {
  if (row.is_null(0, column)) return std::nullopt;
  return std::strtod(std::string(row.text(0, column)).c_str(), nullptr);
}

std::optional<int64_t> number(const Result& row, int column) {
  if (row.is_null(0, column)) return std::nullopt;
  return row.integer(0, column);
}

}  // namespace

Reader::Reader(ConnectionOptions options, std::string server, ConnectionObserver* observer)
    : connection_(std::move(options), observer), server_(std::move(server)) {}

void Reader::stream(std::string_view sql, std::initializer_list<Parameter> parameters,
                    const Line& line) {
  connection_.for_each_row(sql, std::span(parameters.begin(), parameters.size()),
                           [&](const Result& row) { line(row.text(0, 0)); });
}

void Reader::export_lines(const Line& line) {
  Snapshot snapshot(connection_);
  stream(database_lines(), {server_, std::nullopt, std::nullopt}, line);
  stream(grant_lines(), {server_}, line);
  stream(partition_lines(), {server_}, line);
  stream(role_lines(), {}, line);
  stream(table_lines(), {server_, std::nullopt, std::nullopt, std::nullopt}, line);
  snapshot.end();
}

void Reader::objects(const ObjectFilter& filter, const Line& line) {
  Snapshot snapshot(connection_);
  const Parameter catalog = lower(filter.catalog);
  const Parameter database = lower(filter.database);
  if (!filter.table) stream(database_lines(), {server_, catalog, database}, line);
  stream(table_lines(), {server_, catalog, database, lower(filter.table)}, line);
  snapshot.end();
}

void Reader::paths(const std::string& prefix, const Line& line) {
  const auto location = processor::normalize_location(prefix);
  if (!location) {
    stream(path_lines(), {server_, "", "", ""}, line);
    return;
  }
  std::string path = location->path;
  if (prefix.ends_with('/') && !path.ends_with('/')) path += '/';
  stream(path_lines(), {server_, location->scheme, location->authority, path}, line);
}

void Reader::grants(const GrantFilter& filter, const Line& line) {
  stream(held_grant_lines(),
         {server_, filter.role, lower(filter.database), lower(filter.table),
          filter.suspended ? "true" : "false"},
         line);
}

void Reader::roles(const Line& line) { stream(role_lines(), {}, line); }

std::optional<std::string> Reader::owner_of(std::string_view path) {
  const auto location = processor::normalize_location(path);
  if (!location) return std::nullopt;
  const Result found = connection_.query(
      owner_line(), {server_, location->scheme, location->authority,
                     text_array(ancestors(location->path)), processor::to_string(*location)});
  if (found.rows() == 0) return std::nullopt;
  return std::string(found.text(0, 0));
}

follower::ReadablePosition Reader::position() {
  const Result row = connection_.query(kPosition, {server_});
  follower::ReadablePosition position;
  position.cursor = -1;
  if (row.rows() == 0) return position;
  position.generation = row.integer(0, 0);
  position.cursor = row.integer(0, 1);
  position.polls_needed = row.boolean(0, 2);
  position.polls_answered = row.integer(0, 3);
  return position;
}

std::optional<FollowerRow> Reader::follower_row() {
  const Result row = connection_.query(kFollowerRow, {server_});
  if (row.rows() == 0) return std::nullopt;
  FollowerRow follower;
  follower.cursor = number(row, 0);
  follower.head = number(row, 1);
  follower.phase = row.text(0, 2);
  follower.generation = row.integer(0, 3);
  follower.commit_number = row.integer(0, 4);
  follower.metastore_uuid = row.text(0, 5);
  follower.caught_up_ago = seconds(row, 6);
  follower.quarantined_now = row.integer(0, 7);
  follower.suspended_grants = row.integer(0, 8);
  follower.applied = row.integer(0, 9);
  follower.ignored = row.integer(0, 10);
  follower.quarantined = row.integer(0, 11);
  follower.late = row.integer(0, 12);
  follower.shared_id = row.integer(0, 13);
  follower.refuted = row.integer(0, 14);
  return follower;
}

}  // namespace hmsync::store
