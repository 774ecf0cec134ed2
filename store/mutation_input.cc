// What mutations bring to their statements.
#include <map>

#include "store/claim_sql.h"
#include "store/mutation_sql.h"

namespace hmsync::store {

using processor::Location;
using processor::Mutation;
using processor::TableName;

const char* const kObjectInput = R"(WITH input AS MATERIALIZED (
  SELECT *, $2::bigint AS commit_number
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::text[], $12::text[], $13::text[])
    AS i(event_id, catalog, database_name, table_name, type, owner, owner_type, identity,
         scheme, authority, path)))";

const char* const kNameInput = R"(WITH input AS MATERIALIZED (
  SELECT *, $2::bigint AS commit_number
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[])
    AS i(event_id, catalog, database_name, table_name)))";

const char* const kRenameInput = R"(WITH input AS MATERIALIZED (
  SELECT *, $2::bigint AS commit_number
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
              $16::text[], $17::text[], $18::text[]) WITH ORDINALITY
    AS i(event_id, catalog, database_name, table_name, type, owner, owner_type, identity,
         scheme, authority, path, from_catalog, from_database, from_table, rewrite_from,
         rewrite_to, n)))";

namespace {

Parameter unless_empty(const std::string& text) {
  return text.empty() ? Parameter{} : Parameter{text};
}

void add_location(std::vector<Parameter>& row, const std::optional<Location>& location) {
  if (location) {
    row.insert(row.end(),
               {unless_empty(location->scheme), unless_empty(location->authority), location->path});
  } else {
    row.insert(row.end(), 3, std::nullopt);
  }
}

std::vector<Parameter> object_row(int64_t event_id, const processor::Database& database) {
  std::vector<Parameter> row{std::to_string(event_id),
                             database.name.catalog,
                             database.name.database,
                             "",
                             "",
                             unless_empty(database.owner.name),
                             to_string(database.owner.type),
                             database.identity};
  add_location(row, database.location);
  return row;
}

std::vector<Parameter> object_row(int64_t event_id, const processor::Table& table) {
  std::vector<Parameter> row{std::to_string(event_id),
                             table.name.catalog,
                             table.name.database,
                             table.name.table,
                             table.type,
                             unless_empty(table.owner.name),
                             to_string(table.owner.type),
                             table.identity};
  add_location(row, table.location);
  return row;
}

}  // namespace

void Columns::add(std::vector<Parameter> row) {
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(std::move(row[i]));
}

std::vector<Parameter> Columns::parameters(const Target& target) const {
  std::vector<Parameter> parameters{target.scope, std::to_string(target.commit_number)};
  for (const auto& column : columns_) parameters.emplace_back(text_array(column));
  return parameters;
}

Columns object_columns(const MutationGroup& group) {
  Columns columns(11);
  for (const Mutation* mutation : group.mutations) {
    if (const auto* put = std::get_if<processor::PutDatabase>(&mutation->operation)) {
      columns.add(object_row(mutation->event_id, put->database));
    } else if (const auto* made = std::get_if<processor::CreateTableRow>(&mutation->operation)) {
      columns.add(object_row(mutation->event_id, made->table));
    } else if (const auto* updated = std::get_if<processor::UpdateTable>(&mutation->operation)) {
      columns.add(object_row(mutation->event_id, updated->table));
    }
  }
  return columns;
}

Columns name_columns(const MutationGroup& group) {
  Columns columns(4);
  for (const Mutation* mutation : group.mutations) {
    TableName name;
    if (const auto* table = std::get_if<processor::RemoveTable>(&mutation->operation)) {
      name = table->name;
    } else if (const auto* all = std::get_if<processor::RemoveDatabase>(&mutation->operation)) {
      name = {all->name.catalog, all->name.database, ""};
    }
    columns.add({std::to_string(mutation->event_id), name.catalog, name.database, name.table});
  }
  return columns;
}

Columns rename_columns(const MutationGroup& group) {
  Columns columns(16);
  for (const Mutation* mutation : group.mutations) {
    const auto& rename = std::get<processor::RenameTable>(mutation->operation);
    std::vector<Parameter> row = object_row(mutation->event_id, rename.to);
    row.insert(row.end(), {rename.from.catalog, rename.from.database, rename.from.table});
    if (rename.partition_paths && !rename.partition_paths->from.empty()) {
      row.insert(row.end(), {rename.partition_paths->from, rename.partition_paths->to});
    } else {
      row.insert(row.end(), 2, std::nullopt);
    }
    columns.add(std::move(row));
  }
  return columns;
}

std::string for_target(std::string_view sql, const Target& target) {
  const std::pair<std::string_view, std::string_view> live[] = {
      {"@objects", "objects"},
      {"@paths", "paths"},
      {"@re_reads", "pending_re_reads"},
      {"@scope", "server"},
      {"@generation_column", ", generation"},
      {"@generation_value", ", (SELECT generation FROM followers WHERE server = $1)"},
      {"@ask_again", kAskAgain}};
  const std::pair<std::string_view, std::string_view> staging[] = {
      {"@objects", "staging_objects"},
      {"@paths", "staging_paths"},
      {"@re_reads", "staging_re_reads"},
      {"@scope", "snapshot"},
      {"@generation_column", ""},
      {"@generation_value", ""},
      {"@ask_again", "SET event_id = least(r.event_id, excluded.event_id), without_claim = true"}};
  std::string text(sql);
  for (const auto& [name, value] : target.live ? live : staging) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

}  // namespace hmsync::store
