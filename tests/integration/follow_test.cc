// Every kind of DDL on a real metastore: after each step `wait` returns and `export` equals what an
// independent read of the metastore says; in the end a dry run finds no difference.
#include <gtest/gtest.h>

#include <memory>
#include <string>

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

class Follow : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<fixtures::PrivateFolder>("follow");
    deployment_ = std::make_unique<Deployment>();
    daemon_ = deployment_->start_daemon();
  }
  static void TearDownTestSuite() {
    daemon_.reset();
    deployment_.reset();
    folder_.reset();
  }
  void TearDown() override { expect_no_difference(*daemon_); }

  hmsclient::DdlClient& ddl() { return deployment_->ddl(); }

  /// What was done just now is in the store, and nothing else.
  void step(const std::string& what) {
    SCOPED_TRACE(what);
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
  }

  /// A place outside the warehouse.
  static std::string scratch(const std::string& name) {
    return "file:" + folder_->path().string() + "/" + name;
  }

  static std::unique_ptr<fixtures::PrivateFolder> folder_;
  static std::unique_ptr<Deployment> deployment_;
  static std::unique_ptr<fixtures::MiniHmsync> daemon_;
};

std::unique_ptr<fixtures::PrivateFolder> Follow::folder_;
std::unique_ptr<Deployment> Follow::deployment_;
std::unique_ptr<fixtures::MiniHmsync> Follow::daemon_;

TableSpec table(const std::string& database, const std::string& name,
                const std::string& type = "MANAGED_TABLE") {
  TableSpec spec;
  spec.database = database;
  spec.table = name;
  spec.type = type;
  return spec;
}

TableSpec partitioned(const std::string& database, const std::string& name) {
  TableSpec spec = table(database, name);
  spec.partition_keys = {{"dt", "string"}, {"region", "string"}};
  return spec;
}

TEST_F(Follow, Databases) {
  ddl().create_database({"plain"});
  step("create a database");
  ddl().create_database({"Mixed", {"etl", OwnerType::role}, scratch("mixed")});
  step("create a database with owner, location and an upper-case name");
  DatabaseChange owner;
  owner.owner = Owner{"carol", OwnerType::user};
  ddl().alter_database("plain", owner);
  step("alter its owner");
  DatabaseChange location;
  location.location = scratch("elsewhere");
  ddl().alter_database("plain", location);
  step("alter its location");
  DatabaseChange parameters;
  parameters.parameters = {{"k", "v"}};
  ddl().alter_database("plain", parameters);
  step("alter its parameters");
  ddl().drop_database("mixed");
  step("drop a database");
}

TEST_F(Follow, Tables) {
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

  ddl().truncate_table("archive", "orders3");
  step("truncate a table");
  ddl().insert_event("archive", "orders3");
  step("insert");
  ddl().drop_table("archive", "items", false);
  step("drop an external table");
  ddl().drop_table("archive", "orders3");
  step("drop a managed table");
  ddl().drop_table("sales", "renamed_view");
  step("drop a view");
}

TEST_F(Follow, Partitions) {
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
  ddl().truncate_table("lake", "events", {"dt=2026-11-29/region=eu"});
  step("truncate a partition");

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

TEST_F(Follow, ADatabaseDroppedWithAllThatIsInIt) {
  ddl().create_database({"doomed"});
  ddl().create_table(table("doomed", "a"));
  ddl().create_table(partitioned("doomed", "b"));
  ddl().add_partitions("doomed", "b", {{{"1", "1"}}, {{"2", "2"}}});
  ddl().create_function("doomed", "f");
  step("make a database with all sorts of things");
  ddl().drop_database("doomed", true);
  step("drop it in cascade");
}

TEST_F(Follow, DroppedAndMadeAgainUnderTheSameName) {
  ddl().create_database({"again"});
  ddl().create_table(partitioned("again", "t"));
  ddl().add_partitions("again", "t", {{{"1", "1"}}});
  ddl().drop_table("again", "t");
  ddl().create_table(partitioned("again", "t"));
  step("the new table has none of the old partitions");
}

TEST_F(Follow, FunctionsAndConstraintsDoNothingButAreCountedAndMoveTheCursor) {
  ddl().create_database({"other"});
  ddl().create_table(table("other", "t"));
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  const Status before = status_of(*daemon_);
  ddl().create_function("other", "f");
  ddl().drop_function("other", "f");
  ddl().add_primary_key("other", "t", "id", "pk_t");
  ddl().drop_constraint("other", "t", "pk_t");
  step("functions and constraints");
  const Status after = status_of(*daemon_);
  EXPECT_EQ(after.ignored, before.ignored + 4);
  EXPECT_EQ(after.applied, before.applied);
  EXPECT_EQ(after.cursor, before.cursor + 4);
  const std::string metrics = daemon_->get("/metrics").body;
  EXPECT_NE(metrics.find("type=\"CREATE_FUNCTION\""), std::string::npos);
}

}  // namespace
}  // namespace hmsync::integration
