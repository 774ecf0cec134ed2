// The calls by which hmsync reads a Hive Metastore, and of their structs the fields it uses. Written
// for this project: method names, field ids and types are the service's (1.2 to 4.x), the rest is
// ours. Whatever the service calls "default" or, in answers, "required" is optional here, so that
// absence can be told and old servers, which leave required fields out, are understood. Unknown
// fields are skipped. Table field 15 has two meanings and must stay undeclared.

namespace cpp hmsync.hmsclient.idl

exception MetaException { 1: string message }
exception NoSuchObjectException { 1: string message }
exception AlreadyExistsException { 1: string message }
exception InvalidObjectException { 1: string message }
exception InvalidOperationException { 1: string message }
exception InvalidInputException { 1: string message }
exception UnknownDBException { 1: string message }
exception ConfigValSecurityException { 1: string message }

enum PrincipalType { USER = 1, ROLE = 2, GROUP = 3 }

struct CurrentNotificationEventId { 1: optional i64 eventId }

struct NotificationEventRequest {
  1: optional i64 lastEvent
  2: optional i32 maxEvents
}

struct Database {
  1: optional string name
  3: optional string locationUri
  6: optional string ownerName
  7: optional PrincipalType ownerType
  8: optional string catalogName
  9: optional i32 createTime
}

struct FieldSchema { 1: optional string name }

struct StorageDescriptor {
  1: optional list<FieldSchema> cols
  2: optional string location
}

struct Table {
  1: optional string tableName
  2: optional string dbName
  3: optional string owner
  4: optional i32 createTime
  7: optional StorageDescriptor sd
  8: optional list<FieldSchema> partitionKeys
  12: optional string tableType
  17: optional string catName
  18: optional PrincipalType ownerType
  25: optional i64 id
}

struct PartitionLocation { 2: optional string location }

struct Partition {
  1: optional list<string> values
  6: optional PartitionLocation sd
}

struct ClientCapabilities { 1: optional list<i32> values }

struct GetTableRequest {
  1: optional string dbName
  2: optional string tblName
  3: optional ClientCapabilities capabilities
  4: optional string catName
}

struct GetTableResult { 1: optional Table table }

struct GetTablesRequest {
  1: optional string dbName
  2: optional list<string> tblNames
  3: optional ClientCapabilities capabilities
  4: optional string catName
}

struct GetCatalogsResponse { 1: optional list<string> names }

struct GetProjectionsSpec { 1: optional list<string> fieldList }

struct GetPartitionsFilterSpec {
  7: optional i32 filterMode
  8: optional list<string> filters
}

struct GetPartitionsRequest {
  1: optional string catName
  2: optional string dbName
  3: optional string tblName
  7: optional GetProjectionsSpec projectionSpec
  8: optional GetPartitionsFilterSpec filterSpec
}

struct PartitionWithoutSD {
  1: optional list<string> values
  4: optional string relativePath
}

struct PartitionSpecWithSharedSD {
  1: optional list<PartitionWithoutSD> partitions
  2: optional PartitionLocation sd
}

struct PartitionListComposingSpec { 1: optional list<Partition> partitions }

struct PartitionSpec {
  4: optional PartitionSpecWithSharedSD sharedSDPartitionSpec
  5: optional PartitionListComposingSpec partitionList
}

// The results of calls whose lists are read element by element are declared without them: only
// their requests are generated.
struct Unread {}

service Metastore {
  list<string> set_ugi(1: string user_name, 2: list<string> group_names) throws (1: MetaException o1)
  string getVersion()
  string get_config_value(1: string name, 2: string defaultValue)
    throws (1: ConfigValSecurityException o1)

  CurrentNotificationEventId get_current_notificationEventId()
  Unread get_next_notification(1: NotificationEventRequest rqst)
  string get_metastore_db_uuid() throws (1: MetaException o1)

  GetCatalogsResponse get_catalogs() throws (1: MetaException o1)
  Unread get_all_databases()
  Unread get_databases(1: string pattern)
  Database get_database(1: string name) throws (1: NoSuchObjectException o1, 2: MetaException o2)

  Unread get_all_tables(1: string db_name)
  Table get_table(1: string dbname, 2: string tbl_name)
    throws (1: MetaException o1, 2: NoSuchObjectException o2)
  GetTableResult get_table_req(1: GetTableRequest req)
    throws (1: MetaException o1, 2: NoSuchObjectException o2)
  Unread get_table_objects_by_name(1: string dbname, 2: list<string> tbl_names)
  Unread get_table_objects_by_name_req(1: GetTablesRequest req)

  Unread get_partition_names(1: string db_name, 2: string tbl_name, 3: i16 max_parts)
  Unread get_partitions_by_names(1: string db_name, 2: string tbl_name, 3: list<string> names)
  Unread get_partitions_with_specs(1: GetPartitionsRequest request)
}
