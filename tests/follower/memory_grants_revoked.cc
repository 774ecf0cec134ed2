#include "tests/follower/memory_grants_revoked.h"

#include <algorithm>
#include <array>

#include "tests/follower/memory_grants.h"

namespace hmsync::doubles {

using follower::PrivilegeCommand;

namespace {

constexpr std::array kEachAction = {"SELECT", "INSERT", "CREATE", "ALTER",
                                    "DROP",   "INDEX",  "LOCK",   "REFRESH"};

/// The grant is of the action or ALL, on the object or on what is below it.
bool is_reached(const MemoryGrant& grant, const Revocation& revocation) {
  const PrivilegeCommand& command = revocation.command;
  const follower::PrivilegeObject& object = command.object;
  const auto is_or_any = [](const std::optional<std::string>& wanted, const std::string& name) {
    return !wanted || *wanted == name;
  };
  const bool is_meant =
      command.action == "ALL" || grant.action == command.action || grant.action == "ALL";
  return is_meant && grant.role == command.role && is_or_any(object.database, grant.database) &&
         (!object.database || grant.catalog == object.catalog) &&
         is_or_any(object.table, grant.table) && is_or_any(object.column, grant.column) &&
         is_or_any(object.uri, grant.uri) &&
         (!revocation.granted_until || grant.granted_at <= *revocation.granted_until);
}

/// What is left of ALL: the other actions, each as a grant of its own, made when ALL was.
void split_all(MemoryStore& store, const Revocation& revocation, const Cause& cause) {
  const std::vector<MemoryGrant> before = store.grants;
  for (const MemoryGrant& all : before) {
    if (all.action != "ALL" || !is_reached(all, revocation)) continue;
    for (const char* action : kEachAction) {
      if (action == revocation.command.action) continue;
      MemoryGrant left = all;
      left.action = action;
      const auto equal =
          std::find_if(store.grants.begin(), store.grants.end(), [&](const MemoryGrant& other) {
            return !other.suspended && !left.suspended && other.name() == left.name() &&
                   other.uri == left.uri && key_of(other) == key_of(left);
          });
      if (equal == store.grants.end()) {
        left.id = store.next_grant_id();
        store.grants.push_back(left);
        tell(store, {"granted", "revoke"}, cause, left, std::nullopt, left);
      } else if (left.grant_option && !equal->grant_option && !may_be_revoked(store, left)) {
        equal->grant_option = true;
        tell(store, {"granted", "revoke"}, cause, *equal, std::nullopt, *equal);
      }
    }
  }
}

/// All that could still carry a grant to the name is applied, and has been read again.
bool is_final(const MemoryStore& store, const StoredRevoke& revoke) {
  return revoke.generation != store.follower.generation || !store.re_read_pending(revoke.at_event);
}

/// A head that was recorded after the moment. One below the cursor is no head of this history.
bool is_head_after(const MemoryStore& store, int64_t moment) {
  return store.head && store.head->head >= store.follower.cursor.value_or(store.head->head) &&
         store.head->read_at > moment;
}

bool is_reached_by_cursor(const MemoryStore& store, const StoredRevoke& revoke) {
  return revoke.generation != store.follower.generation ||
         (revoke.at_event >= 0 && store.follower.cursor &&
          revoke.at_event <= *store.follower.cursor);
}

/// The second head that is recorded after it: the first may have been read before it.
void take_head(const MemoryStore& store, StoredRevoke& revoke) {
  if (revoke.finished || revoke.at_event != -1) return;
  if (revoke.first_head) {
    if (is_head_after(store, revoke.first_head_read_at)) {
      revoke.at_event = std::max(store.head->head, *revoke.first_head);
    }
  } else if (is_head_after(store, revoke.requested_at)) {
    revoke.first_head = store.head->head;
    revoke.first_head_read_at = store.head->read_at;
  }
}

}  // namespace

bool is_to_be_revoked(const MemoryStore& store, const MemoryGrant& grant) {
  return std::any_of(store.revokes.begin(), store.revokes.end(), [&](const StoredRevoke& revoke) {
    return !revoke.finished &&
           is_reached(grant, {revoke.command, revoke.requested_at, std::nullopt});
  });
}

bool take_away(MemoryStore& store, const Revocation& revocation) {
  const std::string& action = revocation.command.action;
  const Cause cause{revocation.command.who, revocation.event, true};
  if (action != "ALL") split_all(store, revocation, cause);
  std::vector<int64_t> gone;
  for (const MemoryGrant& grant : store.grants) {
    if (is_reached(grant, revocation)) gone.push_back(grant.id);
  }
  for (const int64_t id : gone) remove(store, id, cause, {"revoked", "revoke"});
  return !gone.empty();
}

bool may_be_revoked(const MemoryStore& store, const MemoryGrant& grant) {
  return std::any_of(store.revokes.begin(), store.revokes.end(), [&](const StoredRevoke& revoke) {
    Revocation anywhere{revoke.command, revoke.requested_at, std::nullopt};
    follower::PrivilegeObject& object = anywhere.command.object;
    if (!grant.table.empty()) object.database = object.table = std::nullopt;
    return !revoke.finished && is_reached(grant, anywhere);
  });
}

void ask_to_repeat(MemoryStore& store, const PrivilegeCommand& command, int64_t at_event) {
  StoredRevoke revoke;
  revoke.id = static_cast<int64_t>(store.revokes.size()) + 1;
  revoke.command = command;
  revoke.at_event = at_event;
  revoke.generation = store.follower.generation;
  revoke.requested_at = store.tick();
  store.revokes.push_back(std::move(revoke));
}

bool revokes_due(const MemoryStore& store) {
  return std::any_of(store.revokes.begin(), store.revokes.end(), [&](const StoredRevoke& revoke) {
    if (revoke.finished) return false;
    if (is_reached_by_cursor(store, revoke)) return !revoke.repeated || is_final(store, revoke);
    return revoke.at_event == -1 &&
           is_head_after(store,
                         revoke.first_head ? revoke.first_head_read_at : revoke.requested_at);
  });
}

std::optional<int64_t> revoke_ahead(const MemoryStore& store) {
  std::optional<int64_t> lowest;
  for (const StoredRevoke& revoke : store.revokes) {
    const bool is_past = revoke.generation != store.follower.generation;
    if (revoke.finished || revoke.repeated || is_past || !store.follower.cursor) continue;
    const int64_t event = revoke.at_event == -1 ? *store.follower.cursor : revoke.at_event;
    lowest = std::min(lowest.value_or(event), event);
  }
  return lowest;
}

void repeat_due_revokes(MemoryStore& store) {
  for (StoredRevoke& revoke : store.revokes) take_head(store, revoke);
  for (StoredRevoke& revoke : store.revokes) {
    if (revoke.finished || !is_reached_by_cursor(store, revoke)) continue;
    revoke.changed = take_away(store, {revoke.command, revoke.requested_at, store.follower.cursor});
    revoke.repeated = true;
    revoke.finished = is_final(store, revoke);
  }
}

}  // namespace hmsync::doubles
