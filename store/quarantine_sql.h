// Events that are set aside.
#pragma once

#include <string>
#include <vector>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// Stores the events whole. Never fails for what an event says: its message is stored as bytes, all
/// else as text without what PostgreSQL refuses. What they name is read again by their claims.
std::vector<Statement> quarantine_statements(const std::string& server,
                                             const std::vector<follower::QuarantinedEvent>& events);

/// Those of this id and of the current generation that wait, in the order of their coming.
std::vector<processor::Event> quarantined_events(Connection& connection, const std::string& server,
                                                 int64_t event);

/// One outcome for each of quarantined_events(), in a transaction. Error(transient) where they are
/// not as many any more.
void settle_retried(Connection& connection, const std::string& server, int64_t event,
                    const std::vector<follower::Retried>& outcomes);

}  // namespace hmsync::store
