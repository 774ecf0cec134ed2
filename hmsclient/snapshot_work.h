// What of a snapshot is still to be read, and how far it has come. Not for use outside this folder.
#pragma once

#include <deque>
#include <vector>

#include "follower/metastore.h"
#include "hmsclient/snapshot_pages.h"

namespace hmsync::hmsclient {

/// Used by one thread at a time.
class SnapshotWork {
 public:
  SnapshotWork(const std::vector<follower::Scope>& scopes, const PageSizes& sizes);

  [[nodiscard]] bool empty() const { return units_.empty(); }
  /// Only where it is not empty.
  Unit take();
  /// The work that follows from a unit, once its page is handed on.
  void add(UnitResult result);
  void handed_out(const follower::SnapshotPage& page);
  [[nodiscard]] follower::SnapshotProgress progress() const;

 private:
  std::deque<Unit> units_;  ///< taken from the back
  Found found_;
  Found done_;
};

}  // namespace hmsync::hmsclient
