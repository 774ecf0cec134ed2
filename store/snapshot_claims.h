// What events said of the objects of a snapshot (processor/claim.h), beside what is stored of them
// and what was read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "follower/metastore.h"
#include "processor/claim.h"
#include "store/connection.h"
#include "store/snapshot_scope.h"

namespace hmsync::store {

struct StoredClaim {
  processor::Claim claim;
  bool read = false;    ///< asked for before the snapshot began: ends with it
  bool poison = false;  ///< only a header, or an event of one id with it, could be read
  bool name_within = true;
  bool from_within = true;  ///< also where there is no known `from`
};

/// A name on both sides: the identity of what has it; nothing where nothing has.
struct Standing {
  std::optional<std::string> live;
  std::optional<std::string> staged;

  /// The object that was stored is there: both identities are known and equal.
  [[nodiscard]] bool kept() const { return live && !live->empty() && live == staged; }
  /// By those that are known.
  [[nodiscard]] bool staged_is(const std::string& identity) const {
    return staged && !identity.empty() && *staged == identity;
  }
};

/// More of a database that an event says is dropped.
struct DatabaseStanding {
  bool keeps_table = false;  ///< a stored table is still in it with its identity
  bool has_tables = false;   ///< stored ones
  bool same_row = false;     ///< owner and location are equal
};

struct Claims {
  /// In the order in which they came. Renames of the whole server, else within the scopes.
  std::vector<StoredClaim> all;
  std::multimap<processor::TableName, size_t> drops;  ///< by what they name: where in `all`
  std::map<processor::TableName, Standing> names;
  std::map<processor::DatabaseName, DatabaseStanding> databases;

  [[nodiscard]] Standing at(const processor::TableName& name) const;
};

/// Whether the claim is about the object, or about the database that it is in.
bool covers(const processor::Claim& claim, const processor::TableName& name);

/// Whether a drop tells that it was not this object's, though it may have had its name.
bool is_of_other(const processor::Claim& drop, const std::string& identity);

/// The drops that cover the object, in the order in which they came.
std::vector<const processor::Claim*> drops_of(const Claims& claims,
                                              const processor::TableName& name);

/// It happened, in its place among others.
bool is_known(const processor::Claim& claim);

/// Whether `next` may have happened after `event`: by ids, unless they tell nothing.
bool may_follow(const processor::Claim& next, const processor::Claim& event);

/// Whether a database is still the one that is stored, as far as can be told.
bool is_same_database(const Claims& claims, const processor::DatabaseName& name);

/// Within the publication's transaction, before the difference is written.
Claims read_claims(Connection& connection, const Sides& sides);

/// What must be read, too: renames that lead into the scopes or out of them.
std::vector<follower::Scope> beyond_scopes(const Claims& claims);

/// Those that end here and that what was read shows to be untrue.
std::vector<processor::Claim> refuted_claims(const Claims& claims);

/// Counts them and writes the audit.
void record_refuted(Connection& connection, const std::string& server,
                    const std::vector<processor::Claim>& refuted);

}  // namespace hmsync::store
