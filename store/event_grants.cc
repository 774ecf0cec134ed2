#include "store/event_grants.h"

#include "store/grant_changes.h"

namespace hmsync::store {

namespace {

/// A suspended grant may be another object's, whose rename is still to come, or cannot be read.
const std::string kRemoved = R"(,
chosen AS MATERIALIZED (
  SELECT g.grant_id, max(i.event_id) AS event_id
  FROM input i
  JOIN grants g ON g.server = $1 AND g.catalog = i.catalog AND g.database_name = i.database_name
    @table
  LEFT JOIN objects o ON o.server = $1 AND o.catalog = g.catalog
    AND o.database_name = g.database_name AND o.table_name = g.table_name
  WHERE g.as_of_event < i.event_id
    AND (NOT g.suspended OR g.identity = '' OR @its)
  GROUP BY g.grant_id))";

/// Grants under the name of an object that was made anew, or that is the target of a rename.
const std::string kOfOther = R"(,
chosen AS MATERIALIZED (
  SELECT g.grant_id, i.event_id, '@reason' AS reason
  FROM input i
  JOIN grants g ON g.server = $1 AND g.catalog = i.catalog AND g.database_name = i.database_name
    AND g.table_name = i.table_name
  @source
  WHERE NOT g.suspended AND g.as_of_event < i.event_id AND g.identity <> ''
    AND @identity <> '' AND g.identity <> @identity))";

/// Under the old name, but of another object than the one that is renamed.
const std::string kStaysBehind = R"(,
chosen AS MATERIALIZED (
  SELECT g.grant_id, i.event_id, '@reason' AS reason
  FROM input i
  JOIN grants g ON g.server = $1 AND g.catalog = i.from_catalog
    AND g.database_name = i.from_database AND g.table_name = i.from_table
  @source
  WHERE NOT g.suspended AND g.as_of_event < i.event_id AND g.identity <> ''
    AND @identity <> '' AND g.identity <> @identity))";

const std::string kMoving = R"(,
chosen AS MATERIALIZED (
  SELECT g.grant_id, i.event_id, i.event_id AS as_of, i.catalog AS to_catalog,
         i.database_name AS to_database, i.table_name AS to_table
  FROM input i
  JOIN grants g ON g.server = $1 AND g.catalog = i.from_catalog
    AND g.database_name = i.from_database AND g.table_name = i.from_table
  @source
  WHERE g.as_of_event < i.event_id
    AND (g.identity = '' OR @identity = '' OR g.identity = @identity)))";

constexpr const char* kSameTable = "AND g.table_name = i.table_name";
constexpr const char* kItsTable = "coalesce(o.identity, '') IN ('', g.identity)";
/// A table that is not stored in its database by then may live on in another one.
constexpr const char* kIsInDatabase = "(g.table_name = '' OR o.identity IN ('', g.identity))";

/// The renamed object's row, under its old name.
constexpr const char* kMovedFrom = R"(LEFT JOIN objects o ON o.server = $1
    AND o.catalog = i.from_catalog AND o.database_name = i.from_database
    AND o.table_name = i.from_table)";
constexpr const char* kSourceIdentity = "coalesce(nullif(o.identity, ''), i.identity)";

/// Whatever was suspended since its name was gone or another's, if it is the renamed object's.
const std::string kRevived = R"(,
chosen AS MATERIALIZED (
  SELECT DISTINCT ON (g.role_id, g.catalog, g.database_name, g.table_name, g.column_name, g.action)
         g.grant_id, i.event_id
  FROM input i
  JOIN objects o ON o.server = $1 AND o.catalog = i.catalog AND o.database_name = i.database_name
    AND o.table_name = i.table_name
  JOIN grants g ON g.server = $1 AND g.catalog = i.catalog AND g.database_name = i.database_name
    AND g.table_name = i.table_name
  WHERE g.suspended AND g.suspended_reason NOT IN (')" +
                             std::string(kColumnGone) + "', '" + kRevokeUnfinished + R"(')
    AND g.as_of_event = i.event_id
    AND g.identity <> '' AND g.identity = o.identity
    AND NOT EXISTS (
      SELECT FROM grants a
      WHERE a.server = $1 AND a.catalog = g.catalog AND a.database_name = g.database_name
        AND a.table_name = g.table_name AND a.role_id = g.role_id
        AND a.column_name = g.column_name AND a.action = g.action AND NOT a.suspended)
  ORDER BY g.role_id, g.catalog, g.database_name, g.table_name, g.column_name, g.action,
           g.grant_id))";

const std::string kColumns = R"(WITH input AS MATERIALIZED (
  SELECT *, $2::bigint AS commit_number
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS i(event_id, catalog, database_name, table_name, column_name)),
chosen AS MATERIALIZED (
  SELECT g.grant_id, min(i.event_id) AS event_id, '@reason' AS reason
  FROM input i
  JOIN grants g ON g.server = $1 AND g.catalog = i.catalog AND g.database_name = i.database_name
    AND g.table_name = i.table_name AND g.column_name = i.column_name
  WHERE NOT g.suspended AND g.as_of_event < i.event_id
  GROUP BY g.grant_id))";

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.replace(at, name.size(), value);
  }
  return text;
}

std::string removed(const std::string& table, const std::string& its) {
  return replaced(replaced(kRemoved, "@table", table), "@its", its);
}

std::string filled(const std::string& text, const std::string& source, const std::string& identity,
                   const std::string& reason) {
  return replaced(replaced(replaced(text, "@source", source), "@identity", identity), "@reason",
                  reason);
}

void add_vanished(Columns& columns, int64_t event_id, const processor::TableName& table,
                  const std::vector<std::string>& names) {
  for (const auto& name : names) {
    columns.add({std::to_string(event_id), table.catalog, table.database, table.table, name});
  }
}

/// Grants on columns that an alter took away; a rename's are still under the old name.
std::vector<Statement> vanished_columns(const Target& target, const MutationGroup& group) {
  Columns columns(5);
  for (const processor::Mutation* mutation : group.mutations) {
    if (const auto* update = std::get_if<processor::UpdateTable>(&mutation->operation)) {
      add_vanished(columns, mutation->event_id, update->table.name, update->vanished_columns);
    } else if (const auto* rename = std::get_if<processor::RenameTable>(&mutation->operation)) {
      add_vanished(columns, mutation->event_id, rename->from, rename->vanished_columns);
    }
  }
  if (columns.empty()) return {};
  return {{suspend_chosen(filled(kColumns, "", "", kColumnGone)), columns.parameters(target)}};
}

std::vector<Statement> rename_grants(const Target& target, const MutationGroup& group) {
  const std::vector<Parameter> parameters = rename_columns(group).parameters(target);
  const std::string moving = kRenameInput + filled(kMoving, kMovedFrom, kSourceIdentity, "");
  std::vector<Statement> statements = vanished_columns(target, group);
  for (const std::string& other : {kOfOther, kStaysBehind}) {
    statements.push_back(
        {suspend_chosen(kRenameInput + filled(other, kMovedFrom, kSourceIdentity, kOtherObject)),
         parameters});
  }
  statements.push_back({merge_chosen(moving), parameters});
  statements.push_back({move_chosen(moving), parameters});
  return statements;
}

}  // namespace

std::vector<Statement> grant_statements(const Target& target, const MutationGroup& group) {
  const processor::Operation& first = group.mutations.front()->operation;
  if (std::holds_alternative<processor::RemoveTable>(first)) {
    return {{remove_chosen(kNameInput + removed(kSameTable, kItsTable)),
             name_columns(group).parameters(target)}};
  }
  if (std::holds_alternative<processor::RemoveDatabase>(first)) {
    return {{remove_chosen(kNameInput + removed("", kIsInDatabase)),
             name_columns(group).parameters(target)}};
  }
  if (std::holds_alternative<processor::CreateTableRow>(first) ||
      std::holds_alternative<processor::PutDatabase>(first)) {
    return {{suspend_chosen(kObjectInput + filled(kOfOther, "", "i.identity", kOtherObject)),
             object_columns(group).parameters(target)}};
  }
  if (std::holds_alternative<processor::UpdateTable>(first)) return vanished_columns(target, group);
  if (std::holds_alternative<processor::RenameTable>(first)) return rename_grants(target, group);
  return {};
}

std::vector<Statement> revive_statements(const Target& target, const MutationGroup& group) {
  if (!std::holds_alternative<processor::RenameTable>(group.mutations.front()->operation)) {
    return {};
  }
  return {{restore_chosen(kRenameInput + kRevived), rename_columns(group).parameters(target)}};
}

}  // namespace hmsync::store
