// Taking grants away: now, and again when events that were unread at that moment have been applied,
// since a rename among them may have carried a grant to the name that was meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "follower/privileges.h"
#include "store/connection.h"

namespace hmsync::store {

/// Boolean SQL for the query that looks for work; $1 is the server. True while
/// repeat_due_revokes() has something to do.
extern const char* const kRevokesDue;

/// The same, an event id: no event above it may be applied before a revoke is repeated there. Null
/// where none is to be; the cursor where the head of the moment of a revoke is not known yet.
extern const char* const kRevokeAhead;

struct Revocation {
  follower::PrivilegeCommand command;        ///< normalized
  std::optional<std::string> granted_until;  ///< only grants made before (timestamptz)
  std::optional<int64_t> event;              ///< for the audit
};

/// Some are still to be repeated.
bool revoke_waits(Connection& connection, const std::string& server);

/// True if a grant was taken away or made narrower. Within a transaction that holds the lock of the
/// server's followers row. Suspended grants go too: a revoke is final.
bool take_away(Connection& connection, const std::string& server, const Revocation& revocation);

/// SQL: whether a revoke that is to be repeated will take it away: `g` is a row of `grants`, where
/// it is or where it comes to; made at `granted_at`.
std::string is_to_be_revoked(const std::string& g, const std::string& granted_at);

/// SQL: whether some revoke that is to be repeated, and was asked for after `g` was made, may take
/// it away: a table may have had any name in between, what is not a table had its own.
std::string may_be_revoked(const std::string& g);

/// Stores the request to do so again at an event; -1: the metastore's head is not known.
void ask_to_repeat(Connection& connection, const std::string& server,
                   const follower::PrivilegeCommand& command, int64_t at_event, int64_t generation);

/// Repeats the revokes that waited for the cursor to come this far, or for a reset, and finishes
/// their requests; once more where a re-read is pending of their event or an earlier one: what is
/// read may still turn out to be a rename. Within an open transaction in which the fence was
/// passed. A revoke whose head was not known waits for the second head that is recorded after it:
/// the first may have been read before it. A recorded head below the cursor does not count: after a
/// reset it is of another history, which only the switch brings in.
void repeat_due_revokes(Connection& connection, const std::string& server);

}  // namespace hmsync::store
