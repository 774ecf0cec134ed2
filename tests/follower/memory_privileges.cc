#include "tests/follower/memory_privileges.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "store/held_grants.h"
#include "tests/follower/memory_grants.h"
#include "tests/follower/memory_grants_revoked.h"

namespace hmsync::doubles {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeOutcome;
using store::GrantIds;
using store::SettledGrants;

namespace {

MemoryGrant grant_for(const PrivilegeCommand& command, const GrantBasis& basis) {
  MemoryGrant grant;
  grant.role = command.role;
  grant.action = command.action;
  grant.catalog = command.object.catalog;
  grant.database = command.object.database.value_or("");
  grant.table = command.object.table.value_or("");
  grant.column = command.object.column.value_or("");
  grant.uri = command.object.uri.value_or("");
  grant.grant_option = command.grant_option;
  grant.who = command.who;
  grant.identity = basis.identity;
  grant.as_of_event = basis.as_of_event;
  return grant;
}

PrivilegeOutcome refuse(MemoryStore& store, const std::string& who, const std::string& action,
                        const std::string& object, const std::string& reason) {
  AuditRow row;
  row.who = who;
  row.action = action;
  row.object = object;
  row.outcome = "refused: " + reason;
  store.audit.push_back(std::move(row));
  return {"refused", reason, false, std::nullopt};
}

void audit_role(MemoryStore& store, const std::string& who, const std::string& action,
                const std::string& role) {
  AuditRow row;
  row.who = who;
  row.action = action;
  row.object = role;
  store.audit.push_back(std::move(row));
}

/// What was looked at may still be what is stored: no event after it has been applied.
bool stands(const MemoryStore& store, const GrantBasis& basis) {
  return store.follower.generation == basis.generation &&
         !(store.follower.cursor > basis.as_of_event);
}

/// Those that authorise, of the role and on the object of the grant.
std::vector<store::HeldGrant> held_with(const MemoryStore& store, const MemoryGrant& wanted) {
  std::vector<store::HeldGrant> held;
  for (const MemoryGrant& grant : store.grants) {
    if (!grant.suspended && grant.role == wanted.role && grant.name() == wanted.name() &&
        grant.column == wanted.column && grant.uri == wanted.uri) {
      held.push_back({grant.id, grant.action, grant.grant_option, grant.identity, grant.as_of_event,
                      grant.who, may_be_revoked(store, grant)});
    }
  }
  return held;
}

store::Unsettled unsettled_by(const MemoryStore& store, const GrantBasis& basis) {
  store::Unsettled unsettled;
  unsettled.events = !store.follower.cursor || *store.follower.cursor < basis.as_of_event ||
                     store.re_read_pending();
  unsettled.revokes = std::any_of(store.revokes.begin(), store.revokes.end(),
                                  [](const StoredRevoke& revoke) { return !revoke.finished; });
  return unsettled;
}

/// The grant stays as it is, and stands on the newer basis.
void confirm(MemoryStore& store, MemoryGrant& grant, const GrantBasis& basis,
             const store::Unsettled& unsettled) {
  grant.as_of_event = std::max(grant.as_of_event, basis.as_of_event);
  if (!basis.identity.empty()) grant.identity = basis.identity;
  // A revoke that is to be repeated must find it younger.
  if (unsettled.revokes) grant.granted_at = store.tick();
}

void add_grant_option(MemoryStore& store, MemoryGrant& grant, const std::string& who) {
  const MemoryGrant before = grant;
  grant.grant_option = true;
  grant.who = who;
  grant.granted_at = store.tick();
  tell(store, {"granted", "grant"}, {who, std::nullopt, true}, grant, before, grant);
}

/// True if what authorises changed.
bool put_grant(MemoryStore& store, const PrivilegeCommand& command, const GrantBasis& asked) {
  GrantBasis basis = asked;
  // No event acts on such a grant; its number only says when it was made.
  if (!command.object.database) basis.as_of_event = store.follower.cursor.value_or(0);
  const Cause cause{command.who, std::nullopt, true};
  MemoryGrant wanted = grant_for(command, basis);
  const store::Unsettled unsettled = unsettled_by(store, basis);
  const std::vector<store::HeldGrant> held = held_with(store, wanted);
  const store::GrantPlan plan = store::plan_grant(held, command, basis, unsettled);
  for (const int64_t id : plan.suspended) suspend(store, id, kOtherObject, cause);
  for (const int64_t id : plan.absorbed) remove(store, id, cause, {"revoked", "grant"});
  bool changed = !plan.suspended.empty() || !plan.absorbed.empty();
  if (plan.equal != nullptr) {
    MemoryGrant& equal = *grant_of(store, plan.equal->id);
    confirm(store, equal, basis, unsettled);
    if (command.grant_option && !equal.grant_option) {
      add_grant_option(store, equal, command.who);
      changed = true;
    }
  } else if (!plan.contained) {
    wanted.id = store.next_grant_id();
    wanted.granted_at = store.tick();
    store.grants.push_back(wanted);
    tell(store, {"granted", "grant"}, cause, wanted, std::nullopt, wanted);
    changed = true;
  }
  return changed;
}

/// Of the live object that has the grant's name; nothing where none has.
std::optional<std::string> identity_there(const MemoryStore& store, const MemoryGrant& grant) {
  if (grant.table.empty()) {
    const auto found = store.live.databases.find(grant.name().in_database());
    if (found == store.live.databases.end()) return std::nullopt;
    return found->second.identity;
  }
  const auto found = store.live.tables.find(grant.name());
  if (found == store.live.tables.end()) return std::nullopt;
  return found->second.table.identity;
}

/// Why it may not authorise again; empty: it may.
std::string refusal(const MemoryStore& store, const MemoryGrant& grant, bool force) {
  const std::optional<std::string> there = identity_there(store, grant);
  if (!grant.database.empty() && !there) return "nothing has that name now";
  if (is_held(store, grant)) return "an equal grant authorises already";
  if (force) return "";
  const bool known = !grant.identity.empty() && there && !there->empty();
  if (known && grant.identity != *there) {
    return "another object has that name now (--force gives the grant to it)";
  }
  // As in SQL, where nothing is there for a server or a URI.
  const bool unknown = grant.identity.empty() || (there && there->empty());
  if (grant.suspended_reason == kOtherObject && unknown) {
    return "another object may have that name now (--force gives the grant to it)";
  }
  if (grant.suspended_reason == kColumnGone) {
    return "its column was gone, and the store does not know whether it is back (--force restores)";
  }
  if (grant.suspended_reason == kRevokeUnfinished) {
    return "a revoke may have meant it under a name that it had for a moment (--force restores)";
  }
  return "";
}

bool is_asked(const GrantIds& ids, const MemoryGrant& grant) {
  return grant.suspended && (!ids || std::count(ids->begin(), ids->end(), grant.id) > 0);
}

void refuse_unknown(const MemoryStore& store, const GrantIds& ids, SettledGrants& settled) {
  std::set<int64_t> told;
  for (const int64_t id : ids.value_or(std::vector<int64_t>{})) {
    const bool known =
        std::any_of(store.grants.begin(), store.grants.end(),
                    [&](const MemoryGrant& grant) { return grant.id == id && grant.suspended; });
    if (known || !told.insert(id).second) continue;
    settled.refused.push_back({id, "there is no such suspended grant"});
  }
}

void audit_refusals(MemoryStore& store, const std::string& who, const std::string& action,
                    const SettledGrants& settled) {
  for (const auto& [id, reason] : settled.refused) {
    const MemoryGrant* grant = grant_of(store, id);
    const bool has_name = grant != nullptr && (!grant->database.empty() || !grant->uri.empty());
    refuse(store, who, action, has_name ? object_text(*grant) : "", reason);
  }
}

/// Of equal ones only one may be restored: that of the object which is there, else the latest.
std::map<std::string, int64_t> best_of_equals(const MemoryStore& store, const GrantIds& ids,
                                              bool force) {
  const auto rank = [&](const MemoryGrant& grant) {
    return std::tuple(identity_there(store, grant) == grant.identity, grant.as_of_event, grant.id);
  };
  std::map<std::string, const MemoryGrant*> best;
  for (const MemoryGrant& grant : store.grants) {
    if (!is_asked(ids, grant) || !refusal(store, grant, force).empty()) continue;
    const MemoryGrant*& chosen =
        best[key_of(grant) + ' ' + grant.catalog + ' ' + object_text(grant)];
    if (chosen == nullptr || rank(*chosen) < rank(grant)) chosen = &grant;
  }
  std::map<std::string, int64_t> found;
  for (const auto& [key, grant] : best) found[key] = grant->id;
  return found;
}

void let_authorise(MemoryStore& store, MemoryGrant& grant, bool force, const std::string& who) {
  const MemoryGrant before = grant;
  grant.suspended = false;
  grant.suspended_reason.clear();
  if (force) {
    grant.identity = identity_there(store, grant).value_or(grant.identity);
    grant.as_of_event = store.follower.cursor.value_or(0);
  }
  tell(store, {"restored", "restore"}, {who, std::nullopt, true}, grant, before, grant);
}

}  // namespace

template <typename Effect>
auto MemoryPrivileges::call(std::string_view name, const Effect& effect) {
  store_.before_effect(name);
  auto result = effect();
  store_.after_effect(name);
  return result;
}

follower::LookedUp MemoryPrivileges::look_up(const follower::PrivilegeObject& object) {
  return call("look_up", [&]() -> follower::LookedUp {
    PrivilegeCommand command;
    command.object = object;
    return {store_.follower.generation, identity_there(store_, grant_for(command, {}))};
  });
}

std::optional<PrivilegeOutcome> MemoryPrivileges::grant(const PrivilegeCommand& asked,
                                                        const GrantBasis& basis) {
  return call("grant", [&]() -> std::optional<PrivilegeOutcome> {
    const PrivilegeCommand command = follower::normalized(asked);
    const std::string object = object_text(grant_for(command, basis));
    if (const std::string wrong = follower::fault(command); !wrong.empty()) {
      return refuse(store_, command.who, "grant", object, wrong);
    }
    if (!stands(store_, basis)) return std::nullopt;
    const bool gone = identity_there(store_, grant_for(command, basis)) != basis.identity;
    if (basis.stored && gone) return std::nullopt;
    if (!store_.roles.contains(command.role)) {
      return refuse(store_, command.who, "grant", object, "there is no role " + command.role);
    }
    return PrivilegeOutcome{"done", "", put_grant(store_, command, basis), std::nullopt};
  });
}

bool MemoryPrivileges::revoke_at_once(const PrivilegeCommand& asked) {
  return call("revoke_at_once", [&] {
    const PrivilegeCommand command = follower::normalized(asked);
    return follower::fault(command).empty() &&
           take_away(store_, {command, std::nullopt, std::nullopt});
  });
}

PrivilegeOutcome MemoryPrivileges::revoke(const PrivilegeCommand& asked,
                                          std::optional<int64_t> head) {
  return call("revoke", [&]() -> PrivilegeOutcome {
    const PrivilegeCommand command = follower::normalized(asked);
    const std::string object = object_text(grant_for(command, {}));
    if (const std::string wrong = follower::fault(command); !wrong.empty()) {
      return refuse(store_, command.who, "revoke", object, wrong);
    }
    if (!store_.roles.contains(command.role)) {
      return refuse(store_, command.who, "revoke", object, "there is no role " + command.role);
    }
    PrivilegeOutcome outcome{"done", "", false, std::nullopt};
    outcome.changed = take_away(store_, {command, std::nullopt, std::nullopt});
    // Below the cursor it is no head of this history.
    const auto& cursor = store_.follower.cursor;
    if (head < cursor) head.reset();
    const bool may_still_move = !head || head != cursor || store_.re_read_pending();
    if (command.object.database && may_still_move) {
      outcome.repeat_at_event = head.value_or(-1);
      ask_to_repeat(store_, command, *outcome.repeat_at_event);
    }
    return outcome;
  });
}

PrivilegeOutcome MemoryPrivileges::create_role(const std::string& role, const std::string& who) {
  return call("create_role", [&]() -> PrivilegeOutcome {
    if (role.empty()) return refuse(store_, who, "create role", role, "a role's name is needed");
    if (!store_.roles.insert(role).second) {
      return refuse(store_, who, "create role", role, "there is a role " + role + " already");
    }
    audit_role(store_, who, "create role", role);
    return {"done", "", true, std::nullopt};
  });
}

PrivilegeOutcome MemoryPrivileges::drop_role(const std::string& role, const std::string& who) {
  return call("drop_role", [&]() -> PrivilegeOutcome {
    if (!store_.roles.contains(role)) {
      return refuse(store_, who, "drop role", role, "there is no role " + role);
    }
    const std::vector<MemoryGrant> before = store_.grants;
    for (const MemoryGrant& grant : before) {
      if (grant.role != role) continue;
      remove(store_, grant.id, {who, std::nullopt, true}, {"revoked", "drop role"});
    }
    store_.roles.erase(role);
    audit_role(store_, who, "drop role", role);
    return {"done", "", true, std::nullopt};
  });
}

SettledGrants MemoryPrivileges::restore_suspended(const GrantIds& ids, bool force,
                                                  const std::string& who) {
  return call("restore_suspended", [&] {
    SettledGrants settled;
    std::vector<int64_t> chosen;
    std::set<int64_t> best;
    for (const auto& [key, id] : best_of_equals(store_, ids, force)) best.insert(id);
    for (const MemoryGrant& grant : store_.grants) {
      if (!is_asked(ids, grant)) continue;
      std::string reason = refusal(store_, grant, force);
      if (reason.empty() && !best.contains(grant.id)) reason = "an equal one is restored";
      if (reason.empty()) {
        chosen.push_back(grant.id);
      } else {
        settled.refused.push_back({grant.id, reason});
      }
    }
    refuse_unknown(store_, ids, settled);
    for (const int64_t id : chosen) let_authorise(store_, *grant_of(store_, id), force, who);
    settled.count = static_cast<int64_t>(chosen.size());
    audit_refusals(store_, who, "restore", settled);
    return settled;
  });
}

SettledGrants MemoryPrivileges::purge_suspended(const GrantIds& ids, const std::string& who) {
  return call("purge_suspended", [&] {
    SettledGrants settled;
    std::vector<int64_t> chosen;
    for (const MemoryGrant& grant : store_.grants) {
      if (is_asked(ids, grant)) chosen.push_back(grant.id);
    }
    refuse_unknown(store_, ids, settled);
    for (const int64_t id : chosen)
      remove(store_, id, {who, std::nullopt, true}, {"removed", "purge"});
    settled.count = static_cast<int64_t>(chosen.size());
    audit_refusals(store_, who, "purge", settled);
    return settled;
  });
}

}  // namespace hmsync::doubles
