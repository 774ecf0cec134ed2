#include "hmsclient/snapshot_work.h"

#include <utility>

namespace hmsync::hmsclient {

SnapshotWork::SnapshotWork(const std::vector<follower::Scope>& scopes, const PageSizes& sizes) {
  add(first_units(scopes, sizes));
}

Unit SnapshotWork::take() {
  Unit unit = std::move(units_.back());
  units_.pop_back();
  return unit;
}

void SnapshotWork::add(UnitResult result) {
  found_.databases += result.found.databases;
  found_.tables += result.found.tables;
  found_.partitions += result.found.partitions;
  for (auto unit = result.next.rbegin(); unit != result.next.rend(); ++unit) {
    // All databases first: they are few, and others wait to see how many there are. The rest depth
    // first, so that a list of names is used up before others are asked for.
    if (std::holds_alternative<ListTables>(*unit)) {
      units_.push_front(std::move(*unit));
    } else {
      units_.push_back(std::move(*unit));
    }
  }
}

void SnapshotWork::handed_out(const follower::SnapshotPage& page) {
  done_.databases += static_cast<int64_t>(page.databases.size());
  done_.tables += static_cast<int64_t>(page.tables.size());
  for (const follower::TablePartitions& table : page.partitions) {
    done_.partitions += static_cast<int64_t>(table.partitions.size());
  }
}

follower::SnapshotProgress SnapshotWork::progress() const {
  if (done_.databases < found_.databases || found_.tables == 0) {
    return {"databases", done_.databases, found_.databases};
  }
  if (done_.tables < found_.tables) {
    return {"tables", done_.tables, found_.tables};
  }
  return {"partitions", done_.partitions, found_.partitions};
}

}  // namespace hmsync::hmsclient
