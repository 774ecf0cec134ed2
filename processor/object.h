// What the metastore says of a database, a table or a partition: as much of it as is stored.
// Names of catalogs, databases, tables and columns are in lower case (ASCII), as the metastore
// keeps them, although its events repeat the case of whoever created the object (2.3.10, 3.1.3).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "processor/location.h"

namespace hmsync::processor {

inline constexpr const char* kDefaultCatalog = "hive";

struct DatabaseName {
  std::string catalog = kDefaultCatalog;
  std::string database;

  auto operator<=>(const DatabaseName&) const = default;
};

struct TableName {
  std::string catalog = kDefaultCatalog;
  std::string database;
  std::string table;

  auto operator<=>(const TableName&) const = default;
  [[nodiscard]] DatabaseName in_database() const { return {catalog, database}; }
};

enum class OwnerType { user, group, role };

/// "USER", "GROUP" or "ROLE".
const char* to_string(OwnerType type);

struct Owner {
  std::string name;  ///< empty where the metastore has none
  OwnerType type = OwnerType::user;

  auto operator<=>(const Owner&) const = default;
};

struct Database {
  DatabaseName name;
  Owner owner;
  std::optional<Location> location;
  /// What tells it from another of the same name: "created:SECONDS" from 4.0 on, else empty.
  std::string identity;

  auto operator<=>(const Database&) const = default;
};

struct Table {
  TableName name;
  std::string type;  ///< MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW, MATERIALIZED_VIEW, ...
  Owner owner;
  std::optional<Location> location;  ///< a view has none
  /// "id:NUMBER" (4.x), else "created:SECONDS" (kept by renames, changed by a re-creation; a
  /// second's resolution), else empty.
  std::string identity;
  std::vector<std::string> columns;         ///< lower case; partition keys not included
  std::vector<std::string> partition_keys;  ///< lower case, in the table's order

  auto operator<=>(const Table&) const = default;
};

struct Partition {
  std::vector<std::string> values;  ///< raw, in the order of the table's partition keys
  std::optional<Location> location;

  auto operator<=>(const Partition&) const = default;
};

}  // namespace hmsync::processor
