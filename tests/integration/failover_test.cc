// Two daemons at one store: one leads, the other takes over.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
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
  /// A leader and a standby, under load.
  void start(seconds lease) {
    const auto daemon = [&] {
      auto options = deployment_.daemon_options();
      options.lease = fmt::format("{}s", lease.count());
      auto started = std::make_unique<MiniHmsync>(options);
      started->await_ready();
      return started;
    };
    leader_ = daemon();
    ASSERT_TRUE(eventually(seconds(30), [&] { return leads(*leader_); }));
    standby_ = daemon();
    workload_ = std::make_unique<DdlWorkload>(deployment_.hms().uri(), folder_.path(), 4, 7);
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

  const fixtures::PrivateFolder folder_{"failover"};
  Deployment deployment_;
  std::unique_ptr<MiniHmsync> leader_;
  std::unique_ptr<MiniHmsync> standby_;
  std::unique_ptr<DdlWorkload> workload_;
};

TEST_F(Failover, OnSigtermTheStandbyTakesOverAtOnce) {
  ASSERT_NO_FATAL_FAILURE(start(seconds(30)));
  EXPECT_EQ(leader_->terminate(), 0);
  EXPECT_LT(take_over(), seconds(5)) << "handed over, not waited for";
  expect_store_right_at_the_end();
}

TEST_F(Failover, OnSigkillTheStandbyTakesOverAfterTheLease) {
  ASSERT_NO_FATAL_FAILURE(start(seconds(3)));
  const int64_t epoch = status_of(*leader_).epoch;
  leader_->kill();
  // Renewed at a third of it, the lease was at most a third old when its holder died.
  EXPECT_GE(take_over(), seconds(1)) << "nobody leads while another's lease may still hold";
  EXPECT_EQ(status_of(*standby_).epoch, epoch + 1);
  expect_store_right_at_the_end();
}

TEST_F(Failover, ALeaderHeldPastItsLeaseAndContinuedWritesNothing) {
  ASSERT_NO_FATAL_FAILURE(start(seconds(3)));
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
