// What a snapshot in memory is of, and what events said of its objects: as store/snapshot_claims.h,
// snapshot_renames.h and snapshot_guard.h want it.
#pragma once

#include <optional>
#include <string>

#include "store/rename_sources.h"
#include "store/snapshot_claims.h"
#include "store/snapshot_guard.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

/// Of what has the name; no table: the database itself. Nothing where nothing has the name.
std::optional<std::string> identity_at(const ObjectMap& objects, const processor::TableName& name);

/// Whether what is named is in the scopes, with all that is in it.
bool covers(const Staged& staged, const processor::TableName& name);
/// Events since the snapshot began left it doubtful: it was read, but perhaps before them.
bool is_doubtful(const Staged& staged, const processor::TableName& name);
/// Objects within the scopes. A database that is gone is so with its tables, also where only own
/// rows were read.
ObjectMap within(const Staged& staged, const ObjectMap& objects);

/// Both sides have it, as far as can be told of one without identity by owner and location.
bool is_same_row(const processor::Database& one, const processor::Database& other);

store::Claims read_claims(const MemoryStore& store, const Staged& staged);
store::Sources find_sources(const MemoryStore& store, const Staged& staged,
                            const store::Claims& claims);
store::Losses count_losses(const MemoryStore& store, const Staged& staged,
                           const store::Claims& claims, const follower::Difference& difference);

}  // namespace hmsync::doubles
