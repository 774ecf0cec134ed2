// What the simulation found, as the shortest schedules that do it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/simulation/scripted.h"

namespace hmsync::simulation {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class Regressions : public Scripted {
 protected:
  using Scripted::Scripted;
  /// An event that leaves the name to be read again.
  void leave_doubtful(const std::string& table) {
    metastore().run(doubles::ddl::OtherEvent{"SOMETHING_NEW", "sales", table});
  }
};

class LostTables : public Regressions {
 protected:
  LostTables() : Regressions(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.loses_tables = true;
    return profile;
  }
};

TEST_F(LostTables, ADropThatWaitsForAReadingSparesGrantsYoungerThanIt) {
  pause();
  leave_doubtful("orders");
  metastore().drop_table("sales", "orders");
  metastore().create_table("sales", "orders");
  grant("new", "orders");
  metastore().lose_table("sales", "orders");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("new on orders (suspended)"));
}

TEST_F(LostTables, ATableThatWasLostUnderItsNewNameIsNotTheOneDroppedUnderItsOldOne) {
  grant("old", "orders");
  pause();
  leave_doubtful("orders");
  metastore().rename_table("sales", "orders", "sales", "bills");
  metastore().create_table("sales", "orders");
  metastore().drop_table("sales", "orders");
  metastore().lose_table("sales", "bills");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("old on orders (suspended)"));
}

TEST_F(LostTables, ARenameAndDropOfAnotherTableLeaveWhatIsSuspendedUnderTheNameAlone) {
  grant("old", "orders");
  metastore().lose_table("sales", "orders");
  metastore().create_table("sales", "orders");
  run_for(seconds(10));
  pause();
  leave_doubtful("orders");
  metastore().rename_table("sales", "orders", "sales", "bills");
  metastore().drop_table("sales", "bills");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("old on orders (suspended)"));
}

TEST_F(Regressions, GrantsFollowATableBackToTheNameThatItWasMadeUnder) {
  pause();
  leave_doubtful("made");
  metastore().create_table("sales", "made");
  metastore().rename_table("sales", "made", "sales", "moved");
  grant("analyst", "moved");
  metastore().rename_table("sales", "moved", "sales", "made");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("analyst on made"));
}

TEST_F(Regressions, ARevokeIsRepeatedBeforeALaterRenameCarriesTheGrantOn) {
  grant("analyst", "orders");
  pause();
  metastore().rename_table("sales", "orders", "sales", "bills");
  revoke("analyst", "bills");
  metastore().rename_table("sales", "bills", "sales", "archive");
  resume();
  rest();
  EXPECT_THAT(grants(), IsEmpty());
}

TEST_F(Regressions, ARevokeUnderANameInBetweenReachesAGrantOfATableThatCameBack) {
  grant("analyst", "orders");
  pause();
  leave_doubtful("orders");
  metastore().rename_table("sales", "orders", "sales", "bills");
  revoke("analyst", "bills");
  metastore().rename_table("sales", "bills", "sales", "orders");
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
}

TEST_F(Regressions, AGrantAtAHeadThatIsBackIsNotTakenForOlderThanItsTable) {
  pause();
  metastore().drop_table("sales", "orders");
  metastore().create_table("sales", "orders");
  metastore().head_falls_back_by = [] { return int64_t{2}; };
  grant("new", "orders");
  metastore().head_falls_back_by = [] { return int64_t{0}; };
  resume();
  rest();
  EXPECT_THAT(grants(), ElementsAre("new on orders"));
}

class SpoiltEvents : public Regressions {
 protected:
  SpoiltEvents() : Regressions(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.spoils_events = true;
    return profile;
  }
  /// The event's id.
  int64_t drop_unreadably(const std::string& table) {
    metastore().run(doubles::ddl::DropTable{"sales", table}, doubles::Delivery::spoilt);
    return metastore().now();
  }
  /// What has the name at the next look is another table, which does not tell where it went.
  void replace_unreadably(const std::string& table, const std::string& moved_to) {
    pause();
    doubles::ddl::AlterTable rename{"sales", table};
    rename.new_database = "sales";
    rename.new_table = moved_to;
    metastore().run(rename, doubles::Delivery::spoilt);
    metastore().create_table("sales", table);
    resume();
    rest();
  }
  void retry(int64_t event) {
    store().orders.retries.push_back({world_->next_number(), event, "alice"});
    rest();
  }
};

TEST_F(SpoiltEvents, AnUnreadableDropSparesTheTableThatHadTheNameBefore) {
  grant("analyst", "orders");
  replace_unreadably("orders", "archive");
  (void)drop_unreadably("orders");
  rest();
  EXPECT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
}

TEST_F(SpoiltEvents, ARetriedDropSparesAYoungerGrantWhoseTableIsUnderAnotherName) {
  const int64_t drop = drop_unreadably("orders");
  metastore().create_table("sales", "orders");
  rest();
  grant("analyst", "orders");
  replace_unreadably("orders", "archive");
  ASSERT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
  retry(drop);
  EXPECT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
}

TEST_F(SpoiltEvents, ARetriedDropSparesAnOlderGrantThatTheDropHasSpared) {
  grant("analyst", "orders");
  replace_unreadably("orders", "archive");
  const int64_t drop = drop_unreadably("orders");
  rest();
  ASSERT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
  retry(drop);
  EXPECT_THAT(grants(), ElementsAre("analyst on orders (suspended)"));
}

class PlainListeners : public Regressions {
 protected:
  PlainListeners() : Regressions(profile()) {}
  static Profile profile() {
    Profile profile = quiet();
    profile.plain_listener = true;
    return profile;
  }
};

TEST_F(PlainListeners, AreAskedForAgainWhereTheQuestionFailed) {
  bool failed = false;
  world_->choose_fault = [&](const Daemon&, std::string_view call, bool after) {
    const bool fails = call == "metastore:plain_listener" && !after && !std::exchange(failed, true);
    return fails ? std::optional(Fault::fails) : std::nullopt;
  };
  grant("analyst", "orders");
  if (Daemon* const leader = world_->leader()) leader->terminate();
  run_for(seconds(10));
  metastore().log_refused_drop("sales", "orders");
  rest();
  EXPECT_TRUE(failed);
  EXPECT_THAT(grants(), ElementsAre("analyst on orders"));
}

}  // namespace
}  // namespace hmsync::simulation
