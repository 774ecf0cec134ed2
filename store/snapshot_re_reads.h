// What a publication ends: re-reads that were asked for, and claims, of what it has read.
#pragma once

#include <cstdint>
#include <string>

#include "follower/store.h"
#include "store/connection.h"
#include "store/snapshot_scope.h"

namespace hmsync::store {

/// Returns how many re-reads and claims it took away: those within the scopes that were there when
/// the snapshot began; after a reset all of them. Whole snapshots that are being made meanwhile get
/// the re-reads, and what replays on this one asked for becomes pending.
int64_t end_re_reads(Connection& connection, const Sides& sides,
                     const follower::Publication& publication);

/// With unbroken history. What events since the snapshot's begin left doubtful is not judged: its
/// grants, claims and re-reads stay. Where the live state knows better, having applied the events
/// or because renames connect what cannot be judged one by one, the staging takes over its version;
/// of a whole snapshot for all that is doubtful, since that is read again anyway. Returns whether
/// anything was doubtful.
bool settle_doubtful(Connection& connection, const std::string& server, const std::string& snapshot,
                     bool whole);

/// Of a publication: what settle_doubtful() took over from the live state was not read, so it stays
/// pending since the first event that asked for it, or for what it is in.
void keep_owed(Connection& connection, const std::string& server, const std::string& snapshot);

/// The grants of what is doubtful, and those that were given after the snapshot began: it may have
/// read their objects before.
std::string grants_not_to_judge(Connection& connection, const Sides& sides);

}  // namespace hmsync::store
