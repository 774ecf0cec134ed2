// History that is lost in a real metastore's log: a snapshot makes the store right.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

class History : public testing::Test {
 protected:
  void SetUp() override {
    auto options = deployment_.daemon_options();
    options.settings = {"metastore.gap_grace=1s", "metastore.settle=1s"};
    daemon_ = std::make_unique<fixtures::MiniHmsync>(options);
    daemon_->await_ready();
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    first_snapshot_ = deployment_.sql("SELECT cursor FROM hmsync.v1_follower");
    deployment_.ddl().create_database({"sales"});
    create("before");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    ASSERT_EQ(daemon_->ctl({"pause"}).exit, 0);
  }

  void create(const std::string& table) {
    hmsclient::TableSpec spec;
    spec.database = "sales";
    spec.table = table;
    deployment_.ddl().create_table(spec);
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
    expect_export_equals_metastore(*daemon_, deployment_.ddl());
    expect_no_difference(*daemon_);
    const std::string metrics = daemon_->get("/metrics").body;
    EXPECT_NE(metrics.find(counter + "{server=\"server1\"} 1\n"), std::string::npos);
  }

  Deployment deployment_;
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

TEST_F(History, ALogThatWasCleanedBehindTheReaderLeadsToASnapshot) {
  create("one");
  deployment_.ddl().drop_table("sales", "before");
  metastore_sql("DELETE FROM \"NOTIFICATION_LOG\"");
  expect_right_after("hmsync_event_gaps_total");
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
