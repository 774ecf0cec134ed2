// The snapshots of the store in memory.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "processor/error.h"
#include "store/snapshot_scope.h"
#include "store/snapshot_store.h"
#include "tests/follower/memory_grants_revoked.h"
#include "tests/follower/memory_grants_snapshot.h"
#include "tests/follower/memory_store_claims.h"
#include "tests/follower/memory_store_objects.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;

namespace {

template <typename Map>
void count(const Map& before, const Map& after, int64_t& added, int64_t& changed,
           int64_t& removed) {
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (found == before.end()) {
      ++added;
    } else if (found->second != value) {
      ++changed;
    }
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) ++removed;
  }
}

/// Columns are not stored.
Table without_columns(Table table) {
  table.columns.clear();
  table.partition_keys.clear();
  return table;
}

Difference difference(const ObjectMap& live, const ObjectMap& staged) {
  std::map<TableName, Table> tables_before;
  std::map<TableName, Table> tables_after;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> before;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> after;
  for (const auto& [name, stored] : live.tables) {
    tables_before[name] = without_columns(stored.table);
    for (const auto& [values, location] : stored.partitions) before[{name, values}] = location;
  }
  for (const auto& [name, stored] : staged.tables) {
    tables_after[name] = without_columns(stored.table);
    for (const auto& [values, location] : stored.partitions) after[{name, values}] = location;
  }
  Difference result;
  count(live.databases, staged.databases, result.added.databases, result.changed.databases,
        result.removed.databases);
  count(tables_before, tables_after, result.added.tables, result.changed.tables,
        result.removed.tables);
  count(before, after, result.added.partitions, result.changed.partitions,
        result.removed.partitions);
  return result;
}

std::vector<Claim> refuted_by(const Publication& publication, const store::Claims& claims) {
  if (publication.raise_generation) return {};
  return store::refuted_claims(claims);
}

void audit_refuted(MemoryStore& store, const std::vector<Claim>& refuted) {
  for (const Claim& claim : refuted) {
    const TableName& name = claim.kind == Claim::Kind::renamed ? claim.from : claim.name;
    AuditRow row;
    row.who = "event";
    row.action = "refute";
    row.object = name.table.empty() ? name.database : name.database + "." + name.table;
    row.event = claim.event_id;
    store.audit.push_back(std::move(row));
  }
}

void audit_snapshot(MemoryStore& store, const Publication& publication) {
  AuditRow row;
  row.who = "hmsyncd";
  row.action = "snapshot";
  row.object = publication.reason;
  row.event = publication.cursor;
  store.audit.push_back(std::move(row));
}

/// What the staging has from the live state.
std::set<TableName> taken_over(const Staged& staged) {
  std::set<TableName> names;
  for (const auto& [name, asked] : staged.re_reads) names.insert(name);
  for (const Claim& claim : staged.claims) {
    // What is read anew for the live state, too, is as it was read.
    if (!claim.unordered || staged.scopes.empty()) names.insert(claim.name);
  }
  std::erase_if(names, [](const TableName& name) { return name.database.empty(); });
  return names;
}

using PathMap = std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>>;

PathMap paths_of(const ObjectMap& objects) {
  PathMap paths;
  for (const auto& [name, database] : objects.databases) {
    if (database.location) paths[{{name.catalog, name.database, ""}, {}}] = database.location;
  }
  for (const auto& [name, stored] : objects.tables) {
    if (stored.table.location) paths[{name, {}}] = stored.table.location;
    for (const auto& [values, location] : stored.partitions) paths[{name, values}] = location;
  }
  return paths;
}

std::vector<PathChange> path_difference(const PathMap& before, const PathMap& after) {
  std::vector<PathChange> changes;
  const auto tell = [&](const char* change, const PathMap& paths, const PathMap& others) {
    for (const auto& [key, location] : paths) {
      const auto other = others.find(key);
      if (!location || (other != others.end() && other->second == location)) continue;
      changes.push_back({0, 0, change, key.first, key.second, location, {}});
    }
  };
  tell("removed", before, after);
  tell("added", after, before);
  return changes;
}

int64_t changed_objects(const Difference& difference) {
  int64_t sum = 0;
  for (const auto* counts : {&difference.added, &difference.changed, &difference.removed}) {
    sum += counts->databases + counts->tables + counts->partitions;
  }
  return sum;
}

/// More are not listed one by one.
constexpr int64_t kListedChanges = store::PostgresSnapshotStore::kListedChanges;

}  // namespace

void Staged::ask(const TableName& name, StagedReRead asked) {
  const auto [entry, made] = re_reads.try_emplace(name, asked);
  if (made) return;
  entry->second.event = std::min(entry->second.event, asked.event);
  entry->second.without_claim = entry->second.without_claim || asked.without_claim;
}

Staged& MemoryStore::staging(const std::string& snapshot) {
  const auto found = staging_.find(snapshot);
  if (found == staging_.end()) {
    throw Error(ErrorKind::transient, "snapshot " + snapshot + " is lost");
  }
  return found->second;
}

std::string MemoryStore::begin(const std::vector<Scope>& scopes) {
  before_effect("begin");
  std::string id = "snapshot-" + std::to_string(next_snapshot_++);
  Staged& staged = staging_[id];
  if (!store::reaches_everything(scopes)) staged.scopes = scopes;
  staged.re_reads_through = last_number_;
  staged.begun_at = tick();
  after_effect("begin");
  return id;
}

void MemoryStore::add(const std::string& snapshot, const SnapshotPage& page,
                      const std::vector<Scope>& more) {
  before_effect("add");
  Staged next = staging(snapshot);
  if (!more.empty() && store::reaches_everything(more)) next.scopes.clear();
  if (!next.scopes.empty()) next.scopes.insert(next.scopes.end(), more.begin(), more.end());
  for (const Database& database : page.databases) {
    if (!next.objects.databases.emplace(database.name, database).second) {
      throw std::logic_error("a database was staged twice");
    }
  }
  for (const Table& table : page.tables) {
    if (!next.objects.tables.emplace(table.name, StoredTable{table, {}}).second) {
      throw std::logic_error("a table was staged twice");
    }
  }
  for (const TablePartitions& partitions : page.partitions) {
    const auto stored = next.objects.tables.find(partitions.table);
    if (stored == next.objects.tables.end()) {
      throw Error(ErrorKind::transient, "partitions of a table that was not read");
    }
    for (const Partition& partition : partitions.partitions) {
      if (!stored->second.partitions.emplace(partition.values, partition.location).second) {
        throw std::logic_error("a partition was staged twice");
      }
    }
  }
  staging(snapshot) = std::move(next);
  after_effect("add");
}

void MemoryStore::replay(const std::string& snapshot, const std::vector<Mutation>& mutations,
                         const std::vector<Claim>& said) {
  before_effect("replay");
  const std::vector<store::MutationGroup> groups = in_groups(mutations);
  Staged& staged = staging(snapshot);
  for (const store::MutationGroup& group : groups) {
    for (const Mutation* mutation : group.mutations) {
      if (const auto* rename = std::get_if<RenameTable>(&mutation->operation)) {
        const auto waiting = staged.re_reads.find(rename->from);
        if (waiting != staged.re_reads.end()) staged.ask(rename->to.name, {waiting->second.event});
      }
      const auto missing = apply_to(staged.objects, *mutation);
      if (missing) staged.ask(*missing, {mutation->event_id});
    }
  }
  for (const Claim& claim : said) staged.claims.push_back(kept_claim(claim));
  after_effect("replay");
}

/// Names that renames connect with what is doubtful are so, too.
void MemoryStore::connect_doubtful(Staged& staged) const {
  const auto is_ordered_claim_of = [&](const TableName& name) {
    return std::any_of(staged.claims.begin(), staged.claims.end(),
                       [&](const Claim& claim) { return claim.name == name && !claim.unordered; });
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (const KeptClaim& kept : claims) {
      const Claim& claim = kept.claim;
      if (claim.kind != Claim::Kind::renamed || claim.from.table.empty()) continue;
      if (!is_doubtful(staged, claim.name) && !is_doubtful(staged, claim.from)) continue;
      for (const TableName& name : {claim.name, claim.from}) {
        if (is_ordered_claim_of(name)) continue;
        Claim connected;
        connected.event_id = claim.event_id;
        connected.name = name;
        staged.claims.push_back(connected);
        grown = true;
      }
    }
  }
}

/// A listing may hide a database whose tables events tell of.
void MemoryStore::ask_for_unlisted(Staged& staged) const {
  std::map<DatabaseName, int64_t> unlisted;
  const auto add = [&](const TableName& name, int64_t event) {
    const DatabaseName database = name.in_database();
    const bool is_hidden =
        live.databases.contains(database) && !staged.objects.databases.contains(database);
    if (name.table.empty() || !is_hidden) return;
    const auto [entry, made] = unlisted.try_emplace(database, event);
    entry->second = std::min(entry->second, event);
  };
  for (const auto& [name, asked] : staged.re_reads) add(name, asked.event);
  for (const Claim& claim : staged.claims) add(claim.name, claim.event_id);
  for (const auto& [name, event] : unlisted) {
    staged.re_reads.try_emplace({name.catalog, name.database, ""}, StagedReRead{event, true});
  }
}

/// What the events since the snapshot's begin left doubtful is as it is live.
void MemoryStore::take_over_doubtful(Staged& staged) const {
  const bool whole = staged.scopes.empty();
  if (whole) {
    for (const auto& [name, pending] : re_reads) {
      if (name.database.empty()) continue;
      staged.re_reads.try_emplace(name, StagedReRead{pending.event, pending.without_claim});
    }
  }
  if (staged.re_reads.empty() && staged.claims.empty()) return;
  connect_doubtful(staged);
  if (whole) ask_for_unlisted(staged);
  for (const TableName& name : taken_over(staged)) {
    const auto is_meant = [&](const TableName& table) {
      return table.in_database() == name.in_database() &&
             (name.table.empty() || table.table == name.table);
    };
    std::erase_if(staged.objects.tables, [&](const auto& e) { return is_meant(e.first); });
    for (const auto& [table, stored] : live.tables) {
      if (is_meant(table)) staged.objects.tables[table] = stored;
    }
    if (!name.table.empty()) continue;
    staged.objects.databases.erase(name.in_database());
    const auto database = live.databases.find(name.in_database());
    if (database != live.databases.end()) staged.objects.databases.insert(*database);
  }
}

void MemoryStore::keep_owed(Staged& staged) const {
  for (const TableName& name : taken_over(staged)) {
    for (const auto& [asked, pending] : re_reads) {
      const bool is_of_it =
          asked.database.empty() ||
          (asked.in_database() == name.in_database() &&
           (asked.table.empty() || name.table.empty() || asked.table == name.table));
      if (pending.generation != follower.generation || !is_of_it || !covers(staged, asked))
        continue;
      staged.ask(name, {pending.event, pending.without_claim || asked != name});
    }
  }
}

Difference MemoryStore::compare(const std::string& snapshot) {
  before_effect("compare");
  Staged& staged = staging(snapshot);
  take_over_doubtful(staged);
  Difference result = difference(within(staged, live), within(staged, staged.objects));
  result.suspended_grants = count_vanished_grants(*this, staged, grant_scope(*this, staged, true),
                                                  follower.cursor.value_or(0));
  return result;
}

Published MemoryStore::publish(const Fence& fence, const std::string& snapshot,
                               const Publication& publication) {
  before_effect("publish");
  check_fence(fence);
  const auto unchanged = [&](Published result, Published::Outcome outcome) {
    result.outcome = outcome;
    return result;
  };
  Staged staged = staging(snapshot);
  if (publication.unbroken) take_over_doubtful(staged);
  const store::Claims said = read_claims(*this, staged);
  const store::Sources sources = find_sources(*this, staged, said);
  Published published;
  published.missing = store::beyond_scopes(said);
  published.missing.insert(published.missing.end(), sources.missing.begin(), sources.missing.end());
  if (!published.missing.empty()) return unchanged(published, Published::Outcome::incomplete);

  const ObjectMap before = within(staged, live);
  const ObjectMap after = within(staged, staged.objects);
  published.difference = difference(before, after);
  const store::Losses losses = count_losses(*this, staged, said, published.difference);
  published.stored_tables = losses.stored_tables;
  published.lost_tables = losses.lost_tables;
  if (publication.guard) published.reason = store::refusal(*publication.guard, losses);
  if (!published.reason.empty()) return unchanged(published, Published::Outcome::refused);

  advance(fence);
  const bool first = !follower.cursor;
  const int64_t changes = changed_objects(published.difference);
  follower.cursor = publication.cursor;
  take_history(publication);
  const GrantsSettled grants_settled = settle_grants(*this, staged, publication, said, sources);
  published.difference.suspended_grants = grants_settled.suspended;
  if (first || changes > 0) log_difference(before, after, first || changes > kListedChanges);
  for (const auto& [name, database] : before.databases) live.databases.erase(name);
  for (const auto& [name, table] : before.tables) live.tables.erase(name);
  live.databases.insert(after.databases.begin(), after.databases.end());
  live.tables.insert(after.tables.begin(), after.tables.end());
  published.refuted = refuted_by(publication, said);
  totals.refuted += static_cast<int64_t>(published.refuted.size());
  audit_refuted(*this, published.refuted);
  if (publication.unbroken) keep_owed(staged);
  end_re_reads(snapshot, staged, publication);
  const bool whole = staged.scopes.empty();
  // A grant that the switch moved to a name, and that was revoked there, is never readable.
  if (whole || grants_settled.changed) repeat_due_revokes(*this);
  if (whole || changes > 0 || grants_settled.changed || publication.reason == "resync") {
    audit_snapshot(*this, publication);
  }
  publications.push_back(publication);
  after_effect("publish");
  return published;
}

void MemoryStore::take_history(const Publication& publication) {
  if (!publication.metastore_uuid.empty()) follower.metastore_uuid = publication.metastore_uuid;
  if (publication.raise_generation) ++follower.generation;
  if (publication.raise_generation || !publication.digests.empty()) {
    follower.digests = publication.digests;
  }
}

void MemoryStore::log_difference(const ObjectMap& before, const ObjectMap& after, bool as_image) {
  std::vector<PathChange> changes;
  if (as_image) {
    changes.emplace_back();
    changes.back().change = "image";
  } else {
    changes = path_difference(paths_of(before), paths_of(after));
  }
  for (PathChange& change : changes) {
    change.commit_number = follower.commit_number;
    change.event = *follower.cursor;
    path_changes.push_back(std::move(change));
  }
}

void MemoryStore::end_re_reads(const std::string& snapshot, const Staged& staged,
                               const Publication& publication) {
  const bool reset = publication.raise_generation;
  const auto is_read = [&](int64_t number) { return reset || number <= staged.re_reads_through; };
  const auto is_settled = [&](const TableName& name) {
    return !publication.unbroken || !is_doubtful(staged, name);
  };
  const auto ends_re_read = [&](const TableName& name, const PendingReRead& pending) {
    return is_read(pending.request) && covers(staged, name) && is_settled(name);
  };
  const auto ends_claim = [&](const KeptClaim& kept) {
    const Claim& claim = kept.claim;
    return is_read(kept.number) && covers(staged, claim.name) && is_settled(claim.name) &&
           (claim.from.table.empty() || is_settled(claim.from));
  };
  for (auto& [id, other] : staging_) {
    if (id == snapshot || !other.scopes.empty()) continue;
    for (const auto& [name, pending] : re_reads) {
      if (!ends_re_read(name, pending)) continue;
      other.ask(name, {pending.event});
    }
  }
  std::erase_if(re_reads,
                [&](const auto& entry) { return ends_re_read(entry.first, entry.second); });
  std::erase_if(claims, ends_claim);
  // What was asked for again meanwhile is due since the events that asked then.
  for (auto& [name, pending] : re_reads) {
    if (is_read(pending.request) || pending.without_claim || !covers(staged, name)) continue;
    std::optional<int64_t> later;
    for (const KeptClaim& kept : claims) {
      if (is_read(kept.number)) continue;
      if (kept.claim.name != name && kept.claim.from != name) continue;
      later = std::min(later.value_or(kept.claim.event_id), kept.claim.event_id);
    }
    if (later) pending.event = std::max(pending.event, *later);
  }
  Staged asked;
  asked.re_reads = staged.re_reads;
  for (const Claim& claim : staged.claims) {
    claims.push_back({++last_number_, follower.generation, claim});
    asked.ask(claim.name, {claim.event_id, false});
    if (!claim.from.table.empty()) asked.ask(claim.from, {claim.event_id, false});
  }
  std::multimap<int64_t, TableName> in_order;
  for (const auto& [name, one] : asked.re_reads) in_order.emplace(one.event, name);
  for (const auto& [event, name] : in_order) {
    ask_re_read(name, event, asked.re_reads.at(name).without_claim);
  }
}

void MemoryStore::discard(const std::optional<std::string>& snapshot) {
  before_effect("discard");
  if (snapshot) {
    staging_.erase(*snapshot);
  } else {
    staging_.clear();
  }
  after_effect("discard");
}

void MemoryStore::fail_over_to(const MemoryStore& replica) {
  const int next = next_snapshot_;
  *this = replica;
  staging_.clear();
  next_snapshot_ = next;
}

}  // namespace hmsync::doubles
