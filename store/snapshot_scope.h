// Which objects a snapshot is of, and which rows that are on both sides of its comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "follower/metastore.h"
#include "store/connection.h"

namespace hmsync::store {

/// The two sides of a comparison. Of a snapshot of some objects, the rows within its scopes: arrays
/// of ids, as the database has them; of a whole one, nothing.
struct Sides {
  std::string server;
  std::string snapshot;
  bool whole = true;
  int64_t re_reads_through = 0;  ///< requests that it has read; those above came later
  std::optional<std::string> live;
  std::optional<std::string> staged;
  std::optional<std::string> grants;
  /// Grants that this publication must not judge: ids, as the database has them.
  std::string untouched = "{}";

  /// $1 the server, $2 the snapshot, $3 the live ids, $4 the staged ids.
  [[nodiscard]] std::vector<Parameter> parameters() const;
};

/// Keeps the snapshot from being removed until the transaction's end; throws Error(transient) where
/// it is gone.
Statement hold_snapshot(const std::string& server, const std::string& snapshot);

/// Within a transaction that holds the snapshot. By index from the scopes: the work follows what is
/// in them.
Sides read_sides(Connection& connection, const std::string& server, const std::string& snapshot);

/// Adds scopes; one without a database is everything, and so is none at all.
Statement add_scopes(const std::string& snapshot, const std::vector<follower::Scope>& scopes);

/// Whether a list of scopes reaches everything.
bool reaches_everything(const std::vector<follower::Scope>& scopes);

/// SQL: whether events since the snapshot $2 began left it doubtful what `of` names: it was read,
/// but perhaps before them. The alias may be neither x nor y.
std::string is_doubtful(const std::string& of);

/// SQL: whether the object that `of` names (catalog, database_name, table_name; '' as table: all of
/// the database) is in the scopes of the snapshot $2. Of whole snapshots everything is. The alias
/// may be neither v nor w.
std::string is_within_scopes(const std::string& of);

}  // namespace hmsync::store
