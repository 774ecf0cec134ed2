#include <gtest/gtest.h>

#include "processor/mutation.h"

namespace hmsync::processor {
namespace {

Table table_at(const std::string& database, const std::string& name, const std::string& location,
               const std::string& type = "MANAGED_TABLE") {
  Table table;
  table.name = {"hive", database, name};
  table.type = type;
  table.owner = {"alice", OwnerType::user};
  table.location = normalize_location(location);
  table.identity = "created:100";
  table.columns = {"id", "v"};
  table.partition_keys = {"ds"};
  return table;
}

Partition partition(const std::string& value, const std::string& location) {
  return {{value}, normalize_location(location)};
}

// The one operation that a change is planned as.
template <typename Operation>
Operation only(const Change& change) {
  const std::vector<Mutation> mutations = plan(42, change);
  EXPECT_EQ(mutations.size(), 1U);
  EXPECT_EQ(mutations.at(0).event_id, 42);
  EXPECT_TRUE(std::holds_alternative<Operation>(mutations.at(0).operation));
  return std::get<Operation>(mutations.at(0).operation);
}

const TableName kFacts = {"hive", "sales", "facts"};
const std::string kSales = "hdfs://nn1:8020/wh/sales.db/";

TEST(Plan, NewDatabaseIsPutWholeOrByNameAlone) {
  Database database{
      {"hive", "sales"}, {"etl", OwnerType::role}, normalize_location(kSales), "created:7"};
  EXPECT_EQ(only<PutDatabase>(CreateDatabase{database}).database, database);
  const Database name_only{{"hive", "plain"}, {}, std::nullopt, ""};
  EXPECT_EQ(only<PutDatabase>(CreateDatabase{name_only}).database, name_only);
}

TEST(Plan, AlteredDatabaseIsPutAsItIsAfter) {
  const Database before{{"hive", "sales"}, {"alice", OwnerType::user}, std::nullopt, ""};
  const Database after{
      {"hive", "sales"}, {"admins", OwnerType::role}, normalize_location("/o"), ""};
  EXPECT_EQ(only<PutDatabase>(AlterDatabase{before, after}).database, after);
}

TEST(Plan, DroppedDatabaseIsRemoved) {
  EXPECT_EQ(only<RemoveDatabase>(DropDatabase{{"spark", "gone"}}).name,
            (DatabaseName{"spark", "gone"}));
}

TEST(Plan, NewTableIsMadeAnewAndADroppedOneRemoved) {
  const Table table = table_at("sales", "facts", kSales + "facts");
  EXPECT_EQ(only<CreateTableRow>(CreateTable{table}).table, table);
  EXPECT_EQ(only<RemoveTable>(DropTable{kFacts}).name, kFacts);
}

TEST(Plan, TableOfTheSameNameIsUpdatedWithItsVanishedColumns) {
  const Table before = table_at("sales", "facts", kSales + "facts");
  Table after = table_at("sales", "facts", "s3a://moved/facts", "EXTERNAL_TABLE");
  after.columns = {"v", "id2"};
  const auto update = only<UpdateTable>(AlterTable{before, after});
  EXPECT_EQ(update.table, after);
  EXPECT_EQ(update.vanished_columns, std::vector<std::string>{"id"});
  EXPECT_TRUE(only<UpdateTable>(AlterTable{before, before}).vanished_columns.empty());
}

TEST(Plan, ColumnsVanishOnlyWhereBothListsAreKnown) {
  const Table known = table_at("sales", "facts", kSales + "facts");
  Table unknown = known;
  unknown.columns.clear();
  EXPECT_TRUE(only<UpdateTable>(AlterTable{known, unknown}).vanished_columns.empty());
  EXPECT_TRUE(only<UpdateTable>(AlterTable{unknown, known}).vanished_columns.empty());
}

TEST(Plan, ManagedRenameMovesPartitions) {
  const Table before = table_at("sales", "facts", kSales + "facts");
  Table after = table_at("archive", "facts2", "hdfs://nn1:8020/wh/archive.db/facts2");
  after.columns = {"id"};
  const auto rename = only<RenameTable>(AlterTable{before, after});
  EXPECT_EQ(rename.from, kFacts);
  EXPECT_EQ(rename.to, after);
  EXPECT_EQ(rename.vanished_columns, std::vector<std::string>{"v"});
  ASSERT_TRUE(rename.partition_paths);
  EXPECT_EQ(rename.partition_paths->from, "/wh/sales.db/facts");
  EXPECT_EQ(rename.partition_paths->to, "/wh/archive.db/facts2");
}

struct Rename {
  const char* what;
  const char* type;
  std::string from;
  std::string to;  // new location of a table whose new name is facts2
  bool translated;
  bool moves;
};

TEST(Plan, RenameMovesPartitionsOnlyWhereTheMetastoreDoes) {
  const std::string facts = kSales + "facts";
  const std::string facts2 = kSales + "facts2";
  for (const Rename& rename : std::vector<Rename>{
           {"managed", "MANAGED_TABLE", facts, facts2, false, true},
           {"materialized view", "MATERIALIZED_VIEW", facts, facts2, false, true},
           {"external", "EXTERNAL_TABLE", facts, facts2, false, false},
           {"external that was managed", "EXTERNAL_TABLE", facts, facts2, true, true},
           {"external that was managed, not moved", "EXTERNAL_TABLE", facts, facts, true, false},
           {"view", "VIRTUAL_VIEW", "", "", false, false},
           {"not moved", "MANAGED_TABLE", facts, facts, false, false},
           {"client's location", "MANAGED_TABLE", facts, "hdfs://nn1:8020/mine", false, false},
           {"name's case differs", "MANAGED_TABLE", facts, kSales + "Facts2", false, false},
           {"name is the end of a segment", "MANAGED_TABLE", facts, kSales + "x_facts2", false,
            false},
           {"location before unknown", "MANAGED_TABLE", "", facts2, false, false},
           {"location after unknown", "MANAGED_TABLE", facts, "", false, false}}) {
    const AlterTable change{table_at("sales", "facts", rename.from, rename.type),
                            table_at("sales", "facts2", rename.to, rename.type), rename.translated};
    const auto planned = only<RenameTable>(change);
    EXPECT_EQ(planned.partition_paths.has_value(), rename.moves) << rename.what;
    EXPECT_EQ(planned.to.name.table, "facts2") << rename.what;
  }
}

TEST(Plan, AddedPartitionsArePut) {
  const std::vector<Partition> partitions = {partition("a", "/t/a"), partition("b", "/t/b")};
  const auto put = only<PutPartitions>(AddPartitions{kFacts, partitions});
  EXPECT_EQ(put.table, kFacts);
  EXPECT_EQ(put.partitions, partitions);
}

TEST(Plan, DroppedPartitionsAreRemoved) {
  const std::vector<std::vector<std::string>> values = {{"a"}, {"b"}};
  const auto removal = only<RemovePartitions>(DropPartitions{kFacts, values});
  EXPECT_EQ(removal.table, kFacts);
  EXPECT_EQ(removal.values, values);
}

TEST(Plan, AlteredPartitionOfTheSameValuesIsPut) {
  const Partition after = partition("a", "/elsewhere");
  const auto put = only<PutPartitions>(AlterPartition{kFacts, {"a"}, after});
  EXPECT_EQ(put.table, kFacts);
  EXPECT_EQ(put.partitions, std::vector<Partition>{after});
}

TEST(Plan, RenamedPartitionIsRemovedAndThenPut) {
  const Partition after = partition("b", "/t/b");
  const std::vector<Mutation> mutations = plan(42, AlterPartition{kFacts, {"a"}, after});
  ASSERT_EQ(mutations.size(), 2U);
  EXPECT_EQ(mutations[0].event_id, 42);
  EXPECT_EQ(mutations[1].event_id, 42);
  const auto& removal = std::get<RemovePartitions>(mutations[0].operation);
  EXPECT_EQ(removal.table, kFacts);
  EXPECT_EQ(removal.values, (std::vector<std::vector<std::string>>{{"a"}}));
  const auto& put = std::get<PutPartitions>(mutations[1].operation);
  EXPECT_EQ(put.table, kFacts);
  EXPECT_EQ(put.partitions, std::vector<Partition>{after});
}

TEST(Plan, PartitionsAlteredTogetherArePut) {
  const std::vector<Partition> after = {partition("a", "/t/a"), partition("b", "/t/b")};
  EXPECT_EQ(only<PutPartitions>(AlterPartitions{kFacts, after}).partitions, after);
}

TEST(Plan, IsEmptyForIgnoredEventsAndEmptyLists) {
  EXPECT_TRUE(plan(42, Ignored{}).empty());
  EXPECT_TRUE(plan(42, AddPartitions{kFacts, {}}).empty());
  EXPECT_TRUE(plan(42, DropPartitions{kFacts, {}}).empty());
  EXPECT_TRUE(plan(42, AlterPartitions{kFacts, {}}).empty());
}

}  // namespace
}  // namespace hmsync::processor
