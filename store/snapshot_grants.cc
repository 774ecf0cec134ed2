#include "store/snapshot_grants.h"

#include <map>
#include <tuple>

#include "store/grant_changes.h"
#include "store/mutation_sql.h"

namespace hmsync::store {

namespace {

/// Grants whose object is in the live state and not in the staging, or whose name is another
/// object's there (an identity that is not known is no other). $3: the cursor.
const std::string kVanished = R"(
  SELECT g.grant_id, s.object_id IS NOT NULL AS there
  FROM grants g
  LEFT JOIN objects o ON o.server = $1 AND o.catalog = g.catalog
    AND o.database_name = g.database_name AND o.table_name = g.table_name
  LEFT JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = g.catalog
    AND s.database_name = g.database_name AND s.table_name = g.table_name
  WHERE g.server = $1 AND g.database_name <> '' AND NOT g.suspended AND g.as_of_event <= $3::bigint
    AND CASE WHEN s.object_id IS NULL THEN o.object_id IS NOT NULL
      ELSE s.identity <> ''
        AND coalesce(nullif(g.identity, ''), o.identity, '') NOT IN ('', s.identity) END)";

/// One row a grant that does not stay as it is: grant_id, reason and, where exactly one table of
/// its identity turned up elsewhere, that table's name. $4: whether all grants are looked at.
/// A database has no identity before 4.0: it is the same while one of its tables is still in it
/// with its identity or, having none, while owner and location are the same.
const std::string kJudged = R"(
WITH live AS MATERIALIZED (
  SELECT o.*, p.scheme, p.authority, p.path
  FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
  WHERE o.server = $1),
staged AS MATERIALIZED (
  SELECT o.*, p.scheme, p.authority, p.path
  FROM staging_objects o
  LEFT JOIN staging_paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
  WHERE o.snapshot = $2),
kept_tables AS (
  SELECT catalog, database_name
  FROM live l JOIN staged s USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND l.identity = s.identity
  GROUP BY catalog, database_name),
filled_databases AS (
  SELECT catalog, database_name FROM live WHERE table_name <> '' GROUP BY catalog, database_name),
vanished AS (
  SELECT l.identity FROM live l LEFT JOIN staged s USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND l.identity <> '' AND s.identity IS DISTINCT FROM l.identity
  GROUP BY l.identity HAVING count(*) > 1),
appeared AS (
  SELECT s.identity, min(catalog) AS catalog, min(database_name) AS database_name,
         min(table_name) AS table_name
  FROM staged s LEFT JOIN live l USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND s.identity <> '' AND l.identity IS DISTINCT FROM s.identity
  GROUP BY s.identity HAVING count(*) = 1),
judged AS (
  SELECT g.grant_id, g.table_name, coalesce(nullif(g.identity, ''), l.identity, '') AS identity,
         s.object_id IS NOT NULL AS there, s.identity AS there_identity,
         l.object_id IS NULL OR k.catalog IS NOT NULL
           OR (f.catalog IS NULL AND (l.owner, l.owner_type, l.scheme, l.authority, l.path)
               IS NOT DISTINCT FROM (s.owner, s.owner_type, s.scheme, s.authority, s.path))
           AS same_database
  FROM grants g
  LEFT JOIN live l ON l.catalog = g.catalog AND l.database_name = g.database_name
    AND l.table_name = g.table_name
  LEFT JOIN staged s ON s.catalog = g.catalog AND s.database_name = g.database_name
    AND s.table_name = g.table_name
  LEFT JOIN kept_tables k ON k.catalog = g.catalog AND k.database_name = g.database_name
  LEFT JOIN filled_databases f ON f.catalog = g.catalog AND f.database_name = g.database_name
  WHERE g.server = $1 AND g.database_name <> '' AND NOT g.suspended
    AND ($4::boolean OR g.as_of_event <= $3::bigint))
SELECT j.grant_id, j.there, a.catalog, a.database_name, a.table_name, g.role_id, g.column_name,
       g.action
FROM judged j
JOIN grants g USING (grant_id)
LEFT JOIN appeared a ON j.table_name <> '' AND j.identity <> '' AND a.identity = j.identity
  AND NOT EXISTS (SELECT FROM vanished v WHERE v.identity = j.identity)
WHERE NOT (j.there AND CASE
  WHEN j.identity <> '' AND j.there_identity <> '' THEN j.identity = j.there_identity
  ELSE j.table_name <> '' OR j.same_database END)
ORDER BY j.grant_id)";

const std::string kChosenToSuspend = R"(WITH chosen AS MATERIALIZED (
  SELECT grant_id, $1::bigint AS event_id, reason
  FROM unnest($2::bigint[], $3::text[]) AS i(grant_id, reason)))";

const std::string kChosenToMove = R"(WITH chosen AS MATERIALIZED (
  SELECT grant_id, $1::bigint AS event_id, $1::bigint AS as_of, to_catalog, to_database, to_table
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
    AS i(grant_id, to_catalog, to_database, to_table)))";

struct Verdicts {
  std::vector<std::string> suspended;
  std::vector<std::string> reasons;
  std::vector<std::string> moved;
  std::vector<std::string> catalogs, databases, tables;
};

/// Two grants that would become one keep the first; that happens only where identities lie.
Verdicts judge_by_identity(Connection& connection, const Sides& sides,
                           const follower::Publication& publication) {
  const Result rows =
      connection.query(kJudged, {sides.server, sides.snapshot, std::to_string(publication.cursor),
                                 publication.raise_generation ? "true" : "false"});
  Verdicts verdicts;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>,
           int>
      taken;
  for (int row = 0; row < rows.rows(); ++row) {
    const auto text = [&](int column) { return std::string(rows.text(row, column)); };
    const bool moves =
        !rows.is_null(row, 2) &&
        taken.try_emplace({text(2), text(3), text(4), text(5), text(6), text(7)}, row).second;
    if (moves) {
      verdicts.moved.push_back(text(0));
      verdicts.catalogs.push_back(text(2));
      verdicts.databases.push_back(text(3));
      verdicts.tables.push_back(text(4));
    } else {
      verdicts.suspended.push_back(text(0));
      verdicts.reasons.emplace_back(rows.boolean(row, 1) ? kOtherObject : kObjectGone);
    }
  }
  return verdicts;
}

/// Names may have been exchanged: all that move are parked first, so that none meets another.
void move(Connection& connection, const Verdicts& verdicts, const std::string& cursor) {
  if (verdicts.moved.empty()) return;
  const Parameter ids = text_array(verdicts.moved);
  connection.query(
      "UPDATE grants SET suspended = true, suspended_reason = $2 "
      "WHERE grant_id = ANY ($1::bigint[])",
      {ids, kParked});
  const std::vector<Parameter> parameters{cursor, ids, text_array(verdicts.catalogs),
                                          text_array(verdicts.databases),
                                          text_array(verdicts.tables)};
  connection.query(merge_chosen(kChosenToMove, kSnapshot), parameters);
  connection.query(move_chosen(kChosenToMove, kSnapshot), parameters);
}

}  // namespace

int64_t count_vanished_grants(Connection& connection, const Sides& sides, int64_t cursor) {
  return connection
      .query("SELECT count(*) FROM (" + kVanished + ") g",
             {sides.server, sides.snapshot, std::to_string(cursor)})
      .integer(0, 0);
}

int64_t settle_grants(Connection& connection, const Sides& sides,
                      const follower::Publication& publication) {
  const std::string cursor = std::to_string(publication.cursor);
  Verdicts verdicts;
  if (publication.unbroken) {
    const Result gone = connection.query(kVanished, {sides.server, sides.snapshot, cursor});
    for (int row = 0; row < gone.rows(); ++row) {
      verdicts.suspended.emplace_back(gone.text(row, 0));
      verdicts.reasons.emplace_back(gone.boolean(row, 1) ? kOtherObject : kObjectGone);
    }
  } else {
    verdicts = judge_by_identity(connection, sides, publication);
  }
  if (!verdicts.suspended.empty()) {
    connection.query(suspend_chosen(kChosenToSuspend, kSnapshot),
                     {cursor, text_array(verdicts.suspended), text_array(verdicts.reasons)});
  }
  move(connection, verdicts, cursor);
  if (publication.raise_generation) {
    connection.query("UPDATE grants SET as_of_event = 0 WHERE server = $1 AND as_of_event <> 0",
                     {sides.server});
  }
  return static_cast<int64_t>(verdicts.suspended.size());
}

}  // namespace hmsync::store
