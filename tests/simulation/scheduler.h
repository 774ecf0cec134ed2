// Fibers under virtual time, in one thread: whoever calls pass() or sleep() lets a seeded random
// choice decide who goes on. The same seed and the same fibers give the same run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "tests/simulation/fiber.h"

namespace hmsync::simulation {

/// Leaves a fiber that was killed. Not an Error: nothing that is simulated catches it.
struct Killed {};

class Scheduler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  using FiberId = size_t;
  static constexpr FiberId kNobody = SIZE_MAX;

  explicit Scheduler(uint64_t seed);
  ~Scheduler();  ///< end_all()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// It begins when it is chosen for the first time.
  FiberId spawn(std::function<void()> body);
  /// Unwinds it at its next turn; a fiber may kill itself, and leaves by Killed at its next pass().
  void kill(FiberId fiber);
  /// Kills and unwinds all, in this call.
  void end_all();
  [[nodiscard]] bool alive(FiberId fiber) const;

  /// Runs fibers until the condition holds, asked between any two turns; false when time has come
  /// to `end` without it, or nobody lives any more. Rethrows what a fiber did not catch.
  bool run_until(const std::function<bool()>& done, Time end);

  // Called within a fiber.

  /// Others may go on. Takes up to so long.
  void pass(Duration most = std::chrono::milliseconds(3));
  void sleep(Duration duration);
  /// Its sleep ends now.
  void wake(FiberId fiber);
  [[nodiscard]] FiberId current() const { return current_; }

  [[nodiscard]] Time now() const { return now_; }
  /// Below `n`.
  uint64_t random(uint64_t n) { return random_() % n; }
  bool chance(double share) {
    return static_cast<double>(random_() >> 11) < share * 9007199254740992.0;
  }
  [[nodiscard]] uint64_t turns() const { return turns_; }

 private:
  struct Turn {
    std::unique_ptr<Fiber> fiber;  ///< null once it has ended
    Time due{};
    bool killed = false;
  };

  [[nodiscard]] FiberId choose(Time end);
  void give_turn(FiberId fiber);

  std::mt19937_64 random_;
  Time now_{};
  uint64_t turns_ = 0;
  FiberId current_ = kNobody;
  std::vector<Turn> fibers_;     ///< by FiberId
  std::vector<FiberId> living_;  ///< in the order of their coming
};

}  // namespace hmsync::simulation
