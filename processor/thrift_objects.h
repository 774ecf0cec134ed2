// Tables, partitions and databases out of their Thrift form (TJSON) in a message. Only the fields
// that are stored are read; everything else is skipped, whatever a later version puts there.
#pragma once

#include <string_view>

#include "processor/object.h"

namespace hmsync::processor {

struct TableObject {
  Table table;  ///< parts of its name that the object lacks are empty, the catalog too
  /// 4.x turned a managed table into an external one (parameter TRANSLATED_TO_EXTERNAL): a rename
  /// still moves its directory.
  bool translated_to_external = false;
};

// All throw Error(poison) for text that is not such an object, and for names, values and locations
// that the store could not hold.
TableObject read_table(std::string_view tjson);
Partition read_partition(std::string_view tjson);
/// Parts of the name that the object lacks are empty, the catalog too.
Database read_database(std::string_view tjson);

}  // namespace hmsync::processor
