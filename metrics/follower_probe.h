// What the loop did and where it stands.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Time as a probe sees it; virtual in tests.
struct Clock {
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<double()> wall_seconds = [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
};

/// Thread-safe. Event types that are not in `known_types` count as `other`.
class FollowerProbe {
 public:
  FollowerProbe(Exposition& exposition, const std::vector<std::string>& known_types,
                Clock clock = {});
  ~FollowerProbe();

  void applied(const std::string& type, int64_t events);
  void ignored(const std::string& type, int64_t events);
  void quarantined(const std::string& type, int64_t events);
  void duplicates(int64_t events);
  void late(int64_t events);
  void shared_ids(int64_t events);
  void refuted(int64_t events);
  void gap();
  void reset();
  /// `kind`: database, table or partition.
  void drift(const std::string& kind, int64_t objects);

  /// A look at the metastore's head took this long and found it at `head`. Where `cursor` is there,
  /// the lag was none at the moment when the look began.
  void polled(int64_t cursor, int64_t head, double took_seconds);
  /// What the store tells on a standby, or after a start: lag goes on from there. Nothing: never
  /// caught up.
  void learned(int64_t cursor, int64_t head, std::optional<double> caught_up_seconds_ago);
  /// Batches only: polled() is not progress.
  void batch_applied(int64_t cursor, int64_t events, double took_seconds);

  void set_paused(bool paused);
  void set_quarantined_now(int64_t events);
  void set_suspended_grants(int64_t grants);
  /// The oldest event that the metastore still has, and how long until it cleans away what has not
  /// been read. Until the first call they are NaN: alerts on them stay silent.
  void set_history(int64_t oldest_event, double headroom_seconds);
  void store_rewound();
  /// An automatic comparison with the metastore has ended; `differences` counts objects.
  void verified(int64_t differences);

 private:
  struct Lag;

  void set_position(int64_t cursor, int64_t head);
  void set_caught_up(double seconds_ago);

  const Clock clock_;
  CounterFamily applied_;
  CounterFamily ignored_;
  CounterFamily quarantined_;
  CounterFamily drift_;
  prometheus::Counter& duplicates_;
  prometheus::Counter& late_;
  prometheus::Counter& shared_ids_;
  prometheus::Counter& refuted_;
  prometheus::Counter& gaps_;
  prometheus::Counter& resets_;
  prometheus::Counter& rewinds_;
  prometheus::Gauge& cursor_;
  prometheus::Gauge& head_;
  prometheus::Gauge& lag_events_;
  prometheus::Gauge& last_progress_;
  prometheus::Gauge& caught_up_;
  prometheus::Gauge& paused_;
  prometheus::Gauge& quarantined_now_;
  prometheus::Gauge& suspended_grants_;
  prometheus::Gauge& oldest_event_;
  prometheus::Gauge& headroom_;
  prometheus::Gauge& verified_;
  prometheus::Gauge& differences_;
  prometheus::Histogram& poll_duration_;
  prometheus::Histogram& batch_duration_;
  prometheus::Gauge& batch_events_;
  const std::shared_ptr<Lag> lag_;
};

}  // namespace hmsync::metrics
