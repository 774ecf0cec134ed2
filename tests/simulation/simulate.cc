// The simulation's command: see usage() or the README.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "tests/simulation/simulation.h"

namespace {

using hmsync::simulation::Outcome;

void print_failure(uint64_t seed, const Outcome& outcome, size_t lines) {
  fmt::print("seed {} ({}): {}\n", seed, hmsync::simulation::profile_of(seed).name,
             outcome.violation);
  const size_t skip = outcome.trace.size() > lines ? outcome.trace.size() - lines : 0;
  for (size_t i = skip; i < outcome.trace.size(); ++i) fmt::print("  {}\n", outcome.trace[i]);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs seeds of the simulation until so many, or so many events."};
  uint64_t first = 1;
  uint64_t seeds = 100;
  int64_t events = 0;
  size_t lines = 60;
  bool go_on = false;
  app.add_option("--first", first, "the first seed");
  app.add_option("--seeds", seeds, "how many");
  app.add_option("--events", events, "go on until so many events were simulated");
  app.add_option("--trace", lines, "lines of a failing seed's trace");
  app.add_flag("--go-on", go_on, "after a failing seed");
  CLI11_PARSE(app, argc, argv);

  const auto begun = std::chrono::steady_clock::now();
  int64_t simulated = 0;
  int failed = 0;
  uint64_t seed = first;
  for (; seed < first + seeds || simulated < events; ++seed) {
    const Outcome outcome =
        hmsync::simulation::simulate(seed, hmsync::simulation::profile_of(seed), lines);
    simulated += outcome.events;
    if (outcome.violation.empty()) continue;
    ++failed;
    print_failure(seed, outcome, lines);
    if (!go_on) return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fmt::print("{} seeds, {} events, {} failed, {:.1f} s\n", seed - first, simulated, failed,
             took.count());
  return failed == 0 ? 0 : 1;
}
