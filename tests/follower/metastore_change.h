// What clients of the metastore's double do to it, and what it keeps of that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "processor/object.h"

namespace hmsync::doubles {

/// 2.3.10, 3.1.3 and 4.0.1: which changes leave an event, what a message has, what identity is.
enum class Generation { v2_3, v3_1, v4_0 };

using PartitionMap = std::map<std::vector<std::string>, std::optional<processor::Location>>;

struct StoredTable {
  processor::Table table;
  PartitionMap partitions;
  /// Made external by a 4.0 although created as managed. Not compared: no store keeps it.
  bool translated = false;

  bool operator==(const StoredTable& other) const {
    return table == other.table && partitions == other.partitions;
  }
};

/// What metastore and store are compared by.
struct ObjectMap {
  std::map<processor::DatabaseName, processor::Database> databases;
  std::map<processor::TableName, StoredTable> tables;
  bool operator==(const ObjectMap&) const = default;
};

/// All in the catalog `hive`. Names are kept in lower case; 2.3 and 3.1 repeat the client's case in
/// the events of creations and of what an alteration makes. A location that is not given is the
/// metastore's choice.
namespace ddl {

struct CreateDatabase {
  std::string database;
  processor::Owner owner = {"alice"};
  std::optional<processor::Location> location = {};
};
/// What is not set stays. 2.3 writes no event, and ignores the location; 4.0 writes one only where
/// the owner changes.
struct AlterDatabase {
  std::string database;
  std::optional<processor::Owner> owner = {};
  std::optional<processor::Location> location = {};
  /// Answered with success, and nothing is renamed; the "after" of 3.1.3's event has it.
  std::optional<std::string> name = {};
};
/// A cascade is one transaction with an event for each table, and one for the database.
struct DropDatabase {
  std::string database;
  bool cascade = false;
};
struct CreateTable {
  std::string database;
  std::string table;
  std::vector<std::string> partition_keys = {};
  std::string type = "MANAGED_TABLE";
  processor::Owner owner = {"bob"};
  std::optional<processor::Location> location = {};
  std::vector<std::string> columns = {};
  /// 4.0 keeps no other table managed.
  bool transactional = false;
};
/// What is not set stays. With another name a rename: a table below its database's directory that
/// is not external moves with its partitions, unless a location is set too.
struct AlterTable {
  std::string database;
  std::string table;
  std::optional<std::string> new_database = {};
  std::optional<std::string> new_table = {};
  std::optional<processor::Owner> owner = {};
  std::optional<processor::Location> location = {};
  std::optional<std::vector<std::string>> columns = {};
};
struct DropTable {
  std::string database;
  std::string table;
};
/// One event, whatever their number.
struct AddPartitions {
  std::string database;
  std::string table;
  std::vector<processor::Partition> partitions;
  bool if_not_exists = false;
};
/// New locations; one event each.
struct AlterPartitions {
  std::string database;
  std::string table;
  std::vector<processor::Partition> partitions;
};
struct RenamePartition {
  std::string database;
  std::string table;
  std::vector<std::string> from;
  std::vector<std::string> to;
};
/// One event on 4.0, else one each; none for one that is not there.
struct DropPartitions {
  std::string database;
  std::string table;
  std::vector<std::vector<std::string>> values;
  bool if_exists = false;
};
/// ADD_PARTITION at the destination, then DROP_PARTITION at the source, in one transaction.
struct ExchangePartition {
  std::string database;
  std::string table;
  std::string new_database;
  std::string new_table;
  std::vector<std::string> values;
};
/// An event that changes no object, whatever its type and message. An empty name is none.
struct OtherEvent {
  std::string type;
  std::string database = {};
  std::string table = {};
  std::string message = "{}";
};

}  // namespace ddl

using Change = std::variant<ddl::CreateDatabase, ddl::AlterDatabase, ddl::DropDatabase,
                            ddl::CreateTable, ddl::AlterTable, ddl::DropTable, ddl::AddPartitions,
                            ddl::AlterPartitions, ddl::RenamePartition, ddl::DropPartitions,
                            ddl::ExchangePartition, ddl::OtherEvent>;

/// What becomes of a transaction's events on their way to a reader.
enum class Delivery {
  sound,
  spoilt,         ///< the messages are cut short
  withheld,       ///< longer than may be held: the reader gets size and hash
  undeliverable,  ///< an answer with one of them breaks off
};

/// One step of the true history.
struct Committed {
  int64_t number = 0;             ///< 1, 2, ... in commit order, through restores
  int64_t generation_of_log = 0;  ///< raised wherever ids begin to mean other events
  std::vector<int64_t> event_ids = {};
  /// The type of the change's (last) event, whether it left one or not; "RESTORE" and
  /// "ANOTHER_IDENTITY" where everything became other.
  std::string kind;
  /// Tables, and databases as names without table; of a rename both names.
  std::vector<processor::TableName> touched = {};
  bool evented = false;
  bool refused = false;  ///< events alone, by a plain listener, of an operation that was refused
  Delivery delivery = Delivery::sound;
};

}  // namespace hmsync::doubles
