// The snapshots of the store in memory.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "follower/scope.h"
#include "tests/follower/memory_store.h"

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

Difference difference(const ObjectMap& live, const ObjectMap& staged) {
  std::map<TableName, Table> tables_before;
  std::map<TableName, Table> tables_after;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> before;
  std::map<std::pair<TableName, std::vector<std::string>>, std::optional<Location>> after;
  for (const auto& [name, stored] : live.tables) {
    tables_before[name] = stored.table;
    for (const auto& [values, location] : stored.partitions) before[{name, values}] = location;
  }
  for (const auto& [name, stored] : staged.tables) {
    tables_after[name] = stored.table;
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

bool covers(const std::vector<Scope>& scopes, const TableName& name) {
  if (scopes.empty()) return true;
  return std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) {
    if (scope.databases_only) return false;
    if (!scope.database) return true;
    return *scope.database == name.in_database() && (!scope.table || *scope.table == name.table);
  });
}

/// A database that is gone is so with its tables, also where only own rows were read.
ObjectMap within(const Staged& staged, const ObjectMap& objects) {
  const bool own_rows = std::any_of(staged.scopes.begin(), staged.scopes.end(),
                                    [](const Scope& scope) { return scope.databases_only; });
  ObjectMap result;
  for (const auto& [name, database] : objects.databases) {
    if (contains(staged.scopes, name)) result.databases[name] = database;
  }
  for (const auto& [name, table] : objects.tables) {
    const bool gone = own_rows && !staged.objects.databases.contains(name.in_database());
    if (gone || contains(staged.scopes, name)) result.tables[name] = table;
  }
  return result;
}

/// The identity of a name on both sides; nothing where nothing has it.
struct Standing {
  std::optional<std::string> live;
  std::optional<std::string> staged;

  [[nodiscard]] bool kept() const { return live && !live->empty() && live == staged; }
};

/// What the store's port says of claims, without their effect on grants.
class Judge {
 public:
  Judge(const MemoryStore& store, const Staged& staged)
      : staged_(staged), live_(store.live), quarantine_(store.quarantine) {
    for (const KeptClaim& kept : store.claims) {
      const bool rename = kept.claim.kind == Claim::Kind::renamed;
      if (kept.generation != store.follower.generation) continue;
      if (rename || covers(staged.scopes, kept.claim.name)) claims_.push_back(kept);
    }
  }

  [[nodiscard]] std::vector<Scope> missing() const {
    std::set<TableName> found;
    const auto add = [&](const TableName& name) {
      return !covers(staged_.scopes, name) && found.insert(name).second;
    };
    for (bool grown = true; grown;) {
      grown = false;
      for (const KeptClaim& kept : claims_) {
        const Claim& claim = kept.claim;
        if (claim.from.table.empty()) continue;
        const auto reached = [&](const TableName& name) {
          return covers(staged_.scopes, name) || found.contains(name);
        };
        if (reached(claim.name)) grown |= add(claim.from);
        if (reached(claim.from)) grown |= add(claim.name);
      }
    }
    for (const KeptClaim& kept : claims_) {
      const Claim& claim = kept.claim;
      const bool unreadable = claim.kind == Claim::Kind::renamed && claim.from.table.empty();
      const Standing now = at(claim.name);
      if (!unreadable || !covers(staged_.scopes, claim.name) || now.kept()) continue;
      if (!now.staged || now.staged->empty()) continue;
      for (const auto& [name, stored] : live_.tables) {
        if (stored.table.identity == *now.staged) add(name);
      }
    }
    std::vector<Scope> scopes;
    for (const TableName& name : found) scopes.push_back(scope_of(name));
    return scopes;
  }

  [[nodiscard]] int64_t lost_tables() const {
    int64_t lost = 0;
    for (const auto& [name, stored] : within(staged_, live_).tables) {
      const Standing now = at(name);
      const bool other = now.staged && !now.staged->empty() && !now.live->empty() && !now.kept();
      if ((!now.staged || other) && !is_named(name)) ++lost;
    }
    return lost;
  }

  [[nodiscard]] std::vector<Claim> refuted() const {
    std::vector<Claim> result;
    for (const KeptClaim& kept : claims_) {
      if (kept.number <= staged_.re_reads_through && covers(staged_.scopes, kept.claim.name) &&
          is_untrue(kept.claim) && !is_explained(kept)) {
        result.push_back(kept.claim);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] Standing at(const TableName& name) const {
    return {identity(live_, name), identity(staged_.objects, name)};
  }

  static std::optional<std::string> identity(const ObjectMap& objects, const TableName& name) {
    if (name.table.empty()) {
      const auto found = objects.databases.find(name.in_database());
      if (found == objects.databases.end()) return std::nullopt;
      return found->second.identity;
    }
    const auto found = objects.tables.find(name);
    if (found == objects.tables.end()) return std::nullopt;
    return found->second.table.identity;
  }

  static bool is_about(const Claim& claim, const TableName& name) {
    return claim.name.table.empty() ? claim.name.in_database() == name.in_database()
                                    : claim.name == name;
  }

  [[nodiscard]] bool is_named(const TableName& name) const {
    return !staged_.scopes.empty() &&
           std::any_of(claims_.begin(), claims_.end(), [&](const KeptClaim& kept) {
             const bool all = kept.claim.name.table.empty();
             return kept.claim.from == name ||
                    (all ? kept.claim.kind == Claim::Kind::dropped && is_about(kept.claim, name)
                         : kept.claim.name == name);
           });
  }

  [[nodiscard]] bool is_same(const DatabaseName& name) const {
    const Standing now = at({name.catalog, name.database, ""});
    if (!now.live || !now.staged) return false;
    if (!now.live->empty() && !now.staged->empty()) return now.kept();
    bool empty = true;
    for (const auto& [table, stored] : live_.tables) {
      if (table.in_database() != name) continue;
      if (at(table).kept()) return true;
      empty = false;
    }
    return empty && live_.databases.at(name) == staged_.objects.databases.at(name);
  }

  [[nodiscard]] bool is_untrue(const Claim& claim) const {
    const bool poison =
        std::any_of(quarantine_.begin(), quarantine_.end(),
                    [&](const KeptEvent& kept) { return kept.event.id == claim.event_id; });
    if (claim.unordered || poison) return false;
    const Standing now = at(claim.name);
    switch (claim.kind) {
      case Claim::Kind::created:
        if (now.kept()) return !claim.identity.empty() && *now.staged != claim.identity;
        return !now.staged;
      case Claim::Kind::dropped:
        return claim.name.table.empty() ? is_same(claim.name.in_database()) : now.kept();
      case Claim::Kind::renamed:
        return !claim.from.table.empty() && at(claim.from).kept();
      case Claim::Kind::changed:
        break;
    }
    return false;
  }

  /// Another event tells why it cannot be seen any more.
  [[nodiscard]] bool is_explained(const KeptClaim& told) const {
    using Kind = Claim::Kind;
    const Claim& claim = told.claim;
    return std::any_of(claims_.begin(), claims_.end(), [&](const KeptClaim& other) {
      const Claim& next = other.claim;
      if (other.number == told.number || (!next.unordered && next.event_id <= claim.event_id)) {
        return false;
      }
      if (claim.kind == Kind::created) {
        if (at(claim.name).kept()) return false;
        return (next.kind == Kind::dropped && is_about(next, claim.name)) ||
               (next.kind == Kind::renamed && next.from == claim.name);
      }
      if (claim.kind == Kind::dropped) {
        return (next.kind == Kind::created || next.kind == Kind::renamed) &&
               next.name == claim.name &&
               (next.identity.empty() || at(next.name).staged == next.identity);
      }
      return next.kind == Kind::renamed && next.name == claim.from;
    });
  }

  const Staged& staged_;
  const ObjectMap& live_;
  const std::vector<KeptEvent>& quarantine_;
  std::vector<KeptClaim> claims_;
};

/// Empty: it may be published.
std::string refusal(const Guard& guard, const Published& published, int64_t databases,
                    int64_t lost_databases) {
  const bool by_databases = published.stored_tables + guard.lost_before == 0;
  const int64_t lost = by_databases ? lost_databases : published.lost_tables;
  const int64_t before = by_databases ? 0 : guard.lost_before;
  const int64_t stored = by_databases ? databases : published.stored_tables;
  if (lost == 0 || static_cast<double>(lost + before) <=
                       guard.most_lost * static_cast<double>(stored + before)) {
    return "";
  }
  return std::to_string(lost) + " of " + std::to_string(stored) + " are gone; --force publishes";
}

}  // namespace

std::string MemoryStore::begin(const std::vector<Scope>& scopes) {
  before_effect("begin");
  std::string id = "snapshot-" + std::to_string(next_snapshot_++);
  const bool whole = std::any_of(scopes.begin(), scopes.end(), [](const Scope& scope) {
    return !scope.database && !scope.databases_only;
  });
  if (!whole) staging_[id].scopes = scopes;
  staging_[id].re_reads_through = last_number_;
  return id;
}

void MemoryStore::add(const std::string& snapshot, const SnapshotPage& page,
                      const std::vector<Scope>& more) {
  before_effect("add");
  std::vector<Scope>& scopes = staging_.at(snapshot).scopes;
  if (!scopes.empty()) scopes.insert(scopes.end(), more.begin(), more.end());
  ObjectMap& staged = staging_.at(snapshot).objects;
  for (const Database& database : page.databases) {
    if (!staged.databases.emplace(database.name, database).second) {
      throw std::logic_error("a database was staged twice");
    }
  }
  for (const Table& table : page.tables) {
    if (!staged.tables.emplace(table.name, StoredTable{table, {}}).second) {
      throw std::logic_error("a table was staged twice");
    }
  }
  for (const TablePartitions& partitions : page.partitions) {
    StoredTable& stored = staged.tables.at(partitions.table);
    for (const Partition& partition : partitions.partitions) {
      if (!stored.partitions.emplace(partition.values, partition.location).second) {
        throw std::logic_error("a partition was staged twice");
      }
    }
  }
}

void MemoryStore::replay(const std::string& snapshot, const std::vector<Mutation>& mutations,
                         const std::vector<Claim>& said) {
  before_effect("replay");
  std::vector<Claim>& kept = staging_.at(snapshot).claims;
  kept.insert(kept.end(), said.begin(), said.end());
  for (const Mutation& mutation : mutations) {
    Staged& staged = staging_.at(snapshot);
    const auto missing = apply_to(staged.objects, mutation);
    if (missing) staged.re_reads.emplace(*missing, mutation.event_id);
  }
}

/// What the events since the snapshot's begin left doubtful is as it is live.
void MemoryStore::take_over_doubtful(Staged& staged) const {
  std::vector<TableName> doubtful;
  if (staged.scopes.empty()) {
    for (const auto& [name, pending] : re_reads) {
      if (!name.database.empty()) staged.re_reads.try_emplace(name, pending.event);
    }
  }
  for (const auto& [name, event] : staged.re_reads) doubtful.push_back(name);
  for (const Claim& claim : staged.claims) {
    // What is read anew for the live state, too, is as it was read.
    if (!claim.unordered || staged.scopes.empty()) doubtful.push_back(claim.name);
  }
  for (const TableName& name : doubtful) {
    if (name.database.empty()) continue;
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

Difference MemoryStore::compare(const std::string& snapshot) {
  before_effect("compare");
  take_over_doubtful(staging_.at(snapshot));
  const Staged& staged = staging_.at(snapshot);
  return difference(within(staged, live), within(staged, staged.objects));
}

Published MemoryStore::publish(const Fence& fence, const std::string& snapshot,
                               const Publication& publication) {
  before_effect("publish");
  check_fence(fence);
  if (publication.unbroken) take_over_doubtful(staging_.at(snapshot));
  const Staged& staged = staging_.at(snapshot);
  const Judge judge(*this, staged);
  const auto unchanged = [&](Published result, Published::Outcome outcome) {
    --follower.commit_number;
    result.outcome = outcome;
    return result;
  };
  Published published;
  published.missing = judge.missing();
  if (!published.missing.empty()) {
    return unchanged(published, Published::Outcome::incomplete);
  }
  const ObjectMap before = within(staged, live);
  const ObjectMap after = within(staged, staged.objects);
  published.difference = difference(before, after);
  published.stored_tables = static_cast<int64_t>(live.tables.size());
  published.lost_tables = judge.lost_tables();
  if (publication.guard) {
    published.reason =
        refusal(*publication.guard, published, static_cast<int64_t>(live.databases.size()),
                published.difference.removed.databases);
  }
  if (!published.reason.empty()) return unchanged(published, Published::Outcome::refused);

  if (!publication.raise_generation) published.refuted = judge.refuted();
  totals.refuted += static_cast<int64_t>(published.refuted.size());
  for (const auto& [name, database] : before.databases) live.databases.erase(name);
  for (const auto& [name, table] : before.tables) live.tables.erase(name);
  live.databases.insert(after.databases.begin(), after.databases.end());
  live.tables.insert(after.tables.begin(), after.tables.end());
  follower.cursor = publication.cursor;
  if (!publication.metastore_uuid.empty()) follower.metastore_uuid = publication.metastore_uuid;
  if (publication.raise_generation) ++follower.generation;
  if (publication.raise_generation || !publication.digests.empty()) {
    follower.digests = publication.digests;
  }
  end_re_reads(snapshot, publication);
  publications.push_back(publication);
  after_effect("publish");
  return published;
}

void MemoryStore::end_re_reads(const std::string& snapshot, const Publication& publication) {
  const Staged& staged = staging_.at(snapshot);
  const bool reset = publication.raise_generation;
  const auto is_doubtful = [&](const TableName& name) {
    const auto is_meant = [&](const TableName& other) {
      return other == name || other == TableName{name.catalog, name.database, ""};
    };
    return std::any_of(staged.claims.begin(), staged.claims.end(),
                       [&](const Claim& claim) { return is_meant(claim.name); }) ||
           std::any_of(staged.re_reads.begin(), staged.re_reads.end(),
                       [&](const auto& entry) { return is_meant(entry.first); });
  };
  const auto ends = [&](int64_t number, const TableName& name) {
    return reset || (number <= staged.re_reads_through && covers(staged.scopes, name) &&
                     !(publication.unbroken && is_doubtful(name)));
  };
  for (auto& [id, other] : staging_) {
    if (id == snapshot || !other.scopes.empty()) continue;
    for (const auto& [name, pending] : re_reads) {
      if (!ends(pending.request, name)) continue;
      const auto [kept, made] = other.re_reads.try_emplace(name, pending.event);
      if (!made) kept->second = std::min(kept->second, pending.event);
    }
  }
  std::erase_if(re_reads,
                [&](const auto& entry) { return ends(entry.second.request, entry.first); });
  std::erase_if(claims, [&](const KeptClaim& kept) { return ends(kept.number, kept.claim.name); });
  // What was asked for again meanwhile is due since the events that asked then.
  for (auto& [name, pending] : re_reads) {
    if (reset || !covers(staged.scopes, name)) continue;
    std::optional<int64_t> later;
    for (const KeptClaim& kept : claims) {
      if (kept.claim.name != name && kept.claim.from != name) continue;
      later = std::min(later.value_or(kept.claim.event_id), kept.claim.event_id);
    }
    if (later) pending.event = std::max(pending.event, *later);
  }
  for (const auto& [name, event] : staged.re_reads) ask_re_read(name, event);
  for (const Claim& claim : staged.claims) keep(claim);
}

void MemoryStore::discard(const std::optional<std::string>& snapshot) {
  before_effect("discard");
  if (snapshot) {
    staging_.erase(*snapshot);
  } else {
    staging_.clear();
  }
}

}  // namespace hmsync::doubles
