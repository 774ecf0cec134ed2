// What the loop tells about itself: to metrics, the log, the status and the loop's own watchdog.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "follower/store.h"
#include "processor/error.h"

namespace hmsync::follower {

/// Where the loop is. Each is entered just before the port call that it names.
enum class Step {
  idle,
  read_orders,
  read_state,
  read_head,
  read_events,
  apply_batch,
  batch_applied,
  read_snapshot_page,
  stage_snapshot_page,
  replay_on_staging,
  compare_snapshot,
  publish_snapshot,
  snapshot_published,
  clear_staging,
  finish_request,
  trim_logs,
};

const char* to_string(Step step);

enum class Phase { starting, snapshot, following, paused, waiting };

const char* to_string(Phase phase);

/// After each successful look at the metastore's head.
struct PollReport {
  Phase phase = Phase::following;
  FollowerState state;
  int64_t head = 0;
  std::optional<Pause> pause;
  int64_t pending_re_reads = 0;  ///< not more than 500
  bool plain_listener = false;
  bool metastore_answered = true;  ///< since the last report; while paused it is seldom asked
  std::chrono::steady_clock::duration took{};
};

/// After each committed batch.
struct BatchReport {
  FollowerState state;
  EventCounts counts;
  std::map<std::string, int64_t> applied_by_type;
  std::map<std::string, int64_t> ignored_by_type;
  std::map<std::string, int64_t> quarantined_by_type;
  int64_t mutations = 0;
  std::chrono::steady_clock::duration took{};
};

struct SnapshotReport {
  enum class State { running, published, compared, refused, failed, dropped };
  State state = State::running;
  std::string reason;  ///< initial, gap, reset, resync, dry_run, verify, re_read, sweep
  SnapshotProgress progress;
  int64_t begun_at = 0;   ///< the head when it began: later events are replayed on it
  int64_t event = 0;      ///< when it is over
  Difference difference;  ///< when it is over
  std::string failure;    ///< when it failed or was refused
  std::chrono::steady_clock::duration took{};
};

/// Something that operators are told of: a metric, a log line and an audit row each.
struct Notice {
  enum class Kind {
    gap,             ///< an id is missing from the log
    reset,           ///< another history
    poison,          ///< an event was set aside
    late,            ///< an event came under an id that was passed already
    shared_id,       ///< several events have one id
    refuted,         ///< an event told of what did not happen; the store audits it
    drift,           ///< a look at the metastore found what no event told
    recovered,       ///< the history that counted as lost is there after all
    plain_listener,  ///< the metastore logs operations that it then refuses
  };
  Kind kind = Kind::gap;
  int64_t event = 0;
  std::string text;
};

/// As it is called in the audit: "gap", "late", "shared_id", ...
const char* to_string(Notice::Kind kind);

/// Called by the loop's thread; must not throw and must not block.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void entered(Step step) = 0;
  virtual void polled(const PollReport& report) = 0;
  virtual void applied(const BatchReport& report) = 0;
  virtual void snapshot(const SnapshotReport& report) = 0;
  virtual void noticed(const Notice& notice) = 0;
  virtual void failed(const Error& error) = 0;
};

}  // namespace hmsync::follower
