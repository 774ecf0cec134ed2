// What the publication of a snapshot in memory does to grants: as store/snapshot_grants.h says.
#pragma once

#include <cstdint>
#include <set>

#include "store/rename_sources.h"
#include "store/snapshot_claims.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

/// Which grants a publication looks at.
struct GrantScope {
  std::set<int64_t> within;     ///< of a snapshot of some objects: those of its scopes
  std::set<int64_t> untouched;  ///< not to be judged
};

/// The grants of what is doubtful, and those that were given after the snapshot began, are not
/// judged where the history is unbroken.
GrantScope grant_scope(const MemoryStore& store, const Staged& staged, bool unbroken);

/// How many grants a publication with unbroken history would suspend.
int64_t count_vanished_grants(const MemoryStore& store, const Staged& staged,
                              const GrantScope& scope, int64_t cursor);

struct GrantsSettled {
  int64_t suspended = 0;
  bool changed = false;  ///< any
};

/// Before the difference is written.
GrantsSettled settle_grants(MemoryStore& store, const Staged& staged,
                            const follower::Publication& publication, const store::Claims& claims,
                            const store::Sources& sources);

}  // namespace hmsync::doubles
