// History that is lost in a real metastore's log: a snapshot makes the store right.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/integration/deployment.h"
#include "tests/integration/followed.h"

namespace hmsync::integration {
namespace {

class History : public testing::Test {
 protected:
  void SetUp() override {
    connect();
    auto options = deployment_.daemon_options();
    options.settings = {"metastore.gap_grace=1s", "metastore.settle=1s"};
    daemon_ = std::make_unique<fixtures::MiniHmsync>(options);
    daemon_->await_ready();
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    first_snapshot_ = deployment_.sql("SELECT cursor FROM hmsync.v1_follower");
    ddl().create_database({"sales"});
    create("before");
    // Enough of them that the few of a lost span are no reason for suspicion.
    for (int i = 0; i < 12; ++i) create("t" + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    ASSERT_EQ(daemon_->ctl({"pause"}).exit, 0);
  }

  void create(const std::string& table) {
    hmsclient::TableSpec spec;
    spec.database = "sales";
    spec.table = table;
    ddl().create_table(spec);
  }

  /// Changes the metastore's own log.
  void metastore_sql(const std::string& statement) {
    (void)deployment_.pg().query(statement, "hms");
  }

  /// `happened` by SQL from the store, since a head below the cursor is judged only after a while.
  void expect_right_after(const std::string& counter, const std::string& happened = "SELECT 't'") {
    ASSERT_EQ(daemon_->ctl({"resume"}).exit, 0);
    ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30),
                                     [&] { return deployment_.sql(happened) == "t"; }));
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
    expect_no_difference(*daemon_);
    EXPECT_EQ(daemon_->metric(counter), 1);
  }

  hmsclient::DdlClient& ddl() { return *ddl_; }
  /// After the metastore was started again.
  void connect() { ddl_ = std::make_unique<hmsclient::DdlClient>(deployment_.hms().uri()); }

  Deployment deployment_;
  std::unique_ptr<hmsclient::DdlClient> ddl_;
  std::unique_ptr<fixtures::MiniHmsync> daemon_;
  std::string first_snapshot_;  ///< the event that it reflected
};

TEST_F(History, AHoleInTheMiddleLeadsToASnapshot) {
  create("one");
  create("two");
  create("three");
  metastore_sql(
      "DELETE FROM \"NOTIFICATION_LOG\" WHERE \"EVENT_ID\" ="
      " (SELECT max(\"EVENT_ID\") - 1 FROM \"NOTIFICATION_LOG\")");
  expect_right_after("hmsync_event_gaps_total");
  EXPECT_EQ(deployment_.sql("SELECT object, event FROM hmsync.v1_audit WHERE action = 'snapshot'"
                            " ORDER BY time"),
            "initial|" + first_snapshot_ + "\ngap|" +
                deployment_.sql("SELECT cursor FROM"
                                " hmsync.v1_follower"));
}

/// Where in what is unread the log was cleaned.
class CleanedHistory : public History, public testing::WithParamInterface<const char*> {};

TEST_P(CleanedHistory, LeadsToASnapshot) {
  create("one");
  ddl().drop_table("sales", "before");
  create("two");
  metastore_sql(std::string("DELETE FROM \"NOTIFICATION_LOG\" WHERE ") + GetParam());
  expect_right_after("hmsync_event_gaps_total");
  EXPECT_NE(daemon_->log().find("is missing from the metastore's log"), std::string::npos);
  EXPECT_EQ(deployment_.sql("SELECT count(*) FROM hmsync.v1_audit WHERE action = 'gap'"), "1");
}

INSTANTIATE_TEST_SUITE_P(
    Cleaned, CleanedHistory,
    testing::Values("true",
                    "\"EVENT_ID\" <= (SELECT max(\"EVENT_ID\") FROM \"NOTIFICATION_LOG\") - 2",
                    "\"EVENT_ID\" = (SELECT max(\"EVENT_ID\") FROM \"NOTIFICATION_LOG\") - 1",
                    "\"EVENT_ID\" = (SELECT max(\"EVENT_ID\") FROM \"NOTIFICATION_LOG\")"));

TEST_F(History, GrantsGoByIdentityThroughALostSpan) {
  ASSERT_EQ(daemon_->ctl({"resume"}).exit, 0);
  for (const char* table : {"kept", "renamed", "dropped", "remade"}) {
    Followed::await_next_second();  // each has an identity of its own
    create(table);
  }
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  ASSERT_EQ(daemon_->ctl({"role", "create", "analyst"}).exit, 0);
  for (const char* table : {"kept", "renamed", "dropped", "remade"}) {
    ASSERT_EQ(daemon_->ctl({"grant", "analyst", "SELECT", std::string("sales.") + table}).exit, 0);
  }
  ASSERT_EQ(daemon_->ctl({"pause"}).exit, 0);
  ddl().rename_table("sales", "renamed", "sales", "elsewhere");
  ddl().drop_table("sales", "dropped");
  ddl().drop_table("sales", "remade");
  Followed::await_next_second();
  create("remade");
  metastore_sql("DELETE FROM \"NOTIFICATION_LOG\"");
  expect_right_after("hmsync_event_gaps_total");
  EXPECT_EQ(deployment_.sql("SELECT \"table\" FROM hmsync.v1_grants ORDER BY 1"),
            "elsewhere\nkept");
  EXPECT_EQ(deployment_.sql("SELECT \"table\" FROM hmsync.v1_suspended_grants ORDER BY 1"),
            "dropped\nremade");
  EXPECT_EQ(deployment_.sql("SELECT count(*) FROM hmsync.v1_audit WHERE action = 'suspend'"), "2");
  EXPECT_TRUE(fixtures::eventually(
      std::chrono::seconds(10), [&] { return daemon_->metric("hmsync_suspended_grants") == 2; }));
}

/// The metastore's database as it was some events ago.
class RestoredHistory : public History {
 protected:
  void SetUp() override {
    History::SetUp();
    ASSERT_EQ(daemon_->ctl({"resume"}).exit, 0);
    copy("hms", "hms_copy");
    create("after_the_copy");
    ddl().drop_table("sales", "t0");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    ASSERT_EQ(daemon_->ctl({"pause"}).exit, 0);
    copy("hms_copy", "hms");
  }

  void copy(const std::string& from, const std::string& to) {
    deployment_.hms().stop();
    (void)deployment_.pg().query("DROP DATABASE IF EXISTS " + to);
    (void)deployment_.pg().query("CREATE DATABASE " + to + " TEMPLATE " + from);
    deployment_.hms().start();
    connect();
  }
};

TEST_F(RestoredHistory, IsAResetBeforeItsHeadPassesTheCursor) {
  expect_right_after("hmsync_event_resets_total", "SELECT generation = 1 FROM hmsync.v1_follower");
  EXPECT_EQ(deployment_.sql("SELECT count(*) FROM hmsync.v1_audit WHERE action = 'reset'"), "1");
}

TEST_F(RestoredHistory, IsAResetAfterItsHeadPassedTheCursor) {
  for (int i = 0; i < 5; ++i) create("other" + std::to_string(i));
  expect_right_after("hmsync_event_resets_total", "SELECT generation = 1 FROM hmsync.v1_follower");
}

TEST_F(History, AMetastoreWhoseIdsBeginAnewIsAResetWithAnotherGeneration) {
  metastore_sql(
      "DELETE FROM \"NOTIFICATION_LOG\"; UPDATE \"NOTIFICATION_SEQUENCE\" SET \"NEXT_EVENT_ID\" = "
      "1");
  create("one");
  expect_right_after("hmsync_event_resets_total",
                     "SELECT generation = 1 AND cursor = 1 FROM hmsync.v1_follower");
}

}  // namespace
}  // namespace hmsync::integration
