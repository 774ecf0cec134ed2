// What mutations do to objects and paths of the store in memory, live ones and staged ones.
#pragma once

#include <span>
#include <vector>

#include "processor/mutation.h"
#include "store/mutation_groups.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

struct Applied {
  std::vector<PathChange> changes;              ///< without their commit number
  std::optional<processor::TableName> missing;  ///< to be read again
};

Applied apply_to_objects(ObjectMap& objects, const processor::Mutation& mutation);

/// In the order in which the store on PostgreSQL applies them. Throws Error(poison) for what it
/// would refuse.
std::vector<store::MutationGroup> in_groups(std::span<const processor::Mutation> mutations);

}  // namespace hmsync::doubles
