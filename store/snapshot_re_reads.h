// What a publication ends: re-reads that were asked for, and claims, of what it has read.
#pragma once

#include <cstdint>
#include <string>

#include "store/connection.h"
#include "store/snapshot_scope.h"

namespace hmsync::store {

/// Returns how many re-reads and claims it took away: those within the scopes that were there when
/// the snapshot began; after a reset all of them. Whole snapshots that are being made meanwhile get
/// the re-reads, and what replays on this one asked for becomes pending.
int64_t end_re_reads(Connection& connection, const Sides& sides, bool reset);

/// With unbroken history the live state is right about what the events since the snapshot's begin
/// left doubtful: the staging takes it over, so that nothing of it differs.
void take_over_doubtful(Connection& connection, const std::string& server,
                        const std::string& snapshot);

}  // namespace hmsync::store
