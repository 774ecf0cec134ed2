// The log, the metrics and the status board of one daemon, and how they feed each other.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "daemon/configuration.h"
#include "daemon/logging.h"
#include "daemon/loop_observer.h"
#include "daemon/loop_watchdog.h"
#include "daemon/rewind_judge.h"
#include "daemon/status_board.h"
#include "daemon/store_observer.h"
#include "daemon/system_clock.h"
#include "hmsclient/options.h"
#include "leader/election.h"
#include "metrics/daemon_probe.h"
#include "metrics/exposition.h"
#include "metrics/follower_probe.h"
#include "metrics/leader_probe.h"
#include "metrics/metastore_probe.h"
#include "metrics/snapshot_probe.h"
#include "metrics/store_probe.h"

namespace hmsync::daemon {

/// Thread-safe, as its parts are.
struct Instruments {
  /// `commit_due` and `commit_sent` are called by the loop's connection; may be empty.
  Instruments(const Configuration& configuration, std::function<void()> commit_due = {},
              std::function<void()> commit_sent = {});

  SystemClock clock;
  metrics::Exposition exposition;
  metrics::DaemonProbe daemon_probe;
  metrics::FollowerProbe follower_probe;
  metrics::LeaderProbe leader_probe;
  metrics::MetastoreProbe metastore_probe;
  metrics::SnapshotProbe snapshot_probe;
  metrics::StoreProbe store_probe;
  Log log;
  StatusBoard board;
  LoopWatchdog watchdog;
  StoreObserver loop_store_observer;
  StoreObserver store_observer;  ///< of all other connections
  RewindJudge rewinds;

  [[nodiscard]] hmsclient::CallObserver call_observer();
  /// An address that leads elsewhere is a problem until it leads here, whatever others do.
  [[nodiscard]] hmsclient::ProofObserver proof_observer();
  [[nodiscard]] LoopObserver::Parts loop_observer_parts();

  void saw_lease(const leader::ElectionStatus& status);
  void saw_store(const StoreView& view);
  /// What the store told, asked for after `mark`.
  void saw_progress(const RewindJudge::Mark& mark, const store::StoreProgress& found);
  /// A rewind is shown as a problem for a day.
  void judge_rewinds();
  /// The head was asked for beside the loop.
  void saw_head();
  /// Told once in the log, and shown until cured.
  void failed(Reporter reporter, ProblemCode code, const Error& error);
  /// Whether the loop gets on, as a problem.
  void judge_loop();

 private:
  void saw_proof(const std::string& uri, const std::string& against);

  std::mutex proofs_mutex_;
  std::map<std::string, std::string> elsewhere_;  ///< guarded by proofs_mutex_: why, by address
};

/// Host and process, as people tell instances apart.
std::string instance_name();

}  // namespace hmsync::daemon
