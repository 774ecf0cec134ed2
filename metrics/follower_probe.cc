#include "metrics/follower_probe.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace hmsync::metrics {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

/// Shared with the exposition, which asks for it at each scrape.
struct FollowerProbe::Lag {
  std::mutex mutex;
  std::chrono::steady_clock::time_point caught_up_at;  // guarded by mutex
};

FollowerProbe::FollowerProbe(Exposition& exposition, const std::vector<std::string>& known_types,
                             Clock clock)
    : clock_(std::move(clock)),
      applied_(exposition, "hmsync_events_applied_total",
               "Events whose effects were written to the store.", "type", known_types),
      ignored_(exposition, "hmsync_events_ignored_total",
               "Events of types that change nothing here; the cursor moved past them.", "type",
               known_types),
      quarantined_(exposition, "hmsync_events_quarantined_total",
                   "Events set aside because they could not be understood or applied.", "type",
                   known_types),
      drift_(exposition, "hmsync_drift_found_total",
             "Objects that differed from the metastore without an event, and were repaired.",
             "kind", {"database", "table", "partition"}),
      duplicates_(exposition.counter("hmsync_events_duplicate_total",
                                     "Events read again that had been applied before.")),
      late_(exposition.counter("hmsync_events_late_total",
                               "Events that appeared under an id already passed.")),
      shared_ids_(exposition.counter("hmsync_events_shared_id_total",
                                     "Events that shared their id with another one.")),
      refuted_(exposition.counter("hmsync_events_refuted_total",
                                  "Events whose effect the metastore itself did not confirm.")),
      gaps_(exposition.counter("hmsync_event_gaps_total",
                               "Holes in the event ids that did not fill: a snapshot followed.")),
      resets_(exposition.counter("hmsync_event_resets_total",
                                 "Times that the metastore turned out to have another history.")),
      rewinds_(exposition.counter("hmsync_store_rewinds_total",
                                  "Times that the store had lost commits it had acknowledged: "
                                  "grants and revokes may be undone.")),
      cursor_(exposition.gauge("hmsync_cursor_event_id", "Id of the last event applied.")),
      head_(exposition.gauge("hmsync_head_event_id", "The metastore's last event id.")),
      lag_events_(exposition.gauge("hmsync_lag_events", "Event ids between cursor and head.")),
      last_progress_(exposition.gauge("hmsync_last_progress_timestamp_seconds",
                                      "When a batch was last committed; 0: never.")),
      caught_up_(exposition.gauge("hmsync_caught_up_timestamp_seconds",
                                  "When a freshly read head was last found applied; 0: never.")),
      paused_(exposition.gauge("hmsync_paused", "1 while applying is paused by an operator.")),
      quarantined_now_(exposition.gauge("hmsync_quarantine_events",
                                        "Events in quarantine that wait for an operator.")),
      suspended_grants_(exposition.gauge(
          "hmsync_suspended_grants", "Grants that authorise nothing until restored or purged.")),
      oldest_event_(exposition.gauge("hmsync_oldest_event_id",
                                     "The oldest event that the metastore still has; NaN: not "
                                     "known.")),
      headroom_(exposition.gauge("hmsync_history_headroom_seconds",
                                 "Until the metastore cleans away events that were not read; NaN: "
                                 "not known.")),
      verified_(exposition.gauge("hmsync_verified_timestamp_seconds",
                                 "When the store was last compared with the whole metastore; 0: "
                                 "never.")),
      differences_(exposition.gauge("hmsync_verify_differences",
                                    "Objects that differed in that comparison.")),
      poll_duration_(exposition.histogram("hmsync_poll_duration_seconds",
                                          "Time to ask the metastore for its head and what is new.",
                                          call_seconds())),
      batch_duration_(exposition.histogram("hmsync_batch_apply_duration_seconds",
                                           "Time to apply and commit one batch of events.",
                                           call_seconds())),
      batch_events_(exposition.gauge("hmsync_batch_events", "Events in the last batch.")),
      lag_(std::make_shared<Lag>()) {
  oldest_event_.Set(kUnknown);
  headroom_.Set(kUnknown);
  // Nothing is known of the time before: lag counts from the start.
  lag_->caught_up_at = clock_.now();
  auto& lag_seconds = exposition.gauge(
      "hmsync_lag_seconds",
      "Age of the moment when a freshly read head was last found applied. Grows while metastore, "
      "store or leader is away.");
  exposition.at_scrape([lag = lag_, now = clock_.now, &lag_seconds] {
    const std::lock_guard lock(lag->mutex);
    const std::chrono::duration<double> age = now() - lag->caught_up_at;
    lag_seconds.Set(std::max(0.0, age.count()));
  });
}

FollowerProbe::~FollowerProbe() = default;

void FollowerProbe::applied(const std::string& type, int64_t events) {
  applied_.add(type, static_cast<double>(events));
}

void FollowerProbe::ignored(const std::string& type, int64_t events) {
  ignored_.add(type, static_cast<double>(events));
}

void FollowerProbe::quarantined(const std::string& type, int64_t events) {
  quarantined_.add(type, static_cast<double>(events));
}

void FollowerProbe::duplicates(int64_t events) {
  duplicates_.Increment(static_cast<double>(events));
}

void FollowerProbe::late(int64_t events) { late_.Increment(static_cast<double>(events)); }

void FollowerProbe::shared_ids(int64_t events) {
  shared_ids_.Increment(static_cast<double>(events));
}

void FollowerProbe::refuted(int64_t events) { refuted_.Increment(static_cast<double>(events)); }

void FollowerProbe::gap() { gaps_.Increment(); }

void FollowerProbe::reset() { resets_.Increment(); }

void FollowerProbe::drift(const std::string& kind, int64_t objects) {
  drift_.add(kind, static_cast<double>(objects));
}

void FollowerProbe::set_position(int64_t cursor, int64_t head) {
  cursor_.Set(static_cast<double>(cursor));
  head_.Set(static_cast<double>(head));
  lag_events_.Set(static_cast<double>(std::max<int64_t>(0, head - cursor)));
}

void FollowerProbe::set_caught_up(double seconds_ago) {
  const std::lock_guard lock(lag_->mutex);
  lag_->caught_up_at =
      clock_.now() - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(seconds_ago));
  caught_up_.Set(clock_.wall_seconds() - seconds_ago);
}

void FollowerProbe::polled(int64_t cursor, int64_t head, double took_seconds) {
  poll_duration_.Observe(took_seconds);
  set_position(cursor, head);
  if (cursor >= head) set_caught_up(took_seconds);
}

void FollowerProbe::learned(int64_t cursor, int64_t head,
                            std::optional<double> caught_up_seconds_ago) {
  set_position(cursor, head);
  if (caught_up_seconds_ago) set_caught_up(*caught_up_seconds_ago);
}

void FollowerProbe::batch_applied(int64_t cursor, int64_t events, double took_seconds) {
  batch_events_.Set(static_cast<double>(events));
  batch_duration_.Observe(took_seconds);
  last_progress_.Set(clock_.wall_seconds());
  set_position(cursor, std::max(cursor, static_cast<int64_t>(head_.Value())));
}

void FollowerProbe::set_paused(bool paused) { paused_.Set(paused ? 1 : 0); }

void FollowerProbe::set_quarantined_now(int64_t events) {
  quarantined_now_.Set(static_cast<double>(events));
}

void FollowerProbe::set_suspended_grants(int64_t grants) {
  suspended_grants_.Set(static_cast<double>(grants));
}

void FollowerProbe::set_history(int64_t oldest_event, double headroom_seconds) {
  oldest_event_.Set(static_cast<double>(oldest_event));
  headroom_.Set(headroom_seconds);
}

void FollowerProbe::store_rewound() { rewinds_.Increment(); }

void FollowerProbe::verified(int64_t differences) {
  verified_.Set(clock_.wall_seconds());
  differences_.Set(static_cast<double>(differences));
}

}  // namespace hmsync::metrics
