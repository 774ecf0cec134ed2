#include "store/reader_sql.h"

#include <fmt/format.h>

namespace hmsync::store {

namespace {

// The fields of a line, each with its name and in its order, from `o` (a row of objects) and
// `location`, or from `g` and `r` (rows of grants and roles).
constexpr const char* kDatabaseFields =
    R"('database' AS kind, o.server, o.catalog, o.database_name AS database,
  nullif(o.owner, '') AS owner, o.owner_type, location)";
constexpr const char* kTableFields =
    R"('table' AS kind, o.server, o.catalog, o.database_name AS database, o.table_name AS "table",
  nullif(o.type, '') AS type, nullif(o.owner, '') AS owner, o.owner_type, location)";
constexpr const char* kPartitionFields =
    R"('partition' AS kind, o.server, o.catalog, o.database_name AS database,
  o.table_name AS "table", partition_values AS values, location)";
constexpr const char* kGrantFields =
    R"('grant' AS kind, r.role, g.server, g.catalog, nullif(g.database_name, '') AS database,
  nullif(g.table_name, '') AS "table", nullif(g.column_name, '') AS "column",
  nullif(g.uri, '') AS uri, g.action, g.grant_option, g.suspended)";
constexpr const char* kGrantOrder =
    R"(r.role, g.catalog, g.database_name, g.table_name, g.column_name, g.uri,
  g.action COLLATE "C", g.grant_option, g.suspended, g.grant_id)";

constexpr const char* kLocation = "location_text(p.scheme, p.authority, p.path)";

/// A line for each object, by its own location.
std::string object_lines(const std::string& fields, const std::string& condition) {
  return fmt::format(
      R"(SELECT row_to_json(l)
FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{{}}',
  LATERAL (SELECT {0} AS location) a, LATERAL (SELECT {1}) l
WHERE o.server = $1 AND ($2::text IS NULL OR o.catalog = $2)
  AND ($3::text IS NULL OR o.database_name = $3) AND {2}
ORDER BY o.catalog, o.database_name, o.table_name)",
      kLocation, fields, condition);
}

}  // namespace

std::string database_lines() { return object_lines(kDatabaseFields, "o.table_name = ''"); }

std::string table_lines() {
  return object_lines(kTableFields,
                      "o.table_name <> '' AND ($4::text IS NULL OR o.table_name = $4)");
}

std::string partition_lines() {
  return fmt::format(
      R"(SELECT row_to_json(l)
FROM objects o JOIN paths p ON p.object_id = o.object_id,
  LATERAL (SELECT {0} AS location) a, LATERAL (SELECT {1}) l
WHERE o.server = $1 AND p.partition_values <> '{{}}'
ORDER BY o.catalog, o.database_name, o.table_name, p.partition_values)",
      kLocation, kPartitionFields);
}

std::string grant_lines() {
  return fmt::format(
      R"(SELECT row_to_json(l) FROM grants g JOIN roles r USING (role_id), LATERAL (SELECT {0}) l
WHERE g.server = $1 ORDER BY {1})",
      kGrantFields, kGrantOrder);
}

std::string role_lines() {
  return R"(SELECT row_to_json(l) FROM v1_roles r,
  LATERAL (SELECT 'role' AS kind, r.role, r.groups, r.users) l ORDER BY r.role)";
}

std::string held_grant_lines() {
  return fmt::format(
      R"(SELECT row_to_json(l)
FROM grants g JOIN roles r USING (role_id), LATERAL (SELECT {0}, g.grant_id AS id, g.grantor,
    to_char(g.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time,
    g.as_of_event, nullif(g.suspended_reason, '') AS reason) l
WHERE g.server = $1 AND ($2::text IS NULL OR r.role = $2)
  AND ($3::text IS NULL OR g.database_name = $3) AND ($4::text IS NULL OR g.table_name = $4)
  AND g.suspended = $5::boolean
ORDER BY {1})",
      kGrantFields, kGrantOrder);
}

std::string path_lines() {
  // The first 400 characters are what the index knows; the rest is looked at row by row.
  return fmt::format(
      R"(SELECT row_to_json(l)
FROM paths p JOIN objects o USING (object_id), LATERAL (SELECT {0} COLLATE "C" AS location) a,
  LATERAL (SELECT CASE WHEN o.table_name = '' THEN 'database' WHEN p.partition_values = '{{}}'
                    THEN 'table' ELSE 'partition' END AS kind,
                  o.server, o.catalog, o.database_name AS database,
                  nullif(o.table_name, '') AS "table",
                  nullif(p.partition_values, '{{}}') AS values, a.location) l
WHERE o.server = $1 AND p.path IS NOT NULL
  AND left(p.path, 400) ^@ left($4, 400) AND p.path ^@ $4
  AND ($2 = '' OR (coalesce(p.scheme, '') = $2 AND coalesce(p.authority, '') = $3))
ORDER BY a.location, o.catalog, o.database_name, o.table_name, p.partition_values)",
      kLocation);
}

std::string owner_line() {
  return fmt::format(
      R"(WITH o AS (
  SELECT o.*, p.partition_values, {0} AS location
  FROM paths p JOIN objects o USING (object_id)
  WHERE o.server = $1 AND p.path = ANY($4::text[])
    AND hashtextextended(p.path, 0) = ANY (ARRAY(
      SELECT hashtextextended(candidate COLLATE "C", 0) FROM unnest($4::text[]) candidate))
    AND coalesce(p.scheme, '') = $2 AND coalesce(p.authority, '') = $3
  ORDER BY octet_length(p.path) DESC, p.partition_values = '{{}}', o.table_name = '',
           o.catalog, o.database_name, o.table_name, p.partition_values
  LIMIT 1)
SELECT CASE
  WHEN o.table_name = '' THEN (SELECT row_to_json(l) FROM (SELECT $5::text AS path, {1}) l)
  WHEN o.partition_values = '{{}}' THEN (SELECT row_to_json(l) FROM (SELECT $5::text AS path, {2}) l)
  ELSE (SELECT row_to_json(l) FROM (SELECT $5::text AS path, {3}) l)
END FROM o)",
      kLocation, kDatabaseFields, kTableFields, kPartitionFields);
}

const char* const kPosition = R"(SELECT f.generation,
  least(coalesce(f.cursor, -1), (SELECT min(r.event_id) - 1 FROM pending_re_reads r
                                 WHERE r.server = f.server AND r.generation = f.generation),
        (SELECT min(q.at_event) - 1 FROM requests q
         WHERE q.server = f.server AND q.generation = f.generation AND q.state = 'pending'
           AND q.kind = 'revoke' AND q.at_event >= 0)),
  f.metastore_uuid = '' OR f.shared_ids_seen, coalesce(p.polls_answered, 0)
FROM followers f LEFT JOIN follower_progress p USING (server) WHERE f.server = $1)";

const char* const kFollowerRow = R"(SELECT cursor, head, coalesce(phase, 'starting'), generation,
  commit_number, metastore_uuid,
  CASE WHEN caught_up_at IS NOT NULL
    THEN greatest(extract(epoch FROM clock_timestamp() - caught_up_at), 0) END,
  quarantined_now, suspended_grants, applied, ignored, quarantined, late, shared_id, refuted
FROM v1_follower WHERE server = $1)";

}  // namespace hmsync::store
