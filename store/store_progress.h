// How far the store has come, told by numbers that only ever rise, unless the database itself goes
// back: a fail-over to a replica that had not received the last commits, or a restored backup.
#pragma once

#include <cstdint>
#include <string>

#include "store/connection.h"

namespace hmsync::store {

struct StoreProgress {
  int64_t commit_number = 0;  ///< of the leaders' commits
  int64_t generation = 0;
  int64_t epoch = 0;
  int64_t audit_id = 0;  ///< the newest row of the audit, which grants and revokes write
};

/// One short query.
StoreProgress read_progress(Connection& connection, const std::string& server);

/// Writes the audit's row that the database went back, by a leader; nothing where one was written
/// since then, which was `seconds_ago`.
void audit_rewind(Connection& connection, const std::string& server, const StoreProgress& seen,
                  const StoreProgress& found, double seconds_ago);

}  // namespace hmsync::store
