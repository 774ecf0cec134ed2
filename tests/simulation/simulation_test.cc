// Whole deployments under faults: see tests/simulation/world.h. `simulate` runs more seeds.
#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hmsync::simulation {
namespace {

constexpr uint64_t kSeeds = 45;  ///< three of each kind of deployment

std::string told(const Outcome& outcome) {
  constexpr size_t kLines = 60;
  std::string text = outcome.violation + "\n";
  const auto& trace = outcome.trace;
  for (size_t i = trace.size() - std::min(trace.size(), kLines); i < trace.size(); ++i) {
    text += "  " + trace[i] + "\n";
  }
  return text;
}

/// Of the seeds from 1 on, each run once.
const std::vector<Outcome>& outcomes() {
  static const std::vector<Outcome> kOutcomes = [] {
    std::vector<Outcome> all;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) all.push_back(simulate(seed));
    return all;
  }();
  return kOutcomes;
}

TEST(Simulation, KeepsTheTruthsUnderFaults) {
  int64_t events = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome& outcome = outcomes()[seed - 1];
    events += outcome.events;
    EXPECT_EQ(outcome.violation, "")
        << "seed " << seed << " (" << profile_of(seed).name << ") " << told(outcome);
  }
  EXPECT_GT(events, 50 * static_cast<int64_t>(kSeeds));
}

TEST(Simulation, RunsTheSameForTheSameSeedAndAnotherForAnother) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    EXPECT_EQ(simulate(seed).trace_hash, outcomes()[seed - 1].trace_hash) << "seed " << seed;
  }
  EXPECT_NE(outcomes()[0].trace_hash, outcomes()[15].trace_hash);
}

TEST(Simulation, MeetsFaultsOfEveryKind) {
  Coverage coverage;
  for (const Outcome& outcome : outcomes()) coverage.add(outcome.coverage);
  for (const Fault fault : kFaults) {
    EXPECT_TRUE(std::any_of(coverage.cells().begin(), coverage.cells().end(),
                            [&](const auto& cell) { return cell.first.fault == fault; }))
        << to_string(fault);
  }
}

}  // namespace
}  // namespace hmsync::simulation
