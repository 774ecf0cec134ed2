// The simulation's command: see --help or the README.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "tests/simulation/simulation.h"

namespace {

using hmsync::simulation::Coverage;
using hmsync::simulation::Fault;
using hmsync::simulation::kFaults;
using hmsync::simulation::Outcome;
using hmsync::simulation::possible;
using hmsync::simulation::to_string;

void print_failure(uint64_t seed, const Outcome& outcome, size_t lines, bool table) {
  fmt::print("seed {} ({}): {}\n  again: simulate --first {} --seeds 1{}\n", seed,
             hmsync::simulation::profile_of(seed).name, outcome.violation, seed,
             table ? " --table" : "");
  const size_t skip = outcome.trace.size() > lines ? outcome.trace.size() - lines : 0;
  for (size_t i = skip; i < outcome.trace.size(); ++i) fmt::print("  {}\n", outcome.trace[i]);
  std::fflush(stdout);  // a run of hours is looked at meanwhile
}

// For each call: kinds of unread events by faults. Returns how many possible cells have fewer.
int print_table(const Coverage& coverage, int64_t fewest) {
  std::map<std::string, std::map<std::string, std::map<Fault, int64_t>>> table;
  for (const std::string& call : hmsync::simulation::all_calls()) {
    for (const std::string& kind : hmsync::simulation::all_kinds()) table[call][kind];
  }
  for (const auto& [cell, count] : coverage.cells())
    table[cell.call][cell.kind][cell.fault] = count;
  int few = 0;
  for (auto& [call, rows] : table) {
    fmt::print("\n{:24}", call);
    for (const Fault fault : kFaults) {
      if (possible(fault, call)) fmt::print("{:>12}", to_string(fault));
    }
    for (auto& [kind, faults] : rows) {
      fmt::print("\n  {:22}", kind);
      for (const Fault fault : kFaults) {
        if (!possible(fault, call)) continue;
        if (possible(fault, call, kind) && faults[fault] < fewest) ++few;
        fmt::print("{:>12}", faults[fault]);
      }
    }
    fmt::print("\n");
  }
  return few;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs seeds of the simulation until so many, or so many events."};
  uint64_t first = 1;
  uint64_t seeds = 100;
  int64_t events = 0;
  size_t lines = 60;
  bool go_on = false;
  bool table = false;
  app.add_option("--first", first, "the first seed");
  app.add_option("--seeds", seeds, "how many");
  app.add_option("--events", events, "go on until so many events were simulated");
  app.add_option("--trace", lines, "lines of a failing seed's trace");
  app.add_flag("--go-on", go_on, "after a failing seed");
  app.add_flag(
      "--table", table,
      "let all seeds seek calls that are seldom made, and print which faults met which calls while "
      "which events were unread; with --events it ends with 1 where one of these was met too "
      "seldom");
  CLI11_PARSE(app, argc, argv);

  const auto begun = std::chrono::steady_clock::now();
  int64_t simulated = 0;
  int failed = 0;
  Coverage coverage;
  uint64_t seed = first;
  for (; seed < first + seeds || simulated < events; ++seed) {
    auto profile = hmsync::simulation::profile_of(seed);
    if (table) profile.seeks_rare_calls = true;
    const Outcome outcome = hmsync::simulation::simulate(seed, profile, lines);
    simulated += outcome.events;
    coverage.add(outcome.coverage);
    if (outcome.violation.empty()) continue;
    ++failed;
    print_failure(seed, outcome, lines, table);
    if (!go_on) return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fmt::print("{} seeds, {} events, {} failed, {:.1f} s\n", seed - first, simulated, failed,
             took.count());
  int few = 0;
  if (table) {
    constexpr int64_t kFewest = 100;
    few = print_table(coverage, kFewest);
    fmt::print("\n{} possible cells have less than {}\n", few, kFewest);
  }
  return failed > 0 || (events > 0 && few > 0) ? 1 : 0;
}
