#include "tests/follower/memory_grants.h"

#include <algorithm>
#include <set>

#include "tests/follower/memory_grants_revoked.h"

namespace hmsync::doubles {

using namespace processor;

namespace {

constexpr const char* kEvent = "event";

/// Of the live object; nothing where none has the name.
std::optional<std::string> identity_at(const MemoryStore& store, const TableName& name) {
  if (name.table.empty()) {
    const auto found = store.live.databases.find(name.in_database());
    if (found == store.live.databases.end()) return std::nullopt;
    return found->second.identity;
  }
  const auto found = store.live.tables.find(name);
  if (found == store.live.tables.end()) return std::nullopt;
  return found->second.table.identity;
}

/// Both are known, and they are not the same.
bool differ(const std::string& one, const std::string& other) {
  return !one.empty() && !other.empty() && one != other;
}

/// What an event may act on: nothing that was given after it.
bool is_older(const MemoryGrant& grant, int64_t event) { return grant.as_of_event < event; }

/// The ids of those for which it is true.
template <typename Condition>
std::vector<int64_t> ids_where(const MemoryStore& store, const Condition& condition) {
  std::vector<int64_t> ids;
  for (const MemoryGrant& grant : store.grants) {
    if (condition(grant)) ids.push_back(grant.id);
  }
  return ids;
}

/// No table: the database and all that is in it. A suspended grant may be another table's, whose
/// rename is still to come, or cannot be read; what is not stored in a database by then may live on
/// in another one.
void remove_older(MemoryStore& store, int64_t event, const TableName& name) {
  const bool whole = name.table.empty();
  const auto is_named = [&](const MemoryGrant& grant) {
    return whole ? is_database_of(grant, name.in_database()) : grant.name() == name;
  };
  const auto may_be_its = [&](const MemoryGrant& grant) {
    if (!grant.suspended || grant.identity.empty() || grant.table.empty()) return true;
    const auto stored = identity_at(store, grant.name());
    return stored ? !differ(*stored, grant.identity) : !whole;
  };
  for (const int64_t id : ids_where(store, [&](const MemoryGrant& grant) {
         return is_named(grant) && is_older(grant, event) && may_be_its(grant);
       })) {
    remove(store, id, {kEvent, event, false});
  }
}

/// Grants at a name that is another object's from now on.
void suspend_of_others(MemoryStore& store, int64_t event, const TableName& name,
                       const std::string& identity) {
  for (const int64_t id : ids_where(store, [&](const MemoryGrant& grant) {
         return grant.name() == name && !grant.suspended && is_older(grant, event) &&
                differ(grant.identity, identity);
       })) {
    suspend(store, id, kOtherObject, {kEvent, event, false});
  }
}

void suspend_on_columns(MemoryStore& store, int64_t event, const TableName& name,
                        const std::vector<std::string>& columns) {
  for (const int64_t id : ids_where(store, [&](const MemoryGrant& grant) {
         return grant.name() == name && !grant.suspended && is_older(grant, event) &&
                !grant.column.empty() &&
                std::find(columns.begin(), columns.end(), grant.column) != columns.end();
       })) {
    suspend(store, id, kColumnGone, {kEvent, event, false});
  }
}

void rename_grants(MemoryStore& store, int64_t event, const RenameTable& rename) {
  suspend_on_columns(store, event, rename.from, rename.vanished_columns);
  const std::string stored = identity_at(store, rename.from).value_or("");
  const std::string identity = stored.empty() ? rename.to.identity : stored;
  suspend_of_others(store, event, rename.to.name, identity);
  suspend_of_others(store, event, rename.from, identity);
  std::vector<Move> moves;
  for (const MemoryGrant& grant : store.grants) {
    if (grant.name() == rename.from && is_older(grant, event) &&
        !differ(grant.identity, identity)) {
      moves.push_back({grant.id, rename.to.name, event});
    }
  }
  move(store, moves, kEvent);
}

struct Follow {
  MemoryStore& store;
  int64_t event;

  void operator()(const PutDatabase& put) const {
    const DatabaseName& name = put.database.name;
    suspend_of_others(store, event, {name.catalog, name.database, ""}, put.database.identity);
  }
  void operator()(const RemoveDatabase& gone) const {
    remove_older(store, event, {gone.name.catalog, gone.name.database, ""});
  }
  void operator()(const CreateTableRow& create) const {
    suspend_of_others(store, event, create.table.name, create.table.identity);
  }
  void operator()(const UpdateTable& update) const {
    suspend_on_columns(store, event, update.table.name, update.vanished_columns);
  }
  void operator()(const RemoveTable& gone) const { remove_older(store, event, gone.name); }
  void operator()(const RenameTable& rename) const { rename_grants(store, event, rename); }
  void operator()(const PutPartitions&) const {}
  void operator()(const RemovePartitions&) const {}
};

/// The later one stays, with its identity.
bool stays_at_target(const MemoryGrant& there, const Move& mover) {
  return there.as_of_event >= mover.event;
}

void merge(MemoryStore& store, const Move& mover, int64_t target, const std::string& who) {
  MemoryGrant& moved = *grant_of(store, mover.id);
  // Parked, it authorised before, and does so again.
  moved.suspended = false;
  moved.suspended_reason.clear();
  MemoryGrant& there = *grant_of(store, target);
  const bool there_stays = stays_at_target(there, mover);
  MemoryGrant& stays = there_stays ? there : moved;
  const MemoryGrant& goes = there_stays ? moved : there;
  const bool same = !stays.identity.empty() && stays.identity == goes.identity;
  MemoryGrant arrived = goes;
  arrived.catalog = mover.to.catalog;
  arrived.database = mover.to.database;
  arrived.table = mover.to.table;
  if (same && goes.grant_option && !stays.grant_option && !is_to_be_revoked(store, arrived)) {
    const MemoryGrant before = stays;
    stays.grant_option = true;
    tell(store, {"granted", "merge"}, {who, mover.event, false}, stays, before, stays);
  }
  remove(store, goes.id, {who, mover.event, false}, {"removed", "merge"});
}

}  // namespace

std::string object_text(const MemoryGrant& grant) {
  if (!grant.uri.empty()) return grant.uri;
  if (grant.database.empty()) return "server";
  std::string text = grant.database;
  if (!grant.table.empty()) text += "." + grant.table;
  if (!grant.column.empty()) text += "." + grant.column;
  return text;
}

bool is_database_of(const MemoryGrant& grant, const DatabaseName& name) {
  return !grant.database.empty() && grant.name().in_database() == name;
}

MemoryGrant* grant_of(MemoryStore& store, int64_t id) {
  const auto found = std::find_if(store.grants.begin(), store.grants.end(),
                                  [&](const MemoryGrant& grant) { return grant.id == id; });
  return found == store.grants.end() ? nullptr : &*found;
}

std::string key_of(const MemoryGrant& grant) {
  return grant.role + ' ' + grant.action + ' ' + grant.column;
}

bool is_held(const MemoryStore& store, const MemoryGrant& grant) {
  return std::any_of(store.grants.begin(), store.grants.end(), [&](const MemoryGrant& other) {
    return !other.suspended && other.name() == grant.name() && other.uri == grant.uri &&
           key_of(other) == key_of(grant);
  });
}

void tell(MemoryStore& store, const Verb& verb, const Cause& cause, const MemoryGrant& row,
          std::optional<MemoryGrant> before, std::optional<MemoryGrant> after) {
  const TableName from = before && after ? before->name() : TableName{};
  const std::optional<int64_t> event = cause.by_person ? std::nullopt : cause.event;
  store.permission_changes.push_back({event, verb.change, row, from});
  AuditRow audit;
  audit.who = cause.who;
  audit.action = verb.action;
  audit.object = object_text(row);
  audit.event = cause.event;
  audit.before = std::move(before);
  audit.after = std::move(after);
  store.audit.push_back(std::move(audit));
}

void suspend(MemoryStore& store, int64_t id, const std::string& reason, const Cause& cause) {
  MemoryGrant* grant = grant_of(store, id);
  if (grant == nullptr || grant->suspended) return;
  const MemoryGrant before = *grant;
  grant->suspended = true;
  grant->suspended_reason = reason;
  tell(store, {"suspended", "suspend"}, cause, *grant, before, *grant);
}

void restore(MemoryStore& store, int64_t id, const Cause& cause) {
  MemoryGrant* grant = grant_of(store, id);
  const MemoryGrant before = *grant;
  grant->suspended = false;
  grant->suspended_reason.clear();
  tell(store, {"restored", "restore"}, cause, *grant, before, *grant);
}

void remove(MemoryStore& store, int64_t id, const Cause& cause, const Verb& verb) {
  const MemoryGrant* grant = grant_of(store, id);
  if (grant == nullptr) return;
  const MemoryGrant before = *grant;
  std::erase_if(store.grants, [&](const MemoryGrant& other) { return other.id == id; });
  tell(store, verb, cause, before, before, std::nullopt);
}

void move(MemoryStore& store, const std::vector<Move>& moves, const std::string& who) {
  std::set<int64_t> moving;
  for (const Move& mover : moves) moving.insert(mover.id);
  for (const Move& mover : moves) {
    const MemoryGrant* grant = grant_of(store, mover.id);
    if (grant == nullptr || (grant->suspended && grant->suspended_reason != kParked)) continue;
    const auto there =
        std::find_if(store.grants.begin(), store.grants.end(), [&](const MemoryGrant& other) {
          return !other.suspended && other.name() == mover.to && key_of(other) == key_of(*grant) &&
                 !moving.contains(other.id);
        });
    if (there != store.grants.end()) merge(store, mover, there->id, who);
  }
  for (const Move& mover : moves) {
    MemoryGrant* grant = grant_of(store, mover.id);
    if (grant == nullptr) continue;
    MemoryGrant before = *grant;
    grant->catalog = mover.to.catalog;
    grant->database = mover.to.database;
    grant->table = mover.to.table;
    grant->as_of_event = mover.event;
    if (grant->suspended_reason == kParked) {
      grant->suspended = false;
      grant->suspended_reason.clear();
    }
    before.suspended = grant->suspended;
    tell(store, {"moved", "move"}, {who, mover.event, false}, *grant, before, *grant);
  }
}

void follow_events(MemoryStore& store, const store::MutationGroup& group) {
  for (const Mutation* mutation : group.mutations) {
    std::visit(Follow{store, mutation->event_id}, mutation->operation);
  }
}

void revive_renamed(MemoryStore& store, const store::MutationGroup& group) {
  for (const Mutation* mutation : group.mutations) {
    const auto* rename = std::get_if<RenameTable>(&mutation->operation);
    if (rename == nullptr) continue;
    const std::string identity = identity_at(store, rename->to.name).value_or("");
    for (const int64_t id : ids_where(store, [&](const MemoryGrant& grant) {
           return grant.name() == rename->to.name && grant.suspended &&
                  grant.suspended_reason != kColumnGone &&
                  grant.suspended_reason != kRevokeUnfinished &&
                  grant.as_of_event == mutation->event_id && !identity.empty() &&
                  grant.identity == identity;
         })) {
      // Of equal ones the first.
      if (!is_held(store, *grant_of(store, id)))
        restore(store, id, {kEvent, mutation->event_id, false});
    }
  }
}

}  // namespace hmsync::doubles
