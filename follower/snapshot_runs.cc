#include "follower/snapshot_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "follower/scope.h"
#include "processor/error.h"

namespace hmsync::follower {

namespace {

/// A small one is read in one go, so that whoever waits for it does not wait for other work.
constexpr int kPagesAtOnce = 8;
constexpr auto kUnreadableFor = std::chrono::minutes(1);
constexpr auto kGuardedSpan = std::chrono::hours(1);

/// Found without an event that tells of it.
bool finds_drift(const SnapshotPurpose& purpose) {
  return purpose.unbroken && !purpose.dry_run && purpose.reason != "re_read";
}

int64_t objects(const Difference& difference) {
  int64_t sum = 0;
  for (const auto* counts : {&difference.added, &difference.changed, &difference.removed}) {
    sum += counts->databases + counts->tables + counts->partitions;
  }
  return sum;
}

}  // namespace

SnapshotRuns::SnapshotRuns(Term& term)
    : term_(term),
      random_(static_cast<std::minstd_rand::result_type>(term.options.jitter_seed)),
      sweep_(term) {
  // Not only after the whole interval: a daemon that is restarted each day would never verify.
  if (term.options.verify_interval.count() > 0) {
    next_verify_ = term.now() + term.options.verify_interval / 10;
  }
}

bool SnapshotRuns::advance(const Orders& orders) {
  clear_staging();
  bool more = false;
  if (term_.live()) {
    more = advance(scoped_, scoped_.run ? std::nullopt : scoped_purpose(orders));
  }
  if (advance(whole_, whole_.run ? std::nullopt : whole_purpose(orders))) more = true;
  if (!ended_.empty()) {
    finish_requests();
    more = true;
  }
  return more;
}

bool SnapshotRuns::advance(Slot& slot, std::optional<SnapshotPurpose> purpose) {
  if (!slot.run && !purpose) return false;
  try {
    if (!slot.run) {
      slot.waiting_at.reset();
      slot.run = std::make_unique<SnapshotRun>(term_, *purpose);
    }
    return step(slot);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::fenced) throw;
    if (slot.run) {
      fail(slot, error);
    } else {
      for (const ResyncRequest& request : purpose->requests) {
        end_request(request, {"failed", error.what(), 0, 0, {}});
      }
      slot.next = term_.now() + backoff(slot.failures++);
    }
    throw;
  }
}

std::optional<int64_t> SnapshotRuns::limit() const {
  std::optional<int64_t> lowest;
  for (const Slot* slot : {&whole_, &scoped_}) {
    if (!slot->run || slot->run->still_reading() || !slot->run->purpose().unbroken) continue;
    lowest = std::min(lowest.value_or(slot->run->event()), slot->run->event());
  }
  return lowest;
}

bool SnapshotRuns::step(Slot& slot) {
  SnapshotRun& run = *slot.run;
  const bool whole = run.purpose().scopes.empty();
  // Nobody waits for a sweep: it shares the time with a whole snapshot.
  const int pages = whole || run.purpose().reason == "sweep" ? 1 : kPagesAtOnce;
  bool ready = false;
  for (int page = 0; page < pages && !ready; ++page) {
    ready = run.step();
    if (run.waits_for_hole()) return false;
  }
  if (!ready) {
    if (whole) report(run, SnapshotReport::State::running, {}, "");
    return true;
  }
  if (run.purpose().unbroken) {
    run.go_on_to(term_.cursor());
    if (run.event() < term_.cursor()) return true;
    if (run.event() > term_.cursor()) {
      // The live state is brought to the same event first, if it can be.
      const bool waits = slot.waiting_at == term_.cursor();
      slot.waiting_at = term_.cursor();
      return !waits;
    }
  }
  return finish(slot);
}

bool SnapshotRuns::finish(Slot& slot) {
  SnapshotRun& run = *slot.run;
  if (run.purpose().dry_run) {
    term_.ports.observer.entered(Step::compare_snapshot);
    const Difference difference = term_.ports.snapshots.compare(run.id());
    report(run, SnapshotReport::State::compared, difference, "");
    end_requests(run, {"done", "", run.event(), 0, difference});
    end(slot);
    return true;
  }
  const Published result = publish(run);
  switch (result.outcome) {
    case Published::Outcome::incomplete:
      run.widen(result.missing);
      return true;
    case Published::Outcome::refused:
      refuse(slot, result);
      break;
    case Published::Outcome::published:
      slot.failures = 0;
      most_re_reads_ = kMostReReads;
      published(slot, result);
      break;
  }
  end(slot);
  return true;
}

Published SnapshotRuns::publish(const SnapshotRun& run) {
  const SnapshotPurpose& purpose = run.purpose();
  Publication publication;
  publication.cursor = run.event();
  publication.unbroken = purpose.unbroken;
  publication.raise_generation = purpose.raise_generation;
  publication.metastore_uuid = term_.metastore_uuid;
  publication.reason = purpose.reason;
  if (!purpose.unbroken) publication.digests = run.digests();
  publication.guard = guard(purpose);
  term_.ports.observer.entered(Step::publish_snapshot);
  publishing_at_ = term_.state->commit_number;
  Published result = term_.ports.snapshots.publish(term_.fence(), run.id(), publication);
  publishing_at_.reset();
  term_.ports.observer.entered(Step::snapshot_published);
  return result;
}

void SnapshotRuns::published(Slot& slot, const Published& result) {
  const SnapshotRun& run = *slot.run;
  const SnapshotPurpose& purpose = run.purpose();
  term_.committed();
  for (const processor::Claim& claim : result.refuted) {
    term_.ports.observer.noticed(
        {Notice::Kind::refuted, claim.event_id,
         fmt::format("event {} says that {} was {}, which the metastore does not show",
                     claim.event_id, to_text(scope_of(claim.name)), to_string(claim.kind))});
  }
  const int64_t differences = objects(result.difference);
  if (finds_drift(purpose) && differences > 0) {
    term_.ports.observer.noticed(
        {Notice::Kind::drift, run.event(),
         fmt::format("{} objects differed from the metastore, though no event tells of it ({})",
                     differences, purpose.reason)});
  }
  if (purpose.guarded && !purpose.scopes.empty() && purpose.reason != "re_read") {
    lost_tables_.emplace_back(term_.now(), result.lost_tables);
  }
  const bool cured = slot.refusals > 0 && (purpose.scopes.empty() || purpose.reason == "sweep");
  if (cured) slot.refusals = 0;
  if (purpose.scopes.empty() || !purpose.requests.empty() || differences > 0 || cured) {
    report(run, SnapshotReport::State::published, result.difference, "");
  }
  end_requests(run, {"done", "", run.event(), 0, result.difference});
  if (purpose.scopes.empty()) {
    term_.broken.reset();
    refused_.reset();
    term_.state.reset();
  }
}

// Not tried again and again: somebody has to look at it, or it must have become better.
void SnapshotRuns::refuse(Slot& slot, const Published& result) {
  const SnapshotRun& run = *slot.run;
  report(run, SnapshotReport::State::refused, result.difference, result.reason);
  term_.notes.push_back({"refused", run.event(), run.purpose().reason + ": " + result.reason});
  end_requests(run, {"refused", result.reason, run.event(), 0, result.difference});
  // What events name is read again all the same, and what people ask for.
  const Time next = term_.now() + std::min(kLongestLook, std::chrono::minutes(1 << slot.refusals));
  if (run.purpose().scopes.empty()) slot.next = next;
  if (run.purpose().reason == "sweep") next_sweep_ = next;
  slot.refusals = std::min(slot.refusals + 1, 6);
  if (run.purpose().unbroken) return;
  const auto delay =
      refused_ ? std::min(2 * refused_->delay, kLongestLook) : std::chrono::minutes(1);
  refused_ = Refused{result.reason, result.stored_tables, term_.now() + delay, delay};
}

// What an event names may go; so may everything, where somebody said so.
std::optional<Guard> SnapshotRuns::guard(const SnapshotPurpose& purpose) {
  const bool named = !purpose.scopes.empty() && purpose.reason == "re_read";
  if (!purpose.guarded || named) return std::nullopt;
  Guard guard;
  guard.most_lost = term_.options.max_removed;
  if (purpose.scopes.empty()) return guard;
  while (!lost_tables_.empty() && term_.now() - lost_tables_.front().first > kGuardedSpan) {
    lost_tables_.pop_front();
  }
  for (const auto& [time, tables] : lost_tables_) guard.lost_before += tables;
  return guard;
}

void SnapshotRuns::fail(Slot& slot, const Error& error) {
  report(*slot.run, SnapshotReport::State::failed, {}, error.what());
  // One that may have been published is taken again rather than called failed.
  if (!publishing_at_) end_requests(*slot.run, {"failed", error.what(), 0, 0, {}});
  if (slot.run->purpose().reason == "re_read") narrow(slot.run->purpose().scopes);
  end(slot);
  slot.next = term_.now() + backoff(slot.failures++);
}

// One object that cannot be read must not keep all others from it: it is found by halving, and left
// alone for a while.
void SnapshotRuns::narrow(const std::vector<Scope>& scopes) {
  most_re_reads_ = std::max<size_t>(1, scopes.size() / 2);
  if (scopes.size() == 1) unreadable_[scopes.front()] = term_.now() + kUnreadableFor;
}

void SnapshotRuns::end(Slot& slot) {
  if (slot.run->purpose().reason == "sweep") sweep_.looked();
  stale_.push_back(slot.run->id());
  slot.run.reset();
}

void SnapshotRuns::drop() {
  for (Slot* slot : {&whole_, &scoped_}) {
    if (!slot->run) continue;
    if (slot->run->purpose().scopes.empty()) {
      report(*slot->run, SnapshotReport::State::dropped, {}, "");
    }
    end(*slot);
  }
}

void SnapshotRuns::clear_staging() {
  if (!cleared_ || !stale_.empty()) term_.ports.observer.entered(Step::clear_staging);
  if (!cleared_) term_.ports.snapshots.discard(std::nullopt);
  cleared_ = true;
  while (!stale_.empty()) {
    term_.ports.snapshots.discard(stale_.back());
    stale_.pop_back();
  }
}

void SnapshotRuns::history_was_lost() {
  drop();
  refused_.reset();
  whole_.next = {};
}

void SnapshotRuns::history_is_back() {
  drop();
  refused_.reset();
}

void SnapshotRuns::judge_publication() {
  if (publishing_at_ && term_.state->commit_number > *publishing_at_) {
    term_.broken.reset();
    refused_.reset();
  }
  publishing_at_.reset();
}

void SnapshotRuns::refuse_requests(const Orders& orders, const std::string& reason) {
  for (const ResyncRequest& request : orders.resyncs) {
    end_request(request, {"refused", reason, 0, 0, {}});
  }
}

void SnapshotRuns::end_requests(const SnapshotRun& run, ResyncOutcome outcome) {
  outcome.seconds = std::chrono::duration<double>(run.age()).count();
  for (const ResyncRequest& request : run.purpose().requests) end_request(request, outcome);
}

void SnapshotRuns::end_request(const ResyncRequest& request, ResyncOutcome outcome) {
  const bool told = std::any_of(ended_.begin(), ended_.end(),
                                [&](const auto& ended) { return ended.first == request.id; });
  if (told) return;
  if (outcome.event == 0 && term_.state) outcome.event = term_.state->cursor.value_or(0);
  ended_.emplace_back(request.id, std::move(outcome));
}

// Kept until the store has taken them: a request is not done again because its outcome was lost.
void SnapshotRuns::finish_requests() {
  while (!ended_.empty() && term_.state) {
    const auto& [request, outcome] = ended_.front();
    term_.ports.observer.entered(Step::finish_request);
    term_.ports.orders.finish(term_.fence(), request, outcome);
    term_.committed();
    ended_.erase(ended_.begin());
  }
}

void SnapshotRuns::report(const SnapshotRun& run, SnapshotReport::State state,
                          const Difference& difference, const std::string& failure) {
  SnapshotReport report;
  report.state = state;
  report.reason = run.purpose().reason;
  report.progress = run.progress();
  report.begun_at = run.begun_at();
  report.event = run.event();
  report.difference = difference;
  report.failure = failure;
  report.took = run.age();
  term_.ports.observer.snapshot(report);
}

std::chrono::milliseconds SnapshotRuns::backoff(int failures) {
  return jittered_backoff(term_.options, failures, random_);
}

}  // namespace hmsync::follower
