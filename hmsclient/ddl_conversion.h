// Between the plain structs of ddl_client.h and the generated ones. Not for use outside this
// folder.
#pragma once

#include <string>

#include "hmsclient/ddl_client.h"
#include "metastore_ddl_types.h"

namespace hmsync::hmsclient {

/// The parts of what in_catalog() put together; the default catalog where it did not.
struct CatalogDatabase {
  explicit CatalogDatabase(const std::string& name);
  std::string catalog;
  std::string database;
};

ddl_idl::Database to_thrift(const DatabaseSpec& spec);
DatabaseSpec to_spec(const ddl_idl::Database& database);
void apply(const DatabaseChange& change, ddl_idl::Database& database);

/// A real metastore wants sd.cols and sd.serdeInfo, empty ones included (2.3.10 to 4.0.1).
ddl_idl::Table to_thrift(const TableSpec& spec);
TableSpec to_spec(const ddl_idl::Table& table);
void apply(const TableChange& change, ddl_idl::Table& table);

/// With the table's storage descriptor, as Hive makes it.
ddl_idl::Partition to_thrift(const PartitionSpec& spec, const ddl_idl::Table& table);
PartitionSpec to_spec(const ddl_idl::Partition& partition);

}  // namespace hmsync::hmsclient
