// Every kind of DDL on real metastores of three versions, as far as each knows it: after each step
// `wait` returns and `export` equals what an independent read of the metastore says; in the end a
// dry run finds no difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using hmsclient::Column;
using hmsclient::DatabaseChange;
using hmsclient::PartitionSpec;
using hmsclient::TableChange;
using hmsclient::TableSpec;
using processor::Owner;
using processor::OwnerType;

/// The parameter is the metastore's version.
class Follow : public testing::TestWithParam<const char*> {
 protected:
  static void TearDownTestSuite() {
    daemon_.reset();
    deployment_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (daemon_) return;
    folder_ = std::make_unique<fixtures::PrivateFolder>("follow");
    deployment_ = std::make_unique<Deployment>(fixtures::MiniHms::Options{
        .version = GetParam(), .backend = fixtures::MiniHms::Backend::postgres});
    daemon_ = deployment_->start_daemon();
  }
  void TearDown() override { expect_no_difference(*daemon_); }

  static bool is_2_3() { return std::string(GetParam()) == "2.3.10"; }
  static bool is_4_0() { return std::string(GetParam()) == "4.0.1"; }

  hmsclient::DdlClient& ddl() { return deployment_->ddl(); }

  /// What was done just now is in the store, and nothing else.
  void step(const std::string& what) {
    SCOPED_TRACE(what);
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
  }

  static void change_metastore_by_sql(const std::string& update_returning_one) {
    ASSERT_EQ(deployment_->pg().query(update_returning_one, "hms"), "one\n");
  }

  /// A place outside the warehouse.
  static std::string scratch(const std::string& name) {
    return "file:" + folder_->path().string() + "/" + name;
  }

  static TableSpec table(const std::string& database, const std::string& name,
                         const std::string& type = "MANAGED_TABLE") {
    TableSpec spec;
    spec.database = database;
    spec.table = name;
    spec.type = type;
    return is_4_0() && type == "MANAGED_TABLE" ? hmsclient::insert_only(spec) : spec;
  }

  static TableSpec partitioned(const std::string& database, const std::string& name) {
    TableSpec spec = table(database, name);
    spec.partition_keys = {{"dt", "string"}, {"region", "string"}};
    return spec;
  }

  inline static std::unique_ptr<fixtures::PrivateFolder> folder_;
  inline static std::unique_ptr<Deployment> deployment_;
  inline static std::unique_ptr<fixtures::MiniHmsync> daemon_;
};

// One suite for each, so that each has its services while it runs.
INSTANTIATE_TEST_SUITE_P(Hive2_3_10, Follow, testing::Values("2.3.10"));
INSTANTIATE_TEST_SUITE_P(Hive3_1_3, Follow, testing::Values("3.1.3"));
INSTANTIATE_TEST_SUITE_P(Hive4_0_1, Follow, testing::Values("4.0.1"));

TEST_P(Follow, Databases) {
  ddl().create_database({"plain"});
  step("create a database");
  ddl().create_database({"Mixed", {"etl", OwnerType::role}, scratch("mixed")});
  step("create a database with owner, location and an upper-case name");
  if (!is_2_3()) {  // which writes no event for it
    DatabaseChange owner;
    owner.owner = Owner{"carol", OwnerType::user};
    ddl().alter_database("plain", owner);
    step("alter its owner");
  }
  if (!is_2_3() && !is_4_0()) {  // the same
    DatabaseChange location;
    location.location = scratch("elsewhere");
    ddl().alter_database("plain", location);
    step("alter its location");
  }
  DatabaseChange parameters;
  parameters.parameters = {{"k", "v"}};
  ddl().alter_database("plain", parameters);
  step("alter its parameters");
  ddl().drop_database("mixed");
  step("drop a database");
}

TEST_P(Follow, Tables) {
  ddl().create_database({"sales"});
  ddl().create_database({"archive"});
  ddl().create_table(table("sales", "Orders"));
  step("create a managed table with an upper-case name");
  TableSpec external = table("sales", "items", "EXTERNAL_TABLE");
  external.location = scratch("items with space/%3A/größe");
  ddl().create_table(external);
  step("create an external table at an odd location");
  TableSpec view = table("sales", "orders_view", "VIRTUAL_VIEW");
  view.view_text = "select * from orders";
  ddl().create_table(view);
  step("create a view");

  TableChange columns;
  columns.columns = {Column{"id", "bigint"}, Column{"extra", "string"}};
  ddl().alter_table("sales", "orders", columns);
  step("alter the columns");
  TableChange owner;
  owner.owner = Owner{"admins", OwnerType::role};
  ddl().alter_table("sales", "orders", owner);
  step("alter the owner");
  TableChange location;
  location.location = scratch("moved");
  ddl().alter_table("sales", "items", location);
  step("alter the location");
  TableChange parameters;
  parameters.parameters = {{"comment", "new"}};
  ddl().alter_table("sales", "orders", parameters);
  step("alter the properties");

  ddl().rename_table("sales", "orders", "sales", "orders2");
  step("rename a managed table");
  ddl().rename_table("sales", "orders2", "archive", "orders3");
  step("move a managed table to another database");
  ddl().rename_table("sales", "items", "archive", "items");
  step("move an external table to another database");
  ddl().rename_table("sales", "orders_view", "sales", "renamed_view");
  step("rename a view");

  ddl().insert_event("archive", "orders3");
  step("insert");
  ddl().drop_table("archive", "items", false);
  step("drop an external table");
  ddl().drop_table("archive", "orders3");
  step("drop a managed table");
  ddl().drop_table("sales", "renamed_view");
  step("drop a view");
}

TEST_P(Follow, AManagedTableOfAClientWithoutCapabilities) {
  ddl().create_database({"claims"});
  ddl().create_database({"others"});
  TableSpec spec;
  spec.database = "claims";
  spec.table = "t";
  spec.partition_keys = {{"dt", "string"}};
  ddl().create_table(spec);
  step("create it: external in 4.0, managed before");
  ddl().add_partitions("claims", "t", {{{"1"}}, {{"2"}, scratch("outside_claims")}});
  step("add partitions");
  if (!is_2_3()) {  // which does not know the call; 4.0 wants a transaction for others than this
    ddl().truncate_table("claims", "t", {"dt=1"});
    step("truncate a partition");
    ddl().truncate_table("claims", "t");
    step("truncate it");
  }
  ddl().rename_table("claims", "t", "claims", "u");
  step("rename it");
  ddl().rename_table("claims", "u", "others", "u");
  step("move it to another database");
  ddl().drop_table("others", "u");
  step("drop it");
}

TEST_P(Follow, CatalogsBesideTheDefaultOne) {
  if (is_2_3()) {
    EXPECT_EQ(ddl().catalogs(), std::vector<std::string>{"hive"});
    return;
  }
  const std::string shop = hmsclient::in_catalog("spark", "shop");
  const std::string other = hmsclient::in_catalog("spark", "other");
  const std::size_t tables = exported(*daemon_, {"table"}).size();
  ddl().create_catalog("spark", scratch("spark"));
  step("create a catalog: its database `default` comes with it");
  ddl().create_database({"shop"});
  ddl().create_database({shop, {"carol", OwnerType::user}});
  ddl().create_database({other});
  step("create databases, one of a name that is there in both");
  DatabaseChange owner;
  owner.owner = Owner{"admins", OwnerType::role};
  ddl().alter_database(shop, owner);
  step("alter a database's owner");
  ddl().create_table(partitioned("shop", "t"));
  ddl().create_table(partitioned(shop, "t"));
  ddl().create_table(table(shop, "u", "EXTERNAL_TABLE"));
  step("create tables");
  ddl().add_partitions(shop, "t", {{{"1", "eu"}}, {{"2", "us"}, scratch("spark_outside")}});
  ddl().drop_partition(shop, "t", {"1", "eu"});
  step("add and drop partitions");
  TableChange columns;
  columns.columns = {Column{"id", "bigint"}, Column{"extra", "string"}};
  ddl().alter_table(shop, "u", columns);
  ddl().rename_table(shop, "t", shop, "t2");
  step("rename a table");
  ddl().rename_table(shop, "t2", other, "t2");
  step("move it to another database of its catalog");
  EXPECT_EQ(exported(*daemon_, {"table"}).size(), tables + 3);
  ddl().drop_table(shop, "u");
  ddl().drop_database(other, true);
  ddl().drop_database(shop);
  step("drop all that is in it");
  ddl().drop_catalog("spark");
  step("drop the catalog");
  EXPECT_EQ(exported(*daemon_, {"table"}).size(), tables + 1) << "that of the same name stays";
  ddl().drop_database("shop", true);
  step("and go");
}

TEST_P(Follow, Partitions) {
  ddl().create_database({"lake"});
  ddl().create_database({"pond"});
  ddl().create_table(partitioned("lake", "events"));
  ddl().add_partitions("lake", "events", {{{"2026-11-30", "eu"}}});
  step("add a partition");
  ddl().add_partitions("lake", "events",
                       {{{"2026-11-30", "us"}, scratch("outside")},
                        {{"a/b=c %\"'", "größe"}},
                        {{"2026-12-01", "eu"}}});
  step("add partitions, one outside the table, one with odd values");
  std::vector<PartitionSpec> many;
  for (int i = 0; i < 500; ++i) many.push_back({{"many", std::to_string(i)}});
  ddl().add_partitions("lake", "events", many);
  step("add 500 partitions in one call");
  ddl().append_partition("lake", "events", {"appended", "x"});
  step("append a partition");

  ddl().alter_partition("lake", "events", {{"2026-12-01", "eu"}, scratch("altered")});
  step("alter a partition's location");
  ddl().rename_partition("lake", "events", {"2026-11-30", "eu"}, {"2026-11-29", "eu"});
  step("rename a partition");

  ddl().rename_table("lake", "events", "lake", "events2");
  step("rename a partitioned table: partitions inside move, those outside stay");
  ddl().rename_table("lake", "events2", "pond", "events3");
  step("move it to another database");

  TableSpec other = partitioned("pond", "target");
  ddl().create_table(other);
  ddl().exchange_partitions({{"dt", "2026-11-29"}, {"region", "eu"}}, {"pond", "events3"},
                            {"pond", "target"});
  step("exchange a partition");

  ddl().drop_partition("pond", "events3", {"2026-11-30", "us"}, false);
  step("drop a partition");
  ddl().drop_partitions("pond", "events3",
                        {"dt=many/region=1", "dt=many/region=2", "dt=many/region=3"});
  step("drop three partitions in one call");
  ddl().drop_table("pond", "events3");
  step("drop a table with partitions");
}

TEST_P(Follow, ADatabaseDroppedWithAllThatIsInIt) {
  ddl().create_database({"doomed"});
  ddl().create_table(table("doomed", "a"));
  ddl().create_table(partitioned("doomed", "b"));
  ddl().add_partitions("doomed", "b", {{{"1", "1"}}, {{"2", "2"}}});
  ddl().create_function("doomed", "f");
  step("make a database with all sorts of things");
  ddl().drop_database("doomed", true);
  step("drop it in cascade");
}

TEST_P(Follow, DroppedAndMadeAgainUnderTheSameName) {
  ddl().create_database({"again"});
  ddl().create_table(partitioned("again", "t"));
  ddl().add_partitions("again", "t", {{{"1", "1"}}});
  ddl().drop_table("again", "t");
  ddl().create_table(partitioned("again", "t"));
  step("the new table has none of the old partitions");
}

TEST_P(Follow, FunctionsAndConstraintsDoNothingButAreCountedAndMoveTheCursor) {
  ddl().create_database({"other"});
  ddl().create_table(table("other", "t"));
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  const Status before = status_of(*daemon_);
  ddl().create_function("other", "f");
  ddl().drop_function("other", "f");
  ddl().add_primary_key("other", "t", "id", "pk_t");
  ddl().drop_constraint("other", "t", "pk_t");
  step("functions and constraints");
  const int events = is_2_3() ? 2 : 4;  // constraints of 2.3 leave none
  const Status after = status_of(*daemon_);
  EXPECT_EQ(after.ignored, before.ignored + events);
  EXPECT_EQ(after.applied, before.applied);
  EXPECT_EQ(after.cursor, before.cursor + events);
  EXPECT_GT(daemon_->metric("hmsync_events_ignored_total", "type=\"CREATE_FUNCTION\""), 0);
}

TEST_P(Follow, WhatChangedWithoutAnEventArrivesBySweep) {
  ddl().create_database({"quiet"});
  ddl().create_table(table("quiet", "t"));
  step("create a database with a table");
  const int64_t head = status_of(*daemon_).head;
  daemon_->terminate();
  auto options = deployment_->daemon_options();
  options.settings = {"metastore.sweep_interval=1s", "metastore.sweep_tables_per_second=100"};
  auto sweeping = std::make_unique<fixtures::MiniHmsync>(options);
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*sweeping));
  const auto arrives = [&] {
    const std::vector<std::string> expected = metastore_lines(ddl());
    return fixtures::eventually(std::chrono::seconds(30), [&] {
      std::vector<std::string> lines = exported(*sweeping, {"database", "table", "partition"});
      std::sort(lines.begin(), lines.end());
      return lines == expected;
    });
  };

  DatabaseChange change;
  if (is_2_3()) {
    change.owner = Owner{"carol", OwnerType::user};
    ddl().alter_database("quiet", change);
  } else if (is_4_0()) {
    change.location = scratch("quiet");
    ddl().alter_database("quiet", change);
  } else {
    change_metastore_by_sql(
        R"(UPDATE "DBS" SET "OWNER_NAME" = 'carol' WHERE "NAME" = 'quiet' RETURNING 'one')");
  }
  EXPECT_TRUE(arrives()) << "a database";
  EXPECT_EQ(sweeping->metric("hmsync_drift_found_total", "kind=\"database\""), 1);
  change_metastore_by_sql(
      R"(UPDATE "TBLS" SET "OWNER" = 'dave' WHERE "TBL_NAME" = 't' AND "DB_ID" =)"
      R"( (SELECT "DB_ID" FROM "DBS" WHERE "NAME" = 'quiet') RETURNING 'one')");
  EXPECT_TRUE(arrives()) << "a table";
  EXPECT_EQ(status_of(*sweeping).head, head) << "it left no event";
  sweeping.reset();
  daemon_->start();
  daemon_->await_ready();
}

}  // namespace
}  // namespace hmsync::integration
