// The snapshots of the store in memory.
#include <stdexcept>

#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;

namespace {

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

std::string MemoryStore::begin(const std::vector<Scope>& scopes) {
  before_effect("begin");
  std::string id = "snapshot-" + std::to_string(next_snapshot_++);
  staging_[id].scopes = scopes;
  staging_[id].re_reads_through = last_number_;
  return id;
}

void MemoryStore::add(const std::string& snapshot, const SnapshotPage& page,
                      const std::vector<Scope>& more) {
  before_effect("add");
  staging_.at(snapshot).scopes.insert(staging_.at(snapshot).scopes.end(), more.begin(), more.end());
  ObjectMap& staged = staging_.at(snapshot).objects;
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
    Staged& staged = staging_.at(snapshot);
    const auto missing = apply_to(staged.objects, mutation);
    if (missing) staged.re_reads.emplace(*missing, mutation.event_id);
  }
}

Difference MemoryStore::compare(const std::string& snapshot) {
  before_effect("compare");
  return difference(live, staging_.at(snapshot).objects);
}

Published MemoryStore::publish(const Fence& fence, const std::string& snapshot,
                               const Publication& publication) {
  before_effect("publish");
  check_fence(fence);
  Published published;
  published.difference = difference(live, staging_.at(snapshot).objects);
  live = staging_.at(snapshot).objects;
  follower.cursor = publication.cursor;
  follower.metastore_uuid = publication.metastore_uuid;
  const int64_t through = staging_.at(snapshot).re_reads_through;
  std::erase_if(re_reads, [&](const auto& entry) { return entry.second.request <= through; });
  std::erase_if(claims, [&](const KeptClaim& kept) { return kept.number <= through; });
  if (publication.raise_generation) ++follower.generation;
  publications.push_back(publication);
  after_effect("publish");
  return published;
}

void MemoryStore::discard(const std::optional<std::string>& snapshot) {
  before_effect("discard");
  if (snapshot) {
    staging_.erase(*snapshot);
  } else {
    staging_.clear();
  }
}

}  // namespace hmsync::doubles
