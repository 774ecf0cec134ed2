// Suspended grants, as people settle them: one transaction under the lock of the followers row, at
// any replica; audit and change log are written with it, refusals are audited too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/connection.h"

namespace hmsync::store {

/// Nothing: all that are suspended.
using GrantIds = std::optional<std::vector<int64_t>>;

struct SettledGrants {
  struct Refusal {
    int64_t id = 0;
    std::string reason;
  };
  int64_t count = 0;  ///< restored or purged
  std::vector<Refusal> refused;
};

/// Lets them authorise again, each for the object that it was given on. Refused where nothing has
/// that name now, where another object has it, where an equal grant authorises, and where a column
/// was gone, since the store does not know columns. With `force` the grant is the object's that has
/// the name now, as of the cursor; but something must have it.
SettledGrants restore_suspended(Connection& connection, const std::string& server,
                                const GrantIds& ids, bool force, const std::string& who);

/// Deletes them.
SettledGrants purge_suspended(Connection& connection, const std::string& server,
                              const GrantIds& ids, const std::string& who);

}  // namespace hmsync::store
