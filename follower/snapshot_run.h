// One snapshot, of everything or of some objects, from its begin to the point where staging and
// live state can be compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "follower/batch.h"
#include "follower/event_window.h"
#include "follower/term.h"

namespace hmsync::follower {

/// Why a snapshot is taken, and what becomes of it.
struct SnapshotPurpose {
  std::string reason;             ///< as SnapshotReport::reason
  std::vector<Scope> scopes;      ///< none: everything
  bool unbroken = false;          ///< no event is missing: the live state goes on meanwhile
  bool raise_generation = false;  ///< after a reset
  bool dry_run = false;
  bool guarded = true;
  std::vector<ResyncRequest> requests;  ///< which this one answers
};

/// Reads the metastore page by page into a staging of its own, then applies to it the events since
/// its start, until it stands where the metastore stood after the last object was read. What those
/// events leave doubtful is read again after the switch, when no load can keep it from being
/// reached. Any error ends it: the owner drops it, and the live state goes on serving.
class SnapshotRun {
 public:
  /// Events after the head that was read last are replayed.
  SnapshotRun(Term& term, SnapshotPurpose purpose);

  /// One page read and staged, or one page of events replayed. True once the staging is ready.
  bool step();
  /// While reading, the live state may follow on; from then on it waits for the staging.
  [[nodiscard]] bool still_reading() const { return stream_ != nullptr; }
  /// An event that must be there is not yet: the next step may wait.
  [[nodiscard]] bool waits_for_hole() const { return hole_.running(); }
  /// Asks for the staging to be carried on, if it stands before this event.
  void go_on_to(int64_t event);
  /// Asks for more objects to be read.
  void widen(const std::vector<Scope>& scopes);

  /// The event that the staging reflects, once ready.
  [[nodiscard]] int64_t event() const { return position_; }
  [[nodiscard]] int64_t begun_at() const { return begun_at_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const SnapshotPurpose& purpose() const { return purpose_; }
  [[nodiscard]] SnapshotProgress progress() const;
  [[nodiscard]] std::chrono::steady_clock::duration age() const;
  /// Of a broken history: the last events before its begin, and those replayed.
  [[nodiscard]] std::vector<processor::EventDigest> digests() const { return window_.digests(); }

 private:
  void remember_before_begin();
  void stage_next_page();
  void replay_next_events();
  void replay(const std::vector<PlannedEvent>& events);
  void replay(const processor::Mutation& mutation);
  void keep(const processor::Claim& claim, bool read_anew);
  void wait_for_hole(int64_t missing);

  Term& term_;
  SnapshotPurpose purpose_;
  const std::chrono::steady_clock::time_point begun_;

  int64_t begun_at_ = 0;
  int64_t position_ = 0;  ///< last event replayed
  int64_t target_ = 0;    ///< replay goes on to this head
  bool ready_ = false;
  EventWindow window_;
  Grace hole_;
  std::string id_;
  std::unique_ptr<SnapshotStream> stream_;

  std::vector<processor::Mutation> mutations_;  ///< of the page that is replayed
  std::vector<processor::Claim> claims_;        ///< the same
};

}  // namespace hmsync::follower
