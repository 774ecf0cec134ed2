#include "follower/snapshot_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "follower/event_order.h"
#include "follower/newest_event.h"
#include "follower/scope.h"
#include "processor/error.h"

namespace hmsync::follower {

namespace {

using processor::Claim;
using processor::Mutation;

/// A snapshot runs while the metastore is busy with it: its log is read in small pieces.
constexpr int32_t kReplayedAtOnce = 1000;

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
  // Whatever was read is no newer than this: the head itself may have gone back for a moment (2.3).
  term_.ports.observer.entered(Step::read_head);
  target_ = std::max(position_, newest_event(term_.ports.log));
}

void SnapshotRun::replay_next_events() {
  term_.ports.observer.entered(Step::read_events);
  EventPage page =
      term_.ports.log.events({position_, std::min(term_.options.batch_events, kReplayedAtOnce),
                              term_.options.batch_bytes});
  const Judgement judgement = judge(position_, target_, page.events);
  if (judgement.usable == 0) {
    if (judgement.missing) return wait_for_hole(*judgement.missing);
    ready_ = true;
    return;
  }
  hole_.clear();
  const bool last = judgement.usable == page.events.size() && !page.cut;
  page.events.resize(judgement.usable);
  for (const processor::Event& event : page.events) {
    if (event.id > page.events.back().id - term_.options.overlap_events) {
      window_.add(processor::digest(event), term_.now());
    }
  }
  replay(plan_events(page.events, term_.plain_listener));
  position_ = page.events.back().id;
  ready_ = position_ > target_ || (position_ == target_ && last);
}

void SnapshotRun::replay(const std::vector<PlannedEvent>& events) {
  for (const PlannedEvent& planned : events) {
    for (const Mutation& mutation : planned.mutations) replay(mutation);
    for (const Claim& claim : planned.claims) keep(claim, true);
  }
  if (mutations_.empty() && claims_.empty()) return;
  term_.ports.observer.entered(Step::replay_on_staging);
  term_.ports.snapshots.replay(id_, mutations_, claims_);
  mutations_.clear();
  claims_.clear();
}

// A rename's source may have been read before it, after it, or half: only its target, read whole,
// is surely right. Grants that were given on the source follow then, too; while the live state
// follows, it has taken them along.
void SnapshotRun::replay(const Mutation& mutation) {
  const auto* rename = std::get_if<processor::RenameTable>(&mutation.operation);
  if (rename == nullptr) {
    for (Mutation& part : within(purpose_.scopes, mutation)) mutations_.push_back(std::move(part));
    return;
  }
  if (contains(purpose_.scopes, rename->to.name)) {
    mutations_.push_back(mutation);
    Claim target;
    target.event_id = mutation.event_id;
    target.name = rename->to.name;
    if (!purpose_.unbroken) {
      target.kind = Claim::Kind::renamed;
      target.from = rename->from;
      target.identity = rename->to.identity;
      target.certain = true;
    }
    keep(target, false);
  } else if (contains(purpose_.scopes, rename->from)) {
    mutations_.push_back({mutation.event_id, processor::RemoveTable{rename->from}});
  }
}

// While the live state follows, it keeps the claim itself; here it only says what is doubtful:
// known to the live state, which applied the event, or there to be read anew for it, too.
void SnapshotRun::keep(const Claim& claim, bool read_anew) {
  if (!purpose_.unbroken) return claims_.push_back(claim);
  for (const processor::TableName& name : {claim.name, claim.from}) {
    if (name.database.empty()) continue;
    Claim doubtful;
    doubtful.event_id = claim.event_id;
    doubtful.name = name;
    doubtful.unordered = read_anew;
    claims_.push_back(std::move(doubtful));
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
