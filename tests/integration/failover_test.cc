// Two daemons at one store: one leads, the other takes over.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/fixtures/eventually.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using fixtures::MiniHmsync;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

class Failover : public testing::Test {
 protected:
  void SetUp() override {
    leader_ = deployment_.start_daemon();
    ASSERT_TRUE(eventually(seconds(30), [&] { return leads(*leader_); }));
    standby_ = deployment_.start_daemon();
    workload_ = std::make_unique<DdlWorkload>(deployment_.hms().uri(), 4, 7);
    workload_->start();
    ASSERT_TRUE(eventually(seconds(30), [&] { return status_of(*leader_).cursor > 30; }));
    ASSERT_EQ(status_of(*standby_).role, "standby");
  }

  static bool leads(const MiniHmsync& daemon) {
    return status_of(daemon).role == "leader" && daemon.get("/leader").status == 200;
  }

  /// How long until the standby leads and has applied something.
  Clock::duration take_over() {
    const auto begun = Clock::now();
    EXPECT_TRUE(eventually(seconds(30), [&] { return leads(*standby_); })) << standby_->log();
    const auto took = Clock::now() - begun;
    const int64_t cursor = status_of(*standby_).cursor;
    EXPECT_TRUE(eventually(seconds(30), [&] { return status_of(*standby_).cursor > cursor; }));
    return took;
  }

  void expect_store_right_at_the_end() {
    workload_->stop();
    EXPECT_TRUE(workload_->failures().empty());
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*standby_));
    expect_export_equals_metastore(*standby_, deployment_.ddl());
    expect_no_difference(*standby_);
  }

  Deployment deployment_;
  std::unique_ptr<MiniHmsync> leader_;
  std::unique_ptr<MiniHmsync> standby_;
  std::unique_ptr<DdlWorkload> workload_;
};

TEST_F(Failover, OnSigtermTheStandbyTakesOverAtOnce) {
  EXPECT_EQ(leader_->terminate(), 0);
  const auto took = take_over();
  EXPECT_LT(took, seconds(3)) << "the lease is 3 s: it was handed over, not waited for";
  expect_store_right_at_the_end();
}

TEST_F(Failover, OnSigkillTheStandbyTakesOverAfterTheLease) {
  const int64_t epoch = status_of(*leader_).epoch;
  leader_->kill();
  take_over();
  EXPECT_EQ(status_of(*standby_).epoch, epoch + 1);
  expect_store_right_at_the_end();
}

TEST_F(Failover, ALeaderHeldPastItsLeaseAndContinuedWritesNothing) {
  leader_->pause();
  take_over();
  const std::string token =
      deployment_.sql("SELECT token_epoch, token_nonce FROM hmsync.followers");
  leader_->resume();
  ASSERT_TRUE(eventually(seconds(30), [&] { return status_of(*leader_).role == "standby"; }));
  EXPECT_EQ(deployment_.sql("SELECT token_epoch, token_nonce FROM hmsync.followers"), token);
  EXPECT_TRUE(leads(*standby_));
  EXPECT_EQ(leader_->get("/leader").status, 503);
  expect_store_right_at_the_end();
  EXPECT_EQ(deployment_.sql("SELECT token_epoch, token_nonce FROM hmsync.followers"), token);
}

}  // namespace
}  // namespace hmsync::integration
