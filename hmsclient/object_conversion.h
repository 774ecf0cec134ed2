// What the metastore sends, as the objects that are stored. Not for use outside this folder.
#pragma once

#include <optional>
#include <string>

#include "metastore_types.h"
#include "processor/object.h"

namespace hmsync::hmsclient {

/// `name` is what it was asked for by: servers before 3.0 do not name the catalog.
processor::Database to_database(const idl::Database& database, const processor::DatabaseName& name);

/// Likewise; the table's own name is the answer's, which may be one of many.
processor::Table to_table(const idl::Table& table, const processor::DatabaseName& in);

processor::Partition to_partition(const idl::Partition& partition);

}  // namespace hmsync::hmsclient
