#include "store/snapshot_scope.h"

#include <algorithm>

namespace hmsync::store {

namespace {

/// Names within the scopes; a null as table: the database and all that is in it. Where the own rows
/// of all databases were read, the stored ones are found one by one, by the index; a database that
/// is gone is so with all that is in it.
const std::string kScopeNames = R"(WITH RECURSIVE scopes AS MATERIALIZED (
  SELECT * FROM staging_scopes WHERE snapshot = $2),
stored AS (
  (SELECT catalog, database_name FROM objects
   WHERE server = $1 AND EXISTS (SELECT FROM scopes WHERE own_row_only)
   ORDER BY catalog, database_name LIMIT 1)
  UNION ALL
  SELECT n.catalog, n.database_name
  FROM stored s CROSS JOIN LATERAL (
    SELECT o.catalog, o.database_name FROM objects o
    WHERE o.server = $1 AND (o.catalog, o.database_name) > (s.catalog, s.database_name)
    ORDER BY o.catalog, o.database_name LIMIT 1) n),
names AS MATERIALIZED (
  SELECT catalog, database_name, nullif(table_name, '') AS table_name
  FROM scopes WHERE NOT own_row_only
  UNION
  SELECT d.catalog, d.database_name, s.found
  FROM stored d LEFT JOIN LATERAL (
    SELECT '' AS found FROM staging_objects s
    WHERE s.snapshot = $2 AND s.catalog = d.catalog AND s.database_name = d.database_name
      AND s.table_name = '' OFFSET 0) s ON true
  UNION
  SELECT catalog, database_name, '' FROM staging_objects
  WHERE snapshot = $2 AND table_name = '' AND EXISTS (SELECT FROM scopes WHERE own_row_only)))";

/// OFFSET 0 keeps each name a look into the index, whatever the planner thinks of their number.
std::string ids_of(const std::string& id, const std::string& table, const std::string& owner) {
  const std::string rows = "(SELECT o." + id + " FROM " + table + " o WHERE o." + owner +
                           " AND o.catalog = n.catalog AND o.database_name = n.database_name";
  return "(SELECT coalesce(array_agg(DISTINCT " + id + "), '{}') FROM (\n  SELECT o." + id +
         " FROM names n CROSS JOIN LATERAL " + rows +
         " AND o.table_name = n.table_name OFFSET 0) o WHERE n.table_name IS NOT NULL\n"
         "  UNION ALL\n  SELECT o." +
         id + " FROM names n CROSS JOIN LATERAL " + rows +
         " OFFSET 0) o WHERE n.table_name IS NULL) i)";
}

const std::string kIds = kScopeNames + "\nSELECT " + ids_of("object_id", "objects", "server = $1") +
                         ",\n" + ids_of("object_id", "staging_objects", "snapshot = $2") + ",\n" +
                         ids_of("grant_id", "grants", "server = $1");

bool is_everything(const follower::Scope& scope) {
  return !scope.database && !scope.databases_only;
}

}  // namespace

std::vector<Parameter> Sides::parameters() const { return {server, snapshot, live, staged}; }

Statement hold_snapshot(const std::string& server, const std::string& snapshot) {
  return {"SELECT hold_snapshot($1, $2)", {snapshot, server}};
}

Sides read_sides(Connection& connection, const std::string& server, const std::string& snapshot) {
  Sides sides;
  sides.server = server;
  sides.snapshot = snapshot;
  const Result row = connection.query(
      "SELECT whole, re_reads_through FROM staging_snapshots WHERE snapshot = $1", {snapshot});
  sides.whole = row.boolean(0, 0);
  sides.re_reads_through = row.integer(0, 1);
  if (sides.whole) return sides;
  const Result ids = connection.query(kIds, {server, snapshot});
  sides.live = ids.text(0, 0);
  sides.staged = ids.text(0, 1);
  sides.grants = ids.text(0, 2);
  return sides;
}

bool reaches_everything(const std::vector<follower::Scope>& scopes) {
  return scopes.empty() || std::any_of(scopes.begin(), scopes.end(), is_everything);
}

Statement add_scopes(const std::string& snapshot, const std::vector<follower::Scope>& scopes) {
  if (reaches_everything(scopes)) {
    return {"UPDATE staging_snapshots SET whole = true WHERE snapshot = $1", {snapshot}};
  }
  std::vector<std::string> catalogs, databases, tables;
  for (const follower::Scope& scope : scopes) {
    catalogs.push_back(scope.database ? scope.database->catalog : "");
    databases.push_back(scope.database ? scope.database->database : "");
    tables.push_back(scope.table.value_or(""));
  }
  return {R"(INSERT INTO staging_scopes
  (snapshot, catalog, database_name, table_name, own_row_only)
SELECT $1, i.*, database_name = ''
FROM unnest($2::text[], $3::text[], $4::text[]) AS i(catalog, database_name, table_name)
ON CONFLICT DO NOTHING)",
          {snapshot, text_array(catalogs), text_array(databases), text_array(tables)}};
}

std::string is_doubtful(const std::string& of) {
  const auto among = [&](const std::string& table, const std::string& alias) {
    return "EXISTS (SELECT FROM " + table + " " + alias + " WHERE " + alias +
           ".snapshot = $2 AND " + alias + ".catalog = " + of + ".catalog AND " + alias +
           ".database_name = " + of + ".database_name AND " + alias + ".table_name IN ('', " + of +
           ".table_name))";
  };
  return "(" + among("staging_claims", "x") + " OR " + among("staging_re_reads", "y") + ")";
}

std::string is_within_scopes(const std::string& of) {
  return R"((
  SELECT v.whole OR EXISTS (
    SELECT FROM staging_scopes w
    WHERE w.snapshot = $2 AND NOT w.own_row_only AND w.catalog = )" +
         of + ".catalog AND w.database_name = " + of + ".database_name AND w.table_name IN ('', " +
         of + R"(.table_name))
  FROM staging_snapshots v WHERE v.snapshot = $2))";
}

}  // namespace hmsync::store
