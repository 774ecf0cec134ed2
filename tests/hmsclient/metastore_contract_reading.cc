// What the ports answer: pages of events, snapshots of scopes, what is not there.
#include <set>

#include "tests/hmsclient/metastore_contract.h"

namespace hmsync::hmsclient {

namespace {

using namespace doubles;
using processor::Location;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<int64_t> ids_of(const follower::EventPage& page) {
  std::vector<int64_t> ids;
  for (const processor::Event& event : page.events) ids.push_back(event.id);
  return ids;
}

TEST_P(MetastoreContract, APageBeginsAfterTheIdAndEndsAtTheFirstLimit) {
  run(ddl::CreateDatabase{.database = "c_pages"});
  for (const char* name : {"a", "b", "c"}) {
    run(ddl::CreateTable{.database = "c_pages", .table = name, .columns = {"id"}});
  }
  const int64_t at = seen_;
  EXPECT_EQ(log_.head(), at + 4);
  const follower::EventPage all = log_.events({.after = at});
  EXPECT_THAT(ids_of(all), ElementsAre(at + 1, at + 2, at + 3, at + 4));
  EXPECT_FALSE(all.cut);
  const follower::EventPage two = log_.events({.after = at + 1, .max_events = 2});
  EXPECT_THAT(ids_of(two), ElementsAre(at + 2, at + 3));
  EXPECT_TRUE(two.cut);
  const follower::EventPage four = log_.events({.after = at, .max_events = 4});
  EXPECT_THAT(ids_of(four), ElementsAre(at + 1, at + 2, at + 3, at + 4));
  EXPECT_FALSE(four.cut);
  const follower::EventPage small = log_.events({.after = at, .max_bytes = 1});
  EXPECT_THAT(ids_of(small), ElementsAre(at + 1));
  EXPECT_TRUE(small.cut);
  const follower::EventPage none = log_.events({.after = at + 4});
  EXPECT_THAT(none.events, IsEmpty());
  EXPECT_FALSE(none.cut);
  EXPECT_THAT(log_.events({.after = at + 1000000}).events, IsEmpty());
}

TEST_P(MetastoreContract, AnEventIsTheSameHoweverOftenItIsRead) {
  run(ddl::CreateDatabase{.database = "c_same"});
  run(ddl::CreateTable{.database = "c_same", .table = "t", .columns = {"id"}});
  const auto first = log_.events({.after = seen_}).events;
  const auto second = log_.events({.after = seen_}).events;
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first[i].message, second[i].message);
    EXPECT_EQ(first[i].time, second[i].time);
  }
}

TEST_P(MetastoreContract, AHeaderHasWhatItsTypeTells) {
  run(ddl::CreateDatabase{.database = "c_head"});
  run(ddl::CreateDatabase{.database = "c_head2"});
  run(ddl::CreateTable{.database = "c_head", .table = "t", .columns = {"id"}});
  run(ddl::AlterTable{
      .database = "c_head", .table = "t", .new_database = "c_head2", .new_table = "u"});
  const auto events = log_.events({.after = seen_}).events;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].table, std::nullopt);
  EXPECT_EQ(events[3].type, "ALTER_TABLE");
  EXPECT_EQ(events[3].database, "c_head2") << "the name after the change";
  EXPECT_EQ(events[3].table, "u");
  for (const processor::Event& event : events) {
    EXPECT_EQ(event.catalog, is_2_3() ? std::nullopt : std::optional<std::string>("hive"));
  }
}

TEST_P(MetastoreContract, OnlyLaterGenerationsTellTheirIdentity) {
  const auto uuid = log_.uuid();
  EXPECT_EQ(uuid.has_value(), !is_2_3());
  EXPECT_EQ(log_.uuid(), uuid);
}

TEST_P(MetastoreContract, AListenerInTheTransactionIsNotPlain) {
  EXPECT_FALSE(log_.plain_listener());
}

TEST_P(MetastoreContract, WhatIsMissingGivesNothing) {
  EXPECT_EQ(objects_.database({"hive", "c_nowhere"}), std::nullopt);
  EXPECT_EQ(objects_.table({"hive", "c_nowhere", "t"}), std::nullopt);
  EXPECT_EQ(objects_.table({"hive", "default", "c_nothing"}), std::nullopt);
  EXPECT_EQ(objects_.database({"spark", "default"}), std::nullopt);
  EXPECT_EQ(read_all(objects_, {whole("c_nowhere"), one("default", "c_nothing")}), ObjectMap{});
}

TEST_P(MetastoreContract, ASnapshotHasWhatItsScopesHave) {
  const int64_t tables_before = objects_.count_tables();
  run(ddl::CreateDatabase{.database = "c_scope"});
  run(ddl::CreateDatabase{.database = "c_scope2"});
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    run(ddl::CreateTable{
        .database = "c_scope", .table = name, .partition_keys = {"dt"}, .columns = {"id"}});
  }
  run(ddl::CreateTable{.database = "c_scope2", .table = "a", .columns = {"id"}});
  run(ddl::AddPartitions{"c_scope", "c", {{{"1"}, {}}, {{"2"}, {}}}});
  const processor::DatabaseName scope_name{"hive", "c_scope"};
  EXPECT_EQ(objects_.count_tables(), tables_before + 6);

  const ObjectMap everything = read_all(objects_, {});
  EXPECT_TRUE(everything.databases.contains(scope_name));
  EXPECT_EQ(static_cast<int64_t>(everything.tables.size()), objects_.count_tables());

  const ObjectMap all_of_it = read_all(objects_, {whole("c_scope")});
  EXPECT_EQ(all_of_it.databases.size(), 1U);
  EXPECT_EQ(all_of_it.databases.at(scope_name), objects_.database(scope_name));
  EXPECT_EQ(all_of_it.tables.size(), 5U);
  for (const auto& [name, stored] : all_of_it.tables) EXPECT_EQ(stored.table, objects_.table(name));
  EXPECT_THAT(all_of_it.tables.at({"hive", "c_scope", "c"}).partitions,
              ElementsAre(Pair(ElementsAre("1"), in_warehouse("c_scope.db/c/dt=1")),
                          Pair(ElementsAre("2"), in_warehouse("c_scope.db/c/dt=2"))));

  const ObjectMap table_alone = read_all(objects_, {one("c_scope", "c")});
  EXPECT_THAT(table_alone.databases, IsEmpty());
  ASSERT_EQ(table_alone.tables.size(), 1U);
  EXPECT_EQ(table_alone.tables.begin()->second.partitions.size(), 2U);

  const ObjectMap rows =
      read_all(objects_, {{.database = {}, .table = {}, .databases_only = true}});
  EXPECT_EQ(rows.databases, everything.databases);
  EXPECT_THAT(rows.tables, IsEmpty());

  const ObjectMap some = read_all(objects_, {one("c_scope", "c"), whole("c_scope2")});
  EXPECT_EQ(some.databases.size(), 1U);
  EXPECT_EQ(some.tables.size(), 2U);
}

}  // namespace

}  // namespace hmsync::hmsclient
