#include "metrics/process_probe.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace hmsync::metrics {

namespace {

/// What proc(5) says of /proc/self/stat, as far as it is shown.
struct ProcessStat {
  double threads = 0;
  double start_ticks_after_boot = 0;
  double virtual_bytes = 0;
  double resident_pages = 0;
};

std::optional<ProcessStat> read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The second field is the name in brackets, and may hold blanks and brackets itself.
  const size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end_of_name + 1));
  std::string skipped;
  const auto skip = [&](int count) {
    for (int i = 0; i < count; ++i) fields >> skipped;
  };
  ProcessStat stat;
  skip(17);  // 3 to 19
  fields >> stat.threads;
  skip(1);
  fields >> stat.start_ticks_after_boot >> stat.virtual_bytes >> stat.resident_pages;
  if (!fields) return std::nullopt;
  return stat;
}

double boot_time_seconds() {
  std::ifstream file("/proc/stat");
  std::string key;
  double value = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    if (fields >> key >> value && key == "btime") return value;
  }
  return 0;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::optional<double> open_files() {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  double count = 0;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  if (error) return std::nullopt;
  return count - 1;  // the one that reads the folder
}

double most_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

/// Where the kernel does not tell, the last value stays.
struct ProcessSeries {
  prometheus::Counter& cpu;
  prometheus::Gauge& resident;
  prometheus::Gauge& virtual_memory;
  prometheus::Gauge& open;
  prometheus::Gauge& most;
  prometheus::Gauge& start;
  prometheus::Gauge& threads;
  double boot_time;

  void refresh() {
    cpu.Increment(cpu_seconds() - cpu.Value());
    most.Set(most_files());
    if (const auto files = open_files()) open.Set(*files);
    const auto stat = read_stat();
    if (!stat) return;
    resident.Set(stat->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
    virtual_memory.Set(stat->virtual_bytes);
    threads.Set(stat->threads);
    start.Set(boot_time + stat->start_ticks_after_boot / static_cast<double>(sysconf(_SC_CLK_TCK)));
  }
};

}  // namespace

void add_process_metrics(Exposition& exposition, const Labels& build) {
  exposition.gauge("hmsync_build_info", "What this process was built from; always 1.", build)
      .Set(1);
  exposition.at_scrape(
      [series = ProcessSeries{
           .cpu = exposition.counter("process_cpu_seconds_total",
                                     "Processor time used by the process, user and system."),
           .resident = exposition.gauge("process_resident_memory_bytes",
                                        "Memory of the process that is in RAM."),
           .virtual_memory =
               exposition.gauge("process_virtual_memory_bytes", "Address space of the process."),
           .open = exposition.gauge("process_open_fds", "File descriptors in use."),
           .most = exposition.gauge("process_max_fds", "File descriptors that may be in use."),
           .start = exposition.gauge("process_start_time_seconds",
                                     "When the process started, in seconds since 1970."),
           .threads = exposition.gauge("process_threads", "Threads of the process."),
           .boot_time = boot_time_seconds()}]() mutable { series.refresh(); });
}

}  // namespace hmsync::metrics
