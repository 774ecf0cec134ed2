#include "store/snapshot_difference.h"

#include <fmt/format.h>

namespace hmsync::store {

namespace {

/// Parameters are those of Sides. Null arrays are known while the statement is planned: the
/// conditions leave no trace in a whole snapshot's plans.
const std::string kLiveRow =
    "o.server = $1 AND ($3::bigint[] IS NULL OR o.object_id = ANY ($3::bigint[]))";
/// Also one that was just added, which is not among $3: of both arrays, both are null or none is.
const std::string kAnyRow = "o.server = $1 AND ($3::bigint[] IS NULL) = ($4::bigint[] IS NULL)";
std::string staged_row(const std::string& of) {
  return of + ".snapshot = $2 AND ($4::bigint[] IS NULL OR " + of +
         ".object_id = ANY ($4::bigint[]))";
}

/// Objects of both sides with their own locations, side by side.
const std::string kObjects = R"(
  (SELECT o.catalog, o.database_name, o.table_name, true AS here, o.type, o.owner, o.owner_type,
          o.identity, p.scheme, p.authority, p.path
   FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
   WHERE )" + kLiveRow + R"() l
  FULL JOIN
  (SELECT o.catalog, o.database_name, o.table_name, true AS here, o.type, o.owner, o.owner_type,
          o.identity, p.scheme, p.authority, p.path
   FROM staging_objects o
   LEFT JOIN staging_paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
   WHERE )" + staged_row("o") +
                             R"() s
  USING (catalog, database_name, table_name))";

/// The same of all paths; `condition` narrows them.
std::string paths(const std::string& condition) {
  return R"(
  (SELECT o.catalog, o.database_name, o.table_name, p.partition_values, true AS here, p.scheme,
          p.authority, p.path
   FROM objects o JOIN paths p USING (object_id) WHERE )" +
         kLiveRow + condition + R"() l
  FULL JOIN
  (SELECT o.catalog, o.database_name, o.table_name, p.partition_values, true AS here, p.scheme,
          p.authority, p.path
   FROM staging_objects o JOIN staging_paths p USING (object_id) WHERE )" +
         staged_row("o") + condition + R"() s
  USING (catalog, database_name, table_name, partition_values))";
}

const std::string kPathDiffers =
    "(l.scheme, l.authority, l.path) IS DISTINCT FROM (s.scheme, s.authority, s.path)";

const std::string kCounts = R"(
  count(*) FILTER (WHERE l.here IS NULL), count(*) FILTER (WHERE l.here AND s.here),
  count(*) FILTER (WHERE s.here IS NULL))";

void add_objects(Connection& connection, const Sides& sides, follower::Difference& difference) {
  const Result rows = connection.query(
      "SELECT table_name = '', " + kCounts + " FROM " + kObjects +
          " WHERE l.here IS NULL OR s.here IS NULL OR (l.type, l.owner, l.owner_type, l.identity) "
          "IS DISTINCT FROM (s.type, s.owner, s.owner_type, s.identity) OR " +
          kPathDiffers + " GROUP BY 1",
      sides.parameters());
  for (int row = 0; row < rows.rows(); ++row) {
    const auto count =
        rows.boolean(row, 0) ? &follower::ObjectCounts::databases : &follower::ObjectCounts::tables;
    difference.added.*count = rows.integer(row, 1);
    difference.changed.*count = rows.integer(row, 2);
    difference.removed.*count = rows.integer(row, 3);
  }
}

void add_partitions(Connection& connection, const Sides& sides, follower::Difference& difference) {
  const Result row =
      connection.query("SELECT " + kCounts + " FROM " + paths(" AND p.partition_values <> '{}'") +
                           " WHERE l.here IS NULL OR s.here IS NULL OR " + kPathDiffers,
                       sides.parameters());
  difference.added.partitions = row.integer(0, 0);
  difference.changed.partitions = row.integer(0, 1);
  difference.removed.partitions = row.integer(0, 2);
}

const std::string kSameName = staged_row("s") + R"( AND s.catalog = o.catalog
    AND s.database_name = o.database_name AND s.table_name = o.table_name)";

const std::string kRemoveObjects = "DELETE FROM objects o WHERE " + kLiveRow +
                                   " AND NOT EXISTS (SELECT FROM staging_objects s WHERE " +
                                   kSameName + ")";

const std::string kChangeObjects = R"(
UPDATE objects o
SET type = s.type, owner = s.owner, owner_type = s.owner_type, identity = s.identity
FROM staging_objects s
WHERE )" + kLiveRow + " AND " + kSameName +
                                   R"(
  AND (o.type, o.owner, o.owner_type, o.identity)
      IS DISTINCT FROM (s.type, s.owner, s.owner_type, s.identity))";

const std::string kAddObjects = R"(
INSERT INTO objects (server, catalog, database_name, table_name, type, owner, owner_type, identity)
SELECT $1, s.catalog, s.database_name, s.table_name, s.type, s.owner, s.owner_type, s.identity
FROM staging_objects s
WHERE )" + staged_row("s") + " AND NOT EXISTS (SELECT FROM objects o WHERE " +
                                kLiveRow + R"( AND o.catalog = s.catalog
    AND o.database_name = s.database_name AND o.table_name = s.table_name))";

/// By hash first, as the index has it: object_id alone would make the work the square of a table's
/// partitions.
std::string same_values(const std::string& a, const std::string& b) {
  std::string sql;
  for (const char* seed : {"0", "1"}) {
    sql += "hash_array_extended(" + a + ".partition_values, " + seed + ") = hash_array_extended(" +
           b + ".partition_values, " + seed + ") AND ";
  }
  return sql + a + ".partition_values = " + b + ".partition_values";
}

/// Which paths are looked at.
enum class Reach { own, all };

std::string within(Reach reach, const std::string& of) {
  return reach == Reach::own ? " AND " + of + ".partition_values = '{}'" : "";
}

std::string change_paths(Reach reach) {
  return R"(
UPDATE paths p SET scheme = n.scheme, authority = n.authority, path = n.path
FROM objects o
JOIN staging_objects s ON )" +
         kSameName + R"(
JOIN staging_paths n ON n.object_id = s.object_id)" +
         within(reach, "n") + R"(
WHERE )" +
         kLiveRow + " AND p.object_id = o.object_id AND " + same_values("p", "n") +
         within(reach, "p") + R"(
  AND (p.scheme, p.authority, p.path) IS DISTINCT FROM (n.scheme, n.authority, n.path))";
}

std::string add_paths(Reach reach) {
  return R"(
INSERT INTO paths (object_id, partition_values, scheme, authority, path)
SELECT o.object_id, n.partition_values, n.scheme, n.authority, n.path
FROM objects o
JOIN staging_objects s ON )" +
         kSameName + R"(
JOIN staging_paths n ON n.object_id = s.object_id)" +
         within(reach, "n") + R"(
LEFT JOIN paths p ON p.object_id = o.object_id AND )" +
         same_values("p", "n") + within(reach, "p") + R"(
WHERE )" +
         kAnyRow + " AND p.object_id IS NULL";
}

/// What is removed with its object is gone already.
std::string remove_paths(Reach reach) {
  return R"(
DELETE FROM paths p USING objects o JOIN staging_objects s ON )" +
         kSameName + R"(
WHERE )" +
         kLiveRow + " AND p.object_id = o.object_id" + within(reach, "p") + R"( AND NOT EXISTS (
  SELECT FROM staging_paths n WHERE n.object_id = s.object_id AND )" +
         same_values("n", "p") + within(reach, "n") + ")";
}

std::string counts_json(const follower::ObjectCounts& counts) {
  return fmt::format(R"({{"databases":{},"tables":{},"partitions":{}}})", counts.databases,
                     counts.tables, counts.partitions);
}

}  // namespace

follower::Difference count_difference(Connection& connection, const Sides& sides) {
  follower::Difference difference;
  add_objects(connection, sides, difference);
  add_partitions(connection, sides, difference);
  return difference;
}

void write_difference(Connection& connection, const Sides& sides,
                      const follower::Difference& difference) {
  const std::vector<Parameter> parameters = sides.parameters();
  if (difference.removed.databases + difference.removed.tables > 0) {
    connection.query(kRemoveObjects, parameters);
  }
  if (difference.changed.databases + difference.changed.tables > 0) {
    connection.query(kChangeObjects, parameters);
  }
  if (difference.added.databases + difference.added.tables > 0) {
    connection.query(kAddObjects, parameters);
  }
  // An object that changed may have got, lost or changed its own location. Partitions are only
  // joined where some of them differ.
  const bool own = difference.changed.databases + difference.changed.tables > 0;
  const bool added = difference.added.databases + difference.added.tables > 0;
  const auto write = [&](bool own_differ, int64_t partitions, const auto& statement) {
    if (partitions > 0) {
      connection.query(statement(Reach::all), parameters);
    } else if (own_differ) {
      connection.query(statement(Reach::own), parameters);
    }
  };
  write(own, difference.removed.partitions, remove_paths);
  write(own, difference.changed.partitions, change_paths);
  write(own || added, difference.added.partitions, add_paths);
}

void log_difference(Connection& connection, const Sides& sides, int64_t commit_number,
                    int64_t event_id, bool as_image) {
  if (as_image) {
    connection.query(
        "INSERT INTO path_changes (server, commit_number, event_id, change) "
        "VALUES ($1, $2, $3, 'image')",
        {sides.server, std::to_string(commit_number), std::to_string(event_id)});
    return;
  }
  std::vector<Parameter> parameters = sides.parameters();
  parameters.emplace_back(std::to_string(commit_number));
  parameters.emplace_back(std::to_string(event_id));
  const std::string changed =
      "FROM " + paths("") + " WHERE l.here IS NULL OR s.here IS NULL OR " + kPathDiffers;
  connection.query(
      R"(
WITH changed AS MATERIALIZED (
  SELECT catalog, database_name, nullif(table_name, '') AS table_name, partition_values,
         l.scheme AS old_scheme, l.authority AS old_authority, l.path AS old_path,
         s.scheme, s.authority, s.path )" +
          changed + R"()
INSERT INTO path_changes (server, commit_number, event_id, change, catalog, database_name,
                          table_name, partition_values, scheme, authority, path)
SELECT $1, $5, $6, change, catalog, database_name, table_name, partition_values, scheme, authority,
       path
FROM (
  SELECT 1 AS step, 'removed' AS change, catalog, database_name, table_name, partition_values,
         old_scheme AS scheme, old_authority AS authority, old_path AS path
  FROM changed WHERE old_path IS NOT NULL
  UNION ALL
  SELECT 2, 'added', catalog, database_name, table_name, partition_values, scheme, authority, path
  FROM changed WHERE path IS NOT NULL) c
ORDER BY step)",
      parameters);
}

std::string difference_json(const follower::Difference& difference) {
  return fmt::format(R"({{"added":{},"changed":{},"removed":{},"suspended_grants":{}}})",
                     counts_json(difference.added), counts_json(difference.changed),
                     counts_json(difference.removed), difference.suspended_grants);
}

}  // namespace hmsync::store
