// What a snapshot does to grants.
#pragma once

#include "follower/store.h"
#include "store/rename_sources.h"
#include "store/snapshot_claims.h"

namespace hmsync::store {

/// How many grants a publication with unbroken history would suspend.
int64_t count_vanished_grants(Connection& connection, const Sides& sides, int64_t cursor);

struct GrantsOfSnapshot {
  int64_t suspended = 0;
  bool changed = false;  ///< any
};

/// Before write_difference(), within its transaction. First what claims say (snapshot_verdicts.h),
/// except after a reset. Then, with unbroken history and for snapshots of some objects, grants on
/// objects that are gone, or whose name is another's, are suspended; those newer than the snapshot
/// are left alone. Else grants go by identity: the same name with the same identity keeps them; an
/// object that vanished, when exactly one of its identity turned up under another name, was
/// renamed, and they move; the rest is suspended. Within the scopes of a snapshot of some objects,
/// suspended grants whose object is there again authorise again. Servers and URIs are not looked
/// at.
GrantsOfSnapshot settle_grants(Connection& connection, const Sides& sides,
                               const follower::Publication& publication, const Claims& claims,
                               const Sources& sources);

}  // namespace hmsync::store
