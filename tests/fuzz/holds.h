// What a fuzzer asks beyond "it does not crash": a property that must hold of whatever came out.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hmsync::fuzz {

/// Ends the process where it does not, so that the input is kept and told.
inline void holds(bool property, const char* what) {
  if (property) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace hmsync::fuzz
