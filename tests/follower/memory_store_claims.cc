#include "tests/follower/memory_store_claims.h"

#include <algorithm>
#include <map>
#include <set>

#include "follower/scope.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;
using store::Claims;
using store::Standing;
using store::StoredClaim;

namespace {

store::DatabaseStanding standing_of(const MemoryStore& store, const Staged& staged,
                                    const DatabaseName& name) {
  store::DatabaseStanding standing;
  for (const auto& [table, stored] : store.live.tables) {
    if (table.in_database() != name) continue;
    standing.has_tables = true;
    const std::string& identity = stored.table.identity;
    if (!identity.empty() && identity_at(staged.objects, table) == identity) {
      standing.keeps_table = true;
    }
  }
  const auto live = store.live.databases.find(name);
  const auto there = staged.objects.databases.find(name);
  standing.same_row = live != store.live.databases.end() &&
                      there != staged.objects.databases.end() &&
                      is_same_row(live->second, there->second);
  return standing;
}

/// A table that was renamed within its database is in it still.
void follow_renames(Claims& claims) {
  std::map<DatabaseName, std::set<std::string>> left;
  for (const StoredClaim& stored : claims.all) {
    const TableName& from = stored.claim.from;
    const std::optional<std::string> live = claims.at(from).live;
    if (!from.table.empty() && live && !live->empty()) left[from.in_database()].insert(*live);
  }
  for (const StoredClaim& stored : claims.all) {
    if (stored.claim.kind != Claim::Kind::renamed) continue;
    const auto database = claims.databases.find(stored.claim.name.in_database());
    const std::optional<std::string> now = claims.at(stored.claim.name).staged;
    if (database == claims.databases.end() || !now) continue;
    if (left[database->first].contains(*now)) database->second.keeps_table = true;
  }
}

/// How many staged tables have the identity that their name did not have before.
int64_t count_came(const MemoryStore& store, const ObjectMap& staged, const std::string& identity) {
  return std::count_if(staged.tables.begin(), staged.tables.end(), [&](const auto& entry) {
    return entry.second.table.identity == identity &&
           identity_at(store.live, entry.first) != identity;
  });
}

}  // namespace

std::optional<std::string> identity_at(const ObjectMap& objects, const TableName& name) {
  if (name.table.empty()) {
    const auto found = objects.databases.find(name.in_database());
    if (found == objects.databases.end()) return std::nullopt;
    return found->second.identity;
  }
  const auto found = objects.tables.find(name);
  if (found == objects.tables.end()) return std::nullopt;
  return found->second.table.identity;
}

bool covers(const Staged& staged, const TableName& name) {
  if (staged.scopes.empty()) return true;
  return std::any_of(staged.scopes.begin(), staged.scopes.end(), [&](const Scope& scope) {
    if (!scope.database) return false;
    return *scope.database == name.in_database() && (!scope.table || *scope.table == name.table);
  });
}

bool is_doubtful(const Staged& staged, const TableName& name) {
  const auto is_meant = [&](const TableName& doubtful) {
    return doubtful == name || doubtful == TableName{name.catalog, name.database, ""};
  };
  return std::any_of(staged.claims.begin(), staged.claims.end(),
                     [&](const Claim& claim) { return is_meant(claim.name); }) ||
         std::any_of(staged.re_reads.begin(), staged.re_reads.end(),
                     [&](const auto& entry) { return is_meant(entry.first); });
}

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

bool is_same_row(const Database& one, const Database& other) {
  return one.owner == other.owner && one.location == other.location;
}

Claims read_claims(const MemoryStore& store, const Staged& staged) {
  Claims claims;
  for (const KeptClaim& kept : store.claims) {
    const Claim& claim = kept.claim;
    const bool has_from = !claim.from.table.empty();
    StoredClaim stored;
    stored.claim = claim;
    stored.name_within = covers(staged, claim.name);
    stored.from_within = !has_from || covers(staged, claim.from);
    if (kept.generation != store.follower.generation) continue;
    if (claim.kind != Claim::Kind::renamed && !stored.name_within) continue;
    stored.read = kept.number <= staged.re_reads_through && !is_doubtful(staged, claim.name) &&
                  !(has_from && is_doubtful(staged, claim.from));
    stored.poison =
        std::any_of(store.quarantine.begin(), store.quarantine.end(), [&](const KeptEvent& event) {
          return event.generation == kept.generation && event.event.id == claim.event_id;
        });
    claims.all.push_back(stored);
    if (claim.kind == Claim::Kind::dropped) claims.drops.emplace(claim.name, claims.all.size() - 1);
    for (const TableName& name : {claim.name, has_from ? claim.from : claim.name}) {
      claims.names[name] = {identity_at(store.live, name), identity_at(staged.objects, name)};
    }
    if (claim.kind == Claim::Kind::dropped && claim.name.table.empty()) {
      const DatabaseName name = claim.name.in_database();
      claims.databases[name] = standing_of(store, staged, name);
    }
  }
  follow_renames(claims);
  return claims;
}

store::Sources find_sources(const MemoryStore& store, const Staged& staged, const Claims& claims) {
  store::Sources sources;
  const ObjectMap read = within(staged, staged.objects);
  for (const auto& [identity, renames] : store::renames_without_source(claims)) {
    std::vector<store::SourceCandidate> candidates;
    for (const auto& [name, stored] : store.live.tables) {
      if (stored.table.identity != identity) continue;
      candidates.push_back(
          {name, covers(staged, name), identity_at(staged.objects, name) != identity});
    }
    store::add_sources(sources, renames, candidates, count_came(store, read, identity));
  }
  const bool revoke_waits = std::any_of(store.revokes.begin(), store.revokes.end(),
                                        [](const StoredRevoke& one) { return !one.finished; });
  if (!revoke_waits) return sources;
  const std::vector<Scope> names = store::names_to_look_on(claims, sources);
  sources.missing.insert(sources.missing.end(), names.begin(), names.end());
  return sources;
}

store::Losses count_losses(const MemoryStore& store, const Staged& staged, const Claims& claims,
                           const Difference& difference) {
  const bool whole = staged.scopes.empty();
  const auto is_named = [&](const TableName& name) {
    return std::any_of(claims.all.begin(), claims.all.end(), [&](const StoredClaim& stored) {
      const Claim& claim = stored.claim;
      const bool counts = !claim.name.table.empty() || claim.kind == Claim::Kind::dropped;
      return (counts && store::covers(claim, name)) ||
             (!claim.from.table.empty() && claim.from == name);
    });
  };
  const ObjectMap read = within(staged, staged.objects);
  const auto is_lost = [&](const TableName& name, const std::string& identity) {
    const std::optional<std::string> now = identity_at(read, name);
    const bool other = now && !identity.empty() && !now->empty() && identity != *now;
    return (!now || other) && (whole || !is_named(name));
  };
  store::Losses losses;
  const auto objects = [](const ObjectCounts& counts) { return counts.databases + counts.tables; };
  if (objects(difference.removed) + objects(difference.changed) > 0) {
    const ObjectMap live = within(staged, store.live);
    for (const auto& [name, table] : live.tables) {
      if (is_lost(name, table.table.identity)) ++losses.lost_tables;
    }
    for (const auto& [name, database] : live.databases) {
      if (is_lost({name.catalog, name.database, ""}, database.identity)) ++losses.lost_databases;
    }
  }
  // Where a snapshot of some objects loses nothing, what is stored is not counted.
  if (!whole && losses.lost_tables + losses.lost_databases == 0) return losses;
  losses.stored_tables = static_cast<int64_t>(store.live.tables.size());
  losses.stored_databases = static_cast<int64_t>(store.live.databases.size());
  return losses;
}

}  // namespace hmsync::doubles
