// Who leads.
#pragma once

#include <cstdint>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Thread-safe.
class LeaderProbe {
 public:
  explicit LeaderProbe(Exposition& exposition);

  /// This process leads from now on. Only here, so that the sum over all replicas counts each
  /// change of leader once.
  void elected(int64_t epoch);
  void deposed();
  /// A standby's look at the lease.
  void saw_epoch(int64_t epoch);

 private:
  prometheus::Gauge& is_leader_;
  prometheus::Gauge& epoch_;
  prometheus::Counter& changes_;
};

}  // namespace hmsync::metrics
