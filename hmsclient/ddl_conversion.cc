#include "hmsclient/ddl_conversion.h"

#include <ctime>
#include <utility>

namespace hmsync::hmsclient {

namespace {

using idl::PrincipalType;

PrincipalType::type to_thrift(processor::OwnerType type) {
  switch (type) {
    case processor::OwnerType::group:
      return PrincipalType::GROUP;
    case processor::OwnerType::role:
      return PrincipalType::ROLE;
    case processor::OwnerType::user:
      break;
  }
  return PrincipalType::USER;
}

processor::OwnerType to_owner_type(PrincipalType::type type) {
  switch (type) {
    case PrincipalType::GROUP:
      return processor::OwnerType::group;
    case PrincipalType::ROLE:
      return processor::OwnerType::role;
    default:
      return processor::OwnerType::user;
  }
}

std::vector<ddl_idl::FieldSchema> to_thrift(const std::vector<Column>& columns) {
  std::vector<ddl_idl::FieldSchema> fields;
  for (const Column& column : columns) {
    ddl_idl::FieldSchema& field = fields.emplace_back();
    field.__set_name(column.name);
    field.__set_type(column.type);
  }
  return fields;
}

std::vector<Column> to_columns(const std::vector<ddl_idl::FieldSchema>& fields) {
  std::vector<Column> columns;
  for (const ddl_idl::FieldSchema& field : fields) {
    columns.push_back({field.name, field.type});
  }
  return columns;
}

ddl_idl::StorageDescriptor text_storage(const TableSpec& spec) {
  ddl_idl::StorageDescriptor storage;
  storage.__set_cols(to_thrift(spec.columns));
  if (!spec.location.empty()) {
    storage.__set_location(spec.location);
  }
  storage.__set_inputFormat("org.apache.hadoop.mapred.TextInputFormat");
  storage.__set_outputFormat("org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat");
  storage.__set_compressed(false);
  storage.__set_numBuckets(-1);
  ddl_idl::SerDeInfo serde;
  serde.__set_serializationLib("org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe");
  serde.__set_parameters({});
  storage.__set_serdeInfo(serde);
  storage.__set_bucketCols({});
  storage.__set_sortCols({});
  storage.__set_parameters({});
  return storage;
}

template <typename Object>
void set_parameters(const std::map<std::string, std::string>& parameters, Object& object) {
  for (const auto& [key, value] : parameters) {
    object.parameters[key] = value;
  }
  object.__isset.parameters = true;
}

}  // namespace

std::string in_catalog(const std::string& catalog, const std::string& database) {
  return catalog == processor::kDefaultCatalog ? database : "@" + catalog + "#" + database;
}

TableSpec insert_only(TableSpec spec) {
  spec.processor_capabilities = {"HIVEMANAGEDINSERTREAD", "HIVEMANAGEDINSERTWRITE"};
  spec.parameters["transactional"] = "true";
  spec.parameters["transactional_properties"] = "insert_only";
  return spec;
}

CatalogDatabase::CatalogDatabase(const std::string& name)
    : catalog(processor::kDefaultCatalog), database(name) {
  const std::size_t end = name.find('#');
  if (name.starts_with('@') && end != std::string::npos) {
    catalog = name.substr(1, end - 1);
    database = name.substr(end + 1);
  }
}

ddl_idl::Database to_thrift(const DatabaseSpec& spec) {
  const CatalogDatabase name(spec.name);
  ddl_idl::Database database;
  database.__set_name(name.database);
  database.__set_catalogName(name.catalog);
  database.__set_description(spec.description);
  if (!spec.location.empty()) {
    database.__set_locationUri(spec.location);
  }
  database.__set_parameters(spec.parameters);
  if (!spec.owner.name.empty()) {
    database.__set_ownerName(spec.owner.name);
    database.__set_ownerType(to_thrift(spec.owner.type));
  }
  return database;
}

DatabaseSpec to_spec(const ddl_idl::Database& database) {
  DatabaseSpec spec;
  spec.name = database.name;
  spec.owner.name = database.ownerName;
  if (database.__isset.ownerType) {
    spec.owner.type = to_owner_type(database.ownerType);
  }
  spec.location = database.locationUri;
  spec.description = database.description;
  spec.parameters = database.parameters;
  return spec;
}

void apply(const DatabaseChange& change, ddl_idl::Database& database) {
  if (change.name) {
    database.__set_name(*change.name);
  }
  if (change.owner) {
    database.__set_ownerName(change.owner->name);
    database.__set_ownerType(to_thrift(change.owner->type));
  }
  if (change.location) {
    database.__set_locationUri(*change.location);
  }
  set_parameters(change.parameters, database);
}

ddl_idl::Table to_thrift(const TableSpec& spec) {
  const CatalogDatabase in(spec.database);
  ddl_idl::Table table;
  table.__set_catName(in.catalog);
  table.__set_dbName(in.database);
  table.__set_tableName(spec.table);
  if (!spec.owner.name.empty()) {
    table.__set_owner(spec.owner.name);
    table.__set_ownerType(to_thrift(spec.owner.type));
  }
  table.__set_createTime(static_cast<int32_t>(std::time(nullptr)));
  table.__set_sd(text_storage(spec));
  table.__set_partitionKeys(to_thrift(spec.partition_keys));
  table.__set_parameters(spec.parameters);
  if (spec.type == "EXTERNAL_TABLE") {
    table.parameters["EXTERNAL"] = "TRUE";
  }
  if (!spec.view_text.empty()) {
    table.__set_viewOriginalText(spec.view_text);
    table.__set_viewExpandedText(spec.view_text);
  }
  table.__set_tableType(spec.type);
  return table;
}

TableSpec to_spec(const ddl_idl::Table& table) {
  TableSpec spec;
  spec.database = table.dbName;
  spec.table = table.tableName;
  spec.type = table.tableType;
  spec.owner.name = table.owner;
  if (table.__isset.ownerType) {
    spec.owner.type = to_owner_type(table.ownerType);
  }
  spec.location = table.sd.location;
  spec.columns = to_columns(table.sd.cols);
  spec.partition_keys = to_columns(table.partitionKeys);
  spec.parameters = table.parameters;
  spec.view_text = table.viewOriginalText;
  return spec;
}

void apply(const TableChange& change, ddl_idl::Table& table) {
  if (change.database) {
    table.__set_dbName(CatalogDatabase(*change.database).database);
  }
  if (change.table) {
    table.__set_tableName(*change.table);
  }
  if (change.type) {
    table.__set_tableType(*change.type);
    table.parameters["EXTERNAL"] = *change.type == "EXTERNAL_TABLE" ? "TRUE" : "FALSE";
  }
  if (change.owner) {
    table.__set_owner(change.owner->name);
    table.__set_ownerType(to_thrift(change.owner->type));
  }
  if (change.location) {
    table.sd.__set_location(*change.location);
  }
  if (change.create_time) {
    table.__set_createTime(*change.create_time);
  }
  if (change.columns) {
    table.sd.__set_cols(to_thrift(*change.columns));
  }
  set_parameters(change.parameters, table);
}

ddl_idl::Partition to_thrift(const PartitionSpec& spec, const ddl_idl::Table& table) {
  ddl_idl::Partition partition;
  partition.__set_values(spec.values);
  if (table.__isset.catName) partition.__set_catName(table.catName);
  partition.__set_dbName(table.dbName);
  partition.__set_tableName(table.tableName);
  partition.__set_createTime(static_cast<int32_t>(std::time(nullptr)));
  partition.__set_sd(table.sd);
  partition.sd.__isset.location = !spec.location.empty();
  partition.sd.location = spec.location;
  partition.__set_parameters({});
  return partition;
}

PartitionSpec to_spec(const ddl_idl::Partition& partition) {
  return {partition.values, partition.sd.location};
}

}  // namespace hmsync::hmsclient
