// Following the log: asks for events, judges their ids and applies them to the live state.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "follower/batch.h"
#include "follower/event_window.h"
#include "follower/term.h"

namespace hmsync::follower {

/// Used while history is unbroken. Lost history is told by Term::broken.
class LiveStream {
 public:
  explicit LiveStream(Term& term);

  /// After the state was read: what it remembers counts as just seen.
  void restart();
  /// What was seen before an outage says nothing of how long it lasted.
  void forget_graces();
  /// The head could not be had either: what cannot be delivered says nothing of an event.
  void metastore_was_away() { undeliverable_.clear(); }

  /// One look; true if more is there now. Nothing above `limit` is applied. `pending`: what is to
  /// be read again.
  bool poll(std::optional<int64_t> limit, const std::vector<Scope>& pending);
  /// From the next poll on everything that is remembered is read again, settled or not. That may
  /// take several polls.
  void begin_whole_look();
  /// It is over, and everything up to the head at its begin, and up to what it showed, is applied.
  [[nodiscard]] bool whole_look_is_applied() const;
  /// Those remembered of one id; empty where none are.
  [[nodiscard]] std::vector<processor::EventDigest> digests_of(int64_t id) const {
    return window_.digests_of(id);
  }

 private:
  void ask_as_much_as_fits(const EventPage& page, int32_t taken);
  std::optional<int64_t> ask_after();
  [[nodiscard]] bool is_partial(const EventPage& page) const;
  std::optional<EventPage> ask(int64_t after);
  [[nodiscard]] std::vector<processor::EventDigest> digests_to_cursor(const EventPage& page) const;
  bool is_other_history(const EventPage& page, std::span<const processor::EventDigest> seen,
                        int64_t after);
  std::vector<PlannedEvent> plan_late(const EventPage& page,
                                      std::span<const processor::EventDigest> seen);
  [[nodiscard]] std::span<const processor::Event> above_cursor(const EventPage& page) const;
  bool wait_for_hole(int64_t missing);
  bool go_back();
  bool apply(std::span<PlannedEvent> events);
  void apply_once(std::span<const PlannedEvent> events);
  void remember(std::span<const PlannedEvent> events);
  [[nodiscard]] std::vector<Notice> notices_of(std::span<const PlannedEvent> events) const;
  void count_shared(const Batch& batch);

  Term& term_;
  EventWindow window_;
  /// When the last look at all that was not settled began. What was first seen less than `settle`
  /// before that may have got more since, however long ago it is.
  std::optional<std::chrono::steady_clock::time_point> looked_at_;
  std::optional<std::chrono::steady_clock::time_point> look_began_;  ///< of one under way
  int32_t ask_;  ///< new events asked for in one call: fewer while they are large
  /// Up to this id an event cannot be delivered any more: what is known is not asked for again.
  int64_t not_again_through_ = 0;
  bool sought_ = false;                 ///< the cursor's event, where none is remembered
  bool given_up_ = false;               ///< history was lost for that, and no answer came since
  std::optional<int64_t> go_on_after_;  ///< a look that is not through yet
  /// Wanted also until an answer shows the history that is followed: behind a head that is back
  /// nothing may be of it.
  enum class WholeLook { none, wanted, under_way };
  WholeLook whole_look_ = WholeLook::none;
  int64_t shown_ = 0;       ///< what the whole look promises
  int64_t shared_ids_ = 0;  ///< events that were not told of yet
  std::optional<std::chrono::steady_clock::time_point> shared_told_;
  Grace hole_;
  Grace backwards_;
  Grace undeliverable_;
};

}  // namespace hmsync::follower
