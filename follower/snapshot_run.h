// One snapshot from its begin to the point where staging and live state can be compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "follower/batch.h"
#include "follower/follower.h"

namespace hmsync::follower {

/// Why a snapshot is taken, and what becomes of it.
struct SnapshotPurpose {
  std::string reason;             ///< initial, gap, reset, re_read, resync, dry_run
  bool unbroken = false;          ///< no event is missing: the live state goes on meanwhile
  bool raise_generation = false;  ///< after a reset
  std::optional<ResyncRequest> request;
};

/// Reads the metastore page by page into a staging of its own, then applies to it the events since
/// its start, until it stands where the metastore stood after the last object was read. Any error
/// ends it: the owner drops it, and the live state goes on serving.
class SnapshotRun {
 public:
  /// Reads the head, from which on events are replayed, and begins the staging.
  SnapshotRun(const Ports& ports, const Options& options, SnapshotPurpose purpose);

  /// One page read and staged, or one page of events replayed. True once the staging is ready.
  bool step();
  /// While reading, the live state may follow on; from then on it waits for the staging.
  [[nodiscard]] bool still_reading() const { return stream_ != nullptr; }
  /// An event that must be there is not yet: the next step may wait.
  [[nodiscard]] bool waits_for_hole() const { return hole_since_.has_value(); }
  /// Asks for the staging to be carried on, if it stands before this event.
  void go_on_to(int64_t event);

  /// The event that the staging reflects, once ready.
  [[nodiscard]] int64_t event() const { return position_; }
  [[nodiscard]] int64_t begun_at() const { return begun_at_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const SnapshotPurpose& purpose() const { return purpose_; }
  [[nodiscard]] SnapshotProgress progress() const;
  [[nodiscard]] std::chrono::steady_clock::duration age() const;

 private:
  void stage_next_page();
  void replay_next_events();
  void replay(const std::vector<PlannedEvent>& events);
  void replay_unreadable(const PlannedEvent& planned);
  void re_read(const Scope& scope);
  void wait_for_hole(int64_t missing);

  const Ports& ports_;
  const Options& options_;
  const SnapshotPurpose purpose_;
  const std::chrono::steady_clock::time_point begun_;

  int64_t begun_at_ = 0;
  int64_t position_ = 0;  ///< last event replayed
  int64_t target_ = 0;    ///< replay goes on to this head
  bool ready_ = false;
  bool re_read_since_target_ = false;
  std::optional<std::chrono::steady_clock::time_point> hole_since_;
  std::string id_;
  std::unique_ptr<SnapshotStream> stream_;
};

}  // namespace hmsync::follower
