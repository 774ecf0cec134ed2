#include "metrics/store_probe.h"

#include <prometheus/counter.h>

namespace hmsync::metrics {

StoreProbe::StoreProbe(Exposition& exposition)
    : round_trips_(exposition.counter("hmsync_store_round_trips_total",
                                      "Exchanges with the database; a pipeline counts once.")),
      rows_written_(exposition.counter("hmsync_store_rows_written_total",
                                       "Rows inserted, updated or deleted in the database.")),
      fenced_(exposition.counter("hmsync_commits_fenced_total",
                                 "Commits refused because another process leads.")),
      errors_(exposition, "hmsync_store_errors_total",
              "Calls to the database that failed, by what has to be done about it.", "kind",
              {"transient", "poison", "fenced", "fatal"}) {}

void StoreProbe::round_trip() { round_trips_.Increment(); }

void StoreProbe::rows_written(int64_t rows) { rows_written_.Increment(static_cast<double>(rows)); }

void StoreProbe::failed(const std::string& kind) {
  errors_.add(kind);
  if (kind == "fenced") fenced_.Increment();
}

}  // namespace hmsync::metrics
