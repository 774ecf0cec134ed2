// Where tables were renamed from whose rename could not be read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/snapshot_claims.h"

namespace hmsync::store {

/// A rename, or an ALTER_TABLE that may be one, of which only the name after it is known.
bool is_without_source(const processor::Claim& claim);

/// Those whose table is known, by its identity: that of what was read under the name, where that is
/// new there, or that of the next rename that leads away from it.
std::map<std::string, std::vector<const processor::Claim*>> renames_without_source(
    const Claims& claims);

/// A stored table of the identity.
struct SourceCandidate {
  processor::TableName name;
  bool within = false;    ///< the scopes
  bool vanished = false;  ///< what was read under its name is not it
};

/// More are not read for one rename.
inline constexpr size_t kMostCandidates = 200;

/// The one that vanished where exactly one came; or that is alone and where it was. It counts only
/// where all are within: those that are not are to be read first.
/// `came`: how many tables of the identity were read under names that they did not have.
std::optional<processor::TableName> choose_source(const std::vector<SourceCandidate>& candidates,
                                                  int64_t came);

/// What is known of renames whose source could not be read.
struct Sources {
  std::vector<processor::Claim> renames;  ///< those whose source was found, with it
  std::vector<follower::Scope> missing;   ///< tables of which one may be a source; not read yet
};

/// Adds what the candidates tell of these renames.
void add_sources(Sources& sources, const std::vector<const processor::Claim*>& renames,
                 const std::vector<SourceCandidate>& candidates, int64_t came);

/// While a revoke waits, it may have meant a name that a table had between two renames without
/// source. Where one of them is within the scopes, and nothing shows what it brought, all are to be
/// read together: their names that are not, unless they are more than kMostCandidates.
std::vector<follower::Scope> names_to_look_on(const Claims& claims, const Sources& sources);

/// Within the publication's transaction. With what names_to_look_on() says, where a revoke waits.
Sources find_sources(Connection& connection, const Sides& sides, const Claims& claims);

}  // namespace hmsync::store
