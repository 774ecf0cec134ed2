#include "daemon/loop_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "follower/metastore.h"
#include "metrics/exposition.h"
#include "metrics/follower_probe.h"
#include "metrics/snapshot_probe.h"
#include "tests/daemon/manual_clock.h"

namespace hmsync::daemon {
namespace {

using follower::Notice;
using follower::PollReport;
using follower::SnapshotReport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

  static PollReport poll(follower::Phase phase) {
    PollReport report;
    report.phase = phase;
    report.state.cursor = 7;
    report.head = 7;
    return report;
  }
  std::vector<std::string> problems() const {
    std::vector<std::string> codes;
    for (const Problem& problem : board_.status().problems) {
      codes.emplace_back(to_string(problem.code));
    }
    return codes;
  }
  /// A sample without the label of the server.
  std::string metric(const std::string& name, const std::string& labels = "") {
    const std::string text = exposition_.text();
    const std::string sample = name + "{server=\"server1\"" + labels + "} ";
    const size_t at = text.find("\n" + sample);
    if (at == std::string::npos) return "missing";
    const size_t value = at + 1 + sample.size();
    return text.substr(value, text.find('\n', value) - value);
  }

  metrics::Exposition exposition_{"server1"};
  metrics::FollowerProbe follower_probe_{exposition_, {}};
  metrics::SnapshotProbe snapshot_probe_{exposition_};
  std::ostringstream logged_;
  Log log_{LogLevel::info,
           LogFormat::text,
           {},
           std::make_shared<spdlog::sinks::ostream_sink_mt>(logged_)};
  ManualClock clock_;
  StatusBoard board_{"server1", "host:1", "0.1.0", clock_};
  LoopWatchdog watchdog_;
  LoopObserver observer_{{log_, board_, watchdog_, follower_probe_, snapshot_probe_}, {}, {}};
};

TEST_F(LoopObserverTest, OnlyAnAutomaticDryRunIsAVerification) {
  observer_.snapshot(over(SnapshotReport::State::compared, "dry_run"));
  EXPECT_EQ(metric("hmsync_verify_differences"), "0") << "a part may have been looked at";
  observer_.snapshot(over(SnapshotReport::State::compared, "verify"));
  const std::string text = exposition_.text();
  EXPECT_THAT(text, HasSubstr("hmsync_verify_differences{server=\"server1\"} 364\n"));
  EXPECT_THAT(text, Not(HasSubstr("hmsync_verified_timestamp_seconds{server=\"server1\"} 0\n")));
  EXPECT_THAT(text, HasSubstr("hmsync_drift_found_total{server=\"server1\",kind=\"table\"} 0\n"));
}

TEST_F(LoopObserverTest, WhatASweepRepairsIsDriftAndWhatARereadFindsIsNone) {
  observer_.snapshot(over(SnapshotReport::State::published, "re_read"));
  EXPECT_EQ(metric("hmsync_drift_found_total", ",kind=\"table\""), "0");
  observer_.snapshot(over(SnapshotReport::State::published, "sweep"));
  EXPECT_EQ(metric("hmsync_drift_found_total", ",kind=\"table\""), "23");
  EXPECT_EQ(metric("hmsync_snapshots_total", ",outcome=\"done\",reason=\"sweep\""), "1");
}

TEST_F(LoopObserverTest, EachOddityIsALineWithItsEventAndAMetric) {
  follower::BatchReport batch;
  batch.counts = {10, 0, 0, 2, 3, 0};
  observer_.applied(batch);
  EXPECT_EQ(metric("hmsync_events_late_total"), "2");
  EXPECT_EQ(metric("hmsync_events_shared_id_total"), "3");
  observer_.noticed({Notice::Kind::refuted, 41, "it did not happen"});
  EXPECT_EQ(metric("hmsync_events_refuted_total"), "1");
  observer_.noticed({Notice::Kind::gap, 42, "one is missing"});
  EXPECT_EQ(metric("hmsync_event_gaps_total"), "1");
  observer_.noticed({Notice::Kind::reset, 43, "all is new"});
  EXPECT_EQ(metric("hmsync_event_resets_total"), "1");
  observer_.noticed({Notice::Kind::late, 44, "it came late"});
  observer_.noticed({Notice::Kind::drift, 45, "it differed"});
  observer_.noticed({Notice::Kind::poison, 46, "it cannot be read"});
  observer_.noticed({Notice::Kind::shared_id, 47, "they share an id"});
  const std::string text = logged_.str();
  for (const char* line :
       {"it did not happen event=41 oddity=refuted", "one is missing event=42 oddity=gap",
        "all is new event=43 oddity=reset", "it came late event=44 oddity=late",
        "it differed event=45 oddity=drift", "it cannot be read event=46 oddity=poison",
        "they share an id event=47 oddity=shared_id"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(LoopObserverTest, LostHistoryIsAProblemUntilItIsFollowedAgain) {
  observer_.noticed({Notice::Kind::gap, 42, "one is missing"});
  observer_.polled(poll(follower::Phase::snapshot));
  EXPECT_THAT(problems(), ElementsAre("history_lost"));
  observer_.polled(poll(follower::Phase::following));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, AMetastoreThatDidNotAnswerIsAProblemUntilItDoesPausedOrNot) {
  observer_.entered(follower::Step::read_head);
  observer_.failed(Error(ErrorKind::transient, "connection refused"));
  ASSERT_THAT(problems(), ElementsAre("metastore_unreachable"));
  follower::PollReport report = poll(follower::Phase::paused);
  report.metastore_answered = false;
  observer_.polled(report);
  EXPECT_THAT(problems(), ElementsAre("metastore_unreachable"));
  report.metastore_answered = true;
  observer_.polled(report);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, ARefusedSnapshotIsAProblemUntilOneIsPublished) {
  SnapshotReport refused = over(SnapshotReport::State::refused, "reset");
  refused.failure = "60% of the tables are gone";
  observer_.snapshot(refused);
  observer_.polled(poll(follower::Phase::waiting));
  ASSERT_THAT(problems(), ElementsAre("snapshot_refused"));
  EXPECT_THAT(board_.status().problems[0].message,
              HasSubstr("(reset) was refused: 60% of the tables are gone"));
  EXPECT_EQ(metric("hmsync_snapshots_total", ",outcome=\"refused\",reason=\"reset\""), "1");
  EXPECT_THAT(logged_.str(), HasSubstr("a snapshot was refused"));
  observer_.snapshot(over(SnapshotReport::State::published, "re_read"));
  EXPECT_THAT(problems(), ElementsAre("snapshot_refused"));
  observer_.snapshot(over(SnapshotReport::State::published, "reset"));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, ARefusedSweepStaysAProblemWhileEventsAreFollowed) {
  observer_.snapshot(over(SnapshotReport::State::refused, "sweep"));
  observer_.polled(poll(follower::Phase::following));
  EXPECT_THAT(problems(), ElementsAre("snapshot_refused"));
  observer_.snapshot(over(SnapshotReport::State::published, "sweep"));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, TheOldHistoryThatComesBackEndsWhatItsLossBegan) {
  observer_.noticed({Notice::Kind::reset, 43, "all is new"});
  observer_.snapshot(over(SnapshotReport::State::refused, "reset"));
  observer_.noticed({Notice::Kind::recovered, 43, "it is there again"});
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, APlainListenerIsAProblemWhileItIsPlain) {
  observer_.noticed({Notice::Kind::plain_listener, 7, "it is plain"});
  PollReport report = poll(follower::Phase::following);
  report.plain_listener = true;
  observer_.polled(report);
  EXPECT_THAT(problems(), ElementsAre("plain_listener"));
  observer_.polled(poll(follower::Phase::following));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, AnotherMetastoreIsNotCalledUnreachable) {
  observer_.entered(follower::Step::read_head);
  observer_.failed(follower::AnotherMetastore("it is another one"));
  EXPECT_THAT(problems(), ElementsAre("another_metastore"));
  observer_.polled(poll(follower::Phase::following));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoopObserverTest, AFailedRereadIsAProblemUntilNothingIsToBeReadAgain) {
  observer_.snapshot(over(SnapshotReport::State::failed, "re_read"));
  PollReport report = poll(follower::Phase::following);
  report.pending_re_reads = 1;
  observer_.polled(report);
  EXPECT_THAT(problems(), ElementsAre("snapshot_failed"));
  observer_.polled(poll(follower::Phase::following));
  EXPECT_THAT(problems(), IsEmpty());
  observer_.snapshot(over(SnapshotReport::State::failed, "sweep"));
  EXPECT_THAT(problems(), IsEmpty()) << "the sweep goes on with the next objects";
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
