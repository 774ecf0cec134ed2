// Runs each mutant on the default seeds until three have caught it; ends with 1 where one survives.
// With names as arguments: those mutants alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/chosen_mutant.h"
#include "tests/simulation/simulation.h"

namespace {

using hmsync::simulation::all_mutants;
using hmsync::simulation::Outcome;

constexpr uint64_t kDefaultSeeds = 450;
constexpr size_t kCatches = 3;

struct Hunt {
  std::vector<uint64_t> caught_by;
  uint64_t seeds = 0;
  std::string first;  ///< what the first of them says
};

Hunt hunt(const std::string& mutant) {
  hmsync::simulation::choose_mutant(mutant);
  Hunt hunt;
  for (uint64_t seed = 1; seed <= kDefaultSeeds && hunt.caught_by.size() < kCatches; ++seed) {
    ++hunt.seeds;
    const Outcome outcome =
        hmsync::simulation::simulate(seed, hmsync::simulation::profile_of(seed), 0);
    if (outcome.violation.empty()) continue;
    hunt.caught_by.push_back(seed);
    if (hunt.first.empty()) hunt.first = outcome.violation;
  }
  return hunt;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  int survivors = 0;
  for (const std::string& mutant : asked.empty() ? all_mutants() : asked) {
    const auto begun = std::chrono::steady_clock::now();
    const Hunt found = hunt(mutant);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const bool caught = found.caught_by.size() >= kCatches;
    if (!caught) ++survivors;
    fmt::print("{:8} {} ({} of {} seeds, {:.1f} s) {}\n", caught ? "caught" : "SURVIVES", mutant,
               found.caught_by.size(), found.seeds, took.count(), found.first);
    std::fflush(stdout);
  }
  return survivors == 0 ? 0 : 1;
}
