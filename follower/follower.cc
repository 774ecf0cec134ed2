#include "follower/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "follower/batch.h"
#include "follower/event_order.h"
#include "follower/snapshot_run.h"

namespace hmsync::follower {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// Where to halve: never between two events of one id, whose second half would not be asked for
/// again. 0: they all have one id.
size_t half_between_ids(std::span<const PlannedEvent> events) {
  const auto id = [&](size_t i) { return events[i].event->id; };
  for (size_t at = events.size() / 2; at > 0; --at) {
    if (id(at) != id(at - 1)) return at;
  }
  for (size_t at = events.size() / 2 + 1; at < events.size(); ++at) {
    if (id(at) != id(at - 1)) return at;
  }
  return 0;
}

/// History that is lost, and why: the live state can only be made right by a snapshot.
struct Broken {
  std::string reason;  ///< gap or reset
  bool raise_generation = false;
};

}  // namespace

class Follower::Impl {
 public:
  Impl(const Ports& ports, const Options& options, Token token)
      : ports_(ports),
        options_(options),
        token_(std::move(token)),
        random_(static_cast<std::minstd_rand::result_type>(options.jitter_seed)),
        ask_(options.batch_events) {}

  milliseconds step();
  void set_poll_interval(milliseconds interval) { options_.poll_interval = interval; }

 private:
  milliseconds work();
  void load_state();
  void trim_logs();
  milliseconds stay_paused(const Orders& orders);
  bool follow();
  std::optional<EventPage> ask_for_events(int64_t cursor);
  bool wait_for(std::optional<TimePoint>& since, const std::string& reason, const Notice& notice);
  void apply(std::span<PlannedEvent> events);
  void apply_once(std::span<const PlannedEvent> events);

  bool advance_snapshot(const Orders& orders);
  std::optional<SnapshotPurpose> next_purpose(const Orders& orders) const;
  bool step_snapshot();
  void finish_snapshot();
  void fail_snapshot(const Error& error);
  void drop_snapshot();
  void end_request(const ResyncRequest& request, ResyncOutcome outcome);
  void finish_requests();
  void report_snapshot(SnapshotReport::State state, const Difference& difference,
                       const std::string& failure);

  void report_poll(Phase phase, const std::optional<Pause>& pause, TimePoint begun);
  [[nodiscard]] Phase phase() const;
  [[nodiscard]] bool broken() const { return !state_->cursor || broken_; }
  [[nodiscard]] Fence fence() const { return {token_, state_->commit_number}; }
  milliseconds backoff(int failures);

  const Ports ports_;
  Options options_;
  const Token token_;
  std::minstd_rand random_;

  std::optional<FollowerState> state_;  ///< nothing: to be read before anything else
  int64_t head_ = 0;
  int32_t ask_ = 0;  ///< events asked for in one call: fewer while they are large
  std::string metastore_uuid_;
  std::optional<Broken> broken_;
  std::optional<TimePoint> hole_since_;
  std::optional<TimePoint> backwards_since_;
  std::optional<TimePoint> undeliverable_since_;
  bool paused_ = false;
  int failures_ = 0;
  TimePoint next_trim_{};

  std::unique_ptr<SnapshotRun> run_;
  /// The commit number that a publication started from whose reply was not read yet.
  std::optional<int64_t> publishing_at_;
  bool run_done_ = false;
  int snapshot_failures_ = 0;
  TimePoint next_snapshot_{};
  std::vector<std::pair<int64_t, ResyncOutcome>> ended_requests_;  ///< to be told to the store
};

milliseconds Follower::Impl::step() {
  try {
    const milliseconds wait = work();
    failures_ = 0;
    ports_.observer.entered(Step::idle);
    return wait;
  } catch (const Error& error) {
    // A commit whose reply was lost, or a fence that failed under our own token: only the row that
    // is read anew tells.
    const bool knew_state = state_.has_value();
    state_.reset();
    // What was seen before an outage says nothing of how long it lasts.
    hole_since_.reset();
    backwards_since_.reset();
    if (error.kind() == ErrorKind::fenced && !knew_state) throw;
    ports_.observer.failed(error);
    ports_.observer.entered(Step::idle);
    return error.kind() == ErrorKind::fatal ? options_.longest_backoff : backoff(failures_++);
  }
}

milliseconds Follower::Impl::work() {
  const TimePoint begun = ports_.clock.now();
  if (!state_) load_state();
  finish_requests();
  ports_.observer.entered(Step::read_orders);
  const Orders orders = ports_.orders.pending();
  if (orders.revokes_due) {
    ports_.orders.repeat_revokes(fence());
    ++state_->commit_number;
  }
  if (orders.pause) return stay_paused(orders);
  // Told before the metastore is asked, which may take long or fail.
  if (std::exchange(paused_, false)) report_poll(phase(), std::nullopt, begun);

  ports_.observer.entered(Step::read_head);
  head_ = ports_.log.head();
  bool more = false;
  std::optional<Error> failure;
  if (!broken() && (!run_ || run_->still_reading() || run_->event() > *state_->cursor)) {
    try {
      more = follow();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::fenced || orders.resyncs.empty()) throw;
      failure = error;  // requests are answered all the same
      state_.reset();
      load_state();
    }
  }
  if (advance_snapshot(orders)) more = true;
  if (failure) throw Error(*failure);
  if (!state_) load_state();
  report_poll(phase(), std::nullopt, begun);
  if (!more) trim_logs();
  return more ? milliseconds{0} : options_.poll_interval;
}

void Follower::Impl::load_state() {
  ports_.observer.entered(Step::read_state);
  FollowerState state = ports_.events.state();
  if (state.token != token_) {
    throw Error(ErrorKind::fenced,
                fmt::format("the store's writer is now of epoch {}, this one is of epoch {}: "
                            "another instance leads",
                            state.token.epoch, token_.epoch));
  }
  ports_.observer.entered(Step::read_head);
  metastore_uuid_ = ports_.log.uuid().value_or("");
  if (publishing_at_ && state.commit_number > *publishing_at_) broken_.reset();
  publishing_at_.reset();
  state_ = std::move(state);
  if (state_->cursor && !broken_ && !state_->metastore_uuid.empty() && !metastore_uuid_.empty() &&
      state_->metastore_uuid != metastore_uuid_) {
    broken_ = Broken{"reset", true};
    ports_.observer.noticed({Notice::Kind::reset, *state_->cursor,
                             fmt::format("the metastore's database is now {}, it was {}: its ids "
                                         "cannot be compared, a snapshot is taken",
                                         metastore_uuid_, state_->metastore_uuid)});
  }
}

// While there is nothing else to do, and a bounded number of rows at a time.
void Follower::Impl::trim_logs() {
  if (ports_.clock.now() < next_trim_) return;
  next_trim_ = ports_.clock.now() + options_.trim_interval;  // also where it fails
  ports_.observer.entered(Step::trim_logs);
  const bool more = ports_.events.trim(fence());
  ++state_->commit_number;
  if (more) next_trim_ = {};
}

milliseconds Follower::Impl::stay_paused(const Orders& orders) {
  paused_ = true;
  drop_snapshot();
  hole_since_.reset();
  backwards_since_.reset();
  for (const ResyncRequest& request : orders.resyncs) {
    end_request(request,
                {"refused", fmt::format("paused by {}; resume first", orders.pause->by), 0, 0, {}});
  }
  finish_requests();
  report_poll(Phase::paused, orders.pause, ports_.clock.now());
  return options_.poll_interval;
}

// Applies the next events to the live state; true if more are there now. A snapshot that is ready
// is met exactly at its event.
bool Follower::Impl::follow() {
  const int64_t cursor = *state_->cursor;
  if (head_ == cursor) {
    hole_since_.reset();
    backwards_since_.reset();
    return false;
  }
  if (head_ < cursor) {
    return wait_for(backwards_since_, "reset",
                    {Notice::Kind::reset, cursor,
                     fmt::format("the metastore's head {} is below the cursor {}: its log was "
                                 "reset, a snapshot is taken",
                                 head_, cursor)});
  }
  backwards_since_.reset();
  ports_.observer.entered(Step::read_events);
  const std::optional<EventPage> delivered = ask_for_events(cursor);
  if (!delivered) return true;
  const EventPage& page = *delivered;
  // What a cut page leaves out was made and sent by the metastore for nothing.
  const auto taken = static_cast<int32_t>(page.events.size());
  ask_ = std::min(options_.batch_events, page.cut ? std::max(1, 2 * taken) : 2 * ask_);
  const Judgement judgement = judge(cursor, head_, page.events);
  std::span<const processor::Event> usable(page.events.data(), judgement.usable);
  if (run_ && !run_->still_reading()) {
    while (!usable.empty() && usable.back().id > run_->event())
      usable = usable.first(usable.size() - 1);
    if (usable.empty() && judgement.usable > 0) return false;
  }
  if (usable.empty()) {
    const int64_t missing = judgement.missing.value_or(cursor + 1);
    return wait_for(hole_since_, "gap",
                    {Notice::Kind::gap, missing,
                     fmt::format("event {} is missing from the metastore's log (head {}): history "
                                 "is lost, a snapshot is taken",
                                 missing, head_)});
  }
  hole_since_.reset();
  std::vector<PlannedEvent> planned = plan_events(usable);
  apply(planned);
  return !judgement.missing && *state_->cursor < head_;
}

// An answer that the metastore cannot deliver, although it tells its head, is asked for in ever
// smaller parts; one event that it cannot deliver alone is as good as missing. Nothing: history
// counts as lost now.
std::optional<EventPage> Follower::Impl::ask_for_events(int64_t cursor) {
  try {
    EventPage page = ports_.log.events({cursor, ask_, options_.batch_bytes});
    undeliverable_since_.reset();
    return page;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::transient) throw;
    if (ask_ > 1) {
      ask_ /= 2;
      throw;
    }
    if (!wait_for(undeliverable_since_, "gap",
                  {Notice::Kind::gap, cursor + 1,
                   fmt::format("event {} cannot be had from the metastore, a snapshot is taken: {}",
                               cursor + 1, error.what())})) {
      throw;
    }
    return std::nullopt;
  }
}

// True once the grace is over and history counts as lost: there is a snapshot to begin at once.
bool Follower::Impl::wait_for(std::optional<TimePoint>& since, const std::string& reason,
                              const Notice& notice) {
  const TimePoint now = ports_.clock.now();
  if (!since) since = now;
  if (now - *since < options_.gap_grace) return false;
  since.reset();
  broken_ = Broken{reason, reason == "reset"};
  ports_.observer.noticed(notice);
  drop_snapshot();
  return true;
}

// An event that the store cannot take is found by halving, and set aside alone.
void Follower::Impl::apply(std::span<PlannedEvent> events) {
  try {
    apply_once(events);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::poison) throw;
    const size_t half = half_between_ids(events);
    if (half > 0) {
      apply(events.first(half));
      apply(events.subspan(half));
      return;
    }
    for (PlannedEvent& event : events) {
      if (event.outcome == PlannedEvent::Outcome::quarantined) throw;
      event.outcome = PlannedEvent::Outcome::quarantined;
      event.reason = error.what();
      event.mutations.clear();
    }
    apply_once(events);
  }
}

void Follower::Impl::apply_once(std::span<const PlannedEvent> events) {
  const TimePoint begun = ports_.clock.now();
  PlannedBatch planned = make_batch(events);
  ports_.observer.entered(Step::apply_batch);
  ports_.events.apply(fence(), planned.batch);
  ports_.observer.entered(Step::batch_applied);
  state_->cursor = planned.batch.cursor;
  ++state_->commit_number;
  for (const QuarantinedEvent& quarantined : planned.batch.quarantined) {
    ports_.observer.noticed({Notice::Kind::poison, quarantined.event.id, quarantined.reason});
  }
  BatchReport report;
  report.state = *state_;
  report.counts = planned.batch.counts;
  report.applied_by_type = std::move(planned.applied_by_type);
  report.ignored_by_type = std::move(planned.ignored_by_type);
  report.quarantined_by_type = std::move(planned.quarantined_by_type);
  report.mutations = static_cast<int64_t>(planned.batch.mutations.size());
  report.took = ports_.clock.now() - begun;
  ports_.observer.applied(report);
}

// True while there is more to do at once.
bool Follower::Impl::advance_snapshot(const Orders& orders) {
  if (!run_) {
    const std::optional<SnapshotPurpose> purpose = next_purpose(orders);
    if (!purpose) return false;
    if (purpose->request && purpose->request->scope.database) {
      end_request(*purpose->request, {"refused", "only a full resync is possible yet", 0, 0, {}});
      finish_requests();
      return true;
    }
    try {
      run_ = std::make_unique<SnapshotRun>(ports_, options_, *purpose);
    } catch (const Error& error) {
      if (purpose->request) end_request(*purpose->request, {"failed", error.what(), 0, 0, {}});
      throw;
    }
    report_snapshot(SnapshotReport::State::running, {}, "");
    return true;
  }
  bool more = false;
  try {
    more = step_snapshot();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::fenced) throw;
    fail_snapshot(error);
    throw;
  }
  if (run_done_) drop_snapshot();
  finish_requests();
  return more;
}

std::optional<SnapshotPurpose> Follower::Impl::next_purpose(const Orders& orders) const {
  SnapshotPurpose purpose;
  if (broken()) {
    purpose.reason = broken_ ? broken_->reason : "initial";
    purpose.raise_generation = broken_ && broken_->raise_generation;
  } else if (!orders.resyncs.empty()) {
    purpose.request = orders.resyncs.front();
    purpose.reason = purpose.request->dry_run ? "dry_run" : "resync";
    purpose.unbroken = true;
    return purpose;
  } else if (orders.re_reads_due) {
    purpose.reason = "re_read";
    purpose.unbroken = true;
  } else {
    return std::nullopt;
  }
  if (ports_.clock.now() < next_snapshot_) return std::nullopt;
  return purpose;
}

bool Follower::Impl::step_snapshot() {
  if (!run_->step()) {
    report_snapshot(SnapshotReport::State::running, {}, "");
    return !run_->waits_for_hole();
  }
  if (run_->purpose().unbroken) {
    run_->go_on_to(*state_->cursor);
    // The live state is brought to the same event first.
    if (run_->event() != *state_->cursor) return true;
  }
  finish_snapshot();
  return true;
}

void Follower::Impl::finish_snapshot() {
  const SnapshotPurpose purpose = run_->purpose();
  const bool dry_run = purpose.request && purpose.request->dry_run;
  Difference difference;
  if (dry_run) {
    ports_.observer.entered(Step::compare_snapshot);
    difference = ports_.snapshots.compare(run_->id());
  } else {
    ports_.observer.entered(Step::publish_snapshot);
    publishing_at_ = state_->commit_number;
    difference =
        ports_.snapshots.publish(fence(), run_->id(),
                                 {run_->event(), purpose.unbroken, purpose.raise_generation,
                                  metastore_uuid_, purpose.reason});
    ports_.observer.entered(Step::snapshot_published);
    publishing_at_.reset();
    broken_.reset();
    state_.reset();
  }
  report_snapshot(dry_run ? SnapshotReport::State::compared : SnapshotReport::State::published,
                  difference, "");
  if (purpose.request) {
    const double seconds = std::chrono::duration<double>(run_->age()).count();
    end_request(*purpose.request, {"done", "", run_->event(), seconds, difference});
  }
  snapshot_failures_ = 0;
  run_done_ = true;
}

void Follower::Impl::fail_snapshot(const Error& error) {
  report_snapshot(SnapshotReport::State::failed, {}, error.what());
  // One that may have been published is taken again rather than called failed.
  if (run_->purpose().request && !publishing_at_) {
    end_request(*run_->purpose().request, {"failed", error.what(), 0, 0, {}});
  }
  run_.reset();  // what it staged goes with the next begin()
  next_snapshot_ = ports_.clock.now() + backoff(snapshot_failures_++);
}

void Follower::Impl::drop_snapshot() {
  if (!run_) return;
  if (!run_done_) report_snapshot(SnapshotReport::State::dropped, {}, "");
  const std::string id = run_->id();
  run_.reset();
  run_done_ = false;
  ports_.snapshots.discard(id);
}

void Follower::Impl::end_request(const ResyncRequest& request, ResyncOutcome outcome) {
  if (outcome.event == 0 && state_) outcome.event = state_->cursor.value_or(0);
  ended_requests_.emplace_back(request.id, std::move(outcome));
}

// Kept until the store has taken them: a request is not done again because its outcome was lost.
void Follower::Impl::finish_requests() {
  while (!ended_requests_.empty()) {
    if (!state_) load_state();
    const auto& [request, outcome] = ended_requests_.front();
    ports_.observer.entered(Step::finish_request);
    ports_.orders.finish(fence(), request, outcome);
    ++state_->commit_number;
    ended_requests_.erase(ended_requests_.begin());
  }
}

void Follower::Impl::report_snapshot(SnapshotReport::State state, const Difference& difference,
                                     const std::string& failure) {
  SnapshotReport report;
  report.state = state;
  report.reason = run_->purpose().reason;
  report.progress = run_->progress();
  report.begun_at = run_->begun_at();
  report.event = run_->event();
  report.difference = difference;
  report.failure = failure;
  report.took = run_->age();
  ports_.observer.snapshot(report);
}

void Follower::Impl::report_poll(Phase phase, const std::optional<Pause>& pause, TimePoint begun) {
  PollReport report;
  report.phase = phase;
  report.state = *state_;
  report.head = head_;
  report.pause = pause;
  report.took = ports_.clock.now() - begun;
  ports_.observer.polled(report);
}

Phase Follower::Impl::phase() const {
  if (!broken()) return Phase::following;
  return run_ ? Phase::snapshot : Phase::waiting;
}

milliseconds Follower::Impl::backoff(int failures) {
  milliseconds delay = options_.first_backoff;
  for (int i = 0; i < failures && delay < options_.longest_backoff; ++i) delay *= 2;
  delay = std::min(delay, options_.longest_backoff);
  const double share = 0.5 + 0.5 * std::generate_canonical<double, 16>(random_);
  return milliseconds{static_cast<int64_t>(static_cast<double>(delay.count()) * share)};
}

Follower::Follower(const Ports& ports, const Options& options, Token token)
    : impl_(std::make_unique<Impl>(ports, options, std::move(token))) {}
Follower::~Follower() = default;

milliseconds Follower::step() { return impl_->step(); }

void Follower::set_poll_interval(milliseconds interval) { impl_->set_poll_interval(interval); }

}  // namespace hmsync::follower
