// What every writing transaction of a leader has in common.
#pragma once

#include <optional>
#include <string>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// First in the transaction: takes the row's lock, or raises HS001. Nothing as cursor leaves it.
Statement advance_follower(const std::string& server, const follower::Fence& fence,
                           std::optional<int64_t> cursor = std::nullopt,
                           const follower::EventCounts& counts = {});

/// Last in the transaction: when progress was made, and a NOTIFY for the waiters of all replicas.
std::vector<Statement> tell_progress(const std::string& server);

}  // namespace hmsync::store
