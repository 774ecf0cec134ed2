// Who waits for which event. Pure bookkeeping: no thread, lock or clock; its owner guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace hmsync::follower {

enum class WaitEnd {
  reached,
  timed_out,
  reset,      ///< the generation changed: the id means nothing any more
  abandoned,  ///< the daemon stops
};

/// Up to where effects are readable, as one look at the store tells.
struct ReadablePosition {
  int64_t generation = 0;
  int64_t cursor = 0;
  /// Ids may be shared (the metastore has no UUID, or was seen to share them): that the cursor is
  /// at an id does not say that all its events are applied. A look at the whole remembered log
  /// does, a poll that was asked for after the waiter came.
  bool polls_needed = false;
  int64_t polls_answered = 0;  ///< of those asked for, by all replicas
};

/// What is waited for.
struct Awaited {
  int64_t event = 0;
  /// The event is below the cursor of this position, which was read before it was asked for: that
  /// cursor is waited for instead, in that generation. Nothing shows yet whether it is of this
  /// history, so a poll is needed, whatever the ids.
  std::optional<ReadablePosition> below = std::nullopt;
};

/// Whether whoever comes, at this position, waits for a poll first.
[[nodiscard]] inline bool needs_poll(const Awaited& awaited, const ReadablePosition& position) {
  return position.polls_needed || awaited.below;
}

/// Thousands at once: each verb's work grows with those that it ends, and with the logarithm of
/// all.
class Waiters {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Called exactly once, by whichever of the verbs below ends the wait; must not throw.
  using Done = std::function<void(WaitEnd, ReadablePosition)>;

  /// The ticket to forget() it by. The caller checks the database after this, and calls advance().
  /// `generation`: the store's when it came.
  uint64_t add(const Awaited& awaited, int64_t generation, Time deadline, Done done);
  /// Whose event is not known yet: only its deadline ends it, or abandon_all(), or forget().
  uint64_t expect(Time deadline, Done done);
  /// Who went away: its Done is not called. False if it was called already.
  bool forget(uint64_t ticket);

  /// Some wait without a poll that they need: one must be asked for, before advance().
  /// `polls_needed`: by all, as the position says.
  [[nodiscard]] bool need_poll(bool polls_needed) const {
    return !(polls_needed ? without_poll_ : unproven_).empty();
  }
  /// Those that need a poll and wait without one wait for this one, too. `polls_needed`: as above.
  void await_poll(int64_t number, bool polls_needed);
  /// The store may have lost what was asked: who waits for a poll that was not answered is again
  /// without one.
  void forget_polls();

  void advance(ReadablePosition position);
  void expire(Time now);
  void abandon_all();

  [[nodiscard]] size_t size() const { return waiting_.size(); }
  /// When expire() has something to do next.
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  /// Generation, event or poll, ticket.
  using Key = std::tuple<int64_t, int64_t, uint64_t>;
  struct Waiter {
    int64_t generation;
    int64_t event;
    Time deadline;
    Done done;
    bool unproven;
    std::optional<int64_t> poll = std::nullopt;  ///< waited for, and not answered yet
  };
  using Told = std::vector<std::pair<Done, WaitEnd>>;

  void end(uint64_t ticket, WaitEnd how, Told& told);
  void put_without_poll(uint64_t ticket, Waiter& waiter);
  void take_out(uint64_t ticket, const Waiter& waiter);
  void remove(uint64_t ticket, const Waiter& waiter);
  void tell(const Told& told);

  ReadablePosition position_;
  uint64_t next_ticket_ = 1;
  std::unordered_map<uint64_t, Waiter> waiting_;
  // Each waiter is in one of these two, unless its event is not known yet:
  std::set<Key> by_event_;
  std::set<Key> by_poll_;  ///< those whose poll is not answered yet
  std::set<std::pair<Time, uint64_t>> by_deadline_;
  std::unordered_set<uint64_t> without_poll_;
  std::unordered_set<uint64_t> unproven_;  ///< of those without a poll
};

}  // namespace hmsync::follower
