#include "tests/follower/memory_store.h"

#include <algorithm>

#include "processor/error.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;

namespace {

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

using Missing = std::optional<TableName>;

/// One mutation on a map of objects; what must be read again.
struct Apply {
  ObjectMap& objects;

  Missing operator()(const PutDatabase& put) {
    objects.databases[put.database.name] = put.database;
    // A 2.3 tells of a made database only its name.
    if (put.database.location) return {};
    return TableName{put.database.name.catalog, put.database.name.database, ""};
  }
  Missing operator()(const RemoveDatabase& remove) {
    objects.databases.erase(remove.name);
    std::erase_if(objects.tables,
                  [&](const auto& entry) { return entry.first.in_database() == remove.name; });
    return {};
  }
  Missing operator()(const CreateTableRow& create) {
    objects.tables[create.table.name] = {create.table, {}};
    return {};
  }
  Missing operator()(const UpdateTable& update) {
    StoredTable& stored = objects.tables[update.table.name];
    const bool missing = stored.table.name.table.empty();
    const std::string identity = missing ? update.table.identity : stored.table.identity;
    stored.table = update.table;
    stored.table.identity = identity;
    return missing ? Missing(update.table.name) : Missing();
  }
  Missing operator()(const RemoveTable& remove) {
    objects.tables.erase(remove.name);
    return {};
  }
  Missing operator()(const RenameTable& rename) {
    auto node = objects.tables.extract(rename.from);
    if (node.empty()) {
      objects.tables[rename.to.name] = {rename.to, {}};
      return rename.to.name;
    }
    StoredTable& stored = node.mapped();
    const std::string identity = stored.table.identity;
    stored.table = rename.to;
    stored.table.identity = identity;
    if (rename.partition_paths) {
      for (auto& [values, location] : stored.partitions) {
        if (!location) continue;
        location->path =
            replace_all(location->path, rename.partition_paths->from, rename.partition_paths->to);
      }
    }
    node.key() = rename.to.name;
    objects.tables.erase(rename.to.name);
    objects.tables.insert(std::move(node));
    return {};
  }
  Missing operator()(const PutPartitions& put) {
    const auto found = objects.tables.find(put.table);
    if (found == objects.tables.end()) return put.table;
    for (const Partition& partition : put.partitions) {
      found->second.partitions[partition.values] = partition.location;
    }
    return {};
  }
  Missing operator()(const RemovePartitions& remove) {
    const auto found = objects.tables.find(remove.table);
    if (found == objects.tables.end()) return remove.table;
    for (const auto& values : remove.values) found->second.partitions.erase(values);
    return {};
  }
};

Scope scope_of(const TableName& name) {
  Scope scope;
  if (!name.database.empty()) scope.database = name.in_database();
  if (!name.table.empty()) scope.table = name.table;
  return scope;
}

}  // namespace

std::optional<TableName> apply_to(ObjectMap& objects, const Mutation& mutation) {
  return std::visit(Apply{objects}, mutation.operation);
}

FollowerState MemoryStore::state() {
  before_effect("state");
  return follower;
}

void MemoryStore::check_fence(const Fence& fence) {
  if (fence.token != follower.token || fence.commit_number != follower.commit_number) {
    throw Error(ErrorKind::fenced, "the fence's condition failed");
  }
  ++follower.commit_number;
}

void MemoryStore::ask_re_read(const TableName& name, int64_t event) {
  const auto [entry, made] = re_reads.try_emplace(name);
  PendingReRead& pending = entry->second;
  const bool older = !made && pending.generation == follower.generation;
  pending = {++last_number_, older ? std::min(pending.event, event) : event, follower.generation};
}

void MemoryStore::keep(Claim claim) {
  if (claim.name.database.empty()) {
    claim.name = {};
    claim.kind = Claim::Kind::changed;
  }
  if (claim.kind != Claim::Kind::renamed) claim.from = {};
  claims.push_back({++last_number_, follower.generation, claim});
  ask_re_read(claim.name, claim.event_id);
  if (!claim.from.table.empty()) ask_re_read(claim.from, claim.event_id);
}

void MemoryStore::apply(const Fence& fence, const Batch& batch) {
  before_effect("apply");
  check(batch);
  check_fence(fence);
  for (const Mutation& mutation : batch.mutations) {
    if (const auto* rename = std::get_if<RenameTable>(&mutation.operation)) {
      const auto waiting = re_reads.find(rename->from);
      if (waiting != re_reads.end()) ask_re_read(rename->to.name, waiting->second.event);
    }
    const Missing missing = apply_to(live, mutation);
    if (missing) ask_re_read(*missing, mutation.event_id);
  }
  for (const Claim& claim : batch.claims) keep(claim);
  for (const QuarantinedEvent& event : batch.quarantined) {
    quarantine.push_back({event, follower.generation});
  }
  audit.insert(audit.end(), batch.notes.begin(), batch.notes.end());
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
  check_fence(fence);
  audit.insert(audit.end(), notes.begin(), notes.end());
  after_effect("note");
}

bool MemoryStore::trim(const Fence& fence) {
  before_effect("trim");
  check_fence(fence);
  return ++trims <= trims_with_more;
}

void MemoryStore::answer_polls(int64_t asked) {
  before_effect("answer_polls");
  polls_answered = std::max(polls_answered, asked);
}

Orders MemoryStore::pending() {
  before_effect("pending");
  Orders pending = orders;
  std::map<int64_t, Scope> in_order;
  for (const auto& [name, asked] : re_reads) in_order[asked.request] = scope_of(name);
  for (const auto& [request, scope] : in_order) {
    if (pending.re_reads.size() == 500) break;
    pending.re_reads.push_back(scope);
  }
  return pending;
}

void MemoryStore::finish(const Fence& fence, int64_t request, const ResyncOutcome& outcome) {
  before_effect("finish");
  check_fence(fence);
  outcomes[request] = outcome;
  std::erase_if(orders.resyncs, [&](const ResyncRequest& order) { return order.id == request; });
}

void MemoryStore::repeat_revokes(const Fence& fence) {
  check_fence(fence);
  orders.revokes_due = false;
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
  auto outcome = outcomes_of_events.begin();
  for (KeptEvent& kept : quarantine) {
    const bool waits = !kept.applied && kept.generation == follower.generation;
    if (!waits || kept.event.id != request.event || outcome == outcomes_of_events.end()) continue;
    kept.applied = outcome->failure.empty();
    if (!kept.applied) {
      ++kept.attempts;
      kept.reason = outcome->failure;
    }
    for (const Claim& claim : outcome->claims) keep(claim);
    ++outcome;
  }
  retries[request.id] = outcomes_of_events;
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
