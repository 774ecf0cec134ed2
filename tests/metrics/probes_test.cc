#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "metrics/daemon_probe.h"
#include "metrics/follower_probe.h"
#include "metrics/leader_probe.h"
#include "metrics/metastore_probe.h"
#include "metrics/process_probe.h"
#include "metrics/snapshot_probe.h"
#include "metrics/store_probe.h"
#include "tests/metrics/samples.h"

namespace hmsync::metrics {
namespace {

using std::chrono::seconds;

class ProbesTest : public ::testing::Test {
 protected:
  /// Of a series with these labels beside `server`; "absent" where there is none.
  std::string value(const std::string& name, const std::string& labels = "") {
    const auto values = samples(exposition_.text());
    const auto found =
        values.find(name + "{server=\"s\"" + (labels.empty() ? "" : "," + labels) + "}");
    return found == values.end() ? "absent" : found->second;
  }

  double number(const std::string& name) { return std::stod(value(name)); }

  std::chrono::steady_clock::time_point now_{seconds(5000)};
  double wall_ = 1'796'000'000;
  Clock clock_{.now = [this] { return now_; }, .wall_seconds = [this] { return wall_; }};
  Exposition exposition_{"s"};
};

TEST_F(ProbesTest, LagGrowsFromTheStartWhileNothingIsRead) {
  FollowerProbe follower(exposition_, {}, clock_);
  EXPECT_EQ(value("hmsync_lag_seconds"), "0");
  now_ += seconds(90);
  EXPECT_EQ(value("hmsync_lag_seconds"), "90");
}

TEST_F(ProbesTest, LagIsTheAgeOfTheLastHeadThatWasFoundApplied) {
  FollowerProbe follower(exposition_, {}, clock_);
  now_ += seconds(60);
  wall_ += 60;
  follower.polled(100, 100, 2);
  EXPECT_EQ(value("hmsync_lag_seconds"), "2");
  EXPECT_EQ(value("hmsync_caught_up_timestamp_seconds"), "1796000058");
  now_ += seconds(10);
  follower.polled(100, 130, 1);
  EXPECT_EQ(value("hmsync_lag_seconds"), "12");
  EXPECT_EQ(value("hmsync_lag_events"), "30");
  now_ += seconds(600);
  EXPECT_EQ(value("hmsync_lag_seconds"), "612");
  follower.polled(130, 130, 0);
  EXPECT_EQ(value("hmsync_lag_seconds"), "0");
  EXPECT_EQ(value("hmsync_lag_events"), "0");
}

TEST_F(ProbesTest, CommittedBatchIsProgressButNotAFreshHead) {
  FollowerProbe follower(exposition_, {}, clock_);
  follower.polled(100, 130, 0);
  now_ += seconds(7);
  wall_ += 7;
  follower.batch_applied(130, 30, 0.2);
  EXPECT_EQ(value("hmsync_lag_seconds"), "7");
  EXPECT_EQ(value("hmsync_lag_events"), "0");
  EXPECT_EQ(value("hmsync_cursor_event_id"), "130");
  EXPECT_EQ(value("hmsync_last_progress_timestamp_seconds"), "1796000007");
  EXPECT_EQ(value("hmsync_batch_events"), "30");
  EXPECT_EQ(value("hmsync_batch_apply_duration_seconds_bucket", "le=\"0.1\""), "0");
  EXPECT_EQ(value("hmsync_batch_apply_duration_seconds_bucket", "le=\"0.25\""), "1");
}

TEST_F(ProbesTest, StandbyShowsTheLagThatTheStoreTells) {
  FollowerProbe follower(exposition_, {}, clock_);
  follower.learned(90, 100, 40);
  now_ += seconds(2);
  EXPECT_EQ(value("hmsync_lag_seconds"), "42");
  EXPECT_EQ(value("hmsync_lag_events"), "10");
  EXPECT_EQ(value("hmsync_caught_up_timestamp_seconds"), "1795999960");
}

TEST_F(ProbesTest, StoreThatNeverCaughtUpLeavesTheLagCountingFromTheStart) {
  FollowerProbe follower(exposition_, {}, clock_);
  now_ += seconds(5);
  follower.learned(0, 100, std::nullopt);
  EXPECT_EQ(value("hmsync_lag_seconds"), "5");
  EXPECT_EQ(value("hmsync_caught_up_timestamp_seconds"), "0");
}

TEST_F(ProbesTest, HeadBelowTheCursorIsNoNegativeLag) {
  FollowerProbe follower(exposition_, {}, clock_);
  follower.polled(100, 98, 0);
  EXPECT_EQ(value("hmsync_lag_events"), "0");
  EXPECT_EQ(value("hmsync_head_event_id"), "98");
}

TEST_F(ProbesTest, EventsAreCountedByTypeAndUnknownOnesAsOther) {
  FollowerProbe follower(exposition_, {"CREATE_TABLE", "OPEN_TXN"}, clock_);
  follower.applied("CREATE_TABLE", 3);
  follower.ignored("OPEN_TXN", 2);
  follower.ignored("SOMETHING_NEW", 4);
  follower.quarantined("CREATE_TABLE", 1);
  EXPECT_EQ(value("hmsync_events_applied_total", "type=\"CREATE_TABLE\""), "3");
  EXPECT_EQ(value("hmsync_events_ignored_total", "type=\"OPEN_TXN\""), "2");
  EXPECT_EQ(value("hmsync_events_ignored_total", "type=\"other\""), "4");
  EXPECT_EQ(value("hmsync_events_ignored_total", "type=\"SOMETHING_NEW\""), "absent");
  EXPECT_EQ(value("hmsync_events_quarantined_total", "type=\"CREATE_TABLE\""), "1");
}

TEST_F(ProbesTest, WhatIsSpecialAboutEventsIsCounted) {
  FollowerProbe follower(exposition_, {}, clock_);
  follower.duplicates(1);
  follower.late(2);
  follower.shared_ids(3);
  follower.refuted(4);
  follower.gap();
  follower.reset();
  follower.reset();
  follower.store_rewound();
  follower.drift("table", 5);
  EXPECT_EQ(value("hmsync_events_duplicate_total"), "1");
  EXPECT_EQ(value("hmsync_events_late_total"), "2");
  EXPECT_EQ(value("hmsync_events_shared_id_total"), "3");
  EXPECT_EQ(value("hmsync_events_refuted_total"), "4");
  EXPECT_EQ(value("hmsync_event_gaps_total"), "1");
  EXPECT_EQ(value("hmsync_event_resets_total"), "2");
  EXPECT_EQ(value("hmsync_store_rewinds_total"), "1");
  EXPECT_EQ(value("hmsync_drift_found_total", "kind=\"table\""), "5");
}

TEST_F(ProbesTest, PresentStateIsShown) {
  FollowerProbe follower(exposition_, {}, clock_);
  EXPECT_EQ(value("hmsync_history_headroom_seconds"), "Nan");
  follower.set_history(70, 3600);
  follower.set_paused(true);
  follower.set_quarantined_now(2);
  follower.set_suspended_grants(6);
  follower.verified(9);
  EXPECT_EQ(value("hmsync_oldest_event_id"), "70");
  EXPECT_EQ(value("hmsync_history_headroom_seconds"), "3600");
  EXPECT_EQ(value("hmsync_paused"), "1");
  EXPECT_EQ(value("hmsync_quarantine_events"), "2");
  EXPECT_EQ(value("hmsync_suspended_grants"), "6");
  EXPECT_EQ(value("hmsync_verified_timestamp_seconds"), "1796000000");
  EXPECT_EQ(value("hmsync_verify_differences"), "9");
  follower.set_paused(false);
  EXPECT_EQ(value("hmsync_paused"), "0");
}

TEST_F(ProbesTest, SnapshotsAreCountedByReasonAndOutcome) {
  SnapshotProbe snapshot(exposition_);
  snapshot.progressed("tables", 1234);
  snapshot.progressed("no such phase", 1);
  snapshot.ended("initial", "done", 12);
  snapshot.ended("gap", "refused", 1);
  snapshot.ended("whim", "broken", 1);
  EXPECT_EQ(value("hmsync_snapshot_objects", "phase=\"tables\""), "1234");
  EXPECT_EQ(value("hmsync_snapshots_total", "outcome=\"done\",reason=\"initial\""), "1");
  EXPECT_EQ(value("hmsync_snapshots_total", "outcome=\"refused\",reason=\"gap\""), "1");
  EXPECT_EQ(value("hmsync_snapshots_total", "outcome=\"failed\",reason=\"other\""), "1");
  EXPECT_EQ(value("hmsync_snapshot_duration_seconds_sum"), "14");
}

TEST_F(ProbesTest, StoreFailuresAreCountedByKindAndFencedOnesTwice) {
  StoreProbe store(exposition_);
  store.round_trip();
  store.rows_written(500);
  store.failed("transient");
  store.failed("fenced");
  EXPECT_EQ(value("hmsync_store_round_trips_total"), "1");
  EXPECT_EQ(value("hmsync_store_rows_written_total"), "500");
  EXPECT_EQ(value("hmsync_store_errors_total", "kind=\"transient\""), "1");
  EXPECT_EQ(value("hmsync_store_errors_total", "kind=\"fenced\""), "1");
  EXPECT_EQ(value("hmsync_commits_fenced_total"), "1");
}

TEST_F(ProbesTest, MetastoreCallsAreCountedAndTimedByMethod) {
  MetastoreProbe metastore(exposition_, {"get_table"});
  metastore.called("get_table", "ok", 0.02);
  metastore.called("get_table", "error", 5);
  metastore.called("set_ugi", "ok", 0.001);
  EXPECT_EQ(value("hmsync_metastore_calls_total", "method=\"get_table\",outcome=\"ok\""), "1");
  EXPECT_EQ(value("hmsync_metastore_calls_total", "method=\"get_table\",outcome=\"error\""), "1");
  EXPECT_EQ(value("hmsync_metastore_calls_total", "method=\"other\",outcome=\"ok\""), "1");
  EXPECT_EQ(value("hmsync_metastore_call_duration_seconds_sum", "method=\"get_table\""), "5.02");
}

TEST_F(ProbesTest, LeadershipIsShownAndOnlyElectionsCountAsChanges) {
  LeaderProbe leader(exposition_);
  leader.saw_epoch(4);
  EXPECT_EQ(value("hmsync_is_leader"), "0");
  EXPECT_EQ(value("hmsync_lease_epoch"), "4");
  leader.elected(5);
  EXPECT_EQ(value("hmsync_is_leader"), "1");
  EXPECT_EQ(value("hmsync_lease_epoch"), "5");
  leader.deposed();
  EXPECT_EQ(value("hmsync_is_leader"), "0");
  EXPECT_EQ(value("hmsync_leader_changes_total"), "1");
}

TEST_F(ProbesTest, DaemonShowsProblemsReloadsWaitersAndLogLines) {
  DaemonProbe daemon(exposition_, {"metastore_unreachable"});
  EXPECT_EQ(value("hmsync_config_last_reload_successful"), "1");
  daemon.config_reloaded(false);
  daemon.logged("warn");
  daemon.set_problem("metastore_unreachable", true);
  daemon.set_waiters(3);
  EXPECT_EQ(value("hmsync_config_last_reload_successful"), "0");
  EXPECT_EQ(value("hmsync_log_messages_total", "level=\"warn\""), "1");
  EXPECT_EQ(value("hmsync_problem", "code=\"metastore_unreachable\""), "1");
  EXPECT_EQ(value("hmsync_waiters"), "3");
  daemon.set_problem("metastore_unreachable", false);
  EXPECT_EQ(value("hmsync_problem", "code=\"metastore_unreachable\""), "0");
}

TEST_F(ProbesTest, ProcessShowsWhatTheKernelSaysOfIt) {
  add_process_metrics(exposition_, {{"version", "1.2.3"}});
  EXPECT_EQ(value("hmsync_build_info", "version=\"1.2.3\""), "1");

  const double open_before = number("process_open_fds");
  std::ifstream one_more("/proc/self/status");
  EXPECT_EQ(number("process_open_fds"), open_before + 1);

  // VmRSS lags behind by a few pages a thread.
  double resident_kib = 0;
  for (std::string key; one_more >> key;) {
    if (key == "VmRSS:") one_more >> resident_kib;
  }
  EXPECT_NEAR(number("process_resident_memory_bytes"), resident_kib * 1024, 4 << 20);
  EXPECT_GT(number("process_virtual_memory_bytes"), number("process_resident_memory_bytes"));
  EXPECT_EQ(number("process_max_fds"), static_cast<double>(sysconf(_SC_OPEN_MAX)));
  EXPECT_GE(number("process_threads"), 1);

  const double started = number("process_start_time_seconds");
  const double now = Clock().wall_seconds();
  EXPECT_LE(started, now + 2);  // the boot time is known to a second
  EXPECT_GE(started, now - 3600);

  const double cpu_before = number("process_cpu_seconds_total");
  while (number("process_cpu_seconds_total") < cpu_before + 0.02) {
  }
  EXPECT_LT(cpu_before, 3600);
}

}  // namespace
}  // namespace hmsync::metrics
