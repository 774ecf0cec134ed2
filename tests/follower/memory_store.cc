#include "tests/follower/memory_store.h"

#include <algorithm>

#include "follower/scope.h"
#include "processor/error.h"
#include "tests/follower/memory_grants.h"
#include "tests/follower/memory_grants_revoked.h"
#include "tests/follower/memory_store_objects.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;

FollowerState MemoryStore::state() {
  before_effect("state");
  return follower;
}

void MemoryStore::check_fence(const Fence& fence) const {
  if (fence.token != follower.token || fence.commit_number != follower.commit_number) {
    throw Error(ErrorKind::fenced, "the fence's condition failed");
  }
}

void MemoryStore::advance(const Fence& fence) {
  check_fence(fence);
  ++follower.commit_number;
}

void MemoryStore::stop_at_revokes(int64_t cursor) {
  const bool passes = std::any_of(revokes.begin(), revokes.end(), [&](const StoredRevoke& revoke) {
    return !revoke.finished && !revoke.repeated && revoke.generation == follower.generation &&
           revoke.at_event < cursor;
  });
  if (passes && follower.cursor && *follower.cursor < cursor)
    throw Error(ErrorKind::transient, "a revoke is to be repeated first");
}

void MemoryStore::ask_re_read(const TableName& name, int64_t event, bool without_claim) {
  const auto [entry, made] = re_reads.try_emplace(name);
  PendingReRead& pending = entry->second;
  const bool older = !made && pending.generation == follower.generation;
  pending = {++last_number_, older ? std::min(pending.event, event) : event, follower.generation,
             without_claim || (!made && pending.without_claim)};
}

Claim MemoryStore::kept_claim(Claim claim) {
  if (claim.name.database.empty()) {
    claim.name = {};
    claim.kind = Claim::Kind::changed;
  }
  if (claim.kind != Claim::Kind::renamed) claim.from = {};
  return claim;
}

void MemoryStore::keep(const std::vector<Claim>& said) {
  std::map<TableName, int64_t> named;
  const auto name = [&](const TableName& object, int64_t event) {
    const auto [entry, made] = named.try_emplace(object, event);
    if (!made) entry->second = std::min(entry->second, event);
  };
  for (const Claim& one : said) {
    const Claim claim = kept_claim(one);
    name(claim.name, claim.event_id);
    if (!claim.from.table.empty()) name(claim.from, claim.event_id);
    claims.push_back({++last_number_, follower.generation, claim});
  }
  std::multimap<int64_t, TableName> in_order;
  for (const auto& [object, event] : named) in_order.emplace(event, object);
  for (const auto& [event, object] : in_order) ask_re_read(object, event, false);
}

void MemoryStore::write_notes(const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    AuditRow row;
    row.who = "event";
    row.action = note.action;
    row.event = note.event;
    row.text = note.text;
    audit.push_back(std::move(row));
  }
}

void MemoryStore::set_aside(const QuarantinedEvent& event) {
  quarantine.push_back({event, follower.generation});
  AuditRow row;
  row.who = "event";
  row.action = "quarantine";
  row.object = event.event.database.value_or("");
  if (event.event.table) row.object += (row.object.empty() ? "" : ".") + *event.event.table;
  row.event = event.event.id;
  audit.push_back(std::move(row));
}

void MemoryStore::apply_live(const Mutation& mutation) {
  if (const auto* rename = std::get_if<RenameTable>(&mutation.operation)) {
    // What waits to be read again waits under both names.
    const auto waiting = re_reads.find(rename->from);
    if (waiting != re_reads.end()) ask_re_read(rename->to.name, waiting->second.event, true);
  }
  Applied applied = apply_to_objects(live, mutation);
  for (PathChange& change : applied.changes) {
    change.commit_number = follower.commit_number;
    path_changes.push_back(std::move(change));
  }
  if (applied.missing) ask_re_read(*applied.missing, mutation.event_id, true);
}

void MemoryStore::apply(const Fence& fence, const Batch& batch) {
  before_effect("apply");
  check(batch);
  const std::vector<store::MutationGroup> groups = in_groups(batch.mutations);
  stop_at_revokes(batch.cursor);
  advance(fence);
  for (const store::MutationGroup& group : groups) {
    follow_events(*this, group);
    for (const Mutation* mutation : group.mutations) apply_live(*mutation);
    revive_renamed(*this, group);
  }
  keep(batch.claims);
  for (const QuarantinedEvent& event : batch.quarantined) set_aside(event);
  write_notes(batch.notes);
  follower.cursor = batch.cursor;
  follower.digests = batch.digests;
  follower.shared_ids_seen = follower.shared_ids_seen || batch.counts.shared_id > 0;
  totals.applied += batch.counts.applied;
  totals.ignored += batch.counts.ignored;
  totals.quarantined += batch.counts.quarantined;
  totals.late += batch.counts.late;
  totals.shared_id += batch.counts.shared_id;
  totals.refuted += batch.counts.refuted;
  ++batches;
  after_effect("apply");
}

void MemoryStore::note(const Fence& fence, const std::vector<Note>& notes) {
  before_effect("note");
  advance(fence);
  write_notes(notes);
  after_effect("note");
}

bool MemoryStore::trim(const Fence& fence) {
  before_effect("trim");
  advance(fence);
  const bool more = ++trims <= trims_with_more;
  after_effect("trim");
  return more;
}

void MemoryStore::answer_polls(int64_t asked) {
  before_effect("answer_polls");
  polls_answered = std::max(polls_answered, asked);
  after_effect("answer_polls");
}

int64_t MemoryStore::ask_poll() {
  before_effect("ask_poll");
  const int64_t number = ++orders.polls_asked;
  after_effect("ask_poll");
  return number;
}

void MemoryStore::record_head(int64_t head_read) {
  before_effect("record_head");
  head = {head_read, tick()};
  after_effect("record_head");
}

bool MemoryStore::re_read_pending(std::optional<int64_t> up_to_event) const {
  return std::any_of(re_reads.begin(), re_reads.end(), [&](const auto& entry) {
    const PendingReRead& pending = entry.second;
    return pending.generation == follower.generation &&
           (!up_to_event || pending.event <= *up_to_event);
  });
}

ReadablePosition MemoryStore::position() const {
  ReadablePosition position;
  position.generation = follower.generation;
  position.cursor = follower.cursor.value_or(-1);
  for (const auto& [name, pending] : re_reads) {
    if (pending.generation != follower.generation) continue;
    // Its effects, and those of later events, may not be readable yet.
    position.cursor = std::min(position.cursor, pending.event - 1);
  }
  for (const StoredRevoke& revoke : revokes) {
    if (revoke.finished || revoke.generation != follower.generation || revoke.at_event < 0)
      continue;
    position.cursor = std::min(position.cursor, revoke.at_event - 1);
  }
  position.polls_needed = follower.metastore_uuid.empty() || follower.shared_ids_seen;
  position.polls_answered = polls_answered;
  return position;
}

Orders MemoryStore::pending() {
  before_effect("pending");
  Orders pending = orders;
  pending.polls_answered = polls_answered;
  std::map<int64_t, Scope> in_order;
  for (const auto& [name, asked] : re_reads) in_order[asked.request] = scope_of(name);
  for (const auto& [request, scope] : in_order) {
    if (pending.re_reads.size() == 500) break;
    pending.re_reads.push_back(scope);
  }
  pending.revokes_due = pending.revokes_due || doubles::revokes_due(*this);
  pending.revoke_ahead = doubles::revoke_ahead(*this);
  return pending;
}

void MemoryStore::finish(const Fence& fence, int64_t request, const ResyncOutcome& outcome) {
  before_effect("finish");
  advance(fence);
  outcomes[request] = outcome;
  std::erase_if(orders.resyncs, [&](const ResyncRequest& order) { return order.id == request; });
  after_effect("finish");
}

void MemoryStore::repeat_revokes(const Fence& fence) {
  before_effect("repeat_revokes");
  advance(fence);
  repeat_due_revokes(*this);
  orders.revokes_due = false;
  after_effect("repeat_revokes");
}

std::vector<Event> MemoryStore::quarantined(int64_t event) {
  before_effect("quarantined");
  std::vector<Event> events;
  for (const KeptEvent& kept : quarantine) {
    const bool waits = !kept.applied && kept.generation == follower.generation;
    if (waits && kept.event.id == event) events.push_back(kept.event);
  }
  return events;
}

void MemoryStore::retried(const Fence& fence, const RetryRequest& request,
                          const std::vector<Retried>& outcomes_of_events) {
  before_effect("retried");
  check_fence(fence);
  const auto waiting = [&](const KeptEvent& kept) {
    return !kept.applied && kept.generation == follower.generation &&
           kept.event.id == request.event;
  };
  if (std::count_if(quarantine.begin(), quarantine.end(), waiting) !=
      static_cast<std::ptrdiff_t>(outcomes_of_events.size())) {
    throw Error(ErrorKind::transient, "other events are in quarantine than there were");
  }
  advance(fence);
  auto outcome = outcomes_of_events.begin();
  for (KeptEvent& kept : quarantine) {
    if (!waiting(kept)) continue;
    kept.applied = outcome->failure.empty();
    if (!kept.applied) {
      ++kept.attempts;
      kept.reason = outcome->failure;
    }
    keep(outcome->claims);
    ++outcome;
  }
  retries[request.id] = outcomes_of_events;
  AuditRow row;
  row.who = request.requested_by;
  row.action = "retried";
  row.event = request.event;
  const bool all_read = std::all_of(outcomes_of_events.begin(), outcomes_of_events.end(),
                                    [](const Retried& one) { return one.failure.empty(); });
  if (outcomes_of_events.empty() || !all_read) row.outcome = "failed";
  audit.push_back(std::move(row));
  std::erase_if(orders.retries, [&](const RetryRequest& order) { return order.id == request.id; });
  after_effect("retried");
}

int64_t MemoryStore::count_tables() { return static_cast<int64_t>(live.tables.size()); }

std::vector<TableName> MemoryStore::tables_after(const TableName& name, int count) {
  std::vector<TableName> names;
  for (auto next = live.tables.upper_bound(name);
       next != live.tables.end() && names.size() < static_cast<size_t>(count); ++next) {
    names.push_back(next->first);
  }
  return names;
}

std::vector<KnownTable> MemoryStore::some_tables(int count) {
  std::vector<KnownTable> tables;
  for (const auto& [name, stored] : live.tables) {
    if (tables.size() == static_cast<size_t>(count)) break;
    if (!stored.table.identity.empty()) tables.push_back({name, stored.table.identity});
  }
  return tables;
}

}  // namespace hmsync::doubles
