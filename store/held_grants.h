// What granting does to the grants that a role already has on the very same object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "follower/privileges.h"

namespace hmsync::store {

/// A grant that authorises, of the role and on the object of a command.
struct HeldGrant {
  int64_t id = 0;
  std::string action;
  bool grant_option = false;
  std::string identity;
  int64_t as_of_event = 0;
  std::string grantor;
  bool to_be_revoked = false;  ///< by a revoke that waits to be repeated, and was asked for later
};

/// What may still take a held grant away from its object.
struct Unsettled {
  bool events = false;   ///< the cursor is below the basis, or something is to be read again
  bool revokes = false;  ///< some are to be repeated on grants made before them
};

struct GrantPlan {
  std::vector<int64_t> suspended;  ///< of another object that had this name
  /// Contained in the ALL that arrives; or the same with a grant option that was revoked.
  std::vector<int64_t> absorbed;
  const HeldGrant* equal = nullptr;  ///< same action: takes the new basis
  bool contained = false;            ///< held by ALL already: nothing to insert
};

/// Pure. That ALL is held is as good as holding the action only where nothing that is unsettled can
/// take it away.
GrantPlan plan_grant(const std::vector<HeldGrant>& held, const follower::PrivilegeCommand& command,
                     const follower::GrantBasis& basis, const Unsettled& unsettled);

}  // namespace hmsync::store
