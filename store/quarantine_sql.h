// Events that are set aside.
#pragma once

#include <string>
#include <vector>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// Stores the events whole, and leaves a pending re-read of what their headers name. Never fails
/// for what an event says: names are stored as text without what PostgreSQL refuses, and a name
/// that no metastore could hold is not read again.
std::vector<Statement> quarantine_statements(const std::string& server,
                                             const std::vector<follower::QuarantinedEvent>& events);

}  // namespace hmsync::store
