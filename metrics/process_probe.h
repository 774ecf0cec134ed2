// The process as the kernel sees it (/proc/self), under the names that all exporters use, and what
// it was built from.
#pragma once

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Adds process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
/// process_open_fds, process_max_fds, process_start_time_seconds and process_threads, read at each
/// scrape, and hmsync_build_info with these labels (for example version), always 1.
void add_process_metrics(Exposition& exposition, const Labels& build);

}  // namespace hmsync::metrics
