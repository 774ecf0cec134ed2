#include "follower/snapshot_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "follower/event_order.h"
#include "follower/scope.h"
#include "processor/error.h"

namespace hmsync::follower {

namespace {

using processor::Claim;
using processor::Mutation;
using processor::TableName;

/// A snapshot runs while the metastore is busy with it: its log is read in small pieces.
constexpr int32_t kReplayedAtOnce = 1000;

TableName whole(const processor::DatabaseName& name) { return {name.catalog, name.database, ""}; }

struct NameOf {
  TableName operator()(const processor::PutDatabase& put) const { return whole(put.database.name); }
  TableName operator()(const processor::RemoveDatabase& remove) const { return whole(remove.name); }
  TableName operator()(const processor::CreateTableRow& create) const { return create.table.name; }
  TableName operator()(const processor::UpdateTable& update) const { return update.table.name; }
  TableName operator()(const processor::RemoveTable& remove) const { return remove.name; }
  TableName operator()(const processor::RenameTable& rename) const { return rename.to.name; }
  TableName operator()(const processor::PutPartitions& put) const { return put.table; }
  TableName operator()(const processor::RemovePartitions& remove) const { return remove.table; }
};

Mutation removal(int64_t event, const TableName& name) {
  if (name.table.empty()) return {event, processor::RemoveDatabase{name.in_database()}};
  return {event, processor::RemoveTable{name}};
}

}  // namespace

SnapshotRun::SnapshotRun(Term& term, SnapshotPurpose purpose)
    : term_(term),
      purpose_(std::move(purpose)),
      begun_(term.now()),
      window_(term.options.overlap_events) {
  begun_at_ = term.head;
  if (purpose_.unbroken) {
    begun_at_ = std::max(begun_at_, term.cursor());  // a head may go back for a moment
  } else {
    remember_before_begin();
  }
  position_ = begun_at_;
  target_ = begun_at_;
  term_.ports.observer.entered(Step::stage_snapshot_page);
  id_ = term_.ports.snapshots.begin(purpose_.scopes);
  stream_ = term_.ports.objects.snapshot(purpose_.scopes);
}

// So that an event is known to be late that appears below the snapshot's begin after it. Where they
// cannot be had, perhaps the very cause of the snapshot, it is taken without them.
void SnapshotRun::remember_before_begin() try {
  term_.ports.observer.entered(Step::read_events);
  int64_t after = std::max<int64_t>(0, begun_at_ - term_.options.overlap_events);
  while (after < begun_at_) {
    const EventPage page =
        term_.ports.log.events({after, kReplayedAtOnce, term_.options.batch_bytes});
    for (const processor::Event& event : page.events) {
      if (event.id <= begun_at_) window_.add(processor::digest(event), begun_);
    }
    if (!page.cut) return;
    after = page.events.back().id;
  }
} catch (const AnotherMetastore&) {
  throw;
} catch (const Error& error) {
  if (error.kind() != ErrorKind::transient) throw;
  window_.restart({}, begun_);
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

void SnapshotRun::widen(const std::vector<Scope>& scopes) {
  ready_ = false;
  purpose_.scopes.insert(purpose_.scopes.end(), scopes.begin(), scopes.end());
  term_.ports.snapshots.add(id_, {}, scopes);
  stream_ = term_.ports.objects.snapshot(scopes);
}

void SnapshotRun::stage_next_page() {
  term_.ports.observer.entered(Step::read_snapshot_page);
  const std::optional<SnapshotPage> page = stream_->next();
  if (page) {
    term_.ports.observer.entered(Step::stage_snapshot_page);
    term_.ports.snapshots.add(id_, *page);
    return;
  }
  stream_.reset();
  // Whatever was read is no newer than this head.
  term_.ports.observer.entered(Step::read_head);
  target_ = std::max(position_, term_.ports.log.head());
  ready_ = position_ == target_;
}

void SnapshotRun::replay_next_events() {
  if (position_ < target_) {
    term_.ports.observer.entered(Step::read_events);
    EventPage page =
        term_.ports.log.events({position_, std::min(term_.options.batch_events, kReplayedAtOnce),
                                term_.options.batch_bytes});
    const Judgement judgement = judge(position_, target_, page.events);
    if (judgement.usable == 0) return wait_for_hole(judgement.missing.value_or(position_ + 1));
    hole_.clear();
    page.events.resize(judgement.usable);
    for (const processor::Event& event : page.events) {
      if (event.id > page.events.back().id - term_.options.overlap_events) {
        window_.add(processor::digest(event), term_.now());
      }
    }
    replay(plan_events(page.events, term_.plain_listener));
    position_ = page.events.back().id;
    if (position_ < target_) return;
  }
  // An object that was read again during the replay may show what came after the target.
  if (std::exchange(re_read_since_target_, false)) {
    term_.ports.observer.entered(Step::read_head);
    target_ = std::max(position_, term_.ports.log.head());
  }
  ready_ = position_ >= target_;
}

void SnapshotRun::replay(const std::vector<PlannedEvent>& events) {
  for (const PlannedEvent& planned : events) {
    for (const Mutation& mutation : planned.mutations) replay(mutation);
    for (const Claim& claim : planned.claims) replay(planned, claim);
  }
  flush();
}

void SnapshotRun::replay(const Mutation& mutation) {
  const auto* rename = std::get_if<processor::RenameTable>(&mutation.operation);
  if (rename != nullptr) {
    // The source may have been read before the rename, after it, or half; only the target, read
    // whole, is surely right. Later events that it already shows do nothing to it.
    if (contains(purpose_.scopes, rename->from)) {
      pending_.push_back(removal(mutation.event_id, rename->from));
      again_.erase(rename->from);
    }
    return read_again(rename->to.name);
  }
  for (Mutation& part : within(purpose_.scopes, mutation)) {
    if (!is_read_again(part.operation)) pending_.push_back(std::move(part));
  }
}

// What an event only claims is read anew. The name before an unreadable rename is not known: while
// the live state follows, its own re-read of the new name finds it; without it, the next snapshot
// starts after the event.
void SnapshotRun::replay(const PlannedEvent& planned, const Claim& claim) {
  const bool source_unknown = claim.kind == Claim::Kind::renamed && claim.from.database.empty();
  if (claim.name.database.empty() || source_unknown) {
    if (!purpose_.unbroken) {
      throw Error(ErrorKind::transient,
                  fmt::format("event {} cannot be read and fell into the span of the snapshot; the "
                              "next snapshot starts after it: {}",
                              claim.event_id, planned.reason));
    }
    if (claim.name.database.empty()) return;
  }
  if (!claim.from.database.empty()) read_again(claim.from);
  read_again(claim.name);
}

// A sweep of the databases' own rows leaves it to the live state's re-read.
void SnapshotRun::read_again(const TableName& name) {
  if (!purpose_.scopes.empty() && purpose_.scopes.front().databases_only) return;
  const bool in_scope = name.table.empty() ? contains(purpose_.scopes, name.in_database())
                                           : contains(purpose_.scopes, name);
  if (in_scope) again_.insert(name);
}

bool SnapshotRun::is_read_again(const processor::Operation& operation) const {
  const TableName name = std::visit(NameOf{}, operation);
  return again_.contains(name) || again_.contains(whole(name.in_database()));
}

// One stream for all that the page's events made doubtful.
void SnapshotRun::flush() {
  std::vector<Scope> scopes;
  for (const TableName& name : again_) {
    pending_.push_back(removal(position_, name));
    const bool with_its_database =
        !name.table.empty() && again_.contains(whole(name.in_database()));
    if (!with_its_database) scopes.push_back(scope_of(name));
  }
  again_.clear();
  if (!pending_.empty()) {
    term_.ports.observer.entered(Step::replay_on_staging);
    term_.ports.snapshots.replay(id_, pending_);
    pending_.clear();
  }
  if (scopes.empty()) return;
  re_read_since_target_ = true;
  const auto stream = term_.ports.objects.snapshot(scopes);
  while (true) {
    term_.ports.observer.entered(Step::read_snapshot_page);
    const std::optional<SnapshotPage> page = stream->next();
    if (!page) return;
    term_.ports.observer.entered(Step::stage_snapshot_page);
    term_.ports.snapshots.add(id_, *page);
  }
}

void SnapshotRun::wait_for_hole(int64_t missing) {
  if (!hole_.over(term_, term_.options.gap_grace)) return;
  throw Error(ErrorKind::transient,
              fmt::format("event {} is missing from the metastore's log, so the snapshot cannot be "
                          "completed; it is taken anew",
                          missing));
}

SnapshotProgress SnapshotRun::progress() const {
  if (stream_) return stream_->progress();
  return {"replay", position_, target_};
}

std::chrono::steady_clock::duration SnapshotRun::age() const { return term_.now() - begun_; }

}  // namespace hmsync::follower
