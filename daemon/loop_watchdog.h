// What /livez asks.
#pragma once

#include <atomic>
#include <chrono>

namespace hmsync::daemon {

/// Whether the loop still gets on. Thread-safe.
class LoopWatchdog {
 public:
  /// The loop's next sign is due by then.
  void expect_within(std::chrono::milliseconds time) {
    due_ = (std::chrono::steady_clock::now() + time).time_since_epoch().count();
  }
  /// There is no loop now.
  void rest() { due_ = kNever; }
  /// False once it is more than `patience` past what it does.
  [[nodiscard]] bool alive(std::chrono::milliseconds patience = std::chrono::seconds(30)) const {
    const auto due = std::chrono::steady_clock::duration(due_.load());
    return due.count() == kNever ||
           std::chrono::steady_clock::now().time_since_epoch() < due + patience;
  }

 private:
  static constexpr std::chrono::steady_clock::rep kNever = 0;
  std::atomic<std::chrono::steady_clock::rep> due_{kNever};
};

}  // namespace hmsync::daemon
