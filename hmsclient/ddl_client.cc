#include "hmsclient/ddl_client.h"

#include <optional>
#include <utility>

#include "MetastoreDdl.h"
#include "hmsclient/client.h"
#include "hmsclient/connection.h"
#include "hmsclient/ddl_conversion.h"
#include "hmsclient/thrift_error.h"

namespace hmsync::hmsclient {

using Thrift = ddl_idl::MetastoreDdlClient;

class DdlClient::Calls {
 public:
  explicit Calls(Options options) : client_(once(std::move(options))) {}

  template <typename Write>
  void call(const std::string& method, const Write& write) {
    client_.run([&](Connection& connection) {
      connection.call(method, [&](const std::shared_ptr<Protocol>& protocol) {
        Thrift thrift(protocol);
        write(thrift);
      });
    });
  }

  ddl_idl::Table whole_table(const std::string& database, const std::string& table) {
    const CatalogDatabase in(database);
    ddl_idl::GetTableRequest request;
    request.__set_catName(in.catalog);
    request.__set_dbName(in.database);
    request.__set_tblName(table);
    idl::ClientCapabilities capabilities;
    capabilities.__set_values({2});
    request.__set_capabilities(capabilities);
    ddl_idl::GetTableResult result;
    call("get_table_req", [&](Thrift& thrift) { thrift.get_table_req(result, request); });
    return result.table;
  }

  /// None where the metastore does not know the call (2.3).
  std::optional<std::vector<std::string>> catalogs() {
    idl::GetCatalogsResponse answer;
    try {
      call("get_catalogs", [&](Thrift& thrift) { thrift.get_catalogs(answer); });
    } catch (const UnknownMethod&) {
      return std::nullopt;
    }
    return answer.names;
  }

 private:
  /// A write whose answer was lost may have been done.
  static Options once(Options options) {
    options.attempts = 1;
    return options;
  }

  Client client_;
};

namespace {

Options plain(const std::string& uri, const std::string& user) {
  Options options;
  options.uris = {uri};
  options.user = user;
  return options;
}

/// A call by hand, for what generated code cannot send; `write` writes its arguments.
template <typename Write>
void send(apache::thrift::protocol::TProtocol& out, const char* method, const Write& write) {
  out.writeMessageBegin(method, apache::thrift::protocol::T_CALL, 0);
  out.writeStructBegin("args");
  write();
  out.writeFieldStop();
  out.writeStructEnd();
  out.writeMessageEnd();
  out.getTransport()->writeEnd();
  out.getTransport()->flush();
}

void write_string(apache::thrift::protocol::TProtocol& out, const char* name, int16_t id,
                  const std::string& value) {
  out.writeFieldBegin(name, apache::thrift::protocol::T_STRING, id);
  out.writeString(value);
  out.writeFieldEnd();
}

/// What was there before 3.0 gave the fields of an insert other ids.
ddl_idl::FireEventRequestOf23 insert_of_23(const ddl_idl::FireEventRequest& request) {
  const ddl_idl::InsertEventRequestData& now = request.data.insertData;
  ddl_idl::InsertEventRequestDataOf23 insert;
  insert.__set_filesAdded(now.filesAdded);
  insert.__set_filesAddedChecksum(now.filesAddedChecksum);
  ddl_idl::FireEventRequestDataOf23 data;
  data.__set_insertData(insert);
  ddl_idl::FireEventRequestOf23 old;
  old.__set_successful(request.successful);
  old.__set_data(data);
  old.__set_dbName(request.dbName);
  old.__set_tableName(request.tableName);
  if (request.__isset.partitionVals) old.__set_partitionVals(request.partitionVals);
  return old;
}

}  // namespace

DdlClient::DdlClient(const std::string& uri, const std::string& user)
    : DdlClient(plain(uri, user)) {}

DdlClient::DdlClient(Options options) : calls_(std::make_unique<Calls>(std::move(options))) {}

DdlClient::~DdlClient() = default;

void DdlClient::create_catalog(const std::string& name, const std::string& location) {
  ddl_idl::Catalog catalog;
  catalog.__set_name(name);
  catalog.__set_locationUri(location);
  ddl_idl::CreateCatalogRequest request;
  request.__set_catalog(catalog);
  calls_->call("create_catalog", [&](Thrift& thrift) { thrift.create_catalog(request); });
}

void DdlClient::drop_catalog(const std::string& name) {
  ddl_idl::DropCatalogRequest request;
  request.__set_name(name);
  calls_->call("drop_catalog", [&](Thrift& thrift) { thrift.drop_catalog(request); });
}

void DdlClient::create_database(const DatabaseSpec& spec) {
  calls_->call("create_database", [&](Thrift& thrift) { thrift.create_database(to_thrift(spec)); });
}

void DdlClient::alter_database(const std::string& name, const DatabaseChange& change) {
  ddl_idl::Database whole;
  calls_->call("get_database", [&](Thrift& thrift) { thrift.get_database(whole, name); });
  apply(change, whole);
  calls_->call("alter_database", [&](Thrift& thrift) { thrift.alter_database(name, whole); });
}

void DdlClient::drop_database(const std::string& name, bool cascade, bool delete_data) {
  calls_->call("drop_database",
               [&](Thrift& thrift) { thrift.drop_database(name, delete_data, cascade); });
}

void DdlClient::create_table(const TableSpec& spec) {
  if (spec.processor_capabilities.empty()) {
    calls_->call("create_table", [&](Thrift& thrift) { thrift.create_table(to_thrift(spec)); });
    return;
  }
  ddl_idl::CreateTableRequest request;
  request.__set_table(to_thrift(spec));
  request.__set_processorCapabilities(spec.processor_capabilities);
  calls_->call("create_table_req", [&](Thrift& thrift) { thrift.create_table_req(request); });
}

void DdlClient::alter_table(const std::string& database, const std::string& table,
                            const TableChange& change) {
  ddl_idl::Table whole = calls_->whole_table(database, table);
  apply(change, whole);
  if (change.cascade) {
    calls_->call("alter_table_with_cascade", [&](Thrift& thrift) {
      thrift.alter_table_with_cascade(database, table, whole, true);
    });
  } else {
    calls_->call("alter_table",
                 [&](Thrift& thrift) { thrift.alter_table(database, table, whole); });
  }
}

void DdlClient::rename_table(const std::string& database, const std::string& table,
                             const std::string& new_database, const std::string& new_table) {
  TableChange change;
  change.database = new_database;
  change.table = new_table;
  alter_table(database, table, change);
}

void DdlClient::drop_table(const std::string& database, const std::string& table,
                           bool delete_data) {
  calls_->call("drop_table",
               [&](Thrift& thrift) { thrift.drop_table(database, table, delete_data); });
}

void DdlClient::truncate_table(const std::string& database, const std::string& table,
                               const std::vector<std::string>& partition_names) {
  calls_->call("truncate_table", [&](Thrift& thrift) {
    if (partition_names.empty()) {
      // Generated code cannot leave an argument out, and an empty list of partitions, other than
      // none, truncates nothing (3.1.3).
      auto& out = *thrift.getOutputProtocol();
      send(out, "truncate_table", [&] {
        write_string(out, "dbName", 1, database);
        write_string(out, "tableName", 2, table);
      });
      thrift.recv_truncate_table();
    } else {
      thrift.truncate_table(database, table, partition_names);
    }
  });
}

void DdlClient::add_partitions(const std::string& database, const std::string& table,
                               const std::vector<PartitionSpec>& partitions) {
  const ddl_idl::Table whole = calls_->whole_table(database, table);
  std::vector<ddl_idl::Partition> added;
  for (const PartitionSpec& partition : partitions) {
    added.push_back(to_thrift(partition, whole));
  }
  calls_->call("add_partitions", [&](Thrift& thrift) { thrift.add_partitions(added); });
}

void DdlClient::append_partition(const std::string& database, const std::string& table,
                                 const PartitionValues& values) {
  calls_->call("append_partition", [&](Thrift& thrift) {
    ddl_idl::Partition added;
    thrift.append_partition(added, database, table, values);
  });
}

void DdlClient::drop_partition(const std::string& database, const std::string& table,
                               const PartitionValues& values, bool delete_data) {
  calls_->call("drop_partition", [&](Thrift& thrift) {
    thrift.drop_partition(database, table, values, delete_data);
  });
}

void DdlClient::drop_partitions(const std::string& database, const std::string& table,
                                const std::vector<std::string>& names, bool delete_data) {
  ddl_idl::RequestPartsSpec parts;
  parts.__set_names(names);
  ddl_idl::DropPartitionsRequest request;
  const CatalogDatabase in(database);
  request.__set_catName(in.catalog);
  request.__set_dbName(in.database);
  request.__set_tblName(table);
  request.__set_parts(parts);
  request.__set_deleteData(delete_data);
  request.__set_ifExists(false);
  request.__set_needResult(false);
  calls_->call("drop_partitions_req", [&](Thrift& thrift) {
    ddl_idl::DropPartitionsResult result;
    thrift.drop_partitions_req(result, request);
  });
}

void DdlClient::alter_partition(const std::string& database, const std::string& table,
                                const PartitionSpec& partition) {
  ddl_idl::Partition whole;
  calls_->call("get_partition", [&](Thrift& thrift) {
    thrift.get_partition(whole, database, table, partition.values);
  });
  whole.sd.__set_location(partition.location);
  calls_->call("alter_partition",
               [&](Thrift& thrift) { thrift.alter_partition(database, table, whole); });
}

void DdlClient::rename_partition(const std::string& database, const std::string& table,
                                 const PartitionValues& from, const PartitionValues& to) {
  ddl_idl::Partition whole;
  calls_->call("get_partition",
               [&](Thrift& thrift) { thrift.get_partition(whole, database, table, from); });
  whole.__set_values(to);
  calls_->call("rename_partition",
               [&](Thrift& thrift) { thrift.rename_partition(database, table, from, whole); });
}

void DdlClient::exchange_partitions(const std::map<std::string, std::string>& specification,
                                    const std::pair<std::string, std::string>& from_database_table,
                                    const std::pair<std::string, std::string>& to_database_table) {
  calls_->call("exchange_partitions", [&](Thrift& thrift) {
    std::vector<ddl_idl::Partition> moved;
    thrift.exchange_partitions(moved, specification, from_database_table.first,
                               from_database_table.second, to_database_table.first,
                               to_database_table.second);
  });
}

void DdlClient::insert_event(const std::string& database, const std::string& table,
                             const PartitionValues& partition) {
  ddl_idl::InsertEventRequestData insert;
  insert.__set_replace(false);
  insert.__set_filesAdded({"file:/none/000000_0"});
  // Without it a 3.1.3 closes the connection.
  insert.__set_filesAddedChecksum({"0"});
  ddl_idl::FireEventRequestData data;
  data.__set_insertData(insert);
  ddl_idl::FireEventRequest request;
  request.__set_successful(true);
  request.__set_data(data);
  const CatalogDatabase in(database);
  request.__set_catName(in.catalog);
  request.__set_dbName(in.database);
  request.__set_tableName(table);
  if (!partition.empty()) {
    request.__set_partitionVals(partition);
  }
  const bool old = !calls_->catalogs();
  calls_->call("fire_listener_event", [&](Thrift& thrift) {
    auto& out = *thrift.getOutputProtocol();
    send(out, "fire_listener_event", [&] {
      out.writeFieldBegin("rqst", apache::thrift::protocol::T_STRUCT, 1);
      old ? insert_of_23(request).write(&out) : request.write(&out);
      out.writeFieldEnd();
    });
    ddl_idl::FireEventResponse response;
    thrift.recv_fire_listener_event(response);
  });
}

void DdlClient::create_function(const std::string& database, const std::string& function) {
  ddl_idl::Function made;
  made.__set_functionName(function);
  made.__set_dbName(database);
  made.__set_className("org.example.Function");
  made.__set_ownerName("owner");
  made.__set_ownerType(idl::PrincipalType::USER);
  made.__set_createTime(1);
  made.__set_functionType(1);
  made.__set_resourceUris({});
  calls_->call("create_function", [&](Thrift& thrift) { thrift.create_function(made); });
}

void DdlClient::drop_function(const std::string& database, const std::string& function) {
  calls_->call("drop_function", [&](Thrift& thrift) { thrift.drop_function(database, function); });
}

void DdlClient::add_primary_key(const std::string& database, const std::string& table,
                                const std::string& column, const std::string& constraint) {
  ddl_idl::SQLPrimaryKey key;
  key.__set_table_db(database);
  key.__set_table_name(table);
  key.__set_column_name(column);
  key.__set_key_seq(1);
  key.__set_pk_name(constraint);
  key.__set_enable_cstr(false);
  key.__set_validate_cstr(false);
  key.__set_rely_cstr(false);
  ddl_idl::AddPrimaryKeyRequest request;
  request.__set_primaryKeyCols({key});
  calls_->call("add_primary_key", [&](Thrift& thrift) { thrift.add_primary_key(request); });
}

void DdlClient::drop_constraint(const std::string& database, const std::string& table,
                                const std::string& constraint) {
  ddl_idl::DropConstraintRequest request;
  request.__set_dbname(database);
  request.__set_tablename(table);
  request.__set_constraintname(constraint);
  calls_->call("drop_constraint", [&](Thrift& thrift) { thrift.drop_constraint(request); });
}

std::vector<std::string> DdlClient::catalogs() {
  return calls_->catalogs().value_or(std::vector<std::string>{processor::kDefaultCatalog});
}

std::vector<std::string> DdlClient::databases(const std::string& catalog) {
  std::vector<std::string> names;
  if (catalog == processor::kDefaultCatalog) {
    calls_->call("get_all_databases", [&](Thrift& thrift) { thrift.get_all_databases(names); });
  } else {
    calls_->call("get_databases",
                 [&](Thrift& thrift) { thrift.get_databases(names, in_catalog(catalog, "")); });
  }
  return names;
}

std::vector<std::string> DdlClient::tables(const std::string& database) {
  std::vector<std::string> names;
  calls_->call("get_all_tables", [&](Thrift& thrift) { thrift.get_all_tables(names, database); });
  return names;
}

DatabaseSpec DdlClient::database(const std::string& name) {
  ddl_idl::Database found;
  calls_->call("get_database", [&](Thrift& thrift) { thrift.get_database(found, name); });
  return to_spec(found);
}

TableSpec DdlClient::table(const std::string& database, const std::string& table) {
  return to_spec(calls_->whole_table(database, table));
}

std::vector<PartitionSpec> DdlClient::partitions(const std::string& database,
                                                 const std::string& table) {
  std::vector<ddl_idl::Partition> found;
  calls_->call("get_partitions",
               [&](Thrift& thrift) { thrift.get_partitions(found, database, table, -1); });
  std::vector<PartitionSpec> partitions;
  for (const ddl_idl::Partition& partition : found) {
    partitions.push_back(to_spec(partition));
  }
  return partitions;
}

}  // namespace hmsync::hmsclient
