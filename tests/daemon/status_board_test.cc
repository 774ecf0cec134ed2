#include "daemon/status_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/manual_clock.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;

follower::PollReport poll(int64_t cursor, int64_t head, int64_t commit_number = 0) {
  follower::PollReport report;
  report.state.cursor = cursor;
  report.state.commit_number = commit_number;
  report.head = head;
  return report;
}

follower::BatchReport batch(int64_t commit_number, int64_t applied, int64_t quarantined) {
  follower::BatchReport report;
  report.state.commit_number = commit_number;
  report.counts.applied = applied;
  report.counts.quarantined = quarantined;
  return report;
}

StoreView counted(int64_t commit_number, int64_t applied) {
  StoreView view;
  view.commit_number = commit_number;
  view.totals.applied = applied;
  return view;
}

class StatusBoardTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  StatusBoard board_{"server1", "host:1", "0.1.0", clock_};
};

TEST_F(StatusBoardTest, KnowsNothingAtTheStart) {
  const Status status = board_.status();
  EXPECT_FALSE(status.leads);
  EXPECT_EQ(status.cursor, std::nullopt);
  EXPECT_EQ(status.lag_seconds, std::nullopt);
  EXPECT_EQ(status.phase, follower::Phase::starting);
  EXPECT_THAT(status.problems, IsEmpty());
}

TEST_F(StatusBoardTest, LagGrowsFromTheLastHeadThatWasApplied) {
  board_.elected(1);
  board_.polled(poll(10, 10));
  clock_.advance(seconds(2));
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(2)));
  board_.polled(poll(10, 15));
  clock_.advance(seconds(1));
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(3)));
  EXPECT_EQ(board_.status().lag_events, 5);
  board_.polled(poll(15, 15));
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(0)));
  EXPECT_EQ(board_.status().lag_events, 0);
}

TEST_F(StatusBoardTest, AHeadCountsFromWhenItWasAskedFor) {
  board_.elected(1);
  board_.polled(poll(10, 10));
  const auto asked = clock_.now();
  clock_.advance(seconds(4));
  board_.saw_head(10, asked);
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(4)));
  board_.saw_head(12, clock_.now());
  EXPECT_EQ(board_.status().head, 12);
  // An older answer that comes late does not take the head back.
  board_.saw_head(11, asked);
  EXPECT_EQ(board_.status().head, 12);
}

TEST_F(StatusBoardTest, TheHeadSeenBesideAStuckLoopShowsItsLag) {
  board_.elected(1);
  board_.polled(poll(10, 10));
  clock_.advance(seconds(30));
  board_.saw_head(500, clock_.now());
  EXPECT_EQ(board_.status().lag_events, 490);
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(30)));
}

TEST_F(StatusBoardTest, LagGrowsWhileTheStoreIsAway) {
  board_.elected(1);
  board_.polled(poll(10, 10));
  board_.failed(Reporter::loop, ProblemCode::store_unreachable, "refused");
  clock_.advance(seconds(3));
  board_.saw_head(10, clock_.now());
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(3)));
  board_.cure_store(Reporter::loop);
  board_.saw_head(10, clock_.now());
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(0)));
}

TEST_F(StatusBoardTest, AStandbyShowsWhatTheStoreTellsOfTheLeader) {
  board_.saw_lease("other:2", 1'796'000'000, 7, true);
  StoreView view;
  view.cursor = 40;
  view.head = 42;
  view.generation = 3;
  view.phase = follower::Phase::following;
  view.caught_up_ago = 5;
  view.totals.applied = 39;
  board_.saw_store(view);
  const Status status = board_.status();
  EXPECT_EQ(status.leader, "other:2");
  EXPECT_EQ(status.epoch, 7);
  EXPECT_EQ(status.cursor, 40);
  EXPECT_EQ(status.lag_events, 2);
  EXPECT_EQ(status.generation, 3);
  EXPECT_EQ(status.phase, follower::Phase::following);
  EXPECT_EQ(status.totals.applied, 39);
  EXPECT_NEAR(status.lag_seconds.value_or(-1), 5, 0.001);
}

TEST_F(StatusBoardTest, ALeaderDoesNotTakeAnOlderCursorFromTheStore) {
  board_.elected(1);
  StoreView view;
  view.cursor = 5;
  board_.saw_store(view);
  EXPECT_EQ(board_.status().cursor, 5);
  board_.polled(poll(10, 12));
  board_.saw_store(view);
  EXPECT_EQ(board_.status().cursor, 10);
  EXPECT_EQ(board_.status().head, 12);
}

TEST_F(StatusBoardTest, TheLoopsOwnMomentIsTheLeadersLagWhateverTheStoreTells) {
  board_.elected(1);
  board_.polled(poll(10, 10));
  clock_.advance(seconds(30));
  StoreView view;
  view.cursor = 10;
  view.caught_up_ago = 1;
  board_.saw_store(view);
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(30)));
}

TEST_F(StatusBoardTest, AStandbysLagGrowsBetweenTwoLooksAtTheStore) {
  StoreView view;
  view.cursor = 10;
  view.caught_up_ago = 2;
  board_.saw_store(view);
  clock_.advance(seconds(7));
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(9)));
  board_.elected(2);
  EXPECT_THAT(board_.status().lag_seconds, Optional(DoubleEq(9)));
}

TEST_F(StatusBoardTest, EachBatchCountsOnceWhereverTheStoreWasLookedAt) {
  board_.elected(1);
  const StoreView before = counted(4, 100);
  board_.saw_store(before);
  board_.polled(poll(10, 12, 4));
  board_.applied(batch(5, 2, 1));
  EXPECT_EQ(board_.status().totals.applied, 102);
  EXPECT_EQ(board_.status().quarantined, 1);
  // Read before that batch, told after it.
  board_.saw_store(before);
  EXPECT_EQ(board_.status().totals.applied, 102);
  EXPECT_EQ(board_.status().quarantined, 1);
  // Read after the next batch, told before it.
  StoreView after = counted(6, 105);
  after.quarantined = 3;
  board_.saw_store(after);
  board_.applied(batch(6, 3, 2));
  EXPECT_EQ(board_.status().totals.applied, 105);
  EXPECT_EQ(board_.status().quarantined, 3);
}

TEST_F(StatusBoardTest, AStoreThatLostCommitsIsWhatCounts) {
  board_.elected(1);
  board_.saw_store(counted(9, 100));
  board_.polled(poll(10, 10, 7));
  board_.saw_store(counted(7, 90));
  EXPECT_EQ(board_.status().totals.applied, 90);
}

TEST_F(StatusBoardTest, AProblemLastsUntilAllWhoMetItAreCured) {
  EXPECT_TRUE(board_.failed(Reporter::loop, ProblemCode::store_unreachable, "refused"));
  clock_.advance(seconds(1));
  EXPECT_FALSE(board_.failed(Reporter::loop, ProblemCode::store_unreachable, "refused"));
  EXPECT_TRUE(board_.failed(Reporter::watcher, ProblemCode::store_unreachable, "timed out"));
  EXPECT_THAT(board_.status().problems,
              ElementsAre(AllOf(Field(&Problem::code, ProblemCode::store_unreachable),
                                Field(&Problem::count, 3),
                                Field(&Problem::since, DoubleEq(1'796'000'000)))));
  board_.cured(Reporter::watcher, ProblemCode::store_unreachable);
  EXPECT_THAT(board_.status().problems, ElementsAre(Field(&Problem::count, 2)));
  board_.forget(Reporter::loop);
  EXPECT_THAT(board_.status().problems, IsEmpty());
  EXPECT_EQ(board_.status().last_error->message, "timed out");
}

TEST_F(StatusBoardTest, SaysWhenNobodyLeads) {
  board_.saw_lease("other:2", 0, 7, false);
  EXPECT_THAT(board_.status().problems, ElementsAre(Field(&Problem::code, ProblemCode::no_leader)));
  EXPECT_EQ(board_.status().leader, "");
  board_.saw_lease("other:3", 0, 8, true);
  EXPECT_THAT(board_.status().problems, IsEmpty());
}

TEST_F(StatusBoardTest, APauseAndSetAsideEventsAreProblemsToo) {
  follower::PollReport report = poll(10, 10);
  report.phase = follower::Phase::paused;
  report.pause = follower::Pause{"alice", 1'796'000'000, std::nullopt, "upgrade"};
  board_.elected(1);
  board_.polled(report);
  StoreView view;
  view.quarantined = 2;
  view.suspended_grants = 4;
  board_.saw_store(view);
  EXPECT_THAT(
      board_.status().problems,
      ElementsAre(
          AllOf(Field(&Problem::code, ProblemCode::paused),
                Field(&Problem::message, "paused by alice: upgrade")),
          AllOf(Field(&Problem::code, ProblemCode::quarantine), Field(&Problem::count, 2)),
          AllOf(Field(&Problem::code, ProblemCode::suspended_grants), Field(&Problem::count, 4))));
}

TEST_F(StatusBoardTest, DeposedItForgetsWhatTheLoopTold) {
  board_.elected(3);
  follower::SnapshotReport snapshot;
  snapshot.progress = {"tables", 5, 10};
  board_.snapshot(snapshot);
  EXPECT_TRUE(board_.leads());
  EXPECT_EQ(board_.status().snapshot->done, 5);
  board_.deposed();
  EXPECT_FALSE(board_.leads());
  EXPECT_FALSE(board_.status().snapshot.has_value());
}

}  // namespace
}  // namespace hmsync::daemon
