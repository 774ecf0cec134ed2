// Changes of grants in memory: each writes its audit row and its row of the change log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/mutation_groups.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

/// Reasons of suspended grants, as on PostgreSQL.
inline constexpr const char* kObjectGone = "object gone";
inline constexpr const char* kRevokeUnfinished = "revoke unfinished";
inline constexpr const char* kOtherObject = "other object";
inline constexpr const char* kColumnGone = "column gone";
/// While names are exchanged: move() lets them authorise again.
inline constexpr const char* kParked = "moving";

/// For the audit: an event, the snapshot that found out, or a person, then without an event.
struct Cause {
  std::string who;
  std::optional<int64_t> event;
  bool by_person = false;  ///< an event is then in the audit only
};

/// What a change of a grant is called in the change log and in the audit.
struct Verb {
  std::string change;
  std::string action;
};

/// "db.table.column", a URI, or "server".
std::string object_text(const MemoryGrant& grant);
bool is_database_of(const MemoryGrant& grant, const processor::DatabaseName& name);
MemoryGrant* grant_of(MemoryStore& store, int64_t id);
/// What tells grants on one object apart: role, action and column.
std::string key_of(const MemoryGrant& grant);
/// An equal grant that authorises: only one may.
bool is_held(const MemoryStore& store, const MemoryGrant& grant);

void tell(MemoryStore& store, const Verb& verb, const Cause& cause, const MemoryGrant& row,
          std::optional<MemoryGrant> before, std::optional<MemoryGrant> after);

void suspend(MemoryStore& store, int64_t id, const std::string& reason, const Cause& cause);
void restore(MemoryStore& store, int64_t id, const Cause& cause);
void remove(MemoryStore& store, int64_t id, const Cause& cause,
            const Verb& verb = {"removed", "remove"});

struct Move {
  int64_t id = 0;
  processor::TableName to;
  int64_t event = 0;  ///< becomes its as_of_event
};

/// First those that meet an equal grant at their target are merged with it, then the rest moves.
void move(MemoryStore& store, const std::vector<Move>& moves, const std::string& who);

/// What events do to grants; before the objects of the same group are changed.
void follow_events(MemoryStore& store, const store::MutationGroup& group);
/// After that: those of renamed objects that were suspended since their object was gone.
void revive_renamed(MemoryStore& store, const store::MutationGroup& group);

}  // namespace hmsync::doubles
