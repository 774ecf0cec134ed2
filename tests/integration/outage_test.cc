// PostgreSQL and the metastore go away and come back: the daemon survives both, says what is wrong
// in status, log and metrics, and goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

class Outage : public testing::Test {
 protected:
  void SetUp() override {
    daemon_ = deployment_.start_daemon();
    deployment_.ddl().create_database({"sales"});
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  }

  Deployment deployment_;
  std::unique_ptr<fixtures::MiniHmsync> daemon_;
};

TEST_F(Outage, OfTheMetastoreIsToldAndSurvived) {
  const double failures = daemon_->metric("hmsync_metastore_calls_total", "outcome=\"error\"");
  deployment_.hms().stop();
  ASSERT_TRUE(eventually(seconds(30), [&] {
    return has_problem(*daemon_, "metastore_unreachable");
  })) << daemon_->log();
  EXPECT_FALSE(status_of(*daemon_).last_error.empty());
  EXPECT_GT(daemon_->metric("hmsync_metastore_calls_total", "outcome=\"error\""), failures);
  EXPECT_GT(daemon_->metric("hmsync_problem", "metastore_unreachable"), 0);
  EXPECT_EQ(daemon_->get("/livez").status, 200);
  EXPECT_THAT(daemon_->log(), HasSubstr("metastore"));

  deployment_.hms().start();
  hmsclient::DdlClient ddl(deployment_.hms().uri());
  ddl.create_database({"later"});
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  expect_export_equals_metastore(*daemon_, ddl);
  EXPECT_TRUE(
      eventually(seconds(30), [&] { return !has_problem(*daemon_, "metastore_unreachable"); }));
}

TEST_F(Outage, OfTheMetastoreLetsLagGrowAndKeepsNoRightAlive) {
  hmsclient::TableSpec orders;
  orders.database = "sales";
  orders.table = "orders";
  deployment_.ddl().create_table(orders);
  ASSERT_EQ(daemon_->ctl({"role", "create", "analyst"}).exit, 0);
  ASSERT_EQ(daemon_->ctl({"grant", "analyst", "SELECT", "sales.orders"}).exit, 0);
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  const std::string grants = "SELECT count(*) FROM hmsync.v1_grants";
  const std::string pending =
      "SELECT count(*) FROM hmsync.requests WHERE kind = 'revoke' AND state = 'pending'";
  ASSERT_EQ(deployment_.sql(grants), "1");

  deployment_.hms().stop();
  ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(*daemon_).lag_seconds > 3; }));
  const auto away = daemon_->ctl({"revoke", "analyst", "SELECT", "sales.orders", "--json"});
  EXPECT_EQ(away.exit, 0) << away.err;
  EXPECT_THAT(away.out, HasSubstr(R"("changed":true,"repeat_at_event":-1)"));
  EXPECT_EQ(deployment_.sql(grants), "0") << "done at once";
  EXPECT_EQ(deployment_.sql(pending), "1");

  deployment_.hms().start();
  ASSERT_TRUE(eventually(seconds(60), [&] { return deployment_.sql(pending) == "0"; }));
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  const auto back = daemon_->ctl({"revoke", "analyst", "SELECT", "sales.orders", "--json"});
  EXPECT_THAT(back.out, HasSubstr(R"("changed":false,"repeat_at_event":null)"));
  EXPECT_EQ(deployment_.sql(grants), "0");
  EXPECT_TRUE(eventually(seconds(30), [&] { return status_of(*daemon_).lag_seconds < 1; }));
}

TEST_F(Outage, OfTheDatabaseIsToldAndSurvived) {
  for (const char* mode : {"fast", "immediate"}) {
    SCOPED_TRACE(mode);
    deployment_.pg().stop(mode);
    ASSERT_TRUE(eventually(seconds(30), [&] { return has_problem(*daemon_, "store_unreachable"); }))
        << daemon_->log();
    EXPECT_FALSE(status_of(*daemon_).last_error.empty());
    EXPECT_GT(daemon_->metric("hmsync_problem", "\"store_unreachable\""), 0);
    EXPECT_GT(daemon_->metric("hmsync_store_errors_total"), 0);
    EXPECT_EQ(daemon_->get("/livez").status, 200);
    EXPECT_EQ(daemon_->get("/readyz").status, 200) << "reached once since start";

    deployment_.pg().start();
    ASSERT_TRUE(eventually(seconds(60), [&] {
      try {
        deployment_.ddl().create_database({std::string("after_") + mode});
        return true;
      } catch (const std::exception&) {
        return false;  // the metastore's own pool may need a while
      }
    }));
    ASSERT_TRUE(
        eventually(seconds(60), [&] { return !has_problem(*daemon_, "store_unreachable"); }));
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, deployment_.ddl());
  }
}

}  // namespace
}  // namespace hmsync::integration
