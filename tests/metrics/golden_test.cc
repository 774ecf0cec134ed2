// What is exposed, from the first scrape on: dashboards and alerts rely on these names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

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

/// A daemon's probes, all untouched.
struct AllProbes {
  Exposition exposition{"server1"};
  FollowerProbe follower{exposition, {"CREATE_TABLE"}};
  SnapshotProbe snapshot{exposition};
  StoreProbe store{exposition};
  MetastoreProbe metastore{exposition, {"get_table"}};
  LeaderProbe leader{exposition};
  DaemonProbe daemon{exposition, {"metastore_unreachable"}};

  AllProbes() { add_process_metrics(exposition, {{"version", "0.1.0"}}); }
};

/// Families with their types, series without their values.
std::string outline(const std::string& text) {
  std::string lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("# HELP")) continue;
    if (!line.starts_with('#')) line = line.substr(0, line.rfind(' '));
    lines += line + '\n';
  }
  return lines;
}

TEST(Golden, UntouchedProbesExposeExactlyTheListedSeries) {
  std::ifstream file(HMSYNC_METRICS_GOLDEN);
  std::stringstream expected;
  expected << file.rdbuf();
  AllProbes probes;
  EXPECT_EQ(outline(probes.exposition.text()), expected.str());
}

TEST(Golden, EveryPromisedFamilyIsThere) {
  const std::set<std::string> promised{
      "batch_apply_duration_seconds",
      "batch_events",
      "build_info",
      "caught_up_timestamp_seconds",
      "commits_fenced_total",
      "config_last_reload_successful",
      "cursor_event_id",
      "drift_found_total",
      "event_gaps_total",
      "event_resets_total",
      "events_applied_total",
      "events_duplicate_total",
      "events_ignored_total",
      "events_late_total",
      "events_quarantined_total",
      "events_refuted_total",
      "events_shared_id_total",
      "head_event_id",
      "history_headroom_seconds",
      "is_leader",
      "lag_events",
      "lag_seconds",
      "last_progress_timestamp_seconds",
      "leader_changes_total",
      "lease_epoch",
      "log_messages_total",
      "metastore_call_duration_seconds",
      "metastore_calls_total",
      "oldest_event_id",
      "paused",
      "poll_duration_seconds",
      "problem",
      "quarantine_events",
      "snapshot_duration_seconds",
      "snapshot_objects",
      "snapshots_total",
      "store_errors_total",
      "store_rewinds_total",
      "store_round_trips_total",
      "store_rows_written_total",
      "suspended_grants",
      "verified_timestamp_seconds",
      "verify_differences",
      "waiters",
  };
  AllProbes probes;
  std::set<std::string> exposed;
  std::istringstream text(probes.exposition.text());
  const std::string prefix = "# TYPE hmsync_";
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(prefix)) {
      exposed.insert(line.substr(prefix.size(), line.rfind(' ') - prefix.size()));
    }
  }
  EXPECT_THAT(exposed, ::testing::IsSupersetOf(promised));
}

TEST(Golden, EveryCounterStartsAtZero) {
  AllProbes probes;
  for (const auto& [series, value] : samples(probes.exposition.text())) {
    if (series.starts_with("process_") || series.find("_total{") == std::string::npos) continue;
    EXPECT_EQ(value, "0") << series;
  }
}

TEST(Golden, EverySeriesNamesTheServer) {
  AllProbes probes;
  for (const auto& [series, value] : samples(probes.exposition.text())) {
    EXPECT_THAT(series, ::testing::HasSubstr("server=\"server1\""));
  }
}

}  // namespace
}  // namespace hmsync::metrics
