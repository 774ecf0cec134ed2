// Which snapshot is taken when, and what becomes of it: at most one of everything and one of some
// objects at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "follower/snapshot_run.h"
#include "follower/sweep.h"
#include "follower/term.h"

namespace hmsync::follower {

class SnapshotRuns {
 public:
  explicit SnapshotRuns(Term& term);

  /// The next piece of work; true while there is more to do at once.
  bool advance(const Orders& orders);
  /// The live state may not be carried beyond this event: a staging stands there.
  [[nodiscard]] std::optional<int64_t> limit() const;
  /// One of everything is being taken.
  [[nodiscard]] bool whole_runs() const { return whole_.run != nullptr; }
  /// Lost history that the guard keeps from being replaced.
  [[nodiscard]] bool refused() const { return refused_.has_value(); }

  void drop();
  /// Removes what is staged and not needed any more.
  void clear_staging();
  /// Lost history makes what was staged worthless, and asks for another snapshot at once.
  void history_was_lost();
  void history_is_back();
  /// Answers all of them so.
  void refuse_requests(const Orders& orders, const std::string& reason);
  /// Tells the store what became of requests; kept until it has taken them.
  void finish_requests();
  /// The state was read again: whether a publication whose answer was lost went through.
  void judge_publication();

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Slot {
    std::unique_ptr<SnapshotRun> run;
    int failures = 0;
    int refusals = 0;
    Time next{};  ///< not before that, after a failure, or a refusal of everything
    /// Where the live state stood when it was last seen to be behind the staging.
    std::optional<int64_t> waiting_at;
  };
  /// What the guard said, and when a cheap look may find that the tables are there again.
  struct Refused {
    std::string reason;
    int64_t stored_tables = 0;
    Time next_look{};
    std::chrono::minutes delay{1};
  };

  bool advance(Slot& slot, std::optional<SnapshotPurpose> purpose);
  std::optional<SnapshotPurpose> whole_purpose(const Orders& orders);
  std::optional<SnapshotPurpose> broken_purpose(const Orders& orders);
  std::optional<SnapshotPurpose> scoped_purpose(const Orders& orders);
  bool looks_whole_again();
  bool step(Slot& slot);
  bool finish(Slot& slot);
  Published publish(const SnapshotRun& run);
  void published(Slot& slot, const Published& result);
  void refuse(Slot& slot, const Published& result);
  [[nodiscard]] std::optional<Guard> guard(const SnapshotPurpose& purpose);
  void fail(Slot& slot, const Error& error);
  void narrow(const std::vector<Scope>& scopes);
  [[nodiscard]] std::vector<Scope> readable(const std::vector<Scope>& re_reads);
  void end(Slot& slot);
  void end_requests(const SnapshotRun& run, ResyncOutcome outcome);
  void end_request(const ResyncRequest& request, ResyncOutcome outcome);
  void report(const SnapshotRun& run, SnapshotReport::State state, const Difference& difference,
              const std::string& failure);
  std::chrono::milliseconds backoff(int failures);

  Term& term_;
  std::minstd_rand random_;
  Slot whole_;
  Slot scoped_;
  Sweep sweep_;
  Time next_sweep_{};  ///< not before that, after a refusal of some objects
  std::optional<Refused> refused_;
  bool cleared_ = false;            ///< earlier leaders' staging is removed
  std::vector<std::string> stale_;  ///< whose staging is still to be removed
  /// Between looks at what was refused.
  static constexpr std::chrono::minutes kLongestLook{60};
  static constexpr size_t kMostReReads = SIZE_MAX;
  size_t most_re_reads_ = kMostReReads;  ///< at once: fewer while one of them may be unreadable
  std::map<Scope, Time> unreadable_;     ///< until when they are passed over
  std::optional<Time> next_verify_;
  /// The commit number that a publication started from whose reply was not read yet.
  std::optional<int64_t> publishing_at_;
  std::deque<std::pair<Time, int64_t>>
      lost_tables_;  ///< by sweeps and scoped resyncs, an hour back
  std::vector<std::pair<int64_t, ResyncOutcome>> ended_;  ///< to be told to the store
};

}  // namespace hmsync::follower
