// Runs the default seeds without a mutant, then each mutant on them until three have caught it;
// ends with 1 where a seed fails without one, or a mutant survives. With names as arguments: those
// mutants alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/chosen_mutant.h"
#include "tests/simulation/simulation.h"

namespace {

using hmsync::simulation::all_mutants;

constexpr uint64_t kDefaultSeeds = 2000;
constexpr size_t kCatches = 3;

struct Hunt {
  std::vector<uint64_t> caught_by;
  uint64_t seeds = 0;
  std::string first;  ///< what the first of them says
};

std::string violation_of(uint64_t seed) {
  return hmsync::simulation::simulate(seed, hmsync::simulation::profile_of(seed), 0).violation;
}

/// Those that fail without a mutant catch none.
std::set<uint64_t> useless_seeds() {
  hmsync::simulation::choose_mutant("");
  std::set<uint64_t> useless;
  for (uint64_t seed = 1; seed <= kDefaultSeeds; ++seed) {
    const std::string violation = violation_of(seed);
    if (violation.empty()) continue;
    useless.insert(seed);
    fmt::print("seed {} fails without a mutant: {}\n", seed, violation);
    std::fflush(stdout);
  }
  return useless;
}

Hunt hunt(const std::string& mutant, const std::set<uint64_t>& useless) {
  hmsync::simulation::choose_mutant(mutant);
  Hunt hunt;
  for (uint64_t seed = 1; seed <= kDefaultSeeds && hunt.caught_by.size() < kCatches; ++seed) {
    ++hunt.seeds;
    if (useless.contains(seed)) continue;
    const std::string violation = violation_of(seed);
    if (violation.empty()) continue;
    hunt.caught_by.push_back(seed);
    if (hunt.first.empty()) hunt.first = violation;
  }
  return hunt;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  const std::set<uint64_t> useless = useless_seeds();
  int survivors = 0;
  for (const std::string& mutant : asked.empty() ? all_mutants() : asked) {
    const auto begun = std::chrono::steady_clock::now();
    const Hunt found = hunt(mutant, useless);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const bool caught = found.caught_by.size() >= kCatches;
    if (!caught) ++survivors;
    fmt::print("{:8} {} (by {} of {} seeds: {}; {:.1f} s) {}\n", caught ? "caught" : "SURVIVES",
               mutant, found.caught_by.size(), found.seeds, fmt::join(found.caught_by, " "),
               took.count(), found.first);
    std::fflush(stdout);
  }
  return survivors == 0 && useless.empty() ? 0 : 1;
}
