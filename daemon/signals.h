// Signals as something that one thread waits for.
#pragma once

#include <chrono>
#include <optional>

namespace hmsync::daemon {

/// Made before any other thread, so that all inherit the blocked signals: SIGTERM, SIGINT, SIGHUP,
/// SIGUSR1. SIGPIPE is ignored.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The next signal; nothing when the time is over or wake() was called.
  std::optional<int> wait(std::chrono::milliseconds time);
  /// From any thread.
  void wake();
  /// From now on SIGTERM and SIGINT end the process at once.
  void let_end();

 private:
  int signals_;  ///< signalfd
  int wake_;     ///< eventfd
};

}  // namespace hmsync::daemon
