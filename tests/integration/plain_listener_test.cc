// A metastore whose log tells of operations that it then refuses: nothing of them is believed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "processor/error.h"
#include "tests/fixtures/eventually.h"
#include "tests/integration/oddities.h"

namespace hmsync::integration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Each test has a database of its own, with a table, and grants on both and on a column.
class PlainListener : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    deployment_ = std::make_unique<Deployment>(fixtures::MiniHms::Options{
        .backend = fixtures::MiniHms::Backend::postgres, .plain_listener = true});
    auto options = deployment_->daemon_options();
    // What is right is so by what events name, not by a sweep.
    options.settings = {"metastore.gap_grace=1s", "metastore.settle=1s",
                        "metastore.sweep_interval=1h", "metastore.sweep_tables_per_second=0"};
    daemon_ = std::make_unique<fixtures::MiniHmsync>(options);
    daemon_->await_ready();
    done(*daemon_, {"role", "create", "analyst"});
  }
  static void TearDownTestSuite() {
    daemon_.reset();
    deployment_.reset();
  }

  void SetUp() override {
    ddl().create_database({"sales"});
    create("orders");
    for (const char* object : {"sales", "sales.orders", "sales.orders.id"}) {
      done(*daemon_, {"grant", "analyst", "SELECT", object});
    }
    ASSERT_THAT(grants_in(*deployment_),
                ElementsAre("sales SELECT", "sales.orders SELECT", "sales.orders.id SELECT"));
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    refuted_ = refuted();
  }

  void TearDown() override {
    ddl().drop_database("sales", true);
    expect_right();
    EXPECT_THAT(grants_in(*deployment_), IsEmpty());
    EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  }

  static hmsclient::DdlClient& ddl() { return deployment_->ddl(); }

  static void create(const std::string& table, const std::string& database = "sales") {
    ddl().create_table({.database = database, .table = table});
  }

  /// Creation times, by which tables are told apart, count whole seconds.
  static void await_another_second() {
    const time_t begun = time(nullptr);
    ASSERT_TRUE(
        fixtures::eventually(std::chrono::seconds(5), [&] { return time(nullptr) > begun; }));
  }

  static int64_t refuted() {
    return std::stoll(deployment_->sql("SELECT refuted FROM hmsync.v1_follower"));
  }

  static void expect_right() {
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
    expect_no_difference(*daemon_);
  }

  /// All of SetUp() authorise as before.
  static void expect_no_grant_lost() {
    EXPECT_THAT(grants_in(*deployment_),
                ElementsAre("sales SELECT", "sales.orders SELECT", "sales.orders.id SELECT"));
    EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  }

  void expect_refuted(int64_t event) const {
    EXPECT_EQ(refuted() - refuted_, 1);
    EXPECT_EQ(daemon_->metric("hmsync_events_refuted_total"), refuted_ + 1)
        << "by this daemon, which saw all of them";
    EXPECT_TRUE(log_tells(*daemon_, "refuted", event));
    EXPECT_EQ(audited(*deployment_, "refute", event), 1);
  }

  static std::unique_ptr<Deployment> deployment_;
  static std::unique_ptr<fixtures::MiniHmsync> daemon_;
  int64_t refuted_ = 0;
};

std::unique_ptr<Deployment> PlainListener::deployment_;
std::unique_ptr<fixtures::MiniHmsync> PlainListener::daemon_;

TEST_F(PlainListener, IsWarnedOf) {
  EXPECT_TRUE(has_problem(*daemon_, "plain_listener"));
  EXPECT_EQ(daemon_->metric("hmsync_problem", R"(code="plain_listener")"), 1);
  EXPECT_THAT(daemon_->log(), HasSubstr(" oddity=plain_listener\n"));
  EXPECT_THAT(daemon_->log(), HasSubstr("hive.metastore.transactional.event.listeners"));
  EXPECT_EQ(deployment_->sql("SELECT count(*) FROM hmsync.v1_audit"
                             " WHERE action = 'plain_listener'"),
            "1");
}

TEST_F(PlainListener, ARefusedDropOfADatabaseChangesNothing) {
  EXPECT_THROW(ddl().drop_database("sales"), Error) << "it is not empty";
  const int64_t drop = newest_event(*deployment_, "DROP_DATABASE", "sales", "");
  ASSERT_GT(drop, newest_event(*deployment_, "CREATE_TABLE", "sales", "orders")) << "it is logged";
  expect_right();
  expect_no_grant_lost();
  expect_refuted(drop);
}

TEST_F(PlainListener, ARefusedCreationOfATableThatIsThereChangesNothing) {
  const int64_t made = newest_event(*deployment_, "CREATE_TABLE", "sales", "orders");
  ASSERT_NO_FATAL_FAILURE(await_another_second());
  EXPECT_THROW(create("orders"), Error) << "it is there";
  const int64_t again = newest_event(*deployment_, "CREATE_TABLE", "sales", "orders");
  ASSERT_GT(again, made) << "it is logged";
  expect_right();
  expect_no_grant_lost();
  expect_refuted(again);
}

TEST_F(PlainListener, ARefusedCreationInADatabaseThatIsNotThereChangesNothing) {
  EXPECT_THROW(create("orders", "nowhere"), Error);
  const int64_t creation = newest_event(*deployment_, "CREATE_TABLE", "nowhere", "orders");
  ASSERT_GT(creation, 0) << "it is logged";
  expect_right();
  expect_no_grant_lost();
  expect_refuted(creation);
}

TEST_F(PlainListener, ADatabaseAlteredUnderAnotherNameKeepsItsOwn) {
  hmsclient::DatabaseChange change;
  change.name = "renamed";
  ddl().alter_database("sales", change);
  ASSERT_GT(newest_event(*deployment_, "ALTER_DATABASE", "sales", "") +
                newest_event(*deployment_, "ALTER_DATABASE", "renamed", ""),
            0)
      << "the metastore logs it";
  expect_right();
  expect_no_grant_lost();
  EXPECT_THAT(exported(*daemon_, {"database", "table"}),
              testing::Each(testing::Not(HasSubstr(R"("database":"renamed")"))));
}

TEST_F(PlainListener, ARefusedDropAmongRealChangesIsRefutedAlone) {
  int64_t drop = 0;
  while_paused(*daemon_, [&] {
    create("more");
    EXPECT_THROW(ddl().drop_database("sales"), Error);
    drop = newest_event(*deployment_, "DROP_DATABASE", "sales", "");
    ddl().rename_table("sales", "orders", "sales", "orders2");
    EXPECT_THROW(ddl().rename_table("sales", "more", "nowhere", "more"), Error);
  });
  expect_right();
  EXPECT_THAT(grants_in(*deployment_),
              ElementsAre("sales SELECT", "sales.orders2 SELECT", "sales.orders2.id SELECT"));
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  EXPECT_TRUE(log_tells(*daemon_, "refuted", drop));
  EXPECT_EQ(audited(*deployment_, "refute", drop), 1);
}

TEST_F(PlainListener, ARealDropTakesTheGrantsAway) {
  ddl().drop_table("sales", "orders");
  expect_right();
  EXPECT_THAT(grants_in(*deployment_), ElementsAre("sales SELECT"));
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  create("orders");
  expect_right();
  EXPECT_THAT(grants_in(*deployment_), ElementsAre("sales SELECT"));
  EXPECT_EQ(refuted(), refuted_);
}

TEST_F(PlainListener, ARealDropOfADatabaseTakesAllGrantsAway) {
  ddl().drop_database("sales", true);
  expect_right();
  EXPECT_THAT(grants_in(*deployment_), IsEmpty());
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  EXPECT_EQ(refuted(), refuted_);
  ddl().create_database({"sales"});
}

TEST_F(PlainListener, ARealRenameTakesTheGrantsAlong) {
  ddl().create_database({"archive"});
  ddl().rename_table("sales", "orders", "sales", "orders2");
  expect_right();
  EXPECT_THAT(grants_in(*deployment_),
              ElementsAre("sales SELECT", "sales.orders2 SELECT", "sales.orders2.id SELECT"));
  ASSERT_NO_FATAL_FAILURE(await_another_second());
  while_paused(*daemon_, [&] {
    ddl().rename_table("sales", "orders2", "archive", "orders");
    create("orders2");
  });
  expect_right();
  EXPECT_THAT(grants_in(*deployment_),
              ElementsAre("archive.orders SELECT", "archive.orders.id SELECT", "sales SELECT"));
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  EXPECT_EQ(refuted(), refuted_);
  ddl().drop_database("archive", true);
}

}  // namespace
}  // namespace hmsync::integration
