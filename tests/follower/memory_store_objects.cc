#include "tests/follower/memory_store_objects.h"

#include <utility>

#include "processor/error.h"

namespace hmsync::doubles {

using namespace processor;

namespace {

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// One mutation on a map of objects.
class Application {
 public:
  Application(ObjectMap& objects, int64_t event) : objects_(objects), event_(event) {}

  void operator()(const PutDatabase& put) {
    const DatabaseName& name = put.database.name;
    const TableName row{name.catalog, name.database, ""};
    const auto [found, made] = objects_.databases.try_emplace(name);
    const Database before = made ? Database{} : found->second;
    Database& stored = found->second;
    stored = put.database;
    if (stored.identity.empty()) stored.identity = before.identity;
    if (stored.location) {
      tell_own(row, before.location, stored.location);
    } else {
      // A 2.3 tells of a made database only its name.
      stored.location = before.location;
      applied_.missing = row;
    }
  }
  void operator()(const RemoveDatabase& remove) {
    const auto gone = std::erase_if(objects_.tables, [&](const auto& entry) {
      return entry.first.in_database() == remove.name;
    });
    if (objects_.databases.erase(remove.name) + gone == 0) return;
    tell("removed", {remove.name.catalog, remove.name.database, ""});
  }
  void operator()(const CreateTableRow& create) {
    const TableName& name = create.table.name;
    if (objects_.tables.contains(name)) tell("removed", name);
    objects_.tables[name] = {create.table, {}};
    tell_own(name, {}, create.table.location);
  }
  void operator()(const UpdateTable& update) {
    const TableName& name = update.table.name;
    const auto [found, made] = objects_.tables.try_emplace(name);
    tell_own(name, made ? std::nullopt : found->second.table.location, update.table.location);
    replace(found->second.table, update.table);
    if (made) applied_.missing = name;
  }
  void operator()(const RemoveTable& remove) {
    if (objects_.tables.erase(remove.name) > 0) tell("removed", remove.name);
  }
  void operator()(const RenameTable& rename) {
    const TableName& to = rename.to.name;
    auto node = objects_.tables.extract(rename.from);
    const bool found = !node.empty();
    if (objects_.tables.contains(to) && (found || is_another(objects_.tables.at(to), rename.to))) {
      objects_.tables.erase(to);
      tell("removed", to);
    }
    std::optional<Location> before;
    if (found) {
      before = node.mapped().table.location;
      node.key() = to;
      objects_.tables.insert(std::move(node));
      tell("renamed", rename.from);
      applied_.changes.back().to = to;
    } else {
      applied_.missing = to;
    }
    StoredTable& stored = objects_.tables[to];
    if (!found) before = stored.table.location;
    replace(stored.table, rename.to);
    if (!found && !rename.to.location) {
      stored.table.location = before;
    } else {
      tell_own(to, before, rename.to.location);
    }
    // Those of a target whose source is not there were read after the metastore moved them.
    if (found && rename.partition_paths) rewrite(stored, *rename.partition_paths);
  }
  void operator()(const PutPartitions& put) {
    const auto found = objects_.tables.find(put.table);
    if (found == objects_.tables.end()) {
      applied_.missing = put.table;
      return;
    }
    for (const Partition& partition : put.partitions) {
      const auto [stored, made] = found->second.partitions.try_emplace(partition.values);
      tell_changed(put.table, partition.values, made ? std::nullopt : stored->second,
                   partition.location);
      stored->second = partition.location;
    }
  }
  void operator()(const RemovePartitions& remove) {
    const auto found = objects_.tables.find(remove.table);
    if (found == objects_.tables.end()) {
      applied_.missing = remove.table;
      return;
    }
    for (const auto& values : remove.values) {
      const auto stored = found->second.partitions.find(values);
      if (stored == found->second.partitions.end()) continue;
      tell_changed(remove.table, values, stored->second, std::nullopt);
      found->second.partitions.erase(stored);
    }
  }

  Applied take() { return std::move(applied_); }

 private:
  /// The row keeps its identity.
  static void replace(Table& stored, const Table& table) {
    std::string identity = stored.identity.empty() ? table.identity : stored.identity;
    stored = table;
    stored.identity = std::move(identity);
  }
  static bool is_another(const StoredTable& stored, const Table& table) {
    return !stored.table.identity.empty() && !table.identity.empty() &&
           stored.table.identity != table.identity;
  }

  void rewrite(StoredTable& stored, const PathRewrite& paths) {
    if (paths.from.empty()) return;
    for (auto& [values, location] : stored.partitions) {
      if (!location || location->path.find(paths.from) == std::string::npos) continue;
      const Location before = *location;
      location->path = replace_all(location->path, paths.from, paths.to);
      tell("removed", stored.table.name, values, before);
      tell("added", stored.table.name, values, location);
    }
  }

  void tell(const std::string& change, const TableName& name,
            std::optional<std::vector<std::string>> values = {},
            std::optional<Location> location = {}) {
    applied_.changes.push_back(
        {0, event_, change, name, std::move(values), std::move(location), {}});
  }
  void tell_changed(const TableName& name, const std::vector<std::string>& values,
                    const std::optional<Location>& before, const std::optional<Location>& after) {
    if (before == after) return;
    if (before) tell("removed", name, values, before);
    if (after) tell("added", name, values, after);
  }
  void tell_own(const TableName& name, const std::optional<Location>& before,
                const std::optional<Location>& after) {
    tell_changed(name, {}, before, after);
  }

  ObjectMap& objects_;
  int64_t event_;
  Applied applied_;
};

void check_values(const Mutation& mutation) {
  const auto check = [](const std::vector<std::string>& values) {
    if (values.empty()) {
      throw Error(ErrorKind::poison, "an event names a partition without values");
    }
  };
  if (const auto* put = std::get_if<PutPartitions>(&mutation.operation)) {
    for (const Partition& partition : put->partitions) check(partition.values);
  } else if (const auto* gone = std::get_if<RemovePartitions>(&mutation.operation)) {
    for (const auto& values : gone->values) check(values);
  }
}

}  // namespace

Applied apply_to_objects(ObjectMap& objects, const Mutation& mutation) {
  Application application(objects, mutation.event_id);
  std::visit(application, mutation.operation);
  return application.take();
}

std::optional<TableName> apply_to(ObjectMap& objects, const Mutation& mutation) {
  return apply_to_objects(objects, mutation).missing;
}

std::vector<store::MutationGroup> in_groups(std::span<const Mutation> mutations) {
  for (const Mutation& mutation : mutations) check_values(mutation);
  return store::group_mutations(mutations);
}

}  // namespace hmsync::doubles
