#include "tests/follower/memory_metastore.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hmsync::doubles {

using processor::DatabaseName;
using processor::TableName;

MemoryMetastore::MemoryMetastore(Generation generation)
    : locks_sequence(generation != Generation::v2_3),
      gzip_messages(generation == Generation::v4_0),
      generation_(generation) {
  if (generation == Generation::v2_3) database_uuid.reset();
}

void MemoryMetastore::create_database(const std::string& database) {
  run(ddl::CreateDatabase{.database = database});
}

void MemoryMetastore::drop_database(const std::string& database) {
  run(ddl::DropDatabase{.database = database, .cascade = true});
}

void MemoryMetastore::create_table(const std::string& database, const std::string& table,
                                   bool partitioned) {
  ddl::CreateTable change{.database = database, .table = table};
  if (partitioned) change.partition_keys = {"dt"};
  run(change);
}

void MemoryMetastore::drop_table(const std::string& database, const std::string& table) {
  run(ddl::DropTable{database, table});
}

void MemoryMetastore::rename_table(const std::string& database, const std::string& table,
                                   const std::string& new_database, const std::string& new_table) {
  run(ddl::AlterTable{
      .database = database, .table = table, .new_database = new_database, .new_table = new_table});
}

void MemoryMetastore::add_partition(const std::string& database, const std::string& table,
                                    const std::string& value) {
  run(ddl::AddPartitions{
      .database = database, .table = table, .partitions = {{{value}, {}}}, .if_not_exists = true});
}

void MemoryMetastore::drop_partition(const std::string& database, const std::string& table,
                                     const std::string& value) {
  run(ddl::DropPartitions{
      .database = database, .table = table, .values = {{value}}, .if_exists = true});
}

void MemoryMetastore::log_event(const std::string& type, const std::string& database,
                                const std::string& table, const std::string& message) {
  run(ddl::OtherEvent{type, database, table, message});
}

void MemoryMetastore::change_owner(const std::string& database, const std::string& owner) {
  objects_.databases.at({"hive", database}).owner.name = owner;
  record({.kind = "ALTER_DATABASE", .touched = {{"hive", database, ""}}});
}

void MemoryMetastore::lose_table(const std::string& database, const std::string& table) {
  objects_.tables.erase({"hive", database, table});
  record({.kind = "DROP_TABLE", .touched = {{"hive", database, table}}});
}

void MemoryMetastore::log_refused_drop(const std::string& database, const std::string& table) {
  Effect effect = effect_of(ddl::DropTable{database, table}, context());
  log_refused(std::move(effect.events), effect.kind);
}

int64_t MemoryMetastore::head() {
  before_call("head");
  return std::max<int64_t>(0, head_ - head_falls_back_by());
}

std::optional<std::string> MemoryMetastore::uuid() {
  before_call("uuid");
  return database_uuid;
}

bool MemoryMetastore::plain_listener() {
  before_call("plain_listener");
  return plain;
}

int64_t MemoryMetastore::count_tables() {
  before_call("count_tables");
  return std::count_if(objects_.tables.begin(), objects_.tables.end(),
                       [&](const auto& each) { return listed(each.first.database); });
}

std::optional<processor::Database> MemoryMetastore::database(const DatabaseName& name) {
  before_call("database");
  const auto found = objects_.databases.find(name);
  if (found == objects_.databases.end()) return std::nullopt;
  return found->second;
}

std::optional<processor::Table> MemoryMetastore::table(const TableName& name) {
  before_call("table");
  const auto found = objects_.tables.find(name);
  if (found == objects_.tables.end()) return std::nullopt;
  return found->second.table;
}

}  // namespace hmsync::doubles
