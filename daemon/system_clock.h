// The machine's time, for those that take a clock.
#pragma once

#include "follower/clock.h"

namespace hmsync::daemon {

class SystemClock : public follower::Clock {
 public:
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override {
    return std::chrono::steady_clock::now();
  }
  [[nodiscard]] double wall_seconds() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace hmsync::daemon
