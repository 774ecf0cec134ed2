// The reading calls, each in whichever form the server knows: newest first, found by asking. Not
// for use outside this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hmsclient/connection.h"
#include "processor/object.h"

namespace hmsync::hmsclient {

/// The last event id handed out. Throws InternalError where api authorisation refuses it (3.x, 4.x)
/// and where the metastore's own database fails alike.
int64_t read_head(Connection& connection);

/// Nothing where the server has no such call (1.2, 2.3).
std::optional<std::string> read_uuid(Connection& connection);

/// Only the default catalog where the server knows none (before 3.0).
std::vector<std::string> read_catalogs(Connection& connection);

/// A setting of the metastore; `otherwise` where it is unset. Throws a Refusal where it may not be
/// asked (2.3: whatever begins with "metastore.").
std::string read_config_value(Connection& connection, const std::string& name,
                              const std::string& otherwise);

/// Told of each name of a list, however long that is. After a failure it may be told anew.
using TakeName = std::function<void(const std::string&)>;

void read_database_names(Connection& connection, const std::string& catalog, const TakeName& take);
/// None where the database is gone.
void read_table_names(Connection& connection, const processor::DatabaseName& database,
                      const TakeName& take);

/// Nothing where it does not exist.
std::optional<processor::Database> read_database(Connection& connection,
                                                 const processor::DatabaseName& name);
std::optional<processor::Table> read_table(Connection& connection,
                                           const processor::TableName& name);

/// Those that exist, in no particular order.
std::vector<processor::Table> read_tables(Connection& connection,
                                          const processor::DatabaseName& database,
                                          const std::vector<std::string>& names);

/// The names of all partitions, `key=value/key=value`, escaped. None where the table is gone.
void read_partition_names(Connection& connection, const processor::TableName& table,
                          const TakeName& take);

/// Those that exist, in no particular order. None where the table is gone.
std::vector<processor::Partition> read_partitions(Connection& connection,
                                                  const processor::TableName& table,
                                                  const std::vector<std::string>& names);

}  // namespace hmsync::hmsclient
