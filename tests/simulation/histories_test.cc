// Histories that real metastores, databases and people have had, as scripted schedules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/simulation/scripted.h"

namespace hmsync::simulation {
namespace {

using processor::TableName;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class Histories : public Scripted {
 protected:
  using Scripted::Scripted;
};

TEST_F(Histories, AnEventThatIsHiddenWithinTheGraceKeepsItsPlace) {
  metastore().create_table("sales", "hidden");
  metastore().hide_last_event();
  metastore().create_table("sales", "shown");
  run_for(seconds(1));
  metastore().show_hidden_events();
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial"));
  EXPECT_EQ(notes("late"), 0);
}

TEST_F(Histories, AnEventThatIsHiddenBeyondTheGraceIsAGapAndThenLate) {
  metastore().create_table("sales", "hidden");
  metastore().hide_last_event();
  metastore().create_table("sales", "shown");
  run_for(seconds(4));
  metastore().show_hidden_events();
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial", "gap"));
  EXPECT_EQ(notes("gap"), 1);
}

TEST_F(Histories, AnEventThatShowsUpBelowTheCursorIsReadAgain) {
  metastore().create_table("sales", "first");
  metastore().share_last_id();
  metastore().drop_table("sales", "orders");
  metastore().hide_last_event();
  metastore().create_table("sales", "second");
  run_for(seconds(2));
  metastore().show_hidden_events();
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial"));
  EXPECT_EQ(notes("late"), 1);
}

TEST_F(Histories, ATwinOfAPassedIdIsFoundWhileTheHeadStandsStill) {
  metastore().create_table("sales", "first");
  metastore().share_last_id();
  metastore().drop_table("sales", "orders");
  metastore().hide_last_event();
  run_for(seconds(2));
  metastore().show_hidden_events();
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial"));
  EXPECT_EQ(notes("late"), 1);
}

class LostHistories : public Histories {
 protected:
  LostHistories() : Histories(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.cleans_log = true;
    profile.restores_metastore = true;
    return profile;
  }
};

TEST_F(LostHistories, ACleanedLogLeadsToASnapshotThatKeepsGrantsByIdentity) {
  for (const char* table : {"renamed", "dropped", "remade"}) {
    metastore().create_table("sales", table);
  }
  rest();
  for (const char* table : {"orders", "renamed", "dropped", "remade"}) grant(table, table);
  pause();
  metastore().rename_table("sales", "renamed", "sales", "elsewhere");
  metastore().drop_table("sales", "dropped");
  metastore().drop_table("sales", "remade");
  metastore().create_table("sales", "remade");
  metastore().clean_events();
  resume();
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial", "gap"));
  EXPECT_THAT(grants(),
              ElementsAre("orders on orders", "renamed on elsewhere",
                          "dropped on dropped (suspended)", "remade on remade (suspended)"));
}

TEST_F(LostHistories, ARestoredMetastoreIsAResetWhetherOrNotItsHeadHasPassedTheCursor) {
  for (const int later : {0, 10}) {
    SCOPED_TRACE(later);
    const doubles::MemoryMetastore backup = metastore();
    metastore().create_table("sales", "lost" + std::to_string(later));
    metastore().create_table("sales", "lost_too" + std::to_string(later));
    rest();
    const int64_t before = store().follower.generation;
    metastore().restore(backup);
    for (int i = 0; i < later; ++i) {
      metastore().create_table("sales", "new" + std::to_string(i));
    }
    rest();
    EXPECT_EQ(store().follower.generation, before + 1);
  }
}

TEST_F(Histories, AGrantOnWhatWasMadeAnewSurvivesTheLateDropOfItsForerunner) {
  grant("old", "orders");
  pause();
  metastore().drop_table("sales", "orders");
  metastore().create_table("sales", "orders");
  grant("new", "orders");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("new on orders"));
}

TEST_F(Histories, AGrantOnWhatTookARenamedTablesPlaceStaysThere) {
  grant("old", "orders");
  pause();
  metastore().rename_table("sales", "orders", "sales", "bills");
  metastore().create_table("sales", "orders");
  grant("new", "orders");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("old on bills", "new on orders"));
}

TEST_F(Histories, ARevokeReachesAGrantThatAnUnreadRenameStillCarries) {
  grant("analyst", "orders");
  pause();
  metastore().rename_table("sales", "orders", "sales", "bills");
  revoke("analyst", "bills");
  EXPECT_THAT(grants(), ElementsAre("analyst on orders"));
  resume();
  rest();
  EXPECT_THAT(grants(), IsEmpty());
}

TEST_F(Histories, OfTwoEqualGrantsThatMeetTheLaterOneStays) {
  metastore().create_table("sales", "bills");
  rest();
  grant("analyst", "orders");
  pause();
  metastore().drop_table("sales", "bills");
  metastore().rename_table("sales", "orders", "sales", "bills");
  metastore().rename_table("sales", "bills", "sales", "archive");
  metastore().create_table("sales", "bills");
  grant("analyst", "bills");
  const std::string identity =
      metastore().objects().tables.at({"hive", "sales", "bills"}).table.identity;
  resume();
  rest();
  ASSERT_THAT(grants(), ElementsAre("analyst on bills"));
  EXPECT_EQ(store().grants.front().identity, identity);
}

class SharedIds : public Histories {
 protected:
  SharedIds() : Histories(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.generation = doubles::Generation::v2_3;
    profile.locks_sequence = false;
    return profile;
  }
};

TEST_F(SharedIds, AGrantOfTheSameIdAsADropStaysWithWhatIsThere) {
  grant("old", "orders");
  pause();
  metastore().drop_table("sales", "orders");
  metastore().share_last_id();
  metastore().create_table("sales", "orders");
  grant("new", "orders");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("new on orders"));
}

TEST_F(SharedIds, AnEventThatCameLateIsUnreadUntilTheNextLook) {
  metastore().create_table("sales", "first");
  metastore().share_last_id();
  metastore().drop_table("sales", "orders");
  metastore().hide_last_event();
  run_for(seconds(2));
  EXPECT_EQ(world_->model.unread_late_event(), metastore().now());
  metastore().show_hidden_events();
  run_for(seconds(2));
  EXPECT_EQ(world_->model.unread_late_event(), std::nullopt);
}

/// The leader stands still at its next batch, for longer than its lease.
TEST_F(Histories, ALeaderThatStoodStillInItsTransactionIsFencedAndItsSuccessorGoesOn) {
  const Daemon* const before = world_->leader();
  ASSERT_NE(before, nullptr);
  bool stopped = false;
  world_->choose_fault = [&](const Daemon& daemon, std::string_view call,
                             bool) -> std::optional<Fault> {
    if (stopped || &daemon != before || call != "store:apply") return std::nullopt;
    stopped = true;
    const_cast<Daemon&>(daemon).stop_until(world_->scheduler.now() + seconds(30));
    return std::nullopt;
  };
  metastore().create_table("sales", "during");
  run_for(seconds(20));
  EXPECT_TRUE(stopped);
  EXPECT_NE(world_->leader(), before);
  EXPECT_TRUE(store().live.tables.contains({"hive", "sales", "during"}));
  run_for(seconds(20));
  rest();
  EXPECT_NE(world_->leader(), before);
  EXPECT_EQ(store().totals.applied, 1);
}

TEST_F(Histories, EveryReplyOfTheStoreMayBeLostOnce) {
  std::set<std::string> lost;
  world_->choose_fault = [&](const Daemon&, std::string_view call,
                             bool after) -> std::optional<Fault> {
    if (!after || !call.starts_with("store:") || !lost.emplace(call).second) return std::nullopt;
    return Fault::lost_reply;
  };
  metastore().create_table("sales", "one");
  run_for(seconds(5));
  metastore().drop_table("sales", "one");
  rest();
  EXPECT_TRUE(lost.contains("store:apply"));
  EXPECT_EQ(store().totals.applied, 2);
}

class FailOvers : public Histories {
 protected:
  FailOvers() : Histories(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.rewinds_store = true;
    return profile;
  }
};

TEST_F(FailOvers, ADatabaseThatLostCommitsIsFollowedFromWhereItStands) {
  for (int i = 0; i < 10; ++i) {
    metastore().create_table("sales", "t" + std::to_string(i));
    run_for(seconds(2));
  }
  const int64_t before = *store().follower.cursor;
  ASSERT_TRUE(world_->rewind());
  EXPECT_LT(*store().follower.cursor, before);
  rest();
  EXPECT_THAT(snapshots(), ElementsAre("initial"));
}

}  // namespace
}  // namespace hmsync::simulation
