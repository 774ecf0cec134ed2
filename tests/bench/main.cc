// hmsync_bench [--quick] [--json FILE] [MEASURE...]; see tests/bench/run.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/measures.h"
#include "tests/fixtures/mini_pg.h"

namespace hmsync::bench {
namespace {

std::string first_line_of(const std::string& file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return line.substr(line.find_first_not_of(" \t:", key.size()));
  }
  return "not told";
}

void describe(Report& report, bool quick) {
  utsname system{};
  uname(&system);
  const fixtures::MiniPg pg;
  report.about("processors", fmt::format("{} x {}", std::thread::hardware_concurrency(),
                                         first_line_of("/proc/cpuinfo", "model name")));
  report.about("memory", first_line_of("/proc/meminfo", "MemTotal"));
  report.about("kernel", system.release);
  report.about("compiler", __VERSION__);
  for (const char* setting :
       {"server_version", "fsync", "synchronous_commit", "shared_buffers", "max_wal_size"}) {
    const std::string value = pg.query(fmt::format("SHOW {}", setting));
    report.about(fmt::format("PostgreSQL {}", setting), value.substr(0, value.size() - 1));
  }
  report.about("hmsync", "its default settings, without sweeps, unless a measure says otherwise");
  if (quick) report.about("size", "a hundredth of what each row names");
}

}  // namespace
}  // namespace hmsync::bench

int main(int argc, char** argv) {
  hmsync::bench::Size size;
  std::string json;
  std::vector<std::string> names;
  CLI::App app("Measures hmsync against the bare cost of the same work.");
  app.add_flag("--quick", size.quick, "a hundredth of the size, once");
  app.add_option("--rounds", size.rounds, "how often what takes long is measured");
  app.add_option("--json", json, "write the figures to this file");
  const std::vector<
      std::pair<std::string, void (*)(hmsync::bench::Report&, const hmsync::bench::Size&)>>
      measures{{"follow", hmsync::bench::measure_follow},
               {"apply", hmsync::bench::measure_apply},
               {"partitions", hmsync::bench::measure_partitions},
               {"snapshot", hmsync::bench::measure_snapshot},
               {"subtrees", hmsync::bench::measure_subtrees},
               {"latency", hmsync::bench::measure_latency},
               {"idle", hmsync::bench::measure_idle},
               {"owner", hmsync::bench::measure_owner}};
  std::vector<std::string> known;
  for (const auto& [name, measure] : measures) known.push_back(name);
  app.add_option("measures", names, "which ones; all unless told")->check(CLI::IsMember(known));
  CLI11_PARSE(app, argc, argv);
  if (size.quick) size.rounds = 1;
  try {
    hmsync::bench::Report report;
    hmsync::bench::describe(report, size.quick);
    for (const auto& [name, measure] : measures) {
      if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
        measure(report, size);
      }
    }
    if (!json.empty()) std::ofstream(json) << report.json();
    for (const std::string& failure : report.failures()) fmt::print(stderr, "{}\n", failure);
    return report.failures().empty() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
