// One seed: rounds of trouble, each followed by rest, at which store and metastore must agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/coverage.h"
#include "tests/simulation/profile.h"

namespace hmsync::simulation {

struct Outcome {
  std::string violation;  ///< empty: all was as it must be
  int64_t events = 0;     ///< that the metastore logged
  uint64_t trace_hash = 0;
  std::vector<std::string> trace;  ///< its end
  Coverage coverage;
  double virtual_seconds = 0;
  uint64_t turns = 0;
};

Outcome simulate(uint64_t seed, const Profile& profile, size_t trace_lines = 400);
inline Outcome simulate(uint64_t seed) { return simulate(seed, profile_of(seed)); }

}  // namespace hmsync::simulation
