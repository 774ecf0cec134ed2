// A change as text with all its fields, so that expectations can be written as a table.
#pragma once

#include <string>

#include "processor/change.h"

namespace hmsync::processor {

/// Names as catalog.database.table, owners as name:TYPE, absent locations and identities as `-`:
///   database hive.sales alice:USER hdfs://nn/sales.db identity
///   table hive.sales.t TYPE alice:USER hdfs://nn/t (columns) (keys) identity
///   partition [value|value] hdfs://nn/t/p
std::string to_text(const Change& change);

}  // namespace hmsync::processor
