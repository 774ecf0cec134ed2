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
