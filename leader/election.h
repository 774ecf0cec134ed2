// The thread that keeps trying to lead, and tells its owner when it does and when it no longer
// does.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "leader/lease.h"

namespace hmsync::leader {

/// Called by the election's thread; must not throw. Renewals wait for them: `elected` only starts
/// the work, `deposed` may wait until it has ended. Each `elected` is followed by one `deposed`,
/// except where stop() comes first.
struct ElectionCallbacks {
  std::function<void(const Token&)> elected;
  std::function<void(const std::string& reason)> deposed;
  std::function<void(const Error&)> failed;
};

struct ElectionStatus {
  bool leads = false;           ///< this process, now
  std::optional<LeaseRow> row;  ///< who leads, or did so last; nothing before it was first read
};

/// Thread-safe. The thread starts with start() and ends with stop().
class Election {
 public:
  Election(std::unique_ptr<LeaseStore> store, const LeaseTimes& times, std::string instance,
           ElectionCallbacks callbacks, Lease::Now now = std::chrono::steady_clock::now);
  /// Like stop().
  ~Election();
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;

  void start();
  /// Releases the lease, so that a standby takes over at once, and ends the thread; no callback
  /// comes after it. All work under the token must have stopped before. Waits for a call in
  /// progress, which is bounded by its time-outs. Not to be called from a callback.
  void stop();

  /// Whether this token still counts, by the monotonic clock alone: right even while the thread is
  /// stuck in a call. The loop asks before each step.
  [[nodiscard]] bool holds(const Token& token) const;
  [[nodiscard]] ElectionStatus status() const;

  /// A fenced commit under this token told the owner that somebody else leads. `deposed` is called
  /// all the same. Nothing if the token is an older one.
  void resign(const Token& token);

 private:
  void step_once(const std::stop_token& stop);
  void take_requests();
  void publish();

  const std::unique_ptr<LeaseStore> store_;
  const ElectionCallbacks callbacks_;
  const Lease::Now now_;
  Lease lease_;  // the thread's; stop()'s after the thread has ended

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_: what the thread published, and what it was asked for.
  std::optional<Token> token_;
  std::optional<LeaseRow> row_;
  Lease::Time held_until_ = Lease::Time::min();
  bool resign_ = false;

  std::jthread thread_;
};

}  // namespace hmsync::leader
