// What a snapshot does to grants.
#pragma once

#include "follower/store.h"
#include "store/snapshot_difference.h"

namespace hmsync::store {

/// How many grants a publication with unbroken history would suspend.
int64_t count_vanished_grants(Connection& connection, const Sides& sides, int64_t cursor);

/// Before write_difference(), within its transaction; returns how many grants were suspended.
/// Grants that are newer than the snapshot are left alone, except after a reset.
/// With unbroken history only those on objects that are gone are suspended. Else grants go by
/// identity: the same name with the same identity keeps them; an object that vanished, when exactly
/// one of its identity turned up under another name, was renamed, and they move; the rest is
/// suspended. Servers and URIs are not looked at.
int64_t settle_grants(Connection& connection, const Sides& sides,
                      const follower::Publication& publication);

}  // namespace hmsync::store
