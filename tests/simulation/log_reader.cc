#include "tests/simulation/log_reader.h"

#include <fmt/format.h>

#include <utility>

namespace hmsync::simulation {
namespace {

using doubles::MemoryStore;
using processor::TableName;

bool is_at(const TableName& name, const TableName& object) {
  return name == object || (object.table.empty() && name.in_database() == object.in_database());
}

std::string dotted(const TableName& name) { return name.database + "." + name.table; }

}  // namespace

LogReader::Path LogReader::path_of(const TableName& name, const std::vector<std::string>& values,
                                   const processor::Location& location) {
  return {name, values, to_string(location)};
}

std::set<LogReader::Path> LogReader::paths_of(const doubles::ObjectMap& objects) {
  std::set<Path> paths;
  for (const auto& [name, database] : objects.databases) {
    const TableName own{name.catalog, name.database, ""};
    if (database.location) paths.insert(path_of(own, {}, *database.location));
  }
  for (const auto& [name, stored] : objects.tables) {
    if (stored.table.location) paths.insert(path_of(name, {}, *stored.table.location));
    for (const auto& [values, location] : stored.partitions) {
      if (location) paths.insert(path_of(name, values, *location));
    }
  }
  return paths;
}

LogReader::Right LogReader::right_of(const doubles::MemoryGrant& grant) {
  return {grant.role,   grant.action,       grant.name(),
          grant.column, grant.grant_option, grant.suspended};
}

std::map<int64_t, LogReader::Right> LogReader::rights_of(const MemoryStore& store) {
  std::map<int64_t, Right> rights;
  for (const auto& grant : store.grants) rights[grant.id] = right_of(grant);
  return rights;
}

std::string LogReader::apply(const doubles::PathChange& change, const MemoryStore& store) {
  const auto values = change.values.value_or(std::vector<std::string>{});
  if (change.change == "image") {
    paths_ = paths_of(store.live);
    return "";
  }
  if (change.change == "added") {
    const bool added = paths_.insert(path_of(change.name, values, *change.location)).second;
    return added ? "" : "a path was added twice to " + dotted(change.name);
  }
  if (change.change == "removed" && change.values) {
    const bool removed = paths_.erase(path_of(change.name, values, *change.location)) == 1;
    return removed ? "" : "a path that was not there was removed from " + dotted(change.name);
  }
  if (change.change == "removed") {
    std::erase_if(paths_, [&](const Path& path) { return is_at(path.name, change.name); });
    return "";
  }
  std::set<Path> moved;
  for (Path path : paths_) {
    if (is_at(path.name, change.name)) path.name = change.to;
    moved.insert(std::move(path));
  }
  paths_ = std::move(moved);
  return "";
}

std::string LogReader::apply(const doubles::AuditRow& row) {
  const auto& grant = row.before ? row.before : row.after;
  if (!grant) return "";
  const auto right = rights_.find(grant->id);
  const bool is_known = right != rights_.end();
  if (is_known != row.before.has_value() || (is_known && right->second != right_of(*row.before))) {
    return fmt::format("the audit's \"{}\" of role {} on {} was not so before", row.action,
                       grant->role, dotted(grant->name()));
  }
  if (is_known) rights_.erase(right);
  if (row.after) rights_[row.after->id] = right_of(*row.after);
  return "";
}

std::string LogReader::read(const MemoryStore& store) {
  std::string wrong;
  for (; path_changes_read_ < store.path_changes.size() && wrong.empty(); ++path_changes_read_) {
    wrong = apply(store.path_changes[path_changes_read_], store);
  }
  for (; audit_read_ < store.audit.size() && wrong.empty(); ++audit_read_) {
    wrong = apply(store.audit[audit_read_]);
  }
  if (!wrong.empty()) return wrong;
  if (paths_ != paths_of(store.live)) return "the log of path changes does not add up";
  if (rights_ != rights_of(store)) return "the audit of grants does not add up";
  return "";
}

void LogReader::begin_anew(const MemoryStore& store) {
  paths_ = paths_of(store.live);
  rights_ = rights_of(store);
  path_changes_read_ = store.path_changes.size();
  audit_read_ = store.audit.size();
}

}  // namespace hmsync::simulation
