#include "store/stored_objects.h"

namespace hmsync::store {

namespace {

processor::TableName name_at(const Result& rows, int row) {
  return {std::string(rows.text(row, 0)), std::string(rows.text(row, 1)),
          std::string(rows.text(row, 2))};
}

constexpr const char* kAfter = R"(
SELECT catalog, database_name, table_name FROM objects
WHERE server = $1 AND table_name <> ''
  AND (catalog, database_name, table_name) > ($2, $3, $4)
ORDER BY catalog, database_name, table_name LIMIT $5::bigint)";

// One look-up by object_id for each part of the range; by the server's own indexes it would be a
// sort of all its tables.
constexpr const char* kSome = R"(
WITH ends AS MATERIALIZED (
  SELECT (SELECT min(object_id) FROM objects WHERE server = $1) AS first,
         (SELECT max(object_id) FROM objects WHERE server = $1) AS last)
SELECT DISTINCT o.catalog, o.database_name, o.table_name, o.identity
FROM ends, generate_series(0, $2::bigint - 1) AS step, LATERAL (
  SELECT * FROM objects
  WHERE server || '' = $1 AND table_name <> '' AND identity <> ''
    AND object_id >= first + (last - first) * step / $2::bigint
    AND object_id <= first + (last - first) * (step + 1) / $2::bigint
  ORDER BY object_id LIMIT 1) o
ORDER BY 1, 2, 3)";

}  // namespace

PostgresStoredObjects::PostgresStoredObjects(Connection& connection, std::string server)
    : connection_(connection), server_(std::move(server)) {}

int64_t PostgresStoredObjects::count_tables() {
  return connection_
      .query("SELECT count(*) FROM objects WHERE server = $1 AND table_name <> ''", {server_})
      .integer(0, 0);
}

std::vector<processor::TableName> PostgresStoredObjects::tables_after(
    const processor::TableName& name, int count) {
  const Result rows = connection_.query(
      kAfter, {server_, name.catalog, name.database, name.table, std::to_string(count)});
  std::vector<processor::TableName> names;
  for (int row = 0; row < rows.rows(); ++row) names.push_back(name_at(rows, row));
  return names;
}

std::vector<follower::KnownTable> PostgresStoredObjects::some_tables(int count) {
  const Result rows = connection_.query(kSome, {server_, std::to_string(count)});
  std::vector<follower::KnownTable> tables;
  for (int row = 0; row < rows.rows(); ++row) {
    tables.push_back({name_at(rows, row), std::string(rows.text(row, 3))});
  }
  return tables;
}

}  // namespace hmsync::store
