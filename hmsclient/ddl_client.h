// The writing calls that tests, benchmarks and the quickstart need; the daemon never links this.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hmsclient/options.h"
#include "processor/object.h"

namespace hmsync::hmsclient {

struct Column {
  std::string name = {};
  std::string type = "string";

  auto operator<=>(const Column&) const = default;
};

/// Names as the caller wants them sent: the metastore puts them in lower case, its events may not.
/// Wherever a database is named, in_catalog() names one of another catalog than `hive` (3.0 on).
std::string in_catalog(const std::string& catalog, const std::string& database);

struct DatabaseSpec {
  std::string name = {};
  processor::Owner owner = {};
  std::string location = {};  ///< empty: the metastore's choice
  std::string description = {};
  std::map<std::string, std::string> parameters = {};
};

struct TableSpec {
  std::string database = {};
  std::string table = {};
  std::string type = "MANAGED_TABLE";  ///< also EXTERNAL_TABLE, VIRTUAL_VIEW
  processor::Owner owner = {};
  std::string location = {};  ///< empty: the metastore's choice; none for a view
  std::vector<Column> columns = {{"id", "bigint"}, {"name", "string"}};
  std::vector<Column> partition_keys = {};
  std::map<std::string, std::string> parameters = {};
  std::string view_text = {};                            ///< of a view
  std::vector<std::string> processor_capabilities = {};  ///< 4.0 on: what the client claims to know
};

/// The table as what 4.0 takes for a managed one: transactional, and from a client that knows how
/// to insert into it. It makes an external table of any other, `TRANSLATED_TO_EXTERNAL` in its
/// parameters.
TableSpec insert_only(TableSpec spec);

/// What is not set stays as it is.
struct DatabaseChange {
  std::optional<std::string> name = {};  ///< a 3.1.3 answers with success, and renames nothing
  std::optional<processor::Owner> owner = {};
  std::optional<std::string> location = {};
  std::map<std::string, std::string> parameters = {};  ///< set beside those that are there
};

struct TableChange {
  std::optional<std::string> database = {};  ///< moves it
  std::optional<std::string> table = {};     ///< renames it
  std::optional<std::string> type = {};
  std::optional<processor::Owner> owner = {};
  std::optional<std::string> location = {};
  std::optional<std::vector<Column>> columns = {};
  std::map<std::string, std::string> parameters = {};  ///< set beside those that are there
  bool cascade = false;                                ///< columns: to all partitions
  std::optional<int32_t> create_time = {};             ///< seconds; told, not stored (3.1.3)
};

using PartitionValues = std::vector<std::string>;

struct PartitionSpec {
  PartitionValues values;
  std::string location = {};  ///< empty: below the table, as the metastore names it
};

/// One connection, made at the first call and again after a failure; a call is never repeated. Used
/// by one thread at a time. Every refusal is an Error with the metastore's text: fatal, or
/// transient where the metastore calls it a MetaException (which it also does for some plain
/// mistakes).
class DdlClient {
 public:
  /// `user` is told by set_ugi; empty: the process's user. It does not become an owner by that.
  explicit DdlClient(const std::string& uri, const std::string& user = "");
  explicit DdlClient(Options options);
  ~DdlClient();

  /// 3.0 on. Makes the catalog's database `default` too, and an event of that alone.
  void create_catalog(const std::string& name, const std::string& location);
  /// An empty one; with its `default`.
  void drop_catalog(const std::string& name);

  void create_database(const DatabaseSpec& spec);
  void alter_database(const std::string& name, const DatabaseChange& change);
  void drop_database(const std::string& name, bool cascade = false, bool delete_data = true);

  void create_table(const TableSpec& spec);
  /// Reads the whole table, changes it, and writes it back, as Hive does.
  void alter_table(const std::string& database, const std::string& table,
                   const TableChange& change);
  void rename_table(const std::string& database, const std::string& table,
                    const std::string& new_database, const std::string& new_table);
  void drop_table(const std::string& database, const std::string& table, bool delete_data = true);
  void truncate_table(const std::string& database, const std::string& table,
                      const std::vector<std::string>& partition_names = {});

  /// All in one call.
  void add_partitions(const std::string& database, const std::string& table,
                      const std::vector<PartitionSpec>& partitions);
  void append_partition(const std::string& database, const std::string& table,
                        const PartitionValues& values);
  void drop_partition(const std::string& database, const std::string& table,
                      const PartitionValues& values, bool delete_data = true);
  /// All in one call; names are `key=value/key=value`.
  void drop_partitions(const std::string& database, const std::string& table,
                       const std::vector<std::string>& names, bool delete_data = true);
  void alter_partition(const std::string& database, const std::string& table,
                       const PartitionSpec& partition);
  void rename_partition(const std::string& database, const std::string& table,
                        const PartitionValues& from, const PartitionValues& to);
  void exchange_partitions(const std::map<std::string, std::string>& specification,
                           const std::pair<std::string, std::string>& from_database_table,
                           const std::pair<std::string, std::string>& to_database_table);

  /// Makes an INSERT event.
  void insert_event(const std::string& database, const std::string& table,
                    const PartitionValues& partition = {});
  /// In lower case: 2.3 and 3.1 find another one for no drop, not even that of its database.
  void create_function(const std::string& database, const std::string& function);
  void drop_function(const std::string& database, const std::string& function);
  void add_primary_key(const std::string& database, const std::string& table,
                       const std::string& column, const std::string& constraint);
  void drop_constraint(const std::string& database, const std::string& table,
                       const std::string& constraint);

  // Plain reading, independent of the readers that the daemon uses. Error(fatal) where it is gone.
  std::vector<std::string> catalogs();  ///< `hive` alone where the metastore has none (2.3)
  std::vector<std::string> databases(const std::string& catalog = processor::kDefaultCatalog);
  std::vector<std::string> tables(const std::string& database);
  DatabaseSpec database(const std::string& name);
  TableSpec table(const std::string& database, const std::string& table);
  std::vector<PartitionSpec> partitions(const std::string& database, const std::string& table);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace hmsync::hmsclient
