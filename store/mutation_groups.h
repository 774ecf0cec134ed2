// Mutations in the order of the log, gathered into as few statements as that order allows.
#pragma once

#include <span>
#include <vector>

#include "processor/mutation.h"

namespace hmsync::store {

/// All of one kind. Each touches other objects than the rest, except that partitions of one table
/// may be put (or removed) by several; nothing in a group depends on another of the same group.
struct MutationGroup {
  std::vector<const processor::Mutation*> mutations;

  [[nodiscard]] size_t kind() const { return mutations.front()->operation.index(); }
};

/// Applied group after group, the effect is that of applying the mutations one by one: whatever
/// touches one object keeps its order. The mutations must outlive the groups. Throws Error(poison)
/// for a mutation without a database's or a table's name: '' means something else in the store.
std::vector<MutationGroup> group_mutations(std::span<const processor::Mutation> mutations);

}  // namespace hmsync::store
