#include "follower/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "follower/batch.h"
#include "follower/live_stream.h"
#include "follower/newest_event.h"
#include "follower/snapshot_runs.h"
#include "follower/term.h"
#include "processor/claim.h"

namespace hmsync::follower {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// A metastore changes its listener only when it is restarted.
constexpr auto kListenerInterval = std::chrono::minutes(1);
/// How often one that was refused is asked whether the old history is there again.
constexpr auto kRecoveryInterval = std::chrono::seconds(5);
constexpr int kKnownTables = 5;
constexpr int32_t kMostOfOneId = 100;

bool is_another_metastore(const Error& error) {
  return dynamic_cast<const AnotherMetastore*>(&error) != nullptr;
}

}  // namespace

milliseconds jittered_backoff(const Options& options, int failures, std::minstd_rand& random) {
  milliseconds delay = options.first_backoff;
  for (int i = 0; i < failures && delay < options.longest_backoff; ++i) delay *= 2;
  delay = std::min(delay, options.longest_backoff);
  const double share = 0.5 + 0.5 * std::generate_canonical<double, 16>(random);
  return milliseconds{static_cast<int64_t>(static_cast<double>(delay.count()) * share)};
}

class Follower::Impl {
 public:
  Impl(const Ports& ports, const Options& options, Token token)
      : term_(ports, options, std::move(token)),
        random_(static_cast<std::minstd_rand::result_type>(options.jitter_seed)),
        stream_(term_),
        runs_(term_) {}

  milliseconds step();
  void set_poll_interval(milliseconds interval) { term_.options.poll_interval = interval; }

 private:
  milliseconds work();
  void load_state();
  void expect_this_metastore();
  void flush_notes();
  void retry(const Orders& orders);
  milliseconds stay_paused(const Orders& orders);
  void look_at_metastore(const Orders& orders);
  void look_at_identity();
  void look_at_listener();
  void look_for_old_history();
  bool shows_old_history();
  bool follow(const Orders& orders);
  void answer_polls();
  void trim_logs();
  void report_poll(Phase phase, const Orders& orders, TimePoint begun);
  [[nodiscard]] Phase phase() const;

  Term term_;
  std::minstd_rand random_;
  LiveStream stream_;
  SnapshotRuns runs_;

  bool identity_known_ = false;
  Grace another_;
  std::optional<int64_t> answering_;  ///< so many polls, by the whole look that is under way
  bool metastore_answered_ = false;
  bool paused_ = false;
  bool in_snapshots_ = false;
  bool follow_failed_ = false;
  int failures_ = 0;
  TimePoint next_trim_{};
  TimePoint next_listener_look_{};
  TimePoint next_recovery_look_{};
};

milliseconds Follower::Impl::step() {
  Observer& observer = term_.ports.observer;
  try {
    const milliseconds wait = work();
    if (!std::exchange(follow_failed_, false)) failures_ = 0;
    observer.entered(Step::idle);
    return wait;
  } catch (const Error& error) {
    // A commit whose reply was lost, or a fence that failed under our own token: only the row that
    // is read anew tells.
    const bool knew_state = term_.state.has_value();
    term_.state.reset();
    answering_.reset();
    metastore_answered_ = false;
    // What reads objects may fail for long, and tells nothing of the log.
    if (!std::exchange(in_snapshots_, false)) stream_.forget_graces();
    if (!is_another_metastore(error)) another_.clear();
    if (error.kind() == ErrorKind::fenced && !knew_state) throw;
    observer.failed(error);
    observer.entered(Step::idle);
    return error.kind() == ErrorKind::fatal ? term_.options.longest_backoff
                                            : jittered_backoff(term_.options, failures_++, random_);
  }
}

milliseconds Follower::Impl::work() {
  const TimePoint begun = term_.now();
  if (!term_.state) load_state();
  runs_.finish_requests();
  flush_notes();
  term_.ports.observer.entered(Step::read_orders);
  const Orders orders = term_.ports.orders.pending();
  if (orders.revokes_due) {
    term_.ports.orders.repeat_revokes(term_.fence());
    term_.committed();
    return milliseconds{0};  // what waited for it may go on
  }
  // Whether the listener is a plain one is to be known first.
  if (!orders.retries.empty() && next_listener_look_ != TimePoint{}) {
    retry(orders);
    return milliseconds{0};  // what they name is to be read again now
  }
  if (orders.pause) return stay_paused(orders);
  // Told before the metastore is asked, which may take long or fail.
  if (std::exchange(paused_, false)) report_poll(phase(), orders, begun);

  look_at_metastore(orders);
  bool more = false;
  try {
    more = follow(orders);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::fenced || orders.resyncs.empty()) throw;
    // Requests are answered all the same.
    follow_failed_ = true;
    term_.ports.observer.failed(error);
    answering_.reset();
    load_state();
  }
  in_snapshots_ = true;
  if (runs_.advance(orders)) more = true;
  in_snapshots_ = false;
  if (follow_failed_) return jittered_backoff(term_.options, failures_++, random_);
  if (!term_.state) load_state();
  report_poll(phase(), orders, begun);
  if (!more) trim_logs();
  return more ? milliseconds{0} : term_.options.poll_interval;
}

void Follower::Impl::load_state() {
  term_.ports.observer.entered(Step::read_state);
  FollowerState state = term_.ports.events.state();
  if (state.token != term_.token) {
    throw Error(ErrorKind::fenced,
                fmt::format("the store's writer is now of epoch {}, this one is of epoch {}: "
                            "another instance leads",
                            state.token.epoch, term_.token.epoch));
  }
  term_.state = std::move(state);
  runs_.judge_publication();
  stream_.restart();
  identity_known_ = false;
  if (term_.live()) expect_this_metastore();
}

// Connections prove themselves by this from now on.
void Follower::Impl::expect_this_metastore() {
  Expectation expectation;
  expectation.uuid = term_.state->metastore_uuid;
  expectation.cursor = term_.cursor();
  expectation.digests = stream_.digests_of(term_.cursor());
  if (expectation.uuid.empty()) expectation.tables = term_.ports.stored.some_tables(kKnownTables);
  term_.ports.expected.set(std::move(expectation));
}

void Follower::Impl::flush_notes() {
  if (term_.notes.empty()) return;
  term_.ports.events.note(term_.fence(), term_.notes);
  term_.committed();
  term_.notes.clear();
}

// What can be read by now is read again from the metastore: its place in the order is gone.
void Follower::Impl::retry(const Orders& orders) {
  for (const RetryRequest& request : orders.retries) {
    std::vector<Retried> outcomes;
    for (const processor::Event& event : term_.ports.orders.quarantined(request.event)) {
      const PlannedEvent planned = plan_retry(event, term_.plain_listener);
      outcomes.push_back({planned.claims, planned.reason});
    }
    term_.ports.orders.retried(term_.fence(), request, outcomes);
    term_.committed();
  }
}

milliseconds Follower::Impl::stay_paused(const Orders& orders) {
  const TimePoint begun = term_.now();
  paused_ = true;
  runs_.drop();
  runs_.clear_staging();
  stream_.forget_graces();
  runs_.refuse_requests(orders, fmt::format("paused by {}; resume first", orders.pause->by));
  runs_.finish_requests();
  report_poll(Phase::paused, orders, begun);
  if (orders.retries.empty()) return term_.options.poll_interval;
  // They wait for it, paused or not.
  term_.ports.observer.entered(Step::read_head);
  look_at_listener();
  return milliseconds{0};
}

void Follower::Impl::look_at_metastore(const Orders& orders) {
  term_.ports.observer.entered(Step::read_head);
  try {
    // A revoke may wait to learn what is the newest event.
    term_.head = orders.revoke_ahead ? newest_event(term_.ports.log) : term_.ports.log.head();
  } catch (const AnotherMetastore& error) {
    if (term_.live()) {
      if (!another_.over(term_, term_.options.gap_grace)) throw;
      term_.lose_history("reset", term_.cursor(), error.what());
      runs_.history_was_lost();
    } else {
      // The one that was to take its place is gone, perhaps for the right one.
      runs_.drop();
      next_recovery_look_ = {};
    }
    term_.ports.expected.set({});
    identity_known_ = false;
    term_.head = term_.ports.log.head();
  } catch (const Error&) {
    stream_.metastore_was_away();
    throw;
  }
  another_.clear();
  metastore_answered_ = true;
  if (!identity_known_) look_at_identity();
  if (term_.now() >= next_listener_look_) look_at_listener();
  if (runs_.refused() && term_.now() >= next_recovery_look_) look_for_old_history();
}

void Follower::Impl::look_at_identity() {
  term_.metastore_uuid = term_.ports.log.uuid().value_or("");
  identity_known_ = true;
  const std::string& stored = term_.state->metastore_uuid;
  if (!term_.live()) {
    if (term_.broken && !term_.broken->raise_generation) return;
    // What takes its place is read from one metastore, whatever other addresses lead to.
    Expectation candidate;
    candidate.uuid = term_.metastore_uuid;
    term_.ports.expected.set(std::move(candidate));
    return;
  }
  if (stored.empty() || term_.metastore_uuid.empty() || stored == term_.metastore_uuid) return;
  term_.lose_history("reset", term_.cursor(),
                     fmt::format("the metastore's database is now {}, it was {}: its ids cannot be "
                                 "compared, a snapshot is taken",
                                 term_.metastore_uuid, stored));
  runs_.history_was_lost();
  term_.ports.expected.set({});
}

void Follower::Impl::look_at_listener() {
  const bool plain = term_.ports.log.plain_listener();
  metastore_answered_ = true;
  next_listener_look_ = term_.now() + kListenerInterval;
  if (plain && !term_.plain_listener) {
    term_.tell(Notice::Kind::plain_listener, term_.state->cursor.value_or(0),
               "the metastore's notification listener is not transactional: it logs operations "
               "that are then refused, so whatever an event names is read again before it counts; "
               "set hive.metastore.transactional.event.listeners to DbNotificationListener");
  }
  term_.plain_listener = plain;
}

// A wrong metastore, or a broken copy, may give way to the right one again, which another address
// may lead to.
void Follower::Impl::look_for_old_history() {
  next_recovery_look_ = term_.now() + kRecoveryInterval;
  if (!term_.broken || !term_.broken->raise_generation) return;
  term_.ports.observer.entered(Step::read_orders);
  expect_this_metastore();
  bool same = false;
  try {
    same = shows_old_history();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::transient) throw;
  }
  if (!same) {
    term_.ports.expected.set({});
    term_.ports.observer.entered(Step::read_head);
    term_.head = term_.ports.log.head();
    return look_at_identity();
  }
  term_.broken.reset();
  runs_.history_is_back();
  look_at_identity();
  term_.tell(Notice::Kind::recovered, term_.cursor(),
             "the metastore shows the history again that was followed; it is followed on");
}

bool Follower::Impl::shows_old_history() {
  const auto digests = stream_.digests_of(term_.cursor());
  if (digests.empty()) return false;
  term_.ports.observer.entered(Step::read_head);
  term_.head = term_.ports.log.head();
  if (term_.head < term_.cursor()) return false;
  term_.ports.observer.entered(Step::read_events);
  const EventPage page = term_.ports.log.events({term_.cursor() - 1, kMostOfOneId});
  return std::any_of(page.events.begin(), page.events.end(), [&](const auto& event) {
    return std::find(digests.begin(), digests.end(), processor::digest(event)) != digests.end();
  });
}

bool Follower::Impl::follow(const Orders& orders) {
  if (!term_.live()) return false;
  std::optional<int64_t> limit = runs_.limit();
  if (limit && *limit <= term_.cursor()) return false;
  if (orders.revoke_ahead) {
    limit = std::min(limit.value_or(*orders.revoke_ahead), *orders.revoke_ahead);
  }
  if (!answering_ && orders.polls_asked > orders.polls_answered) {
    answering_ = orders.polls_asked;
    stream_.begin_whole_look();
  }
  const int64_t before = term_.cursor();
  const bool more = stream_.poll(limit, orders.re_reads);
  if (!term_.live()) {
    answering_.reset();
    runs_.history_was_lost();
    if (term_.broken->raise_generation) term_.ports.expected.set({});
    return true;
  }
  if (term_.cursor() != before && term_.state->metastore_uuid.empty()) {
    Expectation expectation = term_.ports.expected.get();
    expectation.cursor = term_.cursor();
    expectation.digests = stream_.digests_of(term_.cursor());
    term_.ports.expected.set(std::move(expectation));
  }
  answer_polls();
  return more || (term_.cursor() != before && orders.revoke_ahead == term_.cursor());
}

// What a whole look showed is readable, but for what is still to be read again: that holds up
// whoever waits by itself.
void Follower::Impl::answer_polls() {
  if (!answering_ || !stream_.whole_look_is_applied()) return;
  term_.ports.observer.entered(Step::read_orders);
  term_.ports.events.answer_polls(*answering_);
  answering_.reset();
}

// While there is nothing else to do, and a bounded number of rows at a time.
void Follower::Impl::trim_logs() {
  if (term_.now() < next_trim_) return;
  next_trim_ = term_.now() + term_.options.trim_interval;  // also where it fails
  term_.ports.observer.entered(Step::trim_logs);
  const bool more = term_.ports.events.trim(term_.fence());
  term_.committed();
  if (more) next_trim_ = {};
}

void Follower::Impl::report_poll(Phase phase, const Orders& orders, TimePoint begun) {
  PollReport report;
  report.phase = phase;
  report.state = *term_.state;
  report.head = term_.head;
  report.pause = orders.pause;
  report.pending_re_reads = static_cast<int64_t>(orders.re_reads.size());
  report.plain_listener = term_.plain_listener;
  report.metastore_answered = std::exchange(metastore_answered_, false);
  report.took = term_.now() - begun;
  term_.ports.observer.polled(report);
}

Phase Follower::Impl::phase() const {
  if (term_.live()) return Phase::following;
  return runs_.whole_runs() ? Phase::snapshot : Phase::waiting;
}

Follower::Follower(const Ports& ports, const Options& options, Token token)
    : impl_(std::make_unique<Impl>(ports, options, std::move(token))) {}
Follower::~Follower() = default;

milliseconds Follower::step() { return impl_->step(); }

void Follower::set_poll_interval(milliseconds interval) { impl_->set_poll_interval(interval); }

}  // namespace hmsync::follower
