#include "hmsclient/ddl_client.h"

#include <gmock/gmock.h>

#include "tests/hmsclient/expect_error.h"
#include "tests/hmsclient/real_metastore.h"

namespace hmsync::hmsclient {

namespace {

using processor::OwnerType;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

class DdlClientTest : public RealMetastore {};
HMSYNC_ON_EACH_METASTORE(DdlClientTest);

TEST_P(DdlClientTest, DatabasesAreMadeChangedAndDropped) {
  ddl_.create_database({.name = "Shop",
                        .owner = {"alice", OwnerType::user},
                        .location = "hdfs://nn1:8020/elsewhere/shop",
                        .parameters = {{"tier", "gold"}}});
  EXPECT_THAT(new_events(), ElementsAre("CREATE_DATABASE"));
  EXPECT_THAT(ddl_.databases(), Contains("shop"));

  DatabaseSpec shop = ddl_.database("shop");
  EXPECT_EQ(shop.owner, (processor::Owner{"alice", OwnerType::user}));
  EXPECT_EQ(shop.location, "hdfs://nn1:8020/elsewhere/shop");
  EXPECT_THAT(shop.parameters, ElementsAre(Pair("tier", "gold")));

  DatabaseChange change;
  change.owner = {"stewards", OwnerType::group};
  change.location = "hdfs://nn1:8020/moved/shop";
  change.parameters = {{"seen", "yes"}};
  ddl_.alter_database("shop", change);
  EXPECT_THAT(new_events(),
              ElementsAreArray(is_2_3() ? std::vector<std::string>{}
                                        : std::vector<std::string>{"ALTER_DATABASE"}));
  shop = ddl_.database("shop");
  EXPECT_EQ(shop.owner, (processor::Owner{"stewards", OwnerType::group}));
  EXPECT_EQ(shop.location, is_2_3() ? "hdfs://nn1:8020/elsewhere/shop"  // 2.3 ignores the wish
                                    : "hdfs://nn1:8020/moved/shop");
  EXPECT_THAT(shop.parameters, UnorderedElementsAre(Pair("tier", "gold"), Pair("seen", "yes")));

  ddl_.create_table({.database = "shop", .table = "t"});
  expect_error(ErrorKind::fatal, "not empty", [&] { ddl_.drop_database("shop"); });
  ddl_.drop_database("shop", true);
  EXPECT_THAT(new_events(), ElementsAre("CREATE_TABLE", "DROP_TABLE", "DROP_DATABASE"));
  EXPECT_THAT(ddl_.databases(), Not(Contains("shop")));
}

TEST_P(DdlClientTest, TablesAreMadeChangedRenamedAndDropped) {
  ddl_.create_database({.name = "tables"});
  ddl_.create_database({.name = "other"});
  ddl_.create_table(managed({.database = "tables", .table = "managed", .owner = {"alice"}}));
  ddl_.create_table({.database = "tables",
                     .table = "external",
                     .type = "EXTERNAL_TABLE",
                     .location = "s3a://bucket/data/external"});
  ddl_.create_table(
      {.database = "tables", .table = "recent", .type = "VIRTUAL_VIEW", .view_text = "select 1"});
  EXPECT_THAT(new_events(), ElementsAre("CREATE_DATABASE", "CREATE_DATABASE", "CREATE_TABLE",
                                        "CREATE_TABLE", "CREATE_TABLE"));
  EXPECT_THAT(ddl_.tables("tables"), UnorderedElementsAre("managed", "external", "recent"));
  EXPECT_EQ(ddl_.table("tables", "managed").type, "MANAGED_TABLE");
  EXPECT_EQ(ddl_.table("tables", "managed").location,
            "hdfs://nn1:8020/warehouse/tables.db/managed");
  EXPECT_EQ(ddl_.table("tables", "external").type, "EXTERNAL_TABLE");
  EXPECT_EQ(ddl_.table("tables", "external").location, "s3a://bucket/data/external");
  EXPECT_EQ(ddl_.table("tables", "recent").type, "VIRTUAL_VIEW");
  EXPECT_EQ(ddl_.table("tables", "recent").location, "");

  TableChange change;
  change.owner = {"auditors", OwnerType::role};
  change.columns = {{"id", "bigint"}, {"amount", "double"}};
  change.parameters = {{"note", "x"}};
  ddl_.alter_table("tables", "managed", change);
  const TableSpec altered = ddl_.table("tables", "managed");
  // A table of 2.3 has no type of owner.
  EXPECT_EQ(altered.owner,
            (processor::Owner{"auditors", is_2_3() ? OwnerType::user : OwnerType::role}));
  EXPECT_THAT(altered.columns, ElementsAre(Column{"id", "bigint"}, Column{"amount", "double"}));
  EXPECT_THAT(altered.parameters, Contains(Pair("note", "x")));

  ddl_.rename_table("tables", "managed", "tables", "renamed");
  ddl_.rename_table("tables", "renamed", "other", "moved");
  EXPECT_THAT(ddl_.tables("other"), ElementsAre("moved"));
  EXPECT_EQ(ddl_.table("other", "moved").location, "hdfs://nn1:8020/warehouse/other.db/moved");
  EXPECT_THAT(new_events(), ElementsAre("ALTER_TABLE", "ALTER_TABLE", "ALTER_TABLE"));

  ddl_.drop_table("other", "moved");
  EXPECT_THAT(new_events(), ElementsAre("DROP_TABLE"));
  expect_error(ErrorKind::fatal, "moved", [&] { ddl_.table("other", "moved"); });
}

TEST_P(DdlClientTest, PartitionsAreAddedInOneCallChangedAndDropped) {
  ddl_.create_database({.name = "parts"});
  ddl_.create_table({.database = "parts", .table = "t", .partition_keys = {{"dt"}}});
  std::vector<PartitionSpec> many;
  for (int i = 0; i < 500; ++i) {
    many.push_back({{"day" + std::to_string(i)}});
  }
  many[1].location = "s3a://bucket/day1";
  ddl_.add_partitions("parts", "t", many);
  EXPECT_THAT(new_events(), ElementsAre("CREATE_DATABASE", "CREATE_TABLE", "ADD_PARTITION"));
  EXPECT_EQ(ddl_.partitions("parts", "t").size(), 500U);

  ddl_.append_partition("parts", "t", {"appended"});
  ddl_.alter_partition("parts", "t", {{"day2"}, "s3a://bucket/day2"});
  ddl_.rename_partition("parts", "t", {"day3"}, {"three"});
  EXPECT_THAT(new_events(), ElementsAre("ADD_PARTITION", "ALTER_PARTITION", "ALTER_PARTITION"));

  std::map<std::string, std::string> locations;
  for (const PartitionSpec& partition : ddl_.partitions("parts", "t")) {
    locations[partition.values.at(0)] = partition.location;
  }
  const std::string root = "hdfs://nn1:8020/warehouse/parts.db/t/";
  EXPECT_EQ(locations["day0"], root + "dt=day0");
  EXPECT_EQ(locations["day1"], "s3a://bucket/day1");
  EXPECT_EQ(locations["day2"], "s3a://bucket/day2");
  EXPECT_EQ(locations["three"], root + "dt=three");
  EXPECT_EQ(locations["appended"], root + "dt=appended");
  EXPECT_FALSE(locations.contains("day3"));

  ddl_.drop_partition("parts", "t", {"appended"});
  ddl_.drop_partitions("parts", "t", {"dt=day1", "dt=day2", "dt=three"});
  EXPECT_EQ(ddl_.partitions("parts", "t").size(), 497U);
  // For the call with three names 4.0 writes one event, the others write three.
  EXPECT_THAT(new_events(),
              ElementsAreArray(std::vector<std::string>(is_4_0() ? 2 : 4, "DROP_PARTITION")));

  ddl_.create_table({.database = "parts", .table = "u", .partition_keys = {{"dt"}}});
  ddl_.exchange_partitions({{"dt", "day4"}}, {"parts", "t"}, {"parts", "u"});
  EXPECT_THAT(new_events(), ElementsAre("CREATE_TABLE", "ADD_PARTITION", "DROP_PARTITION"));
  ASSERT_EQ(ddl_.partitions("parts", "u").size(), 1U);
  EXPECT_EQ(ddl_.partitions("parts", "u")[0].values, PartitionValues{"day4"});
}

TEST_P(DdlClientTest, WhatMovesNoObjectStillLeavesEvents) {
  ddl_.create_database({.name = "others"});
  ddl_.create_table({.database = "others", .table = "t"});
  ddl_.create_table({.database = "others", .table = "p", .partition_keys = {{"dt"}}});
  ddl_.add_partitions("others", "p", {{{"1"}}});
  new_events();

  if (is_2_3()) {
    expect_error(ErrorKind::fatal, "Invalid method name",
                 [&] { ddl_.truncate_table("others", "t"); });
  } else {
    ddl_.truncate_table("others", "t");
    EXPECT_THAT(new_events(), ElementsAre("ALTER_TABLE", "ALTER_TABLE"));
  }
  ddl_.insert_event("others", "t");
  ddl_.insert_event("others", "p", {"1"});
  EXPECT_THAT(new_events(), ElementsAre("INSERT", "INSERT"));
  ddl_.create_function("others", "twice");
  ddl_.drop_function("others", "twice");
  EXPECT_THAT(new_events(), ElementsAre("CREATE_FUNCTION", "DROP_FUNCTION"));
  ddl_.add_primary_key("others", "t", "id", "pk_t");
  ddl_.drop_constraint("others", "t", "pk_t");
  if (is_2_3()) {
    EXPECT_THAT(new_events(), IsEmpty());
  } else {
    EXPECT_THAT(new_events(), ElementsAre("ADD_PRIMARYKEY", "DROP_CONSTRAINT"));
  }
}

TEST_P(DdlClientTest, AManagedTableOfAClientWithoutCapabilitiesBecomesExternalIn40) {
  ddl_.create_database({.name = "translated"});
  ddl_.create_table({.database = "translated", .table = "t"});
  const TableSpec table = ddl_.table("translated", "t");
  EXPECT_EQ(table.type, is_4_0() ? "EXTERNAL_TABLE" : "MANAGED_TABLE");
  EXPECT_EQ(table.parameters.count("TRANSLATED_TO_EXTERNAL"), is_4_0() ? 1U : 0U);
}

TEST_P(DdlClientTest, CatalogsAreMadeFilledAndDroppedWhereThereAreAny) {
  if (is_2_3()) {
    EXPECT_THAT(ddl_.catalogs(), ElementsAre("hive"));
    expect_error(ErrorKind::fatal, "Invalid method name",
                 [&] { ddl_.create_catalog("spark", "hdfs://nn1:8020/spark"); });
    return;
  }
  ddl_.create_catalog("spark", "hdfs://nn1:8020/spark");
  EXPECT_THAT(ddl_.catalogs(), UnorderedElementsAre("hive", "spark"));
  EXPECT_THAT(ddl_.databases("spark"), ElementsAre("default"));
  const std::string shop = in_catalog("spark", "shop");
  const std::string other = in_catalog("spark", "other");
  ddl_.create_database({.name = shop});
  ddl_.create_database({.name = other});
  EXPECT_THAT(ddl_.databases("spark"), UnorderedElementsAre("default", "shop", "other"));
  EXPECT_THAT(ddl_.databases(), Not(Contains("shop")));
  EXPECT_EQ(ddl_.database(shop).location, "hdfs://nn1:8020/spark/shop.db");
  DatabaseChange owner;
  owner.owner = {"carol", OwnerType::user};
  ddl_.alter_database(shop, owner);
  EXPECT_EQ(ddl_.database(shop).owner.name, "carol");
  ddl_.create_table({.database = shop, .table = "t", .partition_keys = {{"dt"}}});
  ddl_.add_partitions(shop, "t", {{{"1"}}, {{"2"}}, {{"3"}}});
  ddl_.append_partition(shop, "t", {"4"});
  if (is_4_0()) {
    ddl_.rename_partition(shop, "t", {"4"}, {"five"});
  } else {  // 3.1 looks for the table in the default catalog
    expect_error(ErrorKind::fatal, "table or database does not exist",
                 [&] { ddl_.rename_partition(shop, "t", {"4"}, {"five"}); });
  }
  ddl_.drop_partitions(shop, "t", {"dt=1", "dt=2"});
  ddl_.drop_partition(shop, "t", {"3"});
  ASSERT_EQ(ddl_.partitions(shop, "t").size(), 1U);
  EXPECT_EQ(ddl_.partitions(shop, "t")[0].values, PartitionValues{is_4_0() ? "five" : "4"});
  ddl_.truncate_table(shop, "t");
  ddl_.rename_table(shop, "t", shop, "u");
  EXPECT_THAT(ddl_.tables(shop), ElementsAre("u"));
  ddl_.rename_table(shop, "u", other, "u");
  EXPECT_THAT(ddl_.tables(other), ElementsAre("u"));
  ddl_.drop_table(other, "u");
  ddl_.drop_database(shop);
  ddl_.drop_database(other);
  ddl_.drop_catalog("spark");
  EXPECT_THAT(ddl_.catalogs(), ElementsAre("hive"));
}

TEST_P(DdlClientTest, ARefusalHasTheMetastoresTextAndLeavesNoEvent) {
  ddl_.create_database({.name = "refused"});
  ddl_.create_table({.database = "refused", .table = "t"});
  new_events();
  expect_error(ErrorKind::fatal, "exists already",
               [&] { ddl_.create_database({.name = "refused"}); });
  expect_error(ErrorKind::fatal, "exists already",
               [&] { ddl_.create_table({.database = "refused", .table = "t"}); });
  expect_error(ErrorKind::fatal, "gone", [&] { ddl_.drop_table("refused", "gone"); });
  expect_error(ErrorKind::fatal, is_4_0() ? "is not a valid object name" : "invalid object",
               [&] { ddl_.create_table({.database = "refused", .table = "größe"}); });
  EXPECT_THAT(new_events(), IsEmpty());
}

}  // namespace
}  // namespace hmsync::hmsclient
