// What changes leave: events as they decode, and objects as they are read.
#include "tests/hmsclient/metastore_contract.h"

namespace hmsync::hmsclient {

namespace {

using namespace doubles;
using processor::Location;
using processor::OwnerType;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

using Texts = std::vector<std::string>;

TEST_P(MetastoreContract, ADatabaseIsMadeAndDropped) {
  run(ddl::CreateDatabase{.database = "c_shop", .owner = {"carol", OwnerType::role}});
  const auto made = objects_.database({"hive", "c_shop"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->owner, (processor::Owner{"carol", OwnerType::role}));
  EXPECT_EQ(made->location, in_warehouse("c_shop.db"));
  EXPECT_EQ(made->identity.substr(0, 8), is_4_0() ? "created:" : "");
  run(ddl::DropDatabase{.database = "c_shop"});
  EXPECT_EQ(objects_.database({"hive", "c_shop"}), std::nullopt);
  const std::string row = is_2_3()   ? ":USER - -"
                          : is_4_0() ? "carol:ROLE WH/c_shop.db #"
                                     : "carol:ROLE WH/c_shop.db -";
  const std::string catalog = is_2_3() ? "-" : "hive";
  EXPECT_THAT(
      new_events(),
      ElementsAre("CREATE_DATABASE " + catalog + ".c_shop.-: create database hive.c_shop " + row,
                  "DROP_DATABASE " + catalog + ".c_shop.-: drop database hive.c_shop"));
}

TEST_P(MetastoreContract, AnAlterationOfADatabaseMayLeaveNoEvent) {
  run(ddl::CreateDatabase{.database = "c_altered", .owner = {"alice"}});
  new_events();
  run(ddl::AlterDatabase{.database = "c_altered", .owner = {{"stewards", OwnerType::group}}});
  EXPECT_EQ(objects_.database({"hive", "c_altered"})->owner,
            (processor::Owner{"stewards", OwnerType::group}));
  const std::string identity = is_4_0() ? " #" : " -";
  const std::string before = "database hive.c_altered alice:USER WH/c_altered.db" + identity;
  const std::string owned = "database hive.c_altered stewards:GROUP WH/c_altered.db" + identity;
  EXPECT_THAT(new_changes(),
              ElementsAreArray(is_2_3() ? Texts{} : Texts{"alter " + before + " => " + owned}));
  const Location moved{"hdfs", "nn1:8020", "/c/moved"};
  run(ddl::AlterDatabase{.database = "c_altered", .location = moved});
  EXPECT_EQ(objects_.database({"hive", "c_altered"})->location,
            is_2_3() ? in_warehouse("c_altered.db") : moved);
  const std::string after =
      "database hive.c_altered stewards:GROUP hdfs://nn1:8020/c/moved" + identity;
  EXPECT_THAT(
      new_changes(),
      ElementsAreArray(is_2_3() || is_4_0() ? Texts{} : Texts{"alter " + owned + " => " + after}));
}

TEST_P(MetastoreContract, ADatabaseKeepsItsNameWhateverItsAlterationSays) {
  run(ddl::CreateDatabase{.database = "c_named", .owner = {"alice"}});
  new_events();
  run(ddl::AlterDatabase{.database = "c_named", .name = "c_other"});
  EXPECT_TRUE(objects_.database({"hive", "c_named"}));
  EXPECT_EQ(objects_.database({"hive", "c_other"}), std::nullopt);
  const std::string row = "database hive.c_named alice:USER WH/c_named.db -";
  EXPECT_THAT(
      new_changes(),
      ElementsAreArray(is_2_3() || is_4_0() ? Texts{} : Texts{"alter " + row + " => " + row}));
}

TEST_P(MetastoreContract, TablesOfEachTypeAreMadeAndDropped) {
  run(ddl::CreateDatabase{.database = "c_types"});
  new_events();
  const std::vector<std::string> columns = {"id", "name"};
  run(ddl::CreateTable{.database = "c_types",
                       .table = "managed",
                       .partition_keys = {"dt", "region"},
                       .owner = {"bob"},
                       .columns = columns,
                       .transactional = true});
  run(ddl::CreateTable{.database = "c_types", .table = "usual", .columns = columns});
  run(ddl::CreateTable{.database = "c_types",
                       .table = "external",
                       .type = "EXTERNAL_TABLE",
                       .location = Location{"s3a", "bucket", "/c/a b"},
                       .columns = columns});
  run(ddl::CreateTable{
      .database = "c_types", .table = "view", .type = "VIRTUAL_VIEW", .columns = columns});
  const std::string usual = is_4_0() ? "EXTERNAL_TABLE" : "MANAGED_TABLE";
  EXPECT_THAT(new_changes(),
              ElementsAre("create table hive.c_types.managed MANAGED_TABLE bob:USER "
                          "WH/c_types.db/managed (id,name) (dt,region) #",
                          "create table hive.c_types.usual " + usual +
                              " bob:USER WH/c_types.db/usual (id,name) () #",
                          "create table hive.c_types.external EXTERNAL_TABLE bob:USER "
                          "s3a://bucket/c/a b (id,name) () #",
                          "create table hive.c_types.view VIRTUAL_VIEW bob:USER - (id,name) () #"));
  const processor::Table managed = table("c_types", "managed");
  EXPECT_EQ(managed.type, "MANAGED_TABLE");
  EXPECT_EQ(managed.owner, (processor::Owner{"bob", OwnerType::user}));
  EXPECT_EQ(managed.location, in_warehouse("c_types.db/managed"));
  EXPECT_EQ(managed.columns, columns);
  EXPECT_THAT(managed.partition_keys, ElementsAre("dt", "region"));
  EXPECT_EQ(managed.identity.substr(0, 3), is_4_0() ? "id:" : "cre");
  EXPECT_EQ(table("c_types", "usual").type, usual);
  EXPECT_EQ(table("c_types", "external").location, (Location{"s3a", "bucket", "/c/a b"}));
  EXPECT_EQ(table("c_types", "view").location, std::nullopt);

  for (const char* name : {"managed", "external", "view"}) {
    run(ddl::DropTable{"c_types", name});
    EXPECT_EQ(objects_.table({"hive", "c_types", name}), std::nullopt);
  }
  EXPECT_THAT(new_changes(), ElementsAre(dropped("c_types.managed"), dropped("c_types.external"),
                                         dropped("c_types.view")));
}

TEST_P(MetastoreContract, NamesAreInLowerCaseHoweverTheyWereGiven) {
  run(ddl::CreateDatabase{.database = "C_Case"});
  run(ddl::CreateTable{.database = "C_CASE",
                       .table = "Mixed",
                       .partition_keys = {"Dt"},
                       .columns = {"Id"},
                       .transactional = true});
  run(ddl::AlterTable{
      .database = "c_case", .table = "mixed", .new_database = "C_case", .new_table = "OTHER"});
  const Texts changes = new_changes();
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[1],
            "create table hive.c_case.mixed MANAGED_TABLE bob:USER WH/c_case.db/mixed (id) (dt) #");
  EXPECT_EQ(changes[2],
            "alter table hive.c_case.mixed MANAGED_TABLE bob:USER WH/c_case.db/mixed (id) (dt) # "
            "=> table hive.c_case.other MANAGED_TABLE bob:USER WH/c_case.db/other (id) (dt) #");
  EXPECT_EQ(table("c_case", "other").name, (processor::TableName{"hive", "c_case", "other"}));
  EXPECT_THAT(table("c_case", "other").columns, ElementsAre("id"));
}

TEST_P(MetastoreContract, AManagedTableMovesWithItsPartitionsWhenItIsRenamed) {
  run(ddl::CreateDatabase{.database = "c_moved"});
  run(ddl::CreateDatabase{.database = "c_target"});
  for (const char* name : {"managed", "usual"}) {
    run(ddl::CreateTable{.database = "c_moved",
                         .table = name,
                         .partition_keys = {"dt"},
                         .columns = {"id"},
                         .transactional = name[0] == 'm'});
    const Location outside{"hdfs", "nn1:8020", std::string("/c/outside/") + name};
    run(ddl::AddPartitions{"c_moved", name, {{{"1"}, {}}, {{"far"}, outside}}});
    const std::string identity = table("c_moved", name).identity;
    new_events();
    const std::string renamed = std::string(name) + "_2";
    run(ddl::AlterTable{
        .database = "c_moved", .table = name, .new_database = "c_target", .new_table = renamed});
    const bool translated = is_4_0() && name[0] == 'u';
    const std::string type = translated ? "EXTERNAL_TABLE" : "MANAGED_TABLE";
    EXPECT_THAT(new_changes(),
                ElementsAre("alter table hive.c_moved." + std::string(name) + " " + type +
                            " bob:USER WH/c_moved.db/" + name + " (id) (dt) # => table hive." +
                            "c_target." + renamed + " " + type + " bob:USER WH/c_target.db/" +
                            renamed + " (id) (dt) #" + (translated ? " translated" : "")));
    EXPECT_EQ(objects_.table({"hive", "c_moved", name}), std::nullopt);
    EXPECT_EQ(table("c_target", renamed).identity, identity);
    EXPECT_THAT(partitions("c_target", renamed),
                UnorderedElementsAre(
                    Pair(ElementsAre("1"), in_warehouse("c_target.db/" + renamed + "/dt=1")),
                    Pair(ElementsAre("far"), outside)));
  }
}

TEST_P(MetastoreContract, AnExternalTableStaysWhereItIsWhenItIsRenamed) {
  run(ddl::CreateDatabase{.database = "c_stay"});
  const Location place{"hdfs", "nn1:8020", "/c/stay"};
  run(ddl::CreateTable{.database = "c_stay",
                       .table = "t",
                       .partition_keys = {"dt"},
                       .type = "EXTERNAL_TABLE",
                       .location = place,
                       .columns = {"id"}});
  run(ddl::AddPartitions{"c_stay", "t", {{{"1"}, {}}}});
  new_events();
  run(ddl::AlterTable{.database = "c_stay", .table = "t", .new_table = "u"});
  EXPECT_THAT(new_changes(),
              ElementsAre("alter table hive.c_stay.t EXTERNAL_TABLE bob:USER "
                          "hdfs://nn1:8020/c/stay (id) (dt) # => table hive.c_stay.u "
                          "EXTERNAL_TABLE bob:USER hdfs://nn1:8020/c/stay (id) (dt) #"));
  EXPECT_EQ(table("c_stay", "u").location, place);
  EXPECT_THAT(partitions("c_stay", "u"),
              ElementsAre(Pair(ElementsAre("1"), Location{"hdfs", "nn1:8020", "/c/stay/dt=1"})));
}

TEST_P(MetastoreContract, AManagedTableOutsideItsDatabaseStaysWhereItIsWhenItIsRenamed) {
  run(ddl::CreateDatabase{.database = "c_out"});
  Location place = metastore_->warehouse();
  place.path = "/c/out";
  run(ddl::CreateTable{.database = "c_out", .table = "t", .location = place, .columns = {"id"}});
  run(ddl::AlterTable{.database = "c_out", .table = "t", .new_table = "u"});
  // 4.0 has made it external and moves it wherever it was.
  EXPECT_EQ(table("c_out", "u").location, is_4_0() ? in_warehouse("c_out.db/u") : place);
}

TEST_P(MetastoreContract, ATableIsAlteredInPlace) {
  run(ddl::CreateDatabase{.database = "c_alter"});
  run(ddl::CreateTable{.database = "c_alter",
                       .table = "t",
                       .partition_keys = {"dt"},
                       .type = "EXTERNAL_TABLE",
                       .location = Location{"hdfs", "nn1:8020", "/c/alter"},
                       .columns = {"id", "name"}});
  run(ddl::AddPartitions{"c_alter", "t", {{{"1"}, {}}}});
  new_events();
  run(ddl::AlterTable{.database = "c_alter", .table = "t", .owner = {{"carol"}}});
  run(ddl::AlterTable{
      .database = "c_alter", .table = "t", .location = Location{"hdfs", "nn1:8020", "/c/else"}});
  run(ddl::AlterTable{.database = "c_alter", .table = "t", .columns = {{"id", "added"}}});
  const Texts rows = {"bob:USER hdfs://nn1:8020/c/alter (id,name) (dt) #",
                      "carol:USER hdfs://nn1:8020/c/alter (id,name) (dt) #",
                      "carol:USER hdfs://nn1:8020/c/else (id,name) (dt) #",
                      "carol:USER hdfs://nn1:8020/c/else (id,added) (dt) #"};
  Texts expected;
  for (size_t i = 1; i < rows.size(); ++i) {
    expected.push_back("alter table hive.c_alter.t EXTERNAL_TABLE " + rows[i - 1] +
                       " => table hive.c_alter.t EXTERNAL_TABLE " + rows[i]);
  }
  EXPECT_EQ(new_changes(), expected);
  const processor::Table altered = table("c_alter", "t");
  EXPECT_EQ(altered.owner.name, "carol");
  EXPECT_EQ(altered.location, (Location{"hdfs", "nn1:8020", "/c/else"}));
  EXPECT_THAT(altered.columns, ElementsAre("id", "added"));
  EXPECT_THAT(partitions("c_alter", "t"),
              ElementsAre(Pair(ElementsAre("1"), Location{"hdfs", "nn1:8020", "/c/alter/dt=1"})));
}

TEST_P(MetastoreContract, PartitionsAreAddedChangedAndDropped) {
  run(ddl::CreateDatabase{.database = "c_parts"});
  run(ddl::CreateTable{.database = "c_parts",
                       .table = "t",
                       .partition_keys = {"dt", "region"},
                       .columns = {"id"},
                       .transactional = true});
  new_events();
  const Location far{"s3a", "bucket", "/c/far"};
  run(ddl::AddPartitions{
      "c_parts", "t", {{{"1", "eu"}, {}}, {{"a/b=c%d", "x y"}, {}}, {{"2", "us"}, far}}});
  run(ddl::AlterPartitions{
      "c_parts", "t", {{{"1", "eu"}, Location{"hdfs", "nn1:8020", "/c/parts"}}}});
  run(ddl::RenamePartition{"c_parts", "t", {"a/b=c%d", "x y"}, {"3", "eu"}});
  run(ddl::DropPartitions{"c_parts", "t", {{"1", "eu"}, {"2", "us"}}});
  const std::string t = "hive.c_parts.t; ";
  Texts expected = {
      "add to " + t +
          "partition [1|eu] WH/c_parts.db/t/dt=1/region=eu; "
          "partition [a/b=c%d|x y] WH/c_parts.db/t/dt=a%2Fb%3Dc%25d/region=x y; "
          "partition [2|us] s3a://bucket/c/far",
      "alter in " + t + "[1|eu] => partition [1|eu] hdfs://nn1:8020/c/parts",
      "alter in " + t + "[a/b=c%d|x y] => partition [3|eu] WH/c_parts.db/t/dt=3/region=eu"};
  if (is_4_0()) {
    expected.push_back("drop from " + t + "[1|eu]; [2|us]");
  } else {
    expected.push_back("drop from " + t + "[1|eu]");
    expected.push_back("drop from " + t + "[2|us]");
  }
  EXPECT_EQ(new_changes(), expected);
  EXPECT_THAT(
      partitions("c_parts", "t"),
      ElementsAre(Pair(ElementsAre("3", "eu"), in_warehouse("c_parts.db/t/dt=3/region=eu"))));
}

TEST_P(MetastoreContract, AnExchangeAddsBeforeItDrops) {
  run(ddl::CreateDatabase{.database = "c_swap"});
  for (const char* name : {"from", "to"}) {
    run(ddl::CreateTable{
        .database = "c_swap", .table = name, .partition_keys = {"dt"}, .columns = {"id"}});
  }
  run(ddl::AddPartitions{"c_swap", "from", {{{"1"}, {}}, {{"2"}, {}}}});
  new_events();
  run(ddl::ExchangePartition{"c_swap", "from", "c_swap", "to", {"1"}});
  EXPECT_THAT(new_changes(),
              ElementsAre("add to hive.c_swap.to; partition [1] WH/c_swap.db/to/dt=1",
                          "drop from hive.c_swap.from; [1]"));
  EXPECT_THAT(partitions("c_swap", "from"), ElementsAre(Pair(ElementsAre("2"), testing::_)));
  EXPECT_THAT(partitions("c_swap", "to"),
              ElementsAre(Pair(ElementsAre("1"), in_warehouse("c_swap.db/to/dt=1"))));
}

TEST_P(MetastoreContract, ACascadeTellsOfEachTableAndThenOfTheDatabase) {
  run(ddl::CreateDatabase{.database = "c_whole"});
  run(ddl::CreateTable{
      .database = "c_whole", .table = "a", .partition_keys = {"dt"}, .columns = {"id"}});
  run(ddl::AddPartitions{"c_whole", "a", {{{"1"}, {}}}});
  run(ddl::CreateTable{.database = "c_whole", .table = "b", .columns = {"id"}});
  new_events();
  run(ddl::DropDatabase{.database = "c_whole", .cascade = true});
  const Texts changes = new_changes();
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_THAT((Texts{changes[0], changes[1]}),
              UnorderedElementsAre(dropped("c_whole.a"), dropped("c_whole.b")));
  EXPECT_EQ(changes[2], "drop database hive.c_whole");
  EXPECT_THAT(read_all(objects_, {whole("c_whole")}).tables, IsEmpty());
}

TEST_P(MetastoreContract, WhatIsRefusedLeavesNoEventAndChangesNothing) {
  run(ddl::CreateDatabase{.database = "c_full"});
  run(ddl::CreateTable{
      .database = "c_full", .table = "t", .partition_keys = {"dt"}, .columns = {"id"}});
  run(ddl::CreateTable{.database = "c_full", .table = "u", .columns = {"id"}});
  run(ddl::AddPartitions{"c_full", "t", {{{"1"}, {}}}});
  new_events();
  const follower::Scope scope = whole("c_full");
  const ObjectMap before = read_all(objects_, {scope});
  const std::vector<Change> refused = {
      ddl::CreateDatabase{.database = "c_full"},
      ddl::DropDatabase{.database = "c_full"},
      ddl::DropDatabase{.database = "c_missing"},
      ddl::CreateTable{.database = "c_full", .table = "t", .columns = {"id"}},
      ddl::CreateTable{.database = "c_missing", .table = "t", .columns = {"id"}},
      ddl::DropTable{"c_full", "missing"},
      ddl::AlterTable{.database = "c_full", .table = "u", .new_table = "t"},
      ddl::AlterTable{.database = "c_full", .table = "u", .new_database = "c_missing"},
      ddl::AddPartitions{"c_full", "t", {{{"1"}, {}}}},
      ddl::DropPartitions{"c_full", "t", {{"missing"}}},
      ddl::RenamePartition{"c_full", "t", {"missing"}, {"2"}},
  };
  for (size_t i = 0; i < refused.size(); ++i) {
    EXPECT_FALSE(metastore_->run(refused[i])) << "change " << i;
  }
  EXPECT_THAT(new_events(), IsEmpty());
  EXPECT_EQ(read_all(objects_, {scope}), before);
}

TEST_P(MetastoreContract, ANewTableUnderAnOldNameIsAnother) {
  run(ddl::CreateDatabase{.database = "c_again"});
  const ddl::CreateTable create{.database = "c_again", .table = "t", .columns = {"id"}};
  run(create);
  const std::string first = table("c_again", "t").identity;
  run(ddl::AlterTable{.database = "c_again", .table = "t", .owner = {{"carol"}}});
  EXPECT_EQ(table("c_again", "t").identity, first);
  metastore_->let_a_second_pass();
  run(ddl::DropTable{"c_again", "t"});
  run(create);
  EXPECT_NE(table("c_again", "t").identity, first);
}

TEST_P(MetastoreContract, OtherEventsTakeTheirIds) {
  run(ddl::CreateDatabase{.database = "c_others"});
  run(ddl::CreateTable{.database = "c_others", .table = "t", .columns = {"id"}});
  new_events();
  run(ddl::OtherEvent{"INSERT", "c_others", "t"});
  run(ddl::OtherEvent{"CREATE_FUNCTION", "c_others", "f"});
  EXPECT_THAT(new_changes(), ElementsAre("ignored", "ignored"));
  if (is_2_3()) return;  // writes no such event
  run(ddl::OtherEvent{"ADD_PRIMARYKEY", "c_others", "t"});
  EXPECT_THAT(new_changes(), ElementsAre("ignored"));
}

}  // namespace

}  // namespace hmsync::hmsclient
