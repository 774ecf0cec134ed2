// The plan: what a change does to the store. Used alike for live events, replay on a snapshot's
// staging and re-reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "processor/change.h"
#include "processor/object.h"

namespace hmsync::processor {

/// Makes or replaces a database's own row and path; its tables are untouched.
struct PutDatabase {
  Database database;
};
/// Removes the database, all its tables, partitions and paths, and grants at or below it that are
/// older than the event.
struct RemoveDatabase {
  DatabaseName name;
};
/// A table made anew: what the store still has under this name (partitions, grants of another
/// identity) belongs to a former table.
struct CreateTableRow {
  Table table;
};
/// A table changed in place: identity and partitions stay; grants on columns that vanished are
/// suspended.
struct UpdateTable {
  Table table;
  std::vector<std::string> vanished_columns;
};
/// Removes the table, its partitions and paths, and grants on it that are older than the event.
struct RemoveTable {
  TableName name;
};
/// Text that a managed rename replaces in the path part of partitions' locations, all occurrences,
/// as the metastore does (HiveAlterHandler of 2.3 and 3.1).
struct PathRewrite {
  std::string from;
  std::string to;
};
/// The row keeps its identity and partitions and gets the new name; grants follow.
struct RenameTable {
  TableName from;
  Table to;
  std::optional<PathRewrite> partition_paths;
  std::vector<std::string> vanished_columns;
};
/// Makes or replaces partitions by their values.
struct PutPartitions {
  TableName table;
  std::vector<Partition> partitions;
};
struct RemovePartitions {
  TableName table;
  std::vector<std::vector<std::string>> values;
};

using Operation = std::variant<PutDatabase, RemoveDatabase, CreateTableRow, UpdateTable,
                               RemoveTable, RenameTable, PutPartitions, RemovePartitions>;

/// Operations are applied in order; each carries the id of the event that it comes from.
struct Mutation {
  int64_t event_id = 0;
  Operation operation;
};

/// Pure. Zero or more mutations; none for Ignored and for empty lists.
std::vector<Mutation> plan(int64_t event_id, const Change& change);

}  // namespace hmsync::processor
