// What an event means: one variant of typed changes.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "processor/event.h"
#include "processor/object.h"

namespace hmsync::processor {

/// Only the name where the message has no more (2.3: CREATE_DATABASE without dbJson).
struct CreateDatabase {
  Database database;
};
/// The name never changes: a real 3.1.3 answers a renaming with success and renames nothing.
struct AlterDatabase {
  Database before;
  Database after;
};
struct DropDatabase {
  DatabaseName name;
};
struct CreateTable {
  Table table;
};
/// A rename where the names differ; a managed rename moves partitions without any event of theirs.
struct AlterTable {
  Table before;
  Table after;
  /// 4.x made the table external although it was created as managed (TRANSLATED_TO_EXTERNAL): a
  /// rename moves its directory all the same.
  bool translated_to_external = false;
};
struct DropTable {
  TableName name;
  std::string identity = {};  ///< empty where the message does not tell it (2.3)
};
struct AddPartitions {
  TableName table;
  std::vector<Partition> partitions;  ///< may be empty (add if not exists, where all exist)
};
struct DropPartitions {
  TableName table;
  std::vector<std::vector<std::string>> values;  ///< one event, several partitions on 4.x
};
struct AlterPartition {
  TableName table;
  std::vector<std::string> before_values;
  Partition after;
};
/// ALTER_PARTITIONS of 4.1: only the state after, values unchanged.
struct AlterPartitions {
  TableName table;
  std::vector<Partition> after;
};
/// A type that means nothing for objects and paths, or one of a later metastore: counted, and it
/// moves the cursor.
struct Ignored {};

using Change =
    std::variant<CreateDatabase, AlterDatabase, DropDatabase, CreateTable, AlterTable, DropTable,
                 AddPartitions, DropPartitions, AlterPartition, AlterPartitions, Ignored>;

struct DecodeLimits {
  size_t inflated_bytes = size_t{256} << 20;  ///< most bytes that a gzip message may unpack to
};

/// Pure and thread-safe. Unknown types become Ignored, unknown keys and fields are skipped.
/// Throws Error(poison) for a message that cannot be read and for a format that is not known, with
/// event id, type and the reason in its text; never crashes, whatever the message is.
Change decode(const Event& event, const DecodeLimits& limits = {});

/// The values that the label `type` of the metrics may have; any other type counts as "other".
const std::vector<std::string>& known_event_types();

}  // namespace hmsync::processor
