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

  struct Arrival {
    std::shared_ptr<Exchange> exchange;
    int64_t event;
    Time arrived;
    Time deadline;
  };
  [[nodiscard]] std::vector<Arrival> take_arrivals();
  /// `position` was read after take_arrivals().
  void admit(std::vector<Arrival> arrivals, follower::ReadablePosition position);
  void refuse(const std::vector<Arrival>& arrivals, const std::string& why);
  void expire(Time now);
  /// Everybody is answered that the daemon stops, those that come later too.
  void abandon_all();

  [[nodiscard]] size_t size() const;
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  uint64_t add(const Arrival& arrival, int64_t generation);

  const size_t max_waiters_;
  const std::function<void()> kick_;
  mutable std::mutex mutex_;
  follower::Waiters waiters_;      ///< guarded by mutex_
  std::vector<Arrival> arrivals_;  ///< guarded by mutex_
  bool stopping_ = false;          ///< guarded by mutex_
};

}  // namespace hmsync::daemon
