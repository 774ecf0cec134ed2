// Whether a publication takes so much away that it is most likely wrong.
#pragma once

#include <string>

#include "follower/store.h"
#include "store/snapshot_claims.h"
#include "store/snapshot_difference.h"

namespace hmsync::store {

struct Losses {
  int64_t stored_tables = 0;
  int64_t lost_tables = 0;
  int64_t stored_databases = 0;
  int64_t lost_databases = 0;
};

/// Of the objects within the scopes: stored ones that are not in the staging, or another's there.
/// Of a snapshot of some objects, what a claim names does not count; where it loses nothing, what
/// is stored is not counted.
Losses count_losses(Connection& connection, const Sides& sides, const Claims& claims,
                    const follower::Difference& difference);

/// Empty: it may be published. Else why not, in words. Where no tables are stored, databases count.
std::string refusal(const follower::Guard& guard, const Losses& losses);

}  // namespace hmsync::store
