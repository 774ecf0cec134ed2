// What the loop tells about itself, handed on to the log, the metrics, the status and /livez.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "daemon/logging.h"
#include "daemon/loop_watchdog.h"
#include "daemon/status_board.h"
#include "follower/observer.h"

namespace hmsync::metrics {
class FollowerProbe;
class SnapshotProbe;
}  // namespace hmsync::metrics

namespace hmsync::daemon {

/// How long what the loop waits for may take, as its connections' own time-outs have it.
struct StepLimits {
  std::chrono::milliseconds metastore{0};
  std::chrono::milliseconds store{0};
  std::chrono::milliseconds publish{0};  ///< one long transaction
};

/// All but the watchdog is used by the loop's thread only.
class LoopObserver : public follower::Observer {
 public:
  struct Parts {
    Log& log;
    StatusBoard& board;
    LoopWatchdog& watchdog;
    metrics::FollowerProbe& follower_probe;
    metrics::SnapshotProbe& snapshot_probe;
  };

  /// `hook` may be empty; it is called first at each step.
  LoopObserver(const Parts& parts, const StepLimits& limits,
               std::function<void(follower::Step)> hook);

  void entered(follower::Step step) override;
  void polled(const follower::PollReport& report) override;
  void applied(const follower::BatchReport& report) override;
  void snapshot(const follower::SnapshotReport& report) override;
  void noticed(const follower::Notice& notice) override;
  void failed(const Error& error) override;

  /// The last that was reported.
  [[nodiscard]] follower::Phase phase() const { return phase_; }

 private:
  [[nodiscard]] std::chrono::milliseconds limit(follower::Step step) const;
  void judge_problems(const follower::PollReport& report);
  void summarise();
  void snapshot_over(const follower::SnapshotReport& report);
  void snapshot_refused(const follower::SnapshotReport& report);
  void snapshot_failed(const follower::SnapshotReport& report);
  void count_differences(const follower::SnapshotReport& report);

  const Parts parts_;
  const StepLimits limits_;
  const std::function<void(follower::Step)> hook_;
  follower::Step step_ = follower::Step::idle;  ///< the last that was not idle
  follower::Phase phase_ = follower::Phase::starting;
  bool snapshot_runs_ = false;
  std::string refused_;  ///< the reason of the snapshot that was; empty: none, or cured
  std::string failed_;   ///< the same of the one that failed
  bool plain_listener_ = false;
  // What is routine is logged in sums.
  std::chrono::steady_clock::time_point summarised_ = std::chrono::steady_clock::now();
  int64_t applied_events_ = 0;
  int64_t ignored_events_ = 0;
  int64_t applied_batches_ = 0;
  int64_t shared_ids_ = 0;
  int64_t re_reads_ = 0;         ///< that found something else than is stored
  int64_t re_read_objects_ = 0;  ///< that were something else
  int64_t cursor_ = 0;
  // A failure that lasts is logged once a minute.
  std::string logged_failure_;
  std::chrono::steady_clock::time_point logged_failure_at_;
};

}  // namespace hmsync::daemon
