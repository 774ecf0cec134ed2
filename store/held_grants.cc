#include "store/held_grants.h"

namespace hmsync::store {

namespace {

bool of_another_object(const HeldGrant& held, const follower::GrantBasis& basis) {
  return !held.identity.empty() && !basis.identity.empty() && held.identity != basis.identity;
}

/// Whether the held grant will be there as long as one made now: with an identity that is known,
/// the object that it belongs to is the one that was just looked at.
bool as_lasting(const HeldGrant& held, const follower::PrivilegeCommand& command,
                const follower::GrantBasis& basis, const Unsettled& unsettled) {
  if (!command.object.database) return true;
  if (unsettled.revokes) return false;
  if (!unsettled.events || held.as_of_event >= basis.as_of_event) return true;
  return !held.identity.empty() && held.identity == basis.identity;
}

}  // namespace

GrantPlan plan_grant(const std::vector<HeldGrant>& held, const follower::PrivilegeCommand& command,
                     const follower::GrantBasis& basis, const Unsettled& unsettled) {
  GrantPlan plan;
  for (const HeldGrant& grant : held) {
    if (of_another_object(grant, basis)) {
      plan.suspended.push_back(grant.id);
    } else if (grant.action == command.action) {
      const bool outlives = grant.grant_option && !command.grant_option && grant.to_be_revoked;
      if (outlives) {
        plan.absorbed.push_back(grant.id);
      } else {
        plan.equal = &grant;
      }
    } else if (grant.action == "ALL") {
      plan.contained = (grant.grant_option || !command.grant_option) &&
                       as_lasting(grant, command, basis, unsettled);
    } else if (command.action == "ALL" && (command.grant_option || !grant.grant_option)) {
      plan.absorbed.push_back(grant.id);
    }
  }
  return plan;
}

}  // namespace hmsync::store
