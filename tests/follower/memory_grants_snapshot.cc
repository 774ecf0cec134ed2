#include "tests/follower/memory_grants_snapshot.h"

#include <algorithm>
#include <map>

#include "store/snapshot_verdicts.h"
#include "tests/follower/memory_grants.h"
#include "tests/follower/memory_grants_revoked.h"
#include "tests/follower/memory_store_claims.h"

namespace hmsync::doubles {

using namespace follower;
using namespace processor;
using store::ClaimedGrant;
using store::Claims;
using store::Renames;
using store::Sources;
using store::Verdict;

namespace {

/// What a publication found out about grants, gathered and then written.
class Found {
 public:
  explicit Found(std::string who) : who_(std::move(who)) {}

  void suspend(int64_t id, const std::string& reason, int64_t event) {
    suspended_.push_back({id, reason, event});
  }
  void remove(int64_t id, int64_t event) { removed_.emplace_back(id, event); }
  /// False if an equal one will be active there already.
  bool move(const MemoryStore& store, const MemoryGrant& grant, const TableName& to,
            const std::string& identity, int64_t event) {
    const bool active = !grant.suspended && !may_be_revoked(store, grant);
    if (active && !taken_.emplace(to, key_of(grant)).second) return false;
    moves_.push_back({grant.id, to, event});
    identities_[grant.id] = identity;
    return true;
  }

  void returned(int64_t id, int64_t event) { returned_.emplace_back(id, event); }

  [[nodiscard]] bool empty() const {
    return suspended() == 0 && removed_.empty() && moves_.empty();
  }
  [[nodiscard]] int64_t suspended() const {
    return static_cast<int64_t>(suspended_.size()) + perhaps_revoked_;
  }
  [[nodiscard]] std::set<int64_t> moved() const {
    std::set<int64_t> ids;
    for (const Move& move : moves_) ids.insert(move.id);
    return ids;
  }

  void write(MemoryStore& store) {
    for (const auto& [id, event] : removed_) doubles::remove(store, id, {who_, event, false});
    for (const Suspension& one : suspended_) {
      doubles::suspend(store, one.id, one.reason, {who_, one.event, false});
    }
    for (const auto& [id, event] : returned_) suspend_perhaps_revoked(store, id, event);
    for (const Move& move : moves_) {
      MemoryGrant& grant = *grant_of(store, move.id);
      if (grant.identity.empty()) grant.identity = identities_.at(move.id);
    }
    // Before others meet them.
    for (const Move& move : moves_) suspend_perhaps_revoked(store, move.id, move.event);
    for (const Move& move : moves_) {
      MemoryGrant& grant = *grant_of(store, move.id);
      // Names may have been exchanged: none may meet another that moves, too.
      if (grant.suspended) continue;
      grant.suspended = true;
      grant.suspended_reason = kParked;
    }
    doubles::move(store, moves_, who_);
  }

 private:
  /// A revoke that is still to be repeated may have meant one of the names in between.
  void suspend_perhaps_revoked(MemoryStore& store, int64_t id, int64_t event) {
    MemoryGrant* const grant = grant_of(store, id);
    if (grant == nullptr || !may_be_revoked(store, *grant)) return;
    if (grant->suspended) {
      const bool was_absent =
          grant->suspended_reason == kObjectGone || grant->suspended_reason == kOtherObject;
      if (was_absent) grant->suspended_reason = kRevokeUnfinished;
      return;
    }
    doubles::suspend(store, id, kRevokeUnfinished, {who_, event, false});
    ++perhaps_revoked_;
  }

  struct Suspension {
    int64_t id;
    std::string reason;
    int64_t event;
  };

  std::string who_;
  std::vector<Suspension> suspended_;
  std::vector<std::pair<int64_t, int64_t>> removed_;
  std::vector<std::pair<int64_t, int64_t>> returned_;
  int64_t perhaps_revoked_ = 0;
  std::vector<Move> moves_;
  std::map<int64_t, std::string> identities_;
  std::set<std::pair<TableName, std::string>> taken_;
};

bool is_within(const MemoryStore& store, const Staged& staged, const MemoryGrant& grant) {
  const TableName name = grant.name();
  const DatabaseName database = name.in_database();
  return std::any_of(staged.scopes.begin(), staged.scopes.end(), [&](const Scope& scope) {
    if (scope.database) {
      return *scope.database == database && (!scope.table || *scope.table == name.table);
    }
    // Own rows of all databases: one that is gone is so with all that is in it.
    if (staged.objects.databases.contains(database)) return name.table.empty();
    return store.live.databases.contains(database) ||
           std::any_of(store.live.tables.begin(), store.live.tables.end(),
                       [&](const auto& e) { return e.first.in_database() == database; });
  });
}

/// The staging has something else of the name, or nothing.
bool is_vanished(const MemoryStore& store, const Staged& staged, const MemoryGrant& grant) {
  const bool whole = staged.scopes.empty();
  const std::optional<std::string> there = identity_at(staged.objects, grant.name());
  const std::optional<std::string> stored = identity_at(store.live, grant.name());
  if (!there) return !whole || stored.has_value();
  const std::string identity = grant.identity.empty() ? stored.value_or("") : grant.identity;
  return !there->empty() && !identity.empty() && identity != *there;
}

std::vector<const MemoryGrant*> vanished(const MemoryStore& store, const Staged& staged,
                                         const GrantScope& scope, int64_t cursor) {
  std::vector<const MemoryGrant*> found;
  for (const MemoryGrant& grant : store.grants) {
    const bool looked_at = staged.scopes.empty() || scope.within.contains(grant.id);
    if (!looked_at || scope.untouched.contains(grant.id)) continue;
    if (grant.database.empty() || grant.suspended || grant.as_of_event > cursor) continue;
    if (is_vanished(store, staged, grant)) found.push_back(&grant);
  }
  return found;
}

const char* reason_at(const Staged& staged, const MemoryGrant& grant) {
  return identity_at(staged.objects, grant.name()) ? kOtherObject : kObjectGone;
}

Found by_absence(MemoryStore& store, const Staged& staged, const GrantScope& scope,
                 int64_t cursor) {
  Found found("snapshot");
  for (const MemoryGrant* grant : vanished(store, staged, scope, cursor)) {
    found.suspend(grant->id, reason_at(staged, *grant), cursor);
  }
  found.write(store);
  return found;
}

/// Where tables whose identity left their name turned up, by identity: where exactly one did, and
/// no more than one went.
class Elsewhere {
 public:
  Elsewhere(const ObjectMap& live, const ObjectMap& staged) {
    for (const auto& [name, stored] : live.tables) {
      const std::string& identity = stored.table.identity;
      if (!identity.empty() && identity_at(staged, name) != identity) ++went_[identity];
    }
    for (const auto& [name, stored] : staged.tables) {
      const std::string& identity = stored.table.identity;
      if (!identity.empty() && identity_at(live, name) != identity) came_[identity].push_back(name);
    }
  }

  [[nodiscard]] std::optional<TableName> of(const std::string& identity) const {
    const auto came = came_.find(identity);
    const auto went = went_.find(identity);
    if (came == came_.end() || came->second.size() != 1) return std::nullopt;
    if (went != went_.end() && went->second > 1) return std::nullopt;
    return came->second.front();
  }

 private:
  std::map<std::string, int> went_;
  std::map<std::string, std::vector<TableName>> came_;
};

/// A database without identity is the same while one of its tables is still in it with its identity
/// or, having none, while owner and location are the same.
bool is_same_database(const ObjectMap& live, const ObjectMap& staged, const DatabaseName& name) {
  const auto before = live.databases.find(name);
  if (before == live.databases.end()) return true;
  bool filled = false;
  for (const auto& [table, stored] : live.tables) {
    if (table.in_database() != name) continue;
    filled = true;
    if (identity_at(staged, table) == stored.table.identity) return true;
  }
  const auto after = staged.databases.find(name);
  return !filled && after != staged.databases.end() && is_same_row(before->second, after->second);
}

bool is_kept(const MemoryStore& store, const Staged& staged, const MemoryGrant& grant,
             const std::string& identity) {
  const std::optional<std::string> there = identity_at(staged.objects, grant.name());
  if (!there) return false;
  if (!identity.empty() && !there->empty()) return identity == *there;
  return !grant.table.empty() ||
         is_same_database(store.live, staged.objects, grant.name().in_database());
}

/// Two grants that would become one keep the first.
Found by_identity(MemoryStore& store, const Staged& staged, const Publication& publication) {
  Found found("snapshot");
  const Elsewhere elsewhere(store.live, staged.objects);
  for (const MemoryGrant& grant : store.grants) {
    const bool looked_at = publication.raise_generation || grant.as_of_event <= publication.cursor;
    if (grant.database.empty() || grant.suspended || !looked_at) continue;
    const std::string stored = identity_at(store.live, grant.name()).value_or("");
    const std::string identity = grant.identity.empty() ? stored : grant.identity;
    if (is_kept(store, staged, grant, identity)) continue;
    std::optional<TableName> to;
    if (!grant.table.empty() && !identity.empty()) to = elsewhere.of(identity);
    if (!to || !found.move(store, grant, *to, "", publication.cursor)) {
      found.suspend(grant.id, reason_at(staged, grant), publication.cursor);
    }
  }
  found.write(store);
  return found;
}

/// Grants at names that the claims are about.
std::vector<ClaimedGrant> claimed_grants(const MemoryStore& store, const Staged& staged,
                                         const Claims& claims, const Sources& sources) {
  const std::set<TableName> names = store::names_to_judge(claims, sources.renames);
  std::vector<ClaimedGrant> grants;
  for (const MemoryGrant& grant : store.grants) {
    const TableName name = grant.name();
    const TableName database{name.catalog, name.database, ""};
    if (grant.database.empty() || (!names.contains(name) && !names.contains(database))) continue;
    grants.push_back({std::to_string(grant.id),
                      name,
                      grant.identity,
                      grant.as_of_event,
                      grant.suspended,
                      {identity_at(store.live, name), identity_at(staged.objects, name)},
                      key_of(grant),
                      may_be_revoked(store, grant)});
  }
  return grants;
}

/// Whatever has the name of a renamed table now is not whose grants these are.
void suspend_at_targets(const std::vector<ClaimedGrant>& grants,
                        const std::vector<Verdict>& verdicts, Found& found) {
  std::map<TableName, const Verdict*> targets;
  for (const Verdict& verdict : verdicts) {
    if (verdict.kind == Verdict::Kind::move) targets.emplace(verdict.to, &verdict);
  }
  for (size_t i = 0; i < grants.size(); ++i) {
    const ClaimedGrant& grant = grants[i];
    const auto target = targets.find(grant.name);
    if (target == targets.end() || verdicts[i].kind != Verdict::Kind::keep) continue;
    const std::string owner = store::owner_of(grant);
    const bool of_other = !owner.empty() && owner != target->second->identity;
    if (grant.suspended || !of_other || grant.as_of_event >= target->second->event) continue;
    found.suspend(std::stoll(grant.id), kOtherObject, target->second->event);
  }
}

Found by_claims(MemoryStore& store, const Staged& staged, const GrantScope& scope,
                const Claims& claims, const Sources& sources) {
  Found found("event");
  std::vector<ClaimedGrant> grants = claimed_grants(store, staged, claims, sources);
  std::erase_if(grants, [&](const ClaimedGrant& grant) {
    return scope.untouched.contains(std::stoll(grant.id));
  });
  const Renames renames(claims, sources.renames);
  const std::vector<Claim> refuted = store::refuted_claims(claims);
  std::vector<Verdict> verdicts;
  for (const ClaimedGrant& grant : grants) {
    const int64_t id = std::stoll(grant.id);
    const Verdict verdict = store::judge(grant, claims, renames, refuted);
    verdicts.push_back(verdict);
    if (verdict.kind == Verdict::Kind::remove) found.remove(id, verdict.event);
    if (verdict.kind == Verdict::Kind::returned) found.returned(id, verdict.event);
    if (verdict.kind == Verdict::Kind::suspend && !grant.suspended) {
      found.suspend(id, kOtherObject, verdict.event);
    }
    if (verdict.kind == Verdict::Kind::move &&
        !found.move(store, *grant_of(store, id), verdict.to, verdict.identity, verdict.event)) {
      found.suspend(id, kObjectGone, verdict.event);
    }
  }
  suspend_at_targets(grants, verdicts, found);
  found.write(store);
  return found;
}

/// Of a snapshot of some objects, all within the scopes; of a whole one, those that were moved.
bool restore_found(MemoryStore& store, const Staged& staged, const GrantScope& scope,
                   int64_t cursor, const std::set<int64_t>& moved) {
  const std::set<int64_t>& looked_at = staged.scopes.empty() ? moved : scope.within;
  bool restored = false;
  for (const int64_t id : looked_at) {
    const MemoryGrant* grant = grant_of(store, id);
    if (grant == nullptr || !grant->suspended || scope.untouched.contains(id)) continue;
    const bool by_absence_of_object =
        grant->suspended_reason == kObjectGone || grant->suspended_reason == kOtherObject;
    const bool is_there =
        !grant->identity.empty() && identity_at(staged.objects, grant->name()) == grant->identity;
    if (!by_absence_of_object || !is_there || is_held(store, *grant)) continue;
    restore(store, id, {"snapshot", moved.contains(id) ? grant->as_of_event : cursor, false});
    restored = true;
  }
  return restored;
}

}  // namespace

GrantScope grant_scope(const MemoryStore& store, const Staged& staged, bool unbroken) {
  GrantScope scope;
  for (const MemoryGrant& grant : store.grants) {
    if (is_within(store, staged, grant)) scope.within.insert(grant.id);
    const bool is_newer = grant.granted_at > staged.begun_at;
    if (unbroken && !grant.database.empty() && (is_newer || is_doubtful(staged, grant.name()))) {
      scope.untouched.insert(grant.id);
    }
  }
  return scope;
}

int64_t count_vanished_grants(const MemoryStore& store, const Staged& staged,
                              const GrantScope& scope, int64_t cursor) {
  return static_cast<int64_t>(vanished(store, staged, scope, cursor).size());
}

GrantsSettled settle_grants(MemoryStore& store, const Staged& staged,
                            const Publication& publication, const Claims& claims,
                            const Sources& sources) {
  const GrantScope scope = grant_scope(store, staged, publication.unbroken);
  // Events of a history that was lost tell nothing of this one.
  const Found told = publication.raise_generation
                         ? Found("event")
                         : by_claims(store, staged, scope, claims, sources);
  const Found found = publication.unbroken || !staged.scopes.empty()
                          ? by_absence(store, staged, scope, publication.cursor)
                          : by_identity(store, staged, publication);
  const bool restored = restore_found(store, staged, scope, publication.cursor, told.moved());
  if (publication.raise_generation) {
    for (MemoryGrant& grant : store.grants) grant.as_of_event = 0;
  }
  return {told.suspended() + found.suspended(), restored || !told.empty() || !found.empty()};
}

}  // namespace hmsync::doubles
