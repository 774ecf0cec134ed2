// What is to be read again from the metastore, and what events said of it.
#pragma once

#include <string>
#include <vector>

#include "processor/claim.h"
#include "store/connection.h"

namespace hmsync::store {

/// After "INSERT INTO pending_re_reads AS r ... ON CONFLICT (...) DO UPDATE": what was asked for
/// again is read after that, and what waits for the first event goes on waiting.
extern const char* const kAskAgain;

/// Keeps the claims, and leaves a pending re-read of each name and of what a rename was from. Never
/// fails for what an event says: for a name that cannot be stored everything is read again.
std::vector<Statement> claim_statements(const std::string& server,
                                        const std::vector<processor::Claim>& claims);

/// Keeps them with a snapshot's staging, until its switch.
std::vector<Statement> staged_claim_statements(const std::string& snapshot,
                                               const std::vector<processor::Claim>& claims);

}  // namespace hmsync::store
