// What events and snapshots do to grants: each change writes its audit row and its row of the
// change log in the same statement. People's changes are in grant_log.h.
#pragma once

#include <string>

namespace hmsync::store {

inline constexpr const char* kEvent = "event";
inline constexpr const char* kSnapshot = "snapshot";

/// Each takes the beginning of a statement, `WITH ...`, that ends in a CTE named `chosen`, and
/// completes it to a statement that answers one row with the number of grants changed. `who` is the
/// audit's: an event, or the snapshot that found out.

/// chosen: grant_id, event_id, reason.
std::string suspend_chosen(const std::string& with, const std::string& who = kEvent);
/// chosen: grant_id, event_id.
std::string remove_chosen(const std::string& with, const std::string& who = kEvent);
/// Suspended ones that authorise again. chosen: grant_id, event_id.
std::string restore_chosen(const std::string& with, const std::string& who = kEvent);

/// chosen: grant_id, event_id, as_of, to_catalog, to_database, to_table. First those that meet an
/// equal grant are merged with it: the later `as_of_event` stays with its identity, and the grant
/// option of the other one only if both identities are the same and no revoke waits to take it
/// away; where it is new to the one that stays, the change log has it as granted. Then the rest is
/// moved.
std::string merge_chosen(const std::string& with, const std::string& who = kEvent);
std::string move_chosen(const std::string& with, const std::string& who = kEvent);

/// The reason of grants that a snapshot parks while their names are exchanged: move_chosen() lets
/// them authorise again.
inline constexpr const char* kParked = "moving";

/// Other reasons of suspended grants, as people see them.
inline constexpr const char* kObjectGone = "object gone";
inline constexpr const char* kOtherObject = "other object";
inline constexpr const char* kRevokeUnfinished = "revoke unfinished";
inline constexpr const char* kColumnGone = "column gone";

}  // namespace hmsync::store
