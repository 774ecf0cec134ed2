#include "tests/follower/memory_store.h"

#include <stdexcept>

#include "processor/error.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;

namespace {

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// One mutation on a map of objects; true if the object must be read again.
struct Apply {
  ObjectMap& objects;

  bool operator()(const PutDatabase& put) {
    objects.databases[put.database.name] = put.database;
    return false;
  }
  bool operator()(const RemoveDatabase& remove) {
    objects.databases.erase(remove.name);
    std::erase_if(objects.tables,
                  [&](const auto& entry) { return entry.first.in_database() == remove.name; });
    return false;
  }
  bool operator()(const CreateTableRow& create) {
    objects.tables[create.table.name] = {create.table, {}};
    return false;
  }
  bool operator()(const UpdateTable& update) {
    StoredTable& stored = objects.tables[update.table.name];
    const bool missing = stored.table.name.table.empty();
    const std::string identity = missing ? update.table.identity : stored.table.identity;
    stored.table = update.table;
    stored.table.identity = identity;
    return missing;
  }
  bool operator()(const RemoveTable& remove) {
    objects.tables.erase(remove.name);
    return false;
  }
  bool operator()(const RenameTable& rename) {
    auto node = objects.tables.extract(rename.from);
    if (node.empty()) {
      objects.tables[rename.to.name] = {rename.to, {}};
      return true;
    }
    StoredTable& stored = node.mapped();
    const std::string identity = stored.table.identity;
    stored.table = rename.to;
    stored.table.identity = identity;
    if (rename.partition_paths) {
      for (auto& [values, location] : stored.partitions) {
        if (!location) continue;
        location->path =
            replace_all(location->path, rename.partition_paths->from, rename.partition_paths->to);
      }
    }
    node.key() = rename.to.name;
    objects.tables.erase(rename.to.name);
    objects.tables.insert(std::move(node));
    return false;
  }
  bool operator()(const PutPartitions& put) {
    const auto found = objects.tables.find(put.table);
    if (found == objects.tables.end()) return true;
    for (const Partition& partition : put.partitions) {
      found->second.partitions[partition.values] = partition.location;
    }
    return false;
  }
  bool operator()(const RemovePartitions& remove) {
    const auto found = objects.tables.find(remove.table);
    if (found == objects.tables.end()) return true;
    for (const auto& values : remove.values) found->second.partitions.erase(values);
    return false;
  }
};

template <typename Map>
void count(const Map& before, const Map& after, int64_t& added, int64_t& changed,
           int64_t& removed) {
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (found == before.end()) {
      ++added;
    } else if (found->second != value) {
      ++changed;
    }
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) ++removed;
  }
}

Difference difference(const ObjectMap& live, const ObjectMap& staged) {
  std::map<TableName, Table> tables_before;
  std::map<TableName, Table> tables_after;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> before;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> after;
  for (const auto& [name, stored] : live.tables) {
    tables_before[name] = stored.table;
    for (const auto& [values, location] : stored.partitions) before[{name, values}] = location;
  }
  for (const auto& [name, stored] : staged.tables) {
    tables_after[name] = stored.table;
    for (const auto& [values, location] : stored.partitions) after[{name, values}] = location;
  }
  Difference result;
  count(live.databases, staged.databases, result.added.databases, result.changed.databases,
        result.removed.databases);
  count(tables_before, tables_after, result.added.tables, result.changed.tables,
        result.removed.tables);
  count(before, after, result.added.partitions, result.changed.partitions,
        result.removed.partitions);
  return result;
}

}  // namespace

FollowerState MemoryStore::state() {
  before_effect("state");
  return follower;
}

void MemoryStore::check_fence(const Fence& fence) {
  if (fence.token != follower.token || fence.commit_number != follower.commit_number) {
    throw Error(ErrorKind::fenced, "the fence's condition failed");
  }
  ++follower.commit_number;
}

void MemoryStore::apply(const Fence& fence, const Batch& batch) {
  before_effect("apply");
  check(batch);
  check_fence(fence);
  for (const Mutation& mutation : batch.mutations) {
    if (std::visit(Apply{live}, mutation.operation)) orders.re_reads_due = true;
  }
  for (const QuarantinedEvent& event : batch.quarantined) {
    quarantine.push_back(event);
    orders.re_reads_due = true;
  }
  follower.cursor = batch.cursor;
  totals.applied += batch.counts.applied;
  totals.ignored += batch.counts.ignored;
  totals.quarantined += batch.counts.quarantined;
  ++batches;
  after_effect("apply");
}

bool MemoryStore::trim(const Fence& fence) {
  before_effect("trim");
  check_fence(fence);
  return ++trims <= trims_with_more;
}

void MemoryStore::record_head(int64_t) {}

std::string MemoryStore::begin() {
  before_effect("begin");
  staging_.clear();
  std::string id = "snapshot-" + std::to_string(next_snapshot_++);
  staging_[id];
  return id;
}

void MemoryStore::add(const std::string& snapshot, const SnapshotPage& page) {
  before_effect("add");
  ObjectMap& staged = staging_.at(snapshot);
  for (const Database& database : page.databases) {
    if (!staged.databases.emplace(database.name, database).second) {
      throw std::logic_error("a database was staged twice");
    }
  }
  for (const Table& table : page.tables) {
    if (!staged.tables.emplace(table.name, StoredTable{table, {}}).second) {
      throw std::logic_error("a table was staged twice");
    }
  }
  for (const TablePartitions& partitions : page.partitions) {
    StoredTable& stored = staged.tables.at(partitions.table);
    for (const Partition& partition : partitions.partitions) {
      if (!stored.partitions.emplace(partition.values, partition.location).second) {
        throw std::logic_error("a partition was staged twice");
      }
    }
  }
}

void MemoryStore::replay(const std::string& snapshot, const std::vector<Mutation>& mutations) {
  before_effect("replay");
  for (const Mutation& mutation : mutations) {
    std::visit(Apply{staging_.at(snapshot)}, mutation.operation);
  }
}

Difference MemoryStore::compare(const std::string& snapshot) {
  before_effect("compare");
  return difference(live, staging_.at(snapshot));
}

Difference MemoryStore::publish(const Fence& fence, const std::string& snapshot,
                                const Publication& publication) {
  before_effect("publish");
  check_fence(fence);
  const Difference found = difference(live, staging_.at(snapshot));
  live = staging_.at(snapshot);
  follower.cursor = publication.cursor;
  follower.metastore_uuid = publication.metastore_uuid;
  orders.re_reads_due = false;
  if (publication.raise_generation) ++follower.generation;
  publications.push_back(publication);
  after_effect("publish");
  return found;
}

void MemoryStore::discard(const std::string& snapshot) {
  before_effect("discard");
  staging_.erase(snapshot);
}

Orders MemoryStore::pending() {
  before_effect("pending");
  return orders;
}

void MemoryStore::finish(const Fence& fence, int64_t request, const ResyncOutcome& outcome) {
  before_effect("finish");
  check_fence(fence);
  outcomes[request] = outcome;
  std::erase_if(orders.resyncs, [&](const ResyncRequest& order) { return order.id == request; });
}

void MemoryStore::repeat_revokes(const Fence& fence) {
  check_fence(fence);
  orders.revokes_due = false;
}

}  // namespace hmsync::doubles
