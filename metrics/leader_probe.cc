#include "metrics/leader_probe.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

namespace hmsync::metrics {

LeaderProbe::LeaderProbe(Exposition& exposition)
    : is_leader_(exposition.gauge("hmsync_is_leader", "1 while this process leads.")),
      epoch_(exposition.gauge("hmsync_lease_epoch", "The lease's epoch as last seen.")),
      changes_(exposition.counter(
          "hmsync_leader_changes_total",
          "Times that this process became the leader; the sum over all replicas counts each change "
          "once.")) {}

void LeaderProbe::elected(int64_t epoch) {
  is_leader_.Set(1);
  changes_.Increment();
  saw_epoch(epoch);
}

void LeaderProbe::deposed() { is_leader_.Set(0); }

void LeaderProbe::saw_epoch(int64_t epoch) { epoch_.Set(static_cast<double>(epoch)); }

}  // namespace hmsync::metrics
