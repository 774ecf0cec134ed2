#include "hmsclient/metastore_calls.h"

#include <utility>

#include "Metastore.h"
#include "hmsclient/list_answer.h"
#include "hmsclient/object_conversion.h"
#include "hmsclient/thrift_error.h"

namespace hmsync::hmsclient {

namespace {

using processor::DatabaseName;
using processor::TableName;
using ProtocolPtr = std::shared_ptr<Protocol>;

constexpr int32_t kInsertOnlyTables = 2;
constexpr int32_t kByNames = 0;

/// Methods without a field for the catalog have it packed into the database's name. The bare name
/// means the default catalog, and is understood by servers without catalogs too.
std::string packed(const DatabaseName& name) {
  return name.catalog == processor::kDefaultCatalog ? name.database
                                                    : "@" + name.catalog + "#" + name.database;
}

idl::ClientCapabilities capabilities() {
  idl::ClientCapabilities all;
  all.__set_values({kInsertOnlyTables});
  return all;
}

void read_names(Connection& connection, ListAnswer answer,
                const std::function<void(idl::MetastoreClient&)>& send, const TakeName& take) {
  answer.element = apache::thrift::protocol::T_STRING;
  connection.call(answer.method, [&](const ProtocolPtr& protocol) {
    idl::MetastoreClient client(protocol);
    send(client);
    std::string name;
    read_list_answer(connection, *protocol, answer, [&](Protocol& in, uint32_t, uint32_t) {
      in.readString(name);
      take(name);
      return true;
    });
  });
}

template <typename Element, typename Take>
void read_structs(Connection& connection, const ListAnswer& answer,
                  const std::function<void(idl::MetastoreClient&)>& send, const Take& take) {
  connection.call(answer.method, [&](const ProtocolPtr& protocol) {
    idl::MetastoreClient client(protocol);
    send(client);
    read_list_answer(connection, *protocol, answer, [&](Protocol& in, uint32_t, uint32_t) {
      Element element;
      element.read(&in);
      take(element);
      return true;
    });
  });
}

/// From a call whose error may, or may not, mean that the table is gone. Throws it again if not.
void confirm_gone(Connection& connection, const TableName& table) {
  const std::exception_ptr doubted = std::current_exception();
  if (connection.usable() && !read_table(connection, table)) {
    return;
  }
  std::rethrow_exception(doubted);
}

std::vector<processor::Partition> from_spec(const idl::PartitionSpec& spec) {
  std::vector<processor::Partition> partitions;
  const idl::PartitionSpecWithSharedSD& shared = spec.sharedSDPartitionSpec;
  for (const idl::PartitionWithoutSD& partition : shared.partitions) {
    // Put together without a separator: "inside the table's folder" is a test of text there.
    partitions.push_back({partition.values, processor::normalize_location(shared.sd.location +
                                                                          partition.relativePath)});
  }
  for (const idl::Partition& partition : spec.partitionList.partitions) {
    partitions.push_back(to_partition(partition));
  }
  return partitions;
}

/// 4.x: only what is stored comes over the wire.
std::vector<processor::Partition> read_partitions_projected(Connection& connection,
                                                            const TableName& table,
                                                            const std::vector<std::string>& names) {
  idl::GetProjectionsSpec projection;
  projection.__set_fieldList({"values", "sd.location"});
  idl::GetPartitionsFilterSpec filter;
  filter.__set_filterMode(kByNames);
  filter.__set_filters(names);
  idl::GetPartitionsRequest request;
  request.__set_catName(table.catalog);
  request.__set_dbName(table.database);
  request.__set_tblName(table.table);
  request.__set_projectionSpec(projection);
  request.__set_filterSpec(filter);

  std::vector<processor::Partition> partitions;
  ListAnswer answer{.method = "get_partitions_with_specs",
                    .in_struct = true,
                    .exceptions = {{1, Declared::meta}}};
  read_structs<idl::PartitionSpec>(
      connection, answer,
      [&](idl::MetastoreClient& client) { client.send_get_partitions_with_specs(request); },
      [&](const idl::PartitionSpec& spec) {
        for (processor::Partition& partition : from_spec(spec)) {
          partitions.push_back(std::move(partition));
        }
      });
  return partitions;
}

std::vector<processor::Partition> read_partitions_whole(Connection& connection,
                                                        const TableName& table,
                                                        const std::vector<std::string>& names) {
  std::vector<processor::Partition> partitions;
  ListAnswer answer{
      .method = "get_partitions_by_names",
      .exceptions = {
          {1, Declared::meta}, {2, Declared::no_such_object}, {3, Declared::invalid_object}}};
  read_structs<idl::Partition>(
      connection, answer,
      [&](idl::MetastoreClient& client) {
        client.send_get_partitions_by_names(packed(table.in_database()), table.table, names);
      },
      [&](const idl::Partition& partition) { partitions.push_back(to_partition(partition)); });
  return partitions;
}

idl::Table ask_table(Connection& connection, const TableName& name) {
  try {
    idl::GetTableRequest request;
    request.__set_dbName(name.database);
    request.__set_tblName(name.table);
    request.__set_capabilities(capabilities());
    request.__set_catName(name.catalog);
    idl::GetTableResult result;
    connection.call("get_table_req", [&](const ProtocolPtr& protocol) {
      idl::MetastoreClient(protocol).get_table_req(result, request);
    });
    return result.table;
  } catch (const UnknownMethod&) {
    idl::Table table;
    connection.call("get_table", [&](const ProtocolPtr& protocol) {
      idl::MetastoreClient(protocol).get_table(table, packed(name.in_database()), name.table);
    });
    return table;
  }
}

}  // namespace

int64_t read_head(Connection& connection) {
  idl::CurrentNotificationEventId id;
  connection.call("get_current_notificationEventId", [&](const ProtocolPtr& protocol) {
    idl::MetastoreClient(protocol).get_current_notificationEventId(id);
  });
  return id.eventId;
}

std::optional<std::string> read_uuid(Connection& connection) {
  std::string uuid;
  try {
    connection.call("get_metastore_db_uuid", [&](const ProtocolPtr& protocol) {
      idl::MetastoreClient(protocol).get_metastore_db_uuid(uuid);
    });
  } catch (const UnknownMethod&) {
    return std::nullopt;
  }
  return uuid;
}

std::vector<std::string> read_catalogs(Connection& connection) {
  idl::GetCatalogsResponse answer;
  try {
    connection.call("get_catalogs", [&](const ProtocolPtr& protocol) {
      idl::MetastoreClient(protocol).get_catalogs(answer);
    });
  } catch (const UnknownMethod&) {
    return {processor::kDefaultCatalog};
  }
  return answer.names;
}

std::string read_config_value(Connection& connection, const std::string& name,
                              const std::string& otherwise) {
  std::string value;
  connection.call("get_config_value", [&](const ProtocolPtr& protocol) {
    idl::MetastoreClient(protocol).get_config_value(value, name, otherwise);
  });
  return value;
}

void read_database_names(Connection& connection, const std::string& catalog, const TakeName& take) {
  const std::vector<std::pair<int16_t, Declared>> exceptions = {{1, Declared::meta}};
  if (catalog == processor::kDefaultCatalog) {
    return read_names(
        connection, {.method = "get_all_databases", .exceptions = exceptions},
        [](idl::MetastoreClient& client) { client.send_get_all_databases(); }, take);
  }
  read_names(
      connection, {.method = "get_databases", .exceptions = exceptions},
      [&](idl::MetastoreClient& client) { client.send_get_databases("@" + catalog + "#"); }, take);
}

void read_table_names(Connection& connection, const DatabaseName& database, const TakeName& take) {
  try {
    read_names(
        connection, {.method = "get_all_tables", .exceptions = {{1, Declared::meta}}},
        [&](idl::MetastoreClient& client) { client.send_get_all_tables(packed(database)); }, take);
  } catch (const Refusal&) {
    const std::exception_ptr doubted = std::current_exception();
    if (!connection.usable() || read_database(connection, database)) {
      std::rethrow_exception(doubted);
    }
  }
}

std::optional<processor::Database> read_database(Connection& connection, const DatabaseName& name) {
  idl::Database database;
  try {
    connection.call("get_database", [&](const ProtocolPtr& protocol) {
      idl::MetastoreClient(protocol).get_database(database, packed(name));
    });
  } catch (const NoSuchObject&) {
    return std::nullopt;
  }
  return to_database(database, name);
}

std::optional<processor::Table> read_table(Connection& connection, const TableName& name) {
  try {
    return to_table(ask_table(connection, name), name.in_database());
  } catch (const NoSuchObject&) {
    return std::nullopt;
  }
}

std::vector<processor::Table> read_tables(Connection& connection, const DatabaseName& database,
                                          const std::vector<std::string>& names) {
  std::vector<processor::Table> tables;
  const auto take = [&](const idl::Table& table) { tables.push_back(to_table(table, database)); };
  const std::vector<std::pair<int16_t, Declared>> exceptions = {
      {1, Declared::meta}, {2, Declared::invalid_operation}, {3, Declared::no_such_object}};
  try {
    idl::GetTablesRequest request;
    request.__set_dbName(database.database);
    request.__set_tblNames(names);
    request.__set_capabilities(capabilities());
    request.__set_catName(database.catalog);
    read_structs<idl::Table>(
        connection,
        {.method = "get_table_objects_by_name_req", .in_struct = true, .exceptions = exceptions},
        [&](idl::MetastoreClient& client) { client.send_get_table_objects_by_name_req(request); },
        take);
  } catch (const UnknownMethod&) {
    read_structs<idl::Table>(
        connection, {.method = "get_table_objects_by_name", .exceptions = exceptions},
        [&](idl::MetastoreClient& client) {
          client.send_get_table_objects_by_name(packed(database), names);
        },
        take);
  } catch (const NoSuchObject&) {
    return {};
  }
  return tables;
}

void read_partition_names(Connection& connection, const TableName& table, const TakeName& take) {
  try {
    // Field 1 is NoSuchObjectException from 3.0 on and MetaException before, 2 the other way round:
    // whichever it is, the table itself is asked for.
    read_names(
        connection,
        {.method = "get_partition_names", .exceptions = {{1, Declared::meta}, {2, Declared::meta}}},
        [&](idl::MetastoreClient& client) {
          client.send_get_partition_names(packed(table.in_database()), table.table, -1);
        },
        take);
  } catch (const Refusal&) {
    confirm_gone(connection, table);
  }
}

std::vector<processor::Partition> read_partitions(Connection& connection, const TableName& table,
                                                  const std::vector<std::string>& names) {
  try {
    try {
      return read_partitions_projected(connection, table, names);
    } catch (const UnknownMethod&) {
      return read_partitions_whole(connection, table, names);
    }
  } catch (const Refusal&) {
    confirm_gone(connection, table);
    return {};
  }
}

}  // namespace hmsync::hmsclient
