#include "store/mutation_sql.h"

#include <map>

namespace hmsync::store {

namespace {

using processor::Mutation;

const std::string kDone = "\nSELECT count(*) AS rows_written FROM input";

/// `source` names the objects to be read again from the metastore, with event ids.
std::string asked(const std::string& source) {
  return R"(,
asked AS (
  INSERT INTO @re_reads AS r (@scope, catalog, database_name, table_name, event_id@generation_column)
  SELECT $1, catalog, database_name, table_name, min(event_id)@generation_value FROM ()" +
         source + R"() s GROUP BY catalog, database_name, table_name
  ON CONFLICT (@scope, catalog, database_name, table_name) DO UPDATE @ask_again))";
}

/// `source`: step, commit_number, event_id, change, names, partition_values, scheme, authority,
/// path. Numbers follow the steps of each event.
std::string told(const Target& target, const std::string& source) {
  if (!target.live) return "";
  return R"(,
told AS (
  INSERT INTO path_changes (server, commit_number, event_id, change, catalog, database_name,
                            table_name, partition_values, scheme, authority, path)
  SELECT $1, commit_number, event_id, change, catalog, database_name, nullif(table_name, ''),
         partition_values, scheme, authority, path
  FROM ()" +
         source + R"() c ORDER BY event_id, step))";
}

/// The objects that are there already, with their own locations.
const std::string kOld = R"(,
old AS MATERIALIZED (
  SELECT i.event_id, i.commit_number, i.catalog, i.database_name, i.table_name, o.object_id,
         p.scheme, p.authority, p.path, i.path AS new_path
  FROM input i
  JOIN @objects o ON o.@scope = $1 AND o.catalog = i.catalog
    AND o.database_name = i.database_name AND o.table_name = i.table_name
  LEFT JOIN @paths p ON p.object_id = o.object_id AND p.partition_values = '{}'))";

/// Makes or changes the objects of `input`; `identity` says which one stays.
std::string put(const std::string& identity) {
  return R"(,
put AS (
  INSERT INTO @objects AS o (@scope, catalog, database_name, table_name, type, owner, owner_type,
                             identity)
  SELECT $1, catalog, database_name, table_name, type, owner, owner_type, identity FROM input
  ON CONFLICT (@scope, catalog, database_name, table_name) DO UPDATE
  SET type = excluded.type, owner = excluded.owner, owner_type = excluded.owner_type,
      identity = )" +
         identity + R"(
  RETURNING object_id, catalog, database_name, table_name))";
}

/// The own location of the objects `put`.
const std::string kLocated = R"(,
located AS (
  INSERT INTO @paths AS p (object_id, scheme, authority, path)
  SELECT put.object_id, i.scheme, i.authority, i.path
  FROM input i JOIN put USING (catalog, database_name, table_name) WHERE i.path IS NOT NULL
  ON CONFLICT (object_id, hash_array_extended(partition_values, 0),
               hash_array_extended(partition_values, 1)) DO UPDATE
  SET scheme = excluded.scheme, authority = excluded.authority, path = excluded.path
  WHERE (p.scheme, p.authority, p.path)
        IS DISTINCT FROM (excluded.scheme, excluded.authority, excluded.path)))";

const std::string kUnlocated = R"(,
unlocated AS (
  DELETE FROM @paths WHERE partition_values = '{}'
    AND object_id = ANY (ARRAY(SELECT object_id FROM old WHERE new_path IS NULL))))";

const std::string kMissing = R"(
    SELECT catalog, database_name, table_name, event_id FROM input i WHERE NOT EXISTS (
      SELECT FROM old o WHERE o.catalog = i.catalog AND o.database_name = i.database_name
                          AND o.table_name = i.table_name))";

/// Own locations that changed; `removed` narrows those that went.
std::string own_changes(const std::string& removed) {
  return R"(
    SELECT 1 AS step, o.commit_number, o.event_id, 'removed' AS change, o.catalog, o.database_name,
           o.table_name, '{}'::text[] AS partition_values, o.scheme, o.authority, o.path
    FROM old o JOIN input i USING (catalog, database_name, table_name)
    WHERE o.path IS NOT NULL AND )" +
         removed + R"(
      (o.scheme, o.authority, o.path) IS DISTINCT FROM (i.scheme, i.authority, i.path)
    UNION ALL
    SELECT 2, i.commit_number, i.event_id, 'added', i.catalog, i.database_name, i.table_name, '{}',
           i.scheme, i.authority, i.path
    FROM input i LEFT JOIN old o USING (catalog, database_name, table_name)
    WHERE i.path IS NOT NULL
      AND (o.scheme, o.authority, o.path) IS DISTINCT FROM (i.scheme, i.authority, i.path))";
}

/// A 2.3 tells of a made database only its name: the rest is asked of the metastore.
std::string put_database(const Target& target) {
  return kObjectInput + kOld +
         put("CASE WHEN excluded.identity <> '' THEN excluded.identity ELSE o.identity END") +
         kLocated +
         asked(
             "SELECT catalog, database_name, table_name, event_id FROM input WHERE path IS NULL") +
         told(target, own_changes("i.path IS NOT NULL AND")) + kDone;
}

std::string create_table(const Target& target) {
  return kObjectInput + kOld + put("excluded.identity") + R"(,
former AS (
  DELETE FROM @paths p USING old WHERE p.object_id = old.object_id AND p.partition_values <> '{}'))" +
         kLocated + kUnlocated + told(target, R"(
    SELECT 1 AS step, commit_number, event_id, 'removed' AS change, catalog, database_name,
           table_name, NULL::text[] AS partition_values, NULL AS scheme, NULL AS authority,
           NULL AS path
    FROM old
    UNION ALL
    SELECT 2, commit_number, event_id, 'added', catalog, database_name, table_name, '{}', scheme,
           authority, path
    FROM input WHERE path IS NOT NULL)") +
         kDone;
}

std::string update_table(const Target& target) {
  return kObjectInput + kOld +
         put("CASE WHEN o.identity = '' THEN excluded.identity ELSE o.identity END") + kLocated +
         kUnlocated + asked(kMissing) + told(target, own_changes("")) + kDone;
}

/// A whole database goes with all that is in it.
std::string remove_objects(const Target& target, bool whole_database) {
  const std::string same_table = whole_database ? "" : " AND o.table_name = i.table_name";
  return std::string(kNameInput) + R"(,
old AS MATERIALIZED (
  SELECT i.event_id, i.catalog, i.database_name, i.table_name, o.object_id
  FROM input i
  JOIN @objects o ON o.@scope = $1 AND o.catalog = i.catalog
    AND o.database_name = i.database_name)" +
         same_table + R"(),
unpathed AS (DELETE FROM @paths WHERE object_id = ANY (ARRAY(SELECT object_id FROM old))),
gone AS (DELETE FROM @objects WHERE object_id = ANY (ARRAY(SELECT object_id FROM old))))" +
         told(target, R"(
    SELECT 1 AS step, commit_number, event_id, 'removed' AS change, catalog, database_name,
           table_name, NULL::text[] AS partition_values, NULL AS scheme, NULL AS authority,
           NULL AS path
    FROM input i WHERE EXISTS (
      SELECT FROM old o WHERE o.catalog = i.catalog AND o.database_name = i.database_name
                          AND o.table_name = i.table_name))") +
         kDone;
}

const std::string kPartitionInput = R"(WITH input AS MATERIALIZED (
  SELECT event_id, catalog, database_name, table_name, raw_values::text[] AS partition_values,
         scheme, authority, path, first_event, $2::bigint AS commit_number
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::bigint[])
    AS i(event_id, catalog, database_name, table_name, raw_values, scheme, authority, path,
         first_event)),
place AS MATERIALIZED (
  SELECT i.*, o.object_id
  FROM input i
  LEFT JOIN @objects o ON o.@scope = $1 AND o.catalog = i.catalog
    AND o.database_name = i.database_name AND o.table_name = i.table_name),
old AS MATERIALIZED (
  SELECT i.event_id, i.commit_number, i.catalog, i.database_name, i.table_name, p.object_id,
         p.partition_values, p.scheme, p.authority, p.path
  FROM place i
  JOIN @paths p ON p.object_id = i.object_id
    AND hash_array_extended(p.partition_values, 0) = hash_array_extended(i.partition_values, 0)
    AND hash_array_extended(p.partition_values, 1) = hash_array_extended(i.partition_values, 1)))";

const std::string kTableMissing = R"(
    SELECT catalog, database_name, table_name, first_event AS event_id
    FROM place WHERE object_id IS NULL)";

/// Without the table's row there is nothing to hang a partition on: the table is read again.
std::string put_partitions(const Target& target) {
  return kPartitionInput + R"(,
put AS (
  INSERT INTO @paths AS p (object_id, partition_values, scheme, authority, path)
  SELECT object_id, partition_values, scheme, authority, path
  FROM place WHERE object_id IS NOT NULL
  ON CONFLICT (object_id, hash_array_extended(partition_values, 0),
               hash_array_extended(partition_values, 1)) DO UPDATE
  SET scheme = excluded.scheme, authority = excluded.authority, path = excluded.path
  WHERE (p.scheme, p.authority, p.path)
        IS DISTINCT FROM (excluded.scheme, excluded.authority, excluded.path)))" +
         asked(kTableMissing) + told(target, R"(
    SELECT 1 AS step, o.commit_number, i.event_id, 'removed' AS change, o.catalog, o.database_name,
           o.table_name, o.partition_values, o.scheme, o.authority, o.path
    FROM old o JOIN place i USING (object_id, partition_values)
    WHERE o.path IS NOT NULL
      AND (o.scheme, o.authority, o.path) IS DISTINCT FROM (i.scheme, i.authority, i.path)
    UNION ALL
    SELECT 2, i.commit_number, i.event_id, 'added', i.catalog, i.database_name, i.table_name,
           i.partition_values, i.scheme, i.authority, i.path
    FROM place i LEFT JOIN old o USING (object_id, partition_values)
    WHERE i.object_id IS NOT NULL AND i.path IS NOT NULL
      AND (o.scheme, o.authority, o.path) IS DISTINCT FROM (i.scheme, i.authority, i.path))") +
         kDone;
}

std::string remove_partitions(const Target& target) {
  return kPartitionInput + R"(,
gone AS (
  DELETE FROM @paths p USING old o
  WHERE p.object_id = o.object_id
    AND hash_array_extended(p.partition_values, 0) = hash_array_extended(o.partition_values, 0)
    AND hash_array_extended(p.partition_values, 1) = hash_array_extended(o.partition_values, 1)))" +
         asked(kTableMissing) + told(target, R"(
    SELECT 1 AS step, commit_number, event_id, 'removed' AS change, catalog, database_name,
           table_name, partition_values, scheme, authority, path
    FROM old WHERE path IS NOT NULL)") +
         kDone;
}

/// One row for each (table, values): a later mutation takes the place of an earlier one, but what
/// must be read again is due since the first.
class PartitionRows {
 public:
  void add(int64_t event_id, const processor::TableName& table,
           const std::vector<std::string>& values,
           const std::optional<processor::Location>& location) {
    if (values.empty()) {
      throw Error(ErrorKind::poison, "an event names a partition without values");
    }
    const auto part = [&](const std::string& text) {
      return text.empty() ? Parameter{} : Parameter{text};
    };
    std::string list = text_array(values);
    std::vector<Parameter> row{std::to_string(event_id), table.catalog, table.database, table.table,
                               list};
    if (location) {
      row.insert(row.end(), {part(location->scheme), part(location->authority), location->path});
    } else {
      row.insert(row.end(), 3, std::nullopt);
    }
    const auto [entry, made] = rows_.try_emplace({table, std::move(list)});
    row.push_back(made ? row.front() : entry->second.back());
    entry->second = std::move(row);
  }

  Columns take() {
    Columns columns(9);
    for (auto& [key, row] : rows_) columns.add(std::move(row));
    return columns;
  }

 private:
  std::map<std::pair<processor::TableName, std::string>, std::vector<Parameter>> rows_;
};

Columns partition_columns(const MutationGroup& group) {
  PartitionRows rows;
  for (const Mutation* mutation : group.mutations) {
    if (const auto* put = std::get_if<processor::PutPartitions>(&mutation->operation)) {
      for (const auto& partition : put->partitions) {
        rows.add(mutation->event_id, put->table, partition.values, partition.location);
      }
    } else if (const auto* gone = std::get_if<processor::RemovePartitions>(&mutation->operation)) {
      for (const auto& values : gone->values) {
        rows.add(mutation->event_id, gone->table, values, std::nullopt);
      }
    }
  }
  return rows.take();
}

struct StatementsOf {
  const Target& target;
  const MutationGroup& group;

  [[nodiscard]] std::vector<Statement> one(const std::string& sql, const Columns& columns) const {
    if (columns.empty()) return {};
    return {{for_target(sql, target), columns.parameters(target)}};
  }
  std::vector<Statement> operator()(const processor::PutDatabase&) const {
    return one(put_database(target), object_columns(group));
  }
  std::vector<Statement> operator()(const processor::CreateTableRow&) const {
    return one(create_table(target), object_columns(group));
  }
  std::vector<Statement> operator()(const processor::UpdateTable&) const {
    return one(update_table(target), object_columns(group));
  }
  std::vector<Statement> operator()(const processor::RemoveDatabase&) const {
    return one(remove_objects(target, true), name_columns(group));
  }
  std::vector<Statement> operator()(const processor::RemoveTable&) const {
    return one(remove_objects(target, false), name_columns(group));
  }
  std::vector<Statement> operator()(const processor::RenameTable&) const {
    return rename_statements(target, group);
  }
  std::vector<Statement> operator()(const processor::PutPartitions&) const {
    return one(put_partitions(target), partition_columns(group));
  }
  std::vector<Statement> operator()(const processor::RemovePartitions&) const {
    return one(remove_partitions(target), partition_columns(group));
  }
};

}  // namespace

std::vector<Statement> object_statements(const Target& target, const MutationGroup& group) {
  return std::visit(StatementsOf{target, group}, group.mutations.front()->operation);
}

}  // namespace hmsync::store
