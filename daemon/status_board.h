// What the daemon knows of itself and of the leader, in memory: the answer to /v1/status, /leader
// and /metrics within a second, whatever is down.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/problem.h"
#include "follower/clock.h"
#include "follower/observer.h"
#include "follower/store.h"

namespace hmsync::daemon {

struct LastError {
  double time = 0;  ///< seconds since 1970
  std::string message;
};

/// A consistent copy of what the board shows. Moments are seconds since 1970.
struct Status {
  std::string server;
  std::string instance;
  std::string version;
  bool leads = false;
  int64_t epoch = 0;
  std::string leader;  ///< instance; empty: nobody
  std::optional<double> leader_since;
  int64_t generation = 0;
  std::optional<int64_t> cursor;
  std::optional<int64_t> head;
  std::optional<int64_t> lag_events;
  /// Age of the last moment when a freshly read head was found applied; nothing if never.
  std::optional<double> lag_seconds;
  follower::Phase phase = follower::Phase::starting;
  std::optional<follower::SnapshotProgress> snapshot;
  int64_t quarantined = 0;
  int64_t suspended_grants = 0;
  follower::EventCounts totals;
  std::string metastore_uri;
  std::string metastore_uuid;
  std::string metastore_version;
  std::optional<LastError> last_error;
  std::optional<follower::Pause> paused;
  std::vector<Problem> problems;  ///< in the order of their codes
};

/// What the store tells of whoever leads.
struct StoreView {
  int64_t commit_number = 0;  ///< what it reflects
  int64_t generation = 0;
  std::optional<int64_t> cursor;
  std::optional<int64_t> head;
  /// Seconds, by the database's clock alone: it may differ from ours.
  std::optional<double> caught_up_ago;
  follower::Phase phase = follower::Phase::starting;
  std::string metastore_uuid;
  int64_t quarantined = 0;
  int64_t suspended_grants = 0;
  follower::EventCounts totals;
  std::optional<follower::Pause> paused;
};

/// Who met a problem. Each takes back only its own: that the watcher reaches the database does not
/// say that the loop does.
enum class Reporter { loop, watchdog, election, watcher, refresher, start, proof };

/// Thread-safe; never blocks for longer than a copy takes.
class StatusBoard {
 public:
  StatusBoard(std::string server, std::string instance, std::string version,
              const follower::Clock& clock);

  void polled(const follower::PollReport& report);
  void applied(const follower::BatchReport& report);
  void snapshot(const follower::SnapshotReport& report);
  /// True where this reporter's problem is new, or its message another: worth a line in the log.
  bool failed(Reporter reporter, ProblemCode code, const std::string& message);
  void cured(Reporter reporter, ProblemCode code);
  /// Takes back all that it reported; cure_store() only what it said of the database.
  void forget(Reporter reporter);
  void cure_store(Reporter reporter);

  void elected(int64_t epoch);
  /// What the loop told of itself is not shown any more; what the store tells is.
  void deposed();
  /// The lease row; `held`: somebody has it now.
  void saw_lease(const std::string& instance, double since, int64_t epoch, bool held);
  /// A head that was asked for at `asked` by somebody else than the loop.
  void saw_head(int64_t head, std::chrono::steady_clock::time_point asked);
  /// On a leader only what the loop does not know better, or later.
  void saw_store(const StoreView& view);
  void saw_metastore(const std::string& uri, const std::string& version);

  [[nodiscard]] Status status() const;
  [[nodiscard]] bool leads() const;
  struct HeadSeen {
    int64_t head;
    std::chrono::steady_clock::time_point asked;
  };
  /// The last answer of the metastore to this process.
  [[nodiscard]] std::optional<HeadSeen> head_seen() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void note_position(std::optional<int64_t> cursor, int64_t generation);
  void note_head(int64_t head, Time asked);
  void note_caught_up(int64_t head, Time asked);
  void note_moment(Time caught_up);
  void note_counts(int64_t quarantined, int64_t suspended_grants);
  [[nodiscard]] std::vector<Problem> problems() const;

  const follower::Clock& clock_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  Status facts_;                 ///< lag and problems are worked out when asked for
  bool loop_reported_ = false;   ///< in this term
  std::optional<Time> head_at_;  ///< when the head shown was asked for
  std::optional<Time> caught_up_;
  int64_t counted_ = -1;  ///< the commit up to which totals and quarantined tell
  double quarantine_since_ = 0;
  double suspended_since_ = 0;
  std::map<std::pair<ProblemCode, Reporter>, Problem> reported_;
};

}  // namespace hmsync::daemon
