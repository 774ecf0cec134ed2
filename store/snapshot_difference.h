// What a snapshot's staging and the live state differ in, and how the live state is made equal.
#pragma once

#include <string>

#include "follower/store.h"
#include "store/connection.h"
#include "store/snapshot_scope.h"

namespace hmsync::store {

/// Without suspended_grants. A full join of both sides, by names and partition values.
follower::Difference count_difference(Connection& connection, const Sides& sides);

/// Writes only what `difference` says that there is to write, and no row that does not differ.
/// Within the transaction that counted it.
void write_difference(Connection& connection, const Sides& sides,
                      const follower::Difference& difference);

/// The path change log's rows: one for each path that changes, or one for all of them. Before
/// write_difference().
void log_difference(Connection& connection, const Sides& sides, int64_t commit_number,
                    int64_t event_id, bool as_image);

/// As `resync` prints it.
std::string difference_json(const follower::Difference& difference);

}  // namespace hmsync::store
