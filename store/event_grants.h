// How grants follow the events. A drop or a rename acts only on grants that are older than it.
#pragma once

#include <vector>

#include "store/mutation_sql.h"

namespace hmsync::store {

/// Before object_statements() of the same group, since it needs the objects as they were.
std::vector<Statement> grant_statements(const Target& target, const MutationGroup& group);
/// After them: grants of renamed objects that were suspended because their object was gone.
std::vector<Statement> revive_statements(const Target& target, const MutationGroup& group);

}  // namespace hmsync::store
