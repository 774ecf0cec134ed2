// Renames: the row keeps its identity and its partitions and gets another name.
#include "store/mutation_sql.h"

namespace hmsync::store {

namespace {

/// The rows under the old names, with their own locations.
const std::string kSource = R"(,
source AS MATERIALIZED (
  SELECT i.n, o.object_id, o.identity, p.scheme, p.authority, p.path, i.path AS new_path
  FROM input i
  JOIN @objects o ON o.@scope = $1 AND o.catalog = i.from_catalog
    AND o.database_name = i.from_database AND o.table_name = i.from_table
  LEFT JOIN @paths p ON p.object_id = o.object_id AND p.partition_values = '{}'))";

/// What waits to be read again waits under both names; a source that is not there makes the target
/// be read.
const std::string kAskReReads = R"(,
asked AS (
  INSERT INTO @re_reads AS r (@scope, catalog, database_name, table_name, event_id@generation_column)
  SELECT $1, catalog, database_name, table_name, min(event_id)@generation_value
  FROM (
    SELECT i.catalog, i.database_name, i.table_name, r.event_id
    FROM input i
    JOIN @re_reads r ON r.@scope = $1 AND r.catalog = i.from_catalog
      AND r.database_name = i.from_database AND r.table_name = i.from_table
    UNION ALL
    SELECT catalog, database_name, table_name, event_id FROM input i
    WHERE NOT EXISTS (SELECT FROM source s WHERE s.n = i.n)) s
  GROUP BY catalog, database_name, table_name
  ON CONFLICT (@scope, catalog, database_name, table_name) DO UPDATE @ask_again)
SELECT count(*) FROM input)";

/// A row that already has the new name is another table, unless it is the one that was renamed
/// (its source is not there, its identity is the same or not known).
std::string remove_targets(const Target& target) {
  std::string sql = kRenameInput + kSource + R"(,
old AS MATERIALIZED (
  SELECT i.event_id, i.commit_number, i.catalog, i.database_name, i.table_name, o.object_id
  FROM input i
  JOIN @objects o ON o.@scope = $1 AND o.catalog = i.catalog
    AND o.database_name = i.database_name AND o.table_name = i.table_name
  LEFT JOIN source s ON s.n = i.n
  WHERE s.object_id IS NOT NULL
     OR (o.identity <> '' AND i.identity <> '' AND o.identity <> i.identity)),
unpathed AS (DELETE FROM @paths WHERE object_id = ANY (ARRAY(SELECT object_id FROM old))),
gone AS (DELETE FROM @objects WHERE object_id = ANY (ARRAY(SELECT object_id FROM old))))";
  if (target.live) {
    sql += R"(,
told AS (
  INSERT INTO path_changes (server, commit_number, event_id, change, catalog, database_name,
                            table_name)
  SELECT $1, commit_number, event_id, 'removed', catalog, database_name, table_name
  FROM old ORDER BY event_id))";
  }
  return sql + "\nSELECT count(*) FROM input";
}

const std::string kMoveRows = R"(,
moved AS (
  UPDATE @objects o
  SET catalog = i.catalog, database_name = i.database_name, table_name = i.table_name,
      type = i.type, owner = i.owner, owner_type = i.owner_type,
      identity = CASE WHEN o.identity = '' THEN i.identity ELSE o.identity END
  FROM input i JOIN source s USING (n)
  WHERE o.object_id = s.object_id
  RETURNING o.object_id, i.n),
made AS (
  INSERT INTO @objects AS o (@scope, catalog, database_name, table_name, type, owner, owner_type,
                             identity)
  SELECT $1, catalog, database_name, table_name, type, owner, owner_type, identity FROM input i
  WHERE NOT EXISTS (SELECT FROM source s WHERE s.n = i.n)
  ON CONFLICT (@scope, catalog, database_name, table_name) DO UPDATE
  SET type = excluded.type, owner = excluded.owner, owner_type = excluded.owner_type,
      identity = CASE WHEN o.identity = '' THEN excluded.identity ELSE o.identity END
  RETURNING object_id, catalog, database_name, table_name),
placed AS (
  SELECT object_id, n FROM moved
  UNION ALL
  SELECT m.object_id, i.n FROM made m JOIN input i USING (catalog, database_name, table_name)),
located AS (
  INSERT INTO @paths AS p (object_id, scheme, authority, path)
  SELECT b.object_id, i.scheme, i.authority, i.path
  FROM placed b JOIN input i USING (n) WHERE i.path IS NOT NULL
  ON CONFLICT (object_id, hash_array_extended(partition_values, 0),
               hash_array_extended(partition_values, 1)) DO UPDATE
  SET scheme = excluded.scheme, authority = excluded.authority, path = excluded.path
  WHERE (p.scheme, p.authority, p.path)
        IS DISTINCT FROM (excluded.scheme, excluded.authority, excluded.path)),
unlocated AS (
  DELETE FROM @paths WHERE partition_values = '{}'
    AND object_id = ANY (ARRAY(SELECT object_id FROM source WHERE new_path IS NULL))))";

/// The metastore moves a managed table's partitions without any event of theirs. Where the source
/// is not there, those of the target were read after that.
const std::string kRewritePartitions = R"(,
hit AS MATERIALIZED (
  SELECT i.commit_number, i.event_id, i.catalog, i.database_name, i.table_name, p.object_id,
         p.partition_values, p.scheme, p.authority, p.path,
         replace(p.path, i.rewrite_from, i.rewrite_to) AS new_path
  FROM input i
  JOIN source s USING (n)
  JOIN @paths p ON p.object_id = s.object_id
  WHERE i.rewrite_from IS NOT NULL AND p.partition_values <> '{}'
    AND position(i.rewrite_from IN p.path) > 0),
rewritten AS (
  UPDATE @paths p SET path = h.new_path FROM hit h
  WHERE p.object_id = h.object_id
    AND hash_array_extended(p.partition_values, 0) = hash_array_extended(h.partition_values, 0)
    AND hash_array_extended(p.partition_values, 1) = hash_array_extended(h.partition_values, 1)))";

/// Own locations before: of the source or, where it is not there, of the row that has the new name.
/// One that such a rename does not tell stays.
const std::string kTellMoved = R"(,
former AS MATERIALIZED (
  SELECT n, scheme, authority, path FROM source
  UNION ALL
  SELECT i.n, p.scheme, p.authority, p.path
  FROM input i
  JOIN @objects o ON o.@scope = $1 AND o.catalog = i.catalog
    AND o.database_name = i.database_name AND o.table_name = i.table_name
  JOIN @paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
  WHERE i.path IS NOT NULL AND NOT EXISTS (SELECT FROM source s WHERE s.n = i.n)),
told AS (
  INSERT INTO path_changes (server, commit_number, event_id, change, catalog, database_name,
                            table_name, partition_values, scheme, authority, path, new_catalog,
                            new_database_name, new_table_name)
  SELECT $1, commit_number, event_id, change, c.catalog, c.database_name, c.table_name,
         partition_values, scheme, authority, path, new_catalog, new_database_name, new_table_name
  FROM (
    SELECT 1 AS step, i.commit_number, i.event_id, 'renamed' AS change, i.from_catalog AS catalog,
           i.from_database AS database_name, i.from_table AS table_name,
           NULL::text[] AS partition_values, NULL AS scheme, NULL AS authority, NULL AS path,
           i.catalog AS new_catalog, i.database_name AS new_database_name,
           i.table_name AS new_table_name
    FROM input i JOIN source s USING (n)
    UNION ALL
    SELECT 2, i.commit_number, i.event_id, 'removed', i.catalog, i.database_name, i.table_name,
           '{}', f.scheme, f.authority, f.path, NULL, NULL, NULL
    FROM input i JOIN former f USING (n)
    WHERE f.path IS NOT NULL
      AND (f.scheme, f.authority, f.path) IS DISTINCT FROM (i.scheme, i.authority, i.path)
    UNION ALL
    SELECT 3, i.commit_number, i.event_id, 'added', i.catalog, i.database_name, i.table_name,
           '{}', i.scheme, i.authority, i.path, NULL, NULL, NULL
    FROM input i LEFT JOIN former f USING (n)
    WHERE i.path IS NOT NULL
      AND (f.scheme, f.authority, f.path) IS DISTINCT FROM (i.scheme, i.authority, i.path)
    UNION ALL
    SELECT 4, commit_number, event_id, 'removed', catalog, database_name, table_name,
           partition_values, scheme, authority, path, NULL, NULL, NULL
    FROM hit
    UNION ALL
    SELECT 5, commit_number, event_id, 'added', catalog, database_name, table_name,
           partition_values, scheme, authority, new_path, NULL, NULL, NULL
    FROM hit) c
  ORDER BY event_id, step))";

}  // namespace

std::vector<Statement> rename_statements(const Target& target, const MutationGroup& group) {
  const std::vector<Parameter> parameters = rename_columns(group).parameters(target);
  const std::string move = kRenameInput + kSource + kMoveRows + kRewritePartitions +
                           (target.live ? kTellMoved : "") + "\nSELECT count(*) FROM input";
  return {{for_target(kRenameInput + kSource + kAskReReads, target), parameters},
          {for_target(remove_targets(target), target), parameters},
          {for_target(move, target), parameters}};
}

}  // namespace hmsync::store
