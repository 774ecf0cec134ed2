#include "follower/snapshot_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "follower/event_order.h"
#include "processor/error.h"
#include "processor/lower_case.h"

namespace hmsync::follower {

namespace {

/// A snapshot runs while the metastore is busy with it: its log is read in small pieces.
constexpr int32_t kReplayedAtOnce = 1000;

}  // namespace

SnapshotRun::SnapshotRun(const Ports& ports, const Options& options, SnapshotPurpose purpose)
    : ports_(ports), options_(options), purpose_(std::move(purpose)), begun_(ports.clock.now()) {
  ports_.observer.entered(Step::read_head);
  begun_at_ = ports_.log.head();
  position_ = begun_at_;
  target_ = begun_at_;
  ports_.observer.entered(Step::stage_snapshot_page);
  id_ = ports_.snapshots.begin();
  stream_ = ports_.objects.snapshot({});
}

bool SnapshotRun::step() {
  if (stream_) {
    stage_next_page();
  } else if (!ready_) {
    replay_next_events();
  }
  return ready_;
}

void SnapshotRun::go_on_to(int64_t event) {
  if (event <= position_) return;
  target_ = std::max(target_, event);
  ready_ = false;
}

void SnapshotRun::stage_next_page() {
  ports_.observer.entered(Step::read_snapshot_page);
  const std::optional<SnapshotPage> page = stream_->next();
  if (page) {
    ports_.observer.entered(Step::stage_snapshot_page);
    ports_.snapshots.add(id_, *page);
    return;
  }
  stream_.reset();
  // Whatever was read is no newer than this head.
  ports_.observer.entered(Step::read_head);
  target_ = std::max(position_, ports_.log.head());
  ready_ = position_ == target_;
}

void SnapshotRun::replay_next_events() {
  if (position_ < target_) {
    ports_.observer.entered(Step::read_events);
    EventPage page = ports_.log.events(
        {position_, std::min(options_.batch_events, kReplayedAtOnce), options_.batch_bytes});
    const Judgement judgement = judge(position_, target_, page.events);
    if (judgement.usable == 0) return wait_for_hole(judgement.missing.value_or(position_ + 1));
    hole_since_.reset();
    page.events.resize(judgement.usable);
    replay(plan_events(page.events));
    position_ = page.events.back().id;
    if (position_ < target_) return;
  }
  // An object that was read again during the replay may show what came after the target.
  if (std::exchange(re_read_since_target_, false)) {
    ports_.observer.entered(Step::read_head);
    target_ = std::max(position_, ports_.log.head());
  }
  ready_ = position_ >= target_;
}

void SnapshotRun::replay(const std::vector<PlannedEvent>& events) {
  std::vector<processor::Mutation> pending;
  const auto flush = [&] {
    if (pending.empty()) return;
    ports_.observer.entered(Step::replay_on_staging);
    ports_.snapshots.replay(id_, pending);
    pending.clear();
  };
  for (const PlannedEvent& planned : events) {
    if (planned.outcome == PlannedEvent::Outcome::quarantined) {
      flush();
      replay_unreadable(planned);
    }
    for (const processor::Mutation& mutation : planned.mutations) {
      const auto* rename = std::get_if<processor::RenameTable>(&mutation.operation);
      if (rename == nullptr) {
        pending.push_back(mutation);
        continue;
      }
      // The source may have been read before the rename, after it, or half; only the target, read
      // whole, is surely right. Later events that it already shows do nothing to it.
      pending.push_back({mutation.event_id, processor::RemoveTable{rename->from}});
      pending.push_back({mutation.event_id, processor::RemoveTable{rename->to.name}});
      flush();
      re_read({rename->to.name.in_database(), rename->to.name.table});
    }
  }
  flush();
}

// What its header names is read anew. A rename's names only the new one, and some name nothing: the
// next snapshot starts after those.
void SnapshotRun::replay_unreadable(const PlannedEvent& planned) {
  const processor::Event& event = *planned.event;
  const std::string database = processor::lower_case(event.database.value_or(""));
  const std::string table = processor::lower_case(event.table.value_or(""));
  if (database.empty() || event.type == "ALTER_TABLE") {
    throw Error(ErrorKind::transient,
                fmt::format("event {} cannot be read and fell into the span of the snapshot; the "
                            "next snapshot starts after it: {}",
                            event.id, planned.reason));
  }
  const std::string catalog =
      processor::lower_case(event.catalog.value_or(processor::kDefaultCatalog));
  ports_.observer.noticed({Notice::Kind::poison, event.id, planned.reason});
  ports_.observer.entered(Step::replay_on_staging);
  if (table.empty()) {
    ports_.snapshots.replay(id_, {{event.id, processor::RemoveDatabase{{catalog, database}}}});
    return re_read({processor::DatabaseName{catalog, database}, std::nullopt});
  }
  ports_.snapshots.replay(id_, {{event.id, processor::RemoveTable{{catalog, database, table}}}});
  re_read({processor::DatabaseName{catalog, database}, table});
}

void SnapshotRun::re_read(const Scope& scope) {
  re_read_since_target_ = true;
  const auto stream = ports_.objects.snapshot(scope);
  while (true) {
    ports_.observer.entered(Step::read_snapshot_page);
    const std::optional<SnapshotPage> page = stream->next();
    if (!page) return;
    ports_.observer.entered(Step::stage_snapshot_page);
    ports_.snapshots.add(id_, *page);
  }
}

void SnapshotRun::wait_for_hole(int64_t missing) {
  const auto now = ports_.clock.now();
  if (!hole_since_) hole_since_ = now;
  if (now - *hole_since_ < options_.gap_grace) return;
  throw Error(ErrorKind::transient,
              fmt::format("event {} is missing from the metastore's log, so the snapshot cannot be "
                          "completed; it is taken anew",
                          missing));
}

SnapshotProgress SnapshotRun::progress() const {
  if (stream_) return stream_->progress();
  return {"replay", position_, target_};
}

std::chrono::steady_clock::duration SnapshotRun::age() const { return ports_.clock.now() - begun_; }

}  // namespace hmsync::follower
