#include "daemon/loop_observer.h"

#include <fmt/format.h>

#include "follower/metastore.h"
#include "metrics/follower_probe.h"
#include "metrics/snapshot_probe.h"

namespace hmsync::daemon {
namespace {

using follower::SnapshotReport;
using follower::Step;

constexpr auto kSummaryInterval = std::chrono::minutes(1);

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// Which side a step waits for; the others are the store's.
bool asks_metastore(Step step) {
  return step == Step::read_head || step == Step::read_events || step == Step::read_snapshot_page;
}

ProblemCode problem_of(Step step, ErrorKind kind) {
  if (asks_metastore(step)) {
    return kind == ErrorKind::fatal ? ProblemCode::metastore_not_authorised
                                    : ProblemCode::metastore_unreachable;
  }
  return kind == ErrorKind::fatal ? ProblemCode::store_refused : ProblemCode::store_unreachable;
}

// Of a snapshot that takes the place of events that are missing.
bool replaces_history(const std::string& reason) {
  return reason == "initial" || reason == "gap" || reason == "reset";
}

std::string text_of(const follower::ObjectCounts& counts) {
  return fmt::format("{} databases, {} tables, {} partitions", counts.databases, counts.tables,
                     counts.partitions);
}

}  // namespace

LoopObserver::LoopObserver(const Parts& parts, const StepLimits& limits,
                           std::function<void(Step)> hook)
    : parts_(parts), limits_(limits), hook_(std::move(hook)) {}

std::chrono::milliseconds LoopObserver::limit(Step step) const {
  if (asks_metastore(step)) return limits_.metastore;
  if (step == Step::publish_snapshot || step == Step::compare_snapshot ||
      step == Step::clear_staging)
    return limits_.publish;
  return limits_.store;
}

void LoopObserver::entered(Step step) {
  if (step != Step::idle) step_ = step;
  parts_.watchdog.expect_within(limit(step));
  if (hook_) hook_(step);
}

void LoopObserver::polled(const follower::PollReport& report) {
  parts_.board.polled(report);
  judge_problems(report);
  parts_.follower_probe.set_paused(report.pause.has_value());
  const bool knows_head = report.metastore_answered && report.phase != follower::Phase::paused;
  if (report.state.cursor && knows_head) {
    parts_.follower_probe.polled(*report.state.cursor, report.head, seconds(report.took));
  }
  if (!logged_failure_.empty()) {
    parts_.log.info("the loop goes on after a failure",
                    {{"cursor", report.state.cursor.value_or(-1)}});
    logged_failure_.clear();
  }
  if (report.phase != phase_) {
    phase_ = report.phase;
    parts_.log.info(fmt::format("the loop is now in phase {}", follower::to_string(phase_)),
                    {{"cursor", report.state.cursor.value_or(-1)}, {"head", report.head}});
  }
  summarise();
}

// What this look shows to be over.
void LoopObserver::judge_problems(const follower::PollReport& report) {
  parts_.board.cured(Reporter::loop, ProblemCode::store_unreachable);
  parts_.board.cured(Reporter::loop, ProblemCode::store_refused);
  if (!report.metastore_answered) return;
  parts_.board.cured(Reporter::loop, ProblemCode::metastore_unreachable);
  parts_.board.cured(Reporter::loop, ProblemCode::metastore_not_authorised);
  parts_.board.cured(Reporter::loop, ProblemCode::another_metastore);
  if (plain_listener_ && !report.plain_listener) {
    plain_listener_ = false;
    parts_.board.cured(Reporter::loop, ProblemCode::plain_listener);
    parts_.log.info("the metastore's notification listener is transactional now");
  }
  if (report.phase != follower::Phase::following) return;
  parts_.board.cured(Reporter::loop, ProblemCode::history_lost);
  if (replaces_history(refused_)) {
    refused_.clear();
    parts_.board.cured(Reporter::loop, ProblemCode::snapshot_refused);
  }
  const bool read_again = failed_ == "re_read" && report.pending_re_reads == 0;
  if (replaces_history(failed_) || read_again) {
    failed_.clear();
    parts_.board.cured(Reporter::loop, ProblemCode::snapshot_failed);
  }
}

void LoopObserver::applied(const follower::BatchReport& report) {
  parts_.board.applied(report);
  for (const auto& [type, events] : report.applied_by_type) {
    parts_.follower_probe.applied(type, events);
  }
  for (const auto& [type, events] : report.ignored_by_type) {
    parts_.follower_probe.ignored(type, events);
  }
  for (const auto& [type, events] : report.quarantined_by_type) {
    parts_.follower_probe.quarantined(type, events);
  }
  parts_.follower_probe.late(report.counts.late);
  parts_.follower_probe.shared_ids(report.counts.shared_id);
  parts_.follower_probe.refuted(report.counts.refuted);
  cursor_ = report.state.cursor.value_or(0);
  const int64_t events = report.counts.applied + report.counts.ignored + report.counts.quarantined;
  parts_.follower_probe.batch_applied(cursor_, events, seconds(report.took));
  shared_ids_ += report.counts.shared_id;
  applied_events_ += report.counts.applied;
  ignored_events_ += report.counts.ignored;
  ++applied_batches_;
  parts_.log.debug("applied a batch", {{"event", cursor_},
                                       {"events", events},
                                       {"mutations", report.mutations},
                                       {"seconds", seconds(report.took)}});
}

void LoopObserver::summarise() {
  const auto now = std::chrono::steady_clock::now();
  if (now - summarised_ < kSummaryInterval) return;
  summarised_ = now;
  if (applied_batches_ > 0) {
    parts_.log.info("applied events in the last minute", {{"event", cursor_},
                                                          {"batches", applied_batches_},
                                                          {"applied", applied_events_},
                                                          {"ignored", ignored_events_},
                                                          {"shared_ids", shared_ids_}});
  }
  if (re_reads_ > 0) {
    parts_.log.info("read objects again in the last minute, as events could not be believed",
                    {{"event", cursor_}, {"re_reads", re_reads_}, {"differed", re_read_objects_}});
  }
  applied_batches_ = applied_events_ = ignored_events_ = shared_ids_ = 0;
  re_reads_ = re_read_objects_ = 0;
}

void LoopObserver::snapshot(const SnapshotReport& report) {
  parts_.board.snapshot(report);
  parts_.snapshot_probe.progressed(report.progress.phase, report.progress.done);
  if (report.state == SnapshotReport::State::running) {
    if (!snapshot_runs_) parts_.log.info("a snapshot begins", {{"reason", report.reason}});
    snapshot_runs_ = true;
    return;
  }
  snapshot_runs_ = false;
  switch (report.state) {
    case SnapshotReport::State::running:
      return;
    case SnapshotReport::State::dropped:
      parts_.log.info("a snapshot was dropped", {{"reason", report.reason}});
      return;
    case SnapshotReport::State::failed:
      return snapshot_failed(report);
    case SnapshotReport::State::refused:
      return snapshot_refused(report);
    case SnapshotReport::State::published:
    case SnapshotReport::State::compared:
      return snapshot_over(report);
  }
}

void LoopObserver::snapshot_failed(const SnapshotReport& report) {
  parts_.snapshot_probe.ended(report.reason, "failed", seconds(report.took));
  // A sweep goes on with the next objects; why it failed is told by failed(), too.
  if (report.reason != "sweep") {
    failed_ = report.reason;
    parts_.board.failed(Reporter::loop, ProblemCode::snapshot_failed,
                        "a snapshot failed: " + report.failure);
  }
  parts_.log.warn("a snapshot failed", {{"reason", report.reason}, {"error", report.failure}});
}

void LoopObserver::snapshot_refused(const SnapshotReport& report) {
  parts_.snapshot_probe.ended(report.reason, "refused", seconds(report.took));
  refused_ = report.reason;
  parts_.board.failed(
      Reporter::loop, ProblemCode::snapshot_refused,
      fmt::format("a snapshot ({}) was refused: {}", report.reason, report.failure));
  parts_.log.warn("a snapshot was refused", {{"reason", report.reason},
                                             {"event", report.event},
                                             {"why", report.failure},
                                             {"removed", text_of(report.difference.removed)}});
}

void LoopObserver::snapshot_over(const SnapshotReport& report) {
  parts_.snapshot_probe.ended(report.reason, "done", seconds(report.took));
  count_differences(report);
  failed_.clear();
  parts_.board.cured(Reporter::loop, ProblemCode::snapshot_failed);
  const bool published = report.state == SnapshotReport::State::published;
  if (published &&
      (report.reason == refused_ || report.reason == "resync" || replaces_history(report.reason))) {
    refused_.clear();
    parts_.board.cured(Reporter::loop, ProblemCode::snapshot_refused);
  }
  const std::string added = text_of(report.difference.added);
  const std::string changed = text_of(report.difference.changed);
  const std::string removed = text_of(report.difference.removed);
  const Log::Fields fields = {{"reason", report.reason},
                              {"begun_at", report.begun_at},
                              {"event", report.event},
                              {"added", added},
                              {"changed", changed},
                              {"removed", removed},
                              {"suspended_grants", report.difference.suspended_grants},
                              {"seconds", seconds(report.took)}};
  if (report.reason == "re_read") {  // summed once a minute
    parts_.log.debug("objects were read again", fields);
  } else {
    parts_.log.info(published ? "a snapshot was published" : "a snapshot was compared", fields);
  }
}

void LoopObserver::count_differences(const SnapshotReport& report) {
  const follower::Difference& found = report.difference;
  const auto sum = [&found](int64_t follower::ObjectCounts::*kind) {
    return found.added.*kind + found.changed.*kind + found.removed.*kind;
  };
  const int64_t databases = sum(&follower::ObjectCounts::databases);
  const int64_t tables = sum(&follower::ObjectCounts::tables);
  const int64_t partitions = sum(&follower::ObjectCounts::partitions);
  const int64_t all = databases + tables + partitions;
  if (report.state == SnapshotReport::State::compared) {
    // Of what people ask for, a part may be looked at alone.
    if (report.reason == "verify") parts_.follower_probe.verified(all);
    return;
  }
  if (report.reason == "re_read") {
    ++re_reads_;
    re_read_objects_ += all;
  }
  // The others follow on events that told of the difference, but could not be read or believed.
  if (report.reason != "resync" && report.reason != "sweep") return;
  parts_.follower_probe.drift("database", databases);
  parts_.follower_probe.drift("table", tables);
  parts_.follower_probe.drift("partition", partitions);
}

void LoopObserver::noticed(const follower::Notice& notice) {
  using Kind = follower::Notice::Kind;
  const char* kind = follower::to_string(notice.kind);
  switch (notice.kind) {
    case Kind::gap:
      parts_.follower_probe.gap();
      parts_.board.failed(Reporter::loop, ProblemCode::history_lost, notice.text);
      break;
    case Kind::reset:
      parts_.follower_probe.reset();
      parts_.board.failed(Reporter::loop, ProblemCode::history_lost, notice.text);
      break;
    case Kind::plain_listener:
      plain_listener_ = true;
      parts_.board.failed(Reporter::loop, ProblemCode::plain_listener, notice.text);
      break;
    case Kind::recovered:
      refused_.clear();
      parts_.board.cured(Reporter::loop, ProblemCode::history_lost);
      parts_.board.cured(Reporter::loop, ProblemCode::snapshot_refused);
      return parts_.log.info(notice.text, {{"event", notice.event}, {"oddity", kind}});
    case Kind::shared_id:  // common where it happens at all; the loop tells of it once a minute
      return parts_.log.info(notice.text, {{"event", notice.event}, {"oddity", kind}});
    case Kind::refuted:  // by a reading, not within a batch
      parts_.follower_probe.refuted(1);
      break;
    case Kind::poison:
    case Kind::late:
    case Kind::drift:
      break;  // counted with the batch or the snapshot
  }
  parts_.log.warn(notice.text, {{"event", notice.event}, {"oddity", kind}});
}

void LoopObserver::failed(const Error& error) {
  const bool another = dynamic_cast<const follower::AnotherMetastore*>(&error) != nullptr;
  const ProblemCode code =
      another ? ProblemCode::another_metastore : problem_of(step_, error.kind());
  parts_.board.failed(Reporter::loop, code, error.what());
  const auto now = std::chrono::steady_clock::now();
  if (logged_failure_ == error.what() && now - logged_failure_at_ < kSummaryInterval) return;
  logged_failure_ = error.what();
  logged_failure_at_ = now;
  parts_.log.warn(error.what(), {{"problem", to_string(code)},
                                 {"kind", to_string(error.kind())},
                                 {"step", follower::to_string(step_)}});
}

}  // namespace hmsync::daemon
