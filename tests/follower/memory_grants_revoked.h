// Taking grants away in memory: at once, and again when events that were unread then are applied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

struct Revocation {
  follower::PrivilegeCommand command;    ///< normalized
  std::optional<int64_t> granted_until;  ///< only grants made until then, by MemoryStore::tick()
  std::optional<int64_t> event;          ///< for the audit
};

/// True if a grant was taken away or made narrower.
bool take_away(MemoryStore& store, const Revocation& revocation);

/// Whether a revoke that is to be repeated, and was asked for after the grant, will take it away.
bool is_to_be_revoked(const MemoryStore& store, const MemoryGrant& grant);

/// The same, whatever the name of the revoke's table: the grant's may have had it in between.
bool may_be_revoked(const MemoryStore& store, const MemoryGrant& grant);

/// Stores the request to do so again at an event; -1: the metastore's head is not known.
void ask_to_repeat(MemoryStore& store, const follower::PrivilegeCommand& command, int64_t at_event);

/// Whether repeat_due_revokes() has something to do.
bool revokes_due(const MemoryStore& store);
/// No event above it may be applied before a revoke is repeated there.
std::optional<int64_t> revoke_ahead(const MemoryStore& store);
void repeat_due_revokes(MemoryStore& store);

}  // namespace hmsync::doubles
