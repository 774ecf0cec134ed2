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
#include "follower/proof.h"
#include "follower/store.h"

namespace hmsync::follower {

struct Options {
  std::chrono::milliseconds poll_interval{500};
  int32_t batch_events = 10000;
  int64_t batch_bytes = int64_t{32} << 20;
  /// How long a hole in the ids, or a head below the cursor, may last before history counts as
  /// lost.
  std::chrono::milliseconds gap_grace{5000};
  /// How long after it was first seen an event id may still get more events, or late ones below it.
  std::chrono::milliseconds settle{10000};
  int64_t overlap_events = 100;                         ///< most ids that are read again for that
  std::chrono::milliseconds sweep_interval{60000};      ///< between looks at all databases
  double sweep_tables_per_second = 1;                   ///< 0: tables are not swept
  double max_removed = 0.2;                             ///< share of the tables: see Guard
  std::chrono::milliseconds verify_interval{86400000};  ///< between automatic dry runs; 0: none
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
  StoredObjects& stored;
  Expected& expected;
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
