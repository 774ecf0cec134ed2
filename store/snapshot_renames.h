// Where the events that are to be read again took a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/snapshot_claims.h"

namespace hmsync::store {

/// What became of a table that its name does not show any more.
struct Fate {
  enum class Kind { unknown, moved, dropped };
  Kind kind = Kind::unknown;
  processor::TableName to;  ///< moved
  int64_t event = 0;        ///< the last one that it is known by
};

class Renames {
 public:
  /// `unreadable`: renames whose source was found by identity (find_sources).
  Renames(const Claims& claims, const std::vector<processor::Claim>& unreadable);

  /// Of the table with this identity (not empty) that was stored, or had grants, under the name.
  /// Moved only to a name that has its identity now, and only if no other stored table can be what
  /// is there: two may have one identity.
  [[nodiscard]] Fate fate(const processor::TableName& from, const std::string& identity) const;

 private:
  [[nodiscard]] Fate follow(const processor::TableName& from, const std::string& identity) const;

  const Claims& claims_;
  std::multimap<processor::TableName, processor::Claim> renames_;  ///< by source
  /// How many stored tables of the identity may be at the name now.
  std::map<std::pair<processor::TableName, std::string>, int> movers_;
};

/// What is known of renames whose source could not be read.
struct Sources {
  std::vector<processor::Claim> renames;  ///< those whose source was found, with it
  std::vector<follower::Scope> missing;   ///< tables of which one may be a source; not read yet
};

/// A table that a staged one was renamed from is a stored one of its identity under another name.
/// It is found where exactly one such table vanished and exactly one came.
Sources find_sources(Connection& connection, const Sides& sides, const Claims& claims);

}  // namespace hmsync::store
