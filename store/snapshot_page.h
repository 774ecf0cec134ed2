// A page of a snapshot into the staging, by COPY.
#pragma once

#include <string>

#include "follower/metastore.h"
#include "store/connection.h"

namespace hmsync::store {

/// Within a transaction. Throws Error(transient) for partitions of a table that is not staged, and
/// Error(poison) for text that PostgreSQL cannot hold.
void copy_page(Connection& connection, const std::string& snapshot,
               const follower::SnapshotPage& page);

}  // namespace hmsync::store
