#include <algorithm>
#include <utility>

#include "follower/scope.h"
#include "processor/error.h"
#include "tests/follower/memory_metastore.h"

namespace hmsync::doubles {

using processor::DatabaseName;
using processor::TableName;

/// Lists names first and reads objects later, page by page, as a real reader must: what is gone by
/// then is left out, and a table's partitions come in a page after the table.
class MemorySnapshotStream : public follower::SnapshotStream {
 public:
  MemorySnapshotStream(MemoryMetastore& metastore, const std::vector<follower::Scope>& scopes)
      : metastore_(metastore) {
    metastore_.before_call("list");
    for (const auto& [name, database] : metastore_.objects_.databases) {
      if (!is_found(scopes, name)) continue;
      if (follower::contains(scopes, name)) databases_.push_back(name);
    }
    for (const auto& [name, stored] : metastore_.objects_.tables) {
      if (!is_found(scopes, name.in_database())) continue;
      if (follower::contains(scopes, name)) tables_.push_back(name);
    }
  }

  std::optional<follower::SnapshotPage> next() override {
    follower::SnapshotPage page;
    metastore_.before_call("page");
    if (!databases_.empty()) {
      read_databases(page);
    } else if (!partitioned_.empty()) {
      read_partitions(page);
    } else if (!tables_.empty()) {
      read_tables(page);
    } else {
      return std::nullopt;
    }
    return page;
  }

  [[nodiscard]] follower::SnapshotProgress progress() const override { return {"tables", 0, 0}; }

 private:
  /// By a listing, or by its name.
  bool is_found(const std::vector<follower::Scope>& scopes, const DatabaseName& database) const {
    return metastore_.listed(database.database) ||
           std::any_of(scopes.begin(), scopes.end(),
                       [&](const auto& scope) { return scope.database == database; });
  }

  void read_databases(follower::SnapshotPage& page) {
    for (const DatabaseName& name : std::exchange(databases_, {})) {
      const auto found = metastore_.objects_.databases.find(name);
      if (found != metastore_.objects_.databases.end()) page.databases.push_back(found->second);
    }
  }

  void read_tables(follower::SnapshotPage& page) {
    const size_t count = std::min(tables_.size(), metastore_.tables_a_page);
    for (size_t i = 0; i < count; ++i) {
      if (tables_[i].table == metastore_.unreadable) {
        throw Error(ErrorKind::transient, "a table cannot be read");
      }
      const auto found = metastore_.objects_.tables.find(tables_[i]);
      if (found == metastore_.objects_.tables.end()) continue;
      page.tables.push_back(found->second.table);
      if (!found->second.table.partition_keys.empty()) partitioned_.push_back(tables_[i]);
    }
    tables_.erase(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void read_partitions(follower::SnapshotPage& page) {
    const TableName name = partitioned_.back();
    partitioned_.pop_back();
    const auto found = metastore_.objects_.tables.find(name);
    if (found == metastore_.objects_.tables.end()) return;
    follower::TablePartitions partitions{name, {}};
    for (const auto& [values, location] : found->second.partitions) {
      partitions.partitions.push_back({values, location});
    }
    page.partitions.push_back(std::move(partitions));
  }

  MemoryMetastore& metastore_;
  std::vector<DatabaseName> databases_;
  std::vector<TableName> tables_;
  std::vector<TableName> partitioned_;
};

std::unique_ptr<follower::SnapshotStream> MemoryMetastore::snapshot(
    const std::vector<follower::Scope>& scopes) {
  return std::make_unique<MemorySnapshotStream>(*this, scopes);
}

}  // namespace hmsync::doubles
