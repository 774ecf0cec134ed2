// Snapshots of a part, and what is counted without one.
#include <gmock/gmock.h>

#include "hmsclient/snapshot_reader.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/hmsclient/small_metastore.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::FakeHms;
using fixtures::Reaction;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(SnapshotReader, AScopeOfOneDatabaseLeavesTheOthersOut) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.put(database("other"));
  hms.put(table("other", "t"));
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader, {whole("Sales")});
  EXPECT_THAT(all.databases, ElementsAre(small.sales));
  EXPECT_EQ(all.tables.size(), 3U);
  EXPECT_EQ(all.partitions.size(), 1U);
  EXPECT_THAT(hms.asked("get_all_tables"), ElementsAre("sales"));
}

TEST(SnapshotReader, AScopeOfOneTableHasItWithItsPartitions) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader, {one("sales", "Orders")});
  EXPECT_TRUE(all.databases.empty());
  EXPECT_THAT(all.tables, ElementsAre(small.orders));
  EXPECT_EQ(all.partitions.at(small.orders.name).size(), 3U);
}

TEST(SnapshotReader, AScopeOfWhatIsGoneHasNoObjects) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms));
  const Everything database = read_all(reader, {whole("gone")});
  EXPECT_TRUE(database.databases.empty());
  EXPECT_TRUE(database.tables.empty());
  const Everything table = read_all(reader, {one("sales", "gone")});
  EXPECT_TRUE(table.tables.empty());
  EXPECT_TRUE(table.partitions.empty());
}

TEST(SnapshotReader, SeveralScopesAreReadAsOneWithEachObjectOnce) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  for (const std::string name : {"a", "b", "c"}) {
    hms.put(database(name));
    for (int i = 0; i < 4; ++i) {
      hms.put(table(name, "t" + std::to_string(i)));
    }
  }
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(
      reader, {one("A", "t1"), one("a", "T3"), one("a", "t1"), one("a", "gone"), one("b", "t0"),
               whole("Sales"), one("sales", "orders"), whole("sales"), whole("gone")});
  EXPECT_THAT(all.databases, ElementsAre(small.sales));
  EXPECT_THAT(all.tables,
              UnorderedElementsAre(small.orders, small.customers, ASmallMetastore::view(),
                                   table("a", "t1"), table("a", "t3"), table("b", "t0")));
  EXPECT_EQ(all.partitions.at(small.orders.name).size(), 3U);
  EXPECT_THAT(hms.asked("get_table_objects_by_name_req"),
              UnorderedElementsAre("gone,t1,t3", "t0", "customers,orders,recent"))
      << "tables of one database share a call";
  EXPECT_THAT(hms.asked("get_all_tables"), ElementsAre("sales"));
  EXPECT_EQ(hms.calls("get_all_databases"), 0);
}

TEST(SnapshotReader, ManyTablesOfOneDatabaseAreCutIntoPages) {
  FakeHms hms;
  std::vector<follower::Scope> scopes;
  for (int i = 0; i < 10; ++i) {
    hms.put(table("sales", "t" + std::to_string(i)));
    scopes.push_back(one("sales", "t" + std::to_string(i)));
  }
  SnapshotReader reader(options_for(hms), {.tables_per_page = 4});
  EXPECT_EQ(read_all(reader, scopes).tables.size(), 10U);
  EXPECT_THAT(hms.asked("get_table_objects_by_name_req"),
              UnorderedElementsAre("t0,t1,t2,t3", "t4,t5,t6,t7", "t8,t9"));
}

TEST(SnapshotReader, TheOwnRowsOfAllDatabasesComeWithoutTheirTables) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.set_catalogs({"hive", "spark"});
  const processor::Database other = database("sales", "spark");
  hms.put(other);
  hms.put(table("sales", "t", {}, "spark"));
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader, {kOwnRows});
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty, other));
  EXPECT_TRUE(all.tables.empty());
  EXPECT_EQ(hms.calls("get_all_tables"), 0);
}

TEST(SnapshotReader, OwnRowsAndAScopeOfTheSameDatabaseReadItOnce) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.put(table("empty", "t"));
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader, {kOwnRows, whole("SALES"), one("empty", "t")});
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty));
  EXPECT_THAT(all.tables, UnorderedElementsAre(small.orders, small.customers,
                                               ASmallMetastore::view(), table("empty", "t")));
  EXPECT_THAT(hms.asked("get_database"), UnorderedElementsAre("sales", "empty"));
}

TEST(SnapshotReader, AScopeOfEverythingBesideOthersIsEverythingOnce) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader, {one("sales", "orders"), {}, kOwnRows});
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty));
  EXPECT_EQ(all.tables.size(), 3U);
}

TEST(SnapshotReader, TablesAreCountedByTheirNamesAlone) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.set_catalogs({"hive", "spark"});
  hms.put(database("sales", "spark"));
  hms.put(table("sales", "t", {}, "spark"));
  SnapshotReader reader(options_for(hms));
  EXPECT_EQ(reader.count_tables(), 4);
  EXPECT_THAT(hms.asked("get_all_tables"), UnorderedElementsAre("sales", "empty", "@spark#sales"));
  EXPECT_EQ(hms.calls("get_table_objects_by_name_req"), 0);
  EXPECT_EQ(hms.calls("get_database"), 0);
}

TEST(SnapshotReader, AFailedCountIsMadeAnew) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.on("get_all_tables", [](int call) {
    return Reaction{.kind = call == 2 ? Reaction::Kind::half_answer : Reaction::Kind::answer};
  });
  SnapshotReader reader(options_for(hms));
  EXPECT_EQ(reader.count_tables(), 3);
}

}  // namespace
}  // namespace hmsync::hmsclient
