// How snapshots go.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Thread-safe.
class SnapshotProbe {
 public:
  explicit SnapshotProbe(Exposition& exposition);

  /// `phase`: databases, tables or partitions; others are not shown.
  void progressed(const std::string& phase, int64_t objects);
  /// `reason`: initial, gap, reset, resync, dry_run, re_read, sweep, verify, else `other`.
  /// `outcome`: done, refused, else `failed`.
  void ended(const std::string& reason, const std::string& outcome, double took_seconds);

 private:
  std::map<std::string, CounterFamily> by_outcome_;
  prometheus::Histogram& duration_;
  std::map<std::string, prometheus::Gauge*> objects_;
};

}  // namespace hmsync::metrics
