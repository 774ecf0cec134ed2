#include "follower/scope.h"

#include <algorithm>

namespace hmsync::follower {

using processor::DatabaseName;
using processor::Mutation;
using processor::TableName;

namespace {

struct Touched {
  const std::vector<Scope>& scopes;

  bool operator()(const processor::PutDatabase& put) const {
    return contains(scopes, put.database.name);
  }
  bool operator()(const processor::RemoveDatabase& remove) const {
    return contains(scopes, remove.name);
  }
  bool operator()(const processor::CreateTableRow& create) const {
    return contains(scopes, create.table.name);
  }
  bool operator()(const processor::UpdateTable& update) const {
    return contains(scopes, update.table.name);
  }
  bool operator()(const processor::RemoveTable& remove) const {
    return contains(scopes, remove.name);
  }
  bool operator()(const processor::RenameTable& rename) const {
    return contains(scopes, rename.from) || contains(scopes, rename.to.name);
  }
  bool operator()(const processor::PutPartitions& put) const { return contains(scopes, put.table); }
  bool operator()(const processor::RemovePartitions& remove) const {
    return contains(scopes, remove.table);
  }
};

}  // namespace

bool contains(const std::vector<Scope>& scopes, const TableName& table) {
  return scopes.empty() || std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) {
           if (scope.databases_only) return false;
           if (!scope.database) return true;
           return *scope.database == table.in_database() &&
                  (!scope.table || *scope.table == table.table);
         });
}

bool contains(const std::vector<Scope>& scopes, const DatabaseName& database) {
  return scopes.empty() || std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) {
           return !scope.database || (*scope.database == database && !scope.table);
         });
}

Scope scope_of(const TableName& name) {
  Scope scope;
  if (name.database.empty()) return scope;
  scope.database = name.in_database();
  if (!name.table.empty()) scope.table = name.table;
  return scope;
}

std::string to_text(const Scope& scope) {
  if (scope.databases_only) return "all databases";
  if (!scope.database) return "everything";
  std::string text = scope.database->database;
  if (scope.database->catalog != processor::kDefaultCatalog) {
    text = scope.database->catalog + "." + text;
  }
  return scope.table ? text + "." + *scope.table : text;
}

std::vector<Mutation> within(const std::vector<Scope>& scopes, const Mutation& mutation) {
  if (std::visit(Touched{scopes}, mutation.operation)) return {mutation};
  std::vector<Mutation> removed;
  if (const auto* remove = std::get_if<processor::RemoveDatabase>(&mutation.operation)) {
    for (const Scope& scope : scopes) {
      if (scope.table && *scope.database == remove->name) {
        removed.push_back(
            {mutation.event_id,
             processor::RemoveTable{{remove->name.catalog, remove->name.database, *scope.table}}});
      }
    }
  }
  return removed;
}

}  // namespace hmsync::follower
