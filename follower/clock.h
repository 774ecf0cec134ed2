// Time as the loop sees it; virtual in tests.
#pragma once

#include <chrono>

namespace hmsync::follower {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic. Decides everything that is decided by time.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point now() const = 0;
  /// Wall clock, seconds since 1970: shown and stored, never decided by.
  [[nodiscard]] virtual double wall_seconds() const = 0;
};

}  // namespace hmsync::follower
