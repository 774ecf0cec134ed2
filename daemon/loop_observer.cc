#include "daemon/loop_observer.h"

#include <fmt/format.h>

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
  if (step == Step::publish_snapshot || step == Step::compare_snapshot) return limits_.publish;
  return limits_.store;
}

void LoopObserver::entered(Step step) {
  if (step != Step::idle) step_ = step;
  parts_.watchdog.expect_within(limit(step));
  if (hook_) hook_(step);
}

void LoopObserver::polled(const follower::PollReport& report) {
  parts_.board.polled(report);
  for (const ProblemCode code :
       {ProblemCode::store_unreachable, ProblemCode::store_refused,
        ProblemCode::metastore_unreachable, ProblemCode::metastore_not_authorised}) {
    // While paused the metastore was not asked.
    const bool metastore =
        code == ProblemCode::metastore_unreachable || code == ProblemCode::metastore_not_authorised;
    if (metastore && report.phase == follower::Phase::paused) continue;
    parts_.board.cured(Reporter::loop, code);
  }
  parts_.follower_probe.set_paused(report.pause.has_value());
  if (report.state.cursor && report.phase != follower::Phase::paused) {
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
  if (applied_batches_ == 0) return;
  parts_.log.info("applied events in the last minute", {{"event", cursor_},
                                                        {"batches", applied_batches_},
                                                        {"applied", applied_events_},
                                                        {"ignored", ignored_events_}});
  applied_batches_ = applied_events_ = ignored_events_ = 0;
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
  if (report.state == SnapshotReport::State::dropped) {
    parts_.log.info("a snapshot was dropped", {{"reason", report.reason}});
    return;
  }
  if (report.state == SnapshotReport::State::failed) {
    parts_.snapshot_probe.ended(report.reason, "failed", seconds(report.took));
    parts_.board.failed(Reporter::loop, ProblemCode::snapshot_failed,
                        "a snapshot failed: " + report.failure);
    parts_.log.warn("a snapshot failed", {{"reason", report.reason}, {"error", report.failure}});
    return;
  }
  parts_.snapshot_probe.ended(report.reason, "done", seconds(report.took));
  count_differences(report);
  parts_.board.cured(Reporter::loop, ProblemCode::snapshot_failed);
  parts_.log.info(report.state == SnapshotReport::State::published ? "a snapshot was published"
                                                                   : "a snapshot was compared",
                  {{"reason", report.reason},
                   {"begun_at", report.begun_at},
                   {"event", report.event},
                   {"added", text_of(report.difference.added)},
                   {"changed", text_of(report.difference.changed)},
                   {"removed", text_of(report.difference.removed)},
                   {"suspended_grants", report.difference.suspended_grants},
                   {"seconds", seconds(report.took)}});
}

void LoopObserver::count_differences(const SnapshotReport& report) {
  const follower::Difference& found = report.difference;
  const auto sum = [&found](int64_t follower::ObjectCounts::*kind) {
    return found.added.*kind + found.changed.*kind + found.removed.*kind;
  };
  const int64_t databases = sum(&follower::ObjectCounts::databases);
  const int64_t tables = sum(&follower::ObjectCounts::tables);
  const int64_t partitions = sum(&follower::ObjectCounts::partitions);
  if (report.state == SnapshotReport::State::compared) {
    parts_.follower_probe.verified(databases + tables + partitions);
    return;
  }
  // The others follow on lost history: events told of the difference, but could not be read.
  if (report.reason != "resync" && report.reason != "re_read") return;
  parts_.follower_probe.drift("database", databases);
  parts_.follower_probe.drift("table", tables);
  parts_.follower_probe.drift("partition", partitions);
}

void LoopObserver::noticed(const follower::Notice& notice) {
  if (notice.kind == follower::Notice::Kind::gap) parts_.follower_probe.gap();
  if (notice.kind == follower::Notice::Kind::reset) parts_.follower_probe.reset();
  parts_.log.warn(notice.text, {{"event", notice.event}});
}

void LoopObserver::failed(const Error& error) {
  const ProblemCode code = problem_of(step_, error.kind());
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
