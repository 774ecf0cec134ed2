// Time that a test moves.
#pragma once

#include "follower/clock.h"

namespace hmsync::daemon {

class ManualClock : public follower::Clock {
 public:
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override { return now_; }
  [[nodiscard]] double wall_seconds() const override {
    return 1'796'000'000 + std::chrono::duration<double>(now_.time_since_epoch()).count();
  }
  void advance(std::chrono::milliseconds time) { now_ += time; }

 private:
  std::chrono::steady_clock::time_point now_{};
};

}  // namespace hmsync::daemon
