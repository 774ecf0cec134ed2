// The measures. Each makes the services that it needs, prints its figures and leaves nothing
// behind.
#pragma once

#include <cstdint>

#include "tests/bench/report.h"

namespace hmsync::bench {

/// How much is measured: figures are for the full size; the quick one shows that they can be made.
struct Size {
  bool quick = false;
  int rounds = 5;

  [[nodiscard]] int64_t of(int64_t full) const { return quick ? full / 100 : full; }
};

/// Events of real metastores, against their bare read.
void measure_follow(Report& report, const Size& size);
/// Events from memory, against COPY of the rows that they come to.
void measure_apply(Report& report, const Size& size);
/// Large events, many small ones on one table, and the drop of all that.
void measure_partitions(Report& report, const Size& size);
/// The first snapshot against the bare read of the same, and one that finds no difference.
void measure_snapshot(Report& report, const Size& size);
/// A rename and a drop that each move much.
void measure_subtrees(Report& report, const Size& size);
/// How long readers, who waits, and a successor have to wait.
void measure_latency(Report& report, const Size& size);
/// A daemon that has nothing to do.
void measure_idle(Report& report, const Size& size);
/// Which object owns a path, asked over HTTP.
void measure_owner(Report& report, const Size& size);

}  // namespace hmsync::bench
