// Who waits over HTTP for an event to be readable.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/http_server.h"
#include "follower/waiters.h"

namespace hmsync::daemon {

/// Thread-safe. An arrival becomes a waiter when the store's position has been read after it came,
/// so that it is answered at once where the event is readable already.
class WaitDesk {
 public:
  using Time = follower::Waiters::Time;

  /// `kick` asks whoever reads the position to do so now; must not block.
  WaitDesk(size_t max_waiters, std::function<void()> kick);

  /// Answers the exchange now or later; forgets it when its client leaves. 503 when there are too
  /// many.
  void arrive(const std::shared_ptr<Exchange>& exchange, int64_t event, Time arrived,
              Time deadline);

  /// For a head that is below the cursor of `known`, the position before the head was asked for.
  /// The metastore's log may have been reset, which the loop judges after `gap_grace`: a conflict.
  /// Where the log was cleaned it may also have been written back (follower/newest_event.h): it is
  /// reached once a poll has shown the history that is followed, and all that was applied by then
  /// is readable.
  void arrive_below(const std::shared_ptr<Exchange>& exchange, int64_t head,
                    follower::ReadablePosition known, Time arrived, Time deadline);

  /// Whose event the metastore is still to tell: until then nothing but its deadline is known. 503
  /// and 0 when there are too many; then, and once it is answered, forget() says false.
  uint64_t expect(const std::shared_ptr<Exchange>& exchange, Time arrived, Time deadline);
  /// Whether it was still waiting: its event is known now, or why not.
  bool forget(uint64_t ticket);

  struct Arrival {
    std::shared_ptr<Exchange> exchange;
    follower::Awaited awaited;
    Time arrived;
    Time deadline;
  };
  [[nodiscard]] std::vector<Arrival> take_arrivals();
  /// Whether a poll is to be asked for before these are admitted: one for all that come together,
  /// and for all that waited without one until ids were first seen to be shared. Up to then an id
  /// told the truth as far as anybody could know; from then on none of those who still wait is
  /// released before a poll that began after this look is answered.
  [[nodiscard]] bool needs_poll(const std::vector<Arrival>& arrivals,
                                const follower::ReadablePosition& position) const;
  /// `position` was read after take_arrivals(), and then the poll asked for, where one is needed.
  /// By one thread.
  void admit(std::vector<Arrival> arrivals, follower::ReadablePosition position,
             std::optional<int64_t> poll = std::nullopt);
  /// The store was lost from sight, and may come back without the polls that were asked of it:
  /// those not answered yet are needed anew.
  void forget_polls();
  void refuse(const std::vector<Arrival>& arrivals, const std::string& why);
  void expire(Time now);
  /// Everybody is answered that the daemon stops, those that come later too.
  void abandon_all();

  [[nodiscard]] size_t size() const;
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  [[nodiscard]] const char* refusal_now() const;
  void take(Arrival arrival);
  uint64_t add(const Arrival& arrival, int64_t generation);

  const size_t max_waiters_;
  const std::function<void()> kick_;
  mutable std::mutex mutex_;
  follower::Waiters waiters_;      ///< guarded by mutex_
  std::vector<Arrival> arrivals_;  ///< guarded by mutex_
  bool stopping_ = false;          ///< guarded by mutex_
};

}  // namespace hmsync::daemon
