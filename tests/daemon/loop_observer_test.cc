#include "daemon/loop_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/exposition.h"
#include "metrics/follower_probe.h"
#include "metrics/snapshot_probe.h"
#include "tests/daemon/manual_clock.h"

namespace hmsync::daemon {
namespace {

using follower::SnapshotReport;
using ::testing::HasSubstr;
using ::testing::Not;

class LoopObserverTest : public ::testing::Test {
 protected:
  static SnapshotReport over(SnapshotReport::State state, const std::string& reason) {
    SnapshotReport report;
    report.state = state;
    report.reason = reason;
    report.difference.added = {1, 20, 300};
    report.difference.changed = {0, 3, 0};
    report.difference.removed = {0, 0, 40};
    return report;
  }

  metrics::Exposition exposition_{"server1"};
  metrics::FollowerProbe follower_probe_{exposition_, {}};
  metrics::SnapshotProbe snapshot_probe_{exposition_};
  Log log_{LogLevel::error, LogFormat::text, [](LogLevel) {}};
  ManualClock clock_;
  StatusBoard board_{"server1", "host:1", "0.1.0", clock_};
  LoopWatchdog watchdog_;
  LoopObserver observer_{{log_, board_, watchdog_, follower_probe_, snapshot_probe_}, {}, {}};
};

TEST_F(LoopObserverTest, ADryRunIsAVerification) {
  observer_.snapshot(over(SnapshotReport::State::compared, "dry_run"));
  const std::string text = exposition_.text();
  EXPECT_THAT(text, HasSubstr("hmsync_verify_differences{server=\"server1\"} 364\n"));
  EXPECT_THAT(text, Not(HasSubstr("hmsync_verified_timestamp_seconds{server=\"server1\"} 0\n")));
  EXPECT_THAT(text, HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"table\"} 0\n"));
}

TEST_F(LoopObserverTest, WhatAResyncRepairsIsDrift) {
  observer_.snapshot(over(SnapshotReport::State::published, "resync"));
  const std::string text = exposition_.text();
  EXPECT_THAT(text,
              HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"database\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"table\"} 23\n"));
  EXPECT_THAT(text,
              HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"partition\"} 340\n"));
  EXPECT_THAT(text, HasSubstr("hmsync_verified_timestamp_seconds{server=\"server1\"} 0\n"));
}

TEST_F(LoopObserverTest, WhatLostHistoryBroughtIsNoDrift) {
  for (const char* reason : {"initial", "gap", "reset"}) {
    observer_.snapshot(over(SnapshotReport::State::published, reason));
  }
  EXPECT_THAT(exposition_.text(),
              HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"table\"} 0\n"));
}

}  // namespace
}  // namespace hmsync::daemon
