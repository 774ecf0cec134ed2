// The loop, as steps over ports. No thread, clock, sleep or socket of its own: several followers, a
// metastore and a store can run in one thread under virtual time and be stopped at every port call.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>

#include "follower/clock.h"
#include "follower/fence.h"
#include "follower/metastore.h"
#include "follower/observer.h"
#include "follower/store.h"

namespace hmsync::follower {

struct Options {
  std::chrono::milliseconds poll_interval{500};
  int32_t batch_events = 10000;
  int64_t batch_bytes = int64_t{32} << 20;
  /// How long a hole in the ids, or a head below the cursor, may last before history counts as
  /// lost.
  std::chrono::milliseconds gap_grace{5000};
  std::chrono::milliseconds first_backoff{100};
  std::chrono::milliseconds longest_backoff{10000};
  std::chrono::minutes trim_interval{60};  ///< between looks for log rows past their retention
  uint64_t jitter_seed = 1;
};

struct Ports {
  NotificationLog& log;
  ObjectReader& objects;
  EventStore& events;
  SnapshotStore& snapshots;
  OrderStore& orders;
  Clock& clock;
  Observer& observer;
};

/// Lives as long as one term of leadership: made with the lease's token, and dropped when it is
/// lost. Used by one thread.
class Follower {
 public:
  Follower(const Ports& ports, const Options& options, Token token);
  ~Follower();

  /// Does the next piece of work and returns how long to wait before the next step; zero while
  /// there is more to do. Transient failures are reported, backed off from and tried again; throws
  /// Error(fenced) when somebody else is the leader.
  std::chrono::milliseconds step();

  void set_poll_interval(std::chrono::milliseconds interval);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hmsync::follower
