// The calls by which tests, benchmarks and the quickstart change a Hive Metastore; never part of the
// daemon. Same rules as metastore.thrift, but objects are declared whole, since what is read here is
// changed and written back. Table field 15 has two meanings and stays undeclared.

include "metastore.thrift"

namespace cpp hmsync.hmsclient.ddl_idl

struct FieldSchema {
  1: optional string name
  2: optional string type
  3: optional string comment
}

struct SerDeInfo {
  1: optional string name
  2: optional string serializationLib
  3: optional map<string, string> parameters
}

struct Order {
  1: optional string col
  2: optional i32 order
}

struct StorageDescriptor {
  1: optional list<FieldSchema> cols
  2: optional string location
  3: optional string inputFormat
  4: optional string outputFormat
  5: optional bool compressed
  6: optional i32 numBuckets
  7: optional SerDeInfo serdeInfo
  8: optional list<string> bucketCols
  9: optional list<Order> sortCols
  10: optional map<string, string> parameters
  12: optional bool storedAsSubDirectories
}

struct Table {
  1: optional string tableName
  2: optional string dbName
  3: optional string owner
  4: optional i32 createTime
  5: optional i32 lastAccessTime
  6: optional i32 retention
  7: optional StorageDescriptor sd
  8: optional list<FieldSchema> partitionKeys
  9: optional map<string, string> parameters
  10: optional string viewOriginalText
  11: optional string viewExpandedText
  12: optional string tableType
  14: optional bool temporary
  17: optional string catName
  18: optional metastore.PrincipalType ownerType
  19: optional i64 writeId
  25: optional i64 id
}

struct Partition {
  1: optional list<string> values
  2: optional string dbName
  3: optional string tableName
  4: optional i32 createTime
  5: optional i32 lastAccessTime
  6: optional StorageDescriptor sd
  7: optional map<string, string> parameters
  9: optional string catName
}

struct Database {
  1: optional string name
  2: optional string description
  3: optional string locationUri
  4: optional map<string, string> parameters
  6: optional string ownerName
  7: optional metastore.PrincipalType ownerType
  8: optional string catalogName
  9: optional i32 createTime
}

struct ResourceUri {
  1: optional i32 resourceType
  2: optional string uri
}

struct Function {
  1: optional string functionName
  2: optional string dbName
  3: optional string className
  4: optional string ownerName
  5: optional metastore.PrincipalType ownerType
  6: optional i32 createTime
  7: optional i32 functionType
  8: optional list<ResourceUri> resourceUris
}

struct GetTableRequest {
  1: optional string dbName
  2: optional string tblName
  3: optional metastore.ClientCapabilities capabilities
  4: optional string catName
}

struct GetTableResult { 1: optional Table table }

struct CreateTableRequest {
  1: optional Table table
  9: optional list<string> processorCapabilities
}

struct Catalog {
  1: optional string name
  3: optional string locationUri
}

struct CreateCatalogRequest { 1: optional Catalog catalog }

struct DropCatalogRequest { 1: optional string name }

struct RequestPartsSpec { 1: optional list<string> names }

struct DropPartitionsRequest {
  1: optional string dbName
  2: optional string tblName
  3: optional RequestPartsSpec parts
  4: optional bool deleteData
  5: optional bool ifExists
  8: optional bool needResult
  9: optional string catName
}

struct DropPartitionsResult {}

struct InsertEventRequestData {
  1: optional bool replace
  2: optional list<string> filesAdded
  3: optional list<string> filesAddedChecksum
}

struct FireEventRequestData { 1: optional InsertEventRequestData insertData }

struct FireEventRequest {
  1: optional bool successful
  2: optional FireEventRequestData data
  3: optional string dbName
  4: optional string tableName
  5: optional list<string> partitionVals
  6: optional string catName
}

// The same as 2.3 has them: 3.0 gave the fields of the innermost other ids.
struct InsertEventRequestDataOf23 {
  1: optional list<string> filesAdded
  2: optional list<string> filesAddedChecksum
}

struct FireEventRequestDataOf23 { 1: optional InsertEventRequestDataOf23 insertData }

struct FireEventRequestOf23 {
  1: optional bool successful
  2: optional FireEventRequestDataOf23 data
  3: optional string dbName
  4: optional string tableName
  5: optional list<string> partitionVals
}

struct FireEventResponse {}

struct SQLPrimaryKey {
  1: optional string table_db
  2: optional string table_name
  3: optional string column_name
  4: optional i32 key_seq
  5: optional string pk_name
  6: optional bool enable_cstr
  7: optional bool validate_cstr
  8: optional bool rely_cstr
}

struct AddPrimaryKeyRequest { 1: optional list<SQLPrimaryKey> primaryKeyCols }

struct DropConstraintRequest {
  1: optional string dbname
  2: optional string tablename
  3: optional string constraintname
}

service MetastoreDdl {
  void create_catalog(1: CreateCatalogRequest catalog)
    throws (1: metastore.AlreadyExistsException o1, 2: metastore.InvalidObjectException o2,
            3: metastore.MetaException o3)
  void drop_catalog(1: DropCatalogRequest catName)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.InvalidOperationException o2,
            3: metastore.MetaException o3)
  metastore.GetCatalogsResponse get_catalogs() throws (1: metastore.MetaException o1)

  void create_database(1: Database database)
    throws (1: metastore.AlreadyExistsException o1, 2: metastore.InvalidObjectException o2,
            3: metastore.MetaException o3)
  void alter_database(1: string dbname, 2: Database db)
    throws (1: metastore.MetaException o1, 2: metastore.NoSuchObjectException o2)
  void drop_database(1: string name, 2: bool deleteData, 3: bool cascade)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.InvalidOperationException o2,
            3: metastore.MetaException o3)
  Database get_database(1: string name)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  list<string> get_all_databases() throws (1: metastore.MetaException o1)
  list<string> get_databases(1: string pattern) throws (1: metastore.MetaException o1)

  void create_table(1: Table tbl)
    throws (1: metastore.AlreadyExistsException o1, 2: metastore.InvalidObjectException o2,
            3: metastore.MetaException o3, 4: metastore.NoSuchObjectException o4)
  void create_table_req(1: CreateTableRequest request)
    throws (1: metastore.AlreadyExistsException o1, 2: metastore.InvalidObjectException o2,
            3: metastore.MetaException o3, 4: metastore.NoSuchObjectException o4)
  void alter_table(1: string dbname, 2: string tbl_name, 3: Table new_tbl)
    throws (1: metastore.InvalidOperationException o1, 2: metastore.MetaException o2)
  void alter_table_with_cascade(1: string dbname, 2: string tbl_name, 3: Table new_tbl,
                                4: bool cascade)
    throws (1: metastore.InvalidOperationException o1, 2: metastore.MetaException o2)
  void drop_table(1: string dbname, 2: string name, 3: bool deleteData)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  void truncate_table(1: string dbName, 2: string tableName, 3: list<string> partNames)
    throws (1: metastore.MetaException o1)
  GetTableResult get_table_req(1: GetTableRequest req)
    throws (1: metastore.MetaException o1, 2: metastore.NoSuchObjectException o2)
  list<string> get_all_tables(1: string db_name) throws (1: metastore.MetaException o1)

  i32 add_partitions(1: list<Partition> new_parts)
    throws (1: metastore.InvalidObjectException o1, 2: metastore.AlreadyExistsException o2,
            3: metastore.MetaException o3)
  Partition append_partition(1: string db_name, 2: string tbl_name, 3: list<string> part_vals)
    throws (1: metastore.InvalidObjectException o1, 2: metastore.AlreadyExistsException o2,
            3: metastore.MetaException o3)
  bool drop_partition(1: string db_name, 2: string tbl_name, 3: list<string> part_vals,
                      4: bool deleteData)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  DropPartitionsResult drop_partitions_req(1: DropPartitionsRequest req)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  void alter_partition(1: string db_name, 2: string tbl_name, 3: Partition new_part)
    throws (1: metastore.InvalidOperationException o1, 2: metastore.MetaException o2)
  void rename_partition(1: string db_name, 2: string tbl_name, 3: list<string> part_vals,
                        4: Partition new_part)
    throws (1: metastore.InvalidOperationException o1, 2: metastore.MetaException o2)
  list<Partition> exchange_partitions(1: map<string, string> partitionSpecs, 2: string source_db,
                                      3: string source_table_name, 4: string dest_db,
                                      5: string dest_table_name)
    throws (1: metastore.MetaException o1, 2: metastore.NoSuchObjectException o2,
            3: metastore.InvalidObjectException o3, 4: metastore.InvalidInputException o4)
  Partition get_partition(1: string db_name, 2: string tbl_name, 3: list<string> part_vals)
    throws (1: metastore.MetaException o1, 2: metastore.NoSuchObjectException o2)
  list<Partition> get_partitions(1: string db_name, 2: string tbl_name, 3: i16 max_parts)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)

  FireEventResponse fire_listener_event(1: FireEventRequest rqst)
  void create_function(1: Function func)
    throws (1: metastore.AlreadyExistsException o1, 2: metastore.InvalidObjectException o2,
            3: metastore.MetaException o3, 4: metastore.NoSuchObjectException o4)
  void drop_function(1: string dbName, 2: string funcName)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  void add_primary_key(1: AddPrimaryKeyRequest req)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
  void drop_constraint(1: DropConstraintRequest req)
    throws (1: metastore.NoSuchObjectException o1, 2: metastore.MetaException o2)
}
