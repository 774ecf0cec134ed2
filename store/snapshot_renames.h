// Where the events that are to be read again took a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/snapshot_claims.h"

namespace hmsync::store {

/// What became of a table that its name does not show any more.
struct Fate {
  /// unclear: what is under a name that it may have now may be another one; two may have one
  /// identity. It may live, so nothing of it is removed, nor handed to what is there.
  enum class Kind { unknown, moved, returned, dropped, unclear };
  Kind kind = Kind::unknown;
  processor::TableName to;  ///< moved
  int64_t event = 0;        ///< the last one that it is known by; returned: that brought it back
  bool in_order = true;     ///< dropped: by events of which each came in its place
};

class Renames {
 public:
  /// `unreadable`: renames whose source was found (rename_sources.h).
  Renames(const Claims& claims, const std::vector<processor::Claim>& unreadable);

  /// Of the table with this identity (not empty) that was stored, or had grants, under the name.
  /// Moved only to a name that has its identity now, if what is there can have come from nowhere
  /// else. Returned if it went from its name and is there again. Dropped only if none of the names
  /// that it may have has its identity.
  [[nodiscard]] Fate fate(const processor::TableName& from, const std::string& identity) const;

 private:
  [[nodiscard]] Fate fate_of_kept(const processor::TableName& name,
                                  const std::string& identity) const;
  /// Whether the table is known to have left the name between what brought it and another event.
  [[nodiscard]] bool went_on(const processor::Claim& arrival, const processor::Claim& before,
                             const std::string& identity) const;
  /// Whether what arrived there is known to have gone before another event, or before now.
  [[nodiscard]] bool left_again(const processor::Claim& arrival,
                                const processor::Claim* before) const;
  /// What may have brought a table of the identity to the name, before another event.
  [[nodiscard]] std::vector<const processor::Claim*> arrivals(const processor::TableName& name,
                                                              const processor::Claim* before,
                                                              const std::string& identity) const;
  /// Whether all ways to the name begin at `from`: none at another stored table of the identity, at
  /// one that was made there, or at a name of which nothing is known.
  [[nodiscard]] bool came_only_from(const processor::TableName& from,
                                    const processor::TableName& name,
                                    const std::string& identity) const;

  const Claims& claims_;
  std::multimap<processor::TableName, processor::Claim> renames_;   ///< by source
  std::multimap<processor::TableName, processor::Claim> arrivals_;  ///< by target; and creations
};

}  // namespace hmsync::store
