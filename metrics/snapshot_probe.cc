#include "metrics/snapshot_probe.h"

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace hmsync::metrics {

SnapshotProbe::SnapshotProbe(Exposition& exposition)
    : duration_(exposition.histogram("hmsync_snapshot_duration_seconds",
                                     "Time from a snapshot's begin to its end, whatever the end.",
                                     job_seconds())) {
  for (const char* outcome : {"done", "refused", "failed"}) {
    by_outcome_.try_emplace(
        outcome, exposition, "hmsync_snapshots_total",
        "Snapshots of the metastore that ended, by why they were taken and how they ended.",
        "reason",
        std::vector<std::string>{"initial", "gap", "reset", "resync", "dry_run", "re_read", "sweep",
                                 "verify"},
        Labels{{"outcome", outcome}});
  }
  for (const char* phase : {"databases", "tables", "partitions"}) {
    objects_[phase] = &exposition.gauge(
        "hmsync_snapshot_objects", "Objects read so far in the running snapshot, else in the last.",
        {{"phase", phase}});
  }
}

void SnapshotProbe::progressed(const std::string& phase, int64_t objects) {
  const auto known = objects_.find(phase);
  if (known != objects_.end()) known->second->Set(static_cast<double>(objects));
}

void SnapshotProbe::ended(const std::string& reason, const std::string& outcome,
                          double took_seconds) {
  const auto known = by_outcome_.find(outcome);
  (known == by_outcome_.end() ? by_outcome_.at("failed") : known->second).add(reason);
  duration_.Observe(took_seconds);
}

}  // namespace hmsync::metrics
