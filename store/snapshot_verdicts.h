// What claims decide about grants, before identities are looked at.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "store/snapshot_claims.h"
#include "store/snapshot_renames.h"

namespace hmsync::store {

/// A grant at a name that claims are about, or below it.
struct ClaimedGrant {
  std::string id;
  processor::TableName name;  ///< no table: on the database
  std::string identity;       ///< empty: not known
  int64_t as_of_event = 0;
  bool suspended = false;
  Standing at;                   ///< its name
  std::string key;               ///< role, action and column: what tells grants on one table apart
  bool perhaps_revoked = false;  ///< under a name that its table had in between
};

struct Verdict {
  /// returned: it stays, but its table had other names before the event.
  enum class Kind { keep, suspend, remove, move, returned };
  Kind kind = Kind::keep;
  int64_t event = 0;
  processor::TableName to;  ///< move
  std::string identity;     ///< move: of the table
};

/// Renames go first: a grant follows its table whatever its as_of_event. Then drops end the grants
/// of what is not there any more under its name: those older than the drop, and where its place in
/// the order is not known all those whose identity is.
/// `refuted`: drops that are not believed.
Verdict judge(const ClaimedGrant& grant, const Claims& claims, const Renames& renames,
              const std::vector<processor::Claim>& refuted);

/// Whose it is, as far as is known: the stored object's of its name, where it does not say.
std::string owner_of(const ClaimedGrant& grant);

/// Where grants are looked at. No table: in the whole database.
std::set<processor::TableName> names_to_judge(const Claims& claims,
                                              const std::vector<processor::Claim>& found_sources);

/// Those at names_to_judge().
std::vector<ClaimedGrant> read_claimed_grants(Connection& connection, const Sides& sides,
                                              const Claims& claims,
                                              const std::vector<processor::Claim>& found_sources);

}  // namespace hmsync::store
