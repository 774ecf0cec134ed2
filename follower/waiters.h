// Who waits for which event. Pure bookkeeping: no thread, lock or clock; its owner guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace hmsync::follower {

enum class WaitEnd {
  reached,
  timed_out,
  reset,      ///< the generation changed: the id means nothing any more
  abandoned,  ///< the daemon stops
};

/// Up to where effects are readable.
struct ReadablePosition {
  int64_t generation = 0;
  int64_t cursor = 0;
};

class Waiters {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Called exactly once, by whichever of the verbs below ends the wait; must not throw.
  using Done = std::function<void(WaitEnd, ReadablePosition)>;

  /// The ticket to forget() it by. The caller checks the database after this, and calls advance().
  uint64_t add(int64_t generation, int64_t event, Time deadline, Done done);
  /// Who went away: its Done is not called.
  void forget(uint64_t ticket);
  void advance(ReadablePosition position);
  void expire(Time now);
  void abandon_all();

  [[nodiscard]] size_t size() const { return waiting_.size(); }
  /// When expire() has something to do next.
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  struct Waiter {
    int64_t generation;
    int64_t event;
    Time deadline;
    Done done;
  };

  template <typename Ended>
  void end_where(const Ended& ended);

  ReadablePosition position_;
  uint64_t next_ticket_ = 1;
  std::map<uint64_t, Waiter> waiting_;
};

}  // namespace hmsync::follower
