// What the simulation found, as the shortest schedules that do it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/simulation/scripted.h"

namespace hmsync::simulation {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  void rename(const std::string& from, const std::string& to, doubles::Delivery delivery) {
    doubles::ddl::AlterTable rename{"sales", from};
    rename.new_database = "sales";
    rename.new_table = to;
    metastore().run(rename, delivery);
  }
  /// What has the name at the next look is another table, which does not tell where it went.
  void replace_unreadably(const std::string& table, const std::string& moved_to) {
    pause();
    rename(table, moved_to, doubles::Delivery::spoilt);
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

TEST_F(SpoiltEvents, ADropThatIsReadAgainSparesTheTableThatHadTheNameBefore) {
  grant("analyst", "orders");
  pause();
  rename("orders", "archive", doubles::Delivery::spoilt);
  metastore().create_table("sales", "orders");
  resume();
  run_for(std::chrono::milliseconds(1));
  metastore().run(doubles::ddl::AlterTable{"sales", "orders"}, doubles::Delivery::spoilt);
  metastore().drop_table("sales", "orders");
  metastore().create_table("sales", "orders");
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

/// orders is renamed from one name to the next; some of the events cannot be read.
struct Journey {
  std::vector<std::string> names;
  std::set<size_t> unreadable;
  size_t revoked_at;  ///< the name that it has then
};

void PrintTo(const Journey& journey, std::ostream* out) {
  *out << "orders";
  for (size_t i = 0; i < journey.names.size(); ++i) {
    *out << (journey.unreadable.contains(i) ? " -x-> " : " -> ") << journey.names[i];
    if (journey.revoked_at == i) *out << '!';
  }
}

/// The journey, and how long the table stays under each name; 0: nobody reads before its end.
class RevokedOnTheWay : public SpoiltEvents,
                        public testing::WithParamInterface<std::tuple<Journey, int>> {};

TEST_P(RevokedOnTheWay, AuthorisesNoMore) {
  const auto& [journey, stay] = GetParam();
  grant("reader", "orders");
  if (stay == 0) pause();
  std::string from = "orders";
  for (size_t i = 0; i < journey.names.size(); ++i) {
    rename(from, journey.names[i],
           journey.unreadable.contains(i) ? doubles::Delivery::spoilt : doubles::Delivery::sound);
    from = journey.names[i];
    if (i == journey.revoked_at) revoke("reader", from);
    run_for(std::chrono::milliseconds(stay));
  }
  resume();
  rest();
  EXPECT_THAT(grants(), Not(Contains(Not(HasSubstr("suspended")))));
}

INSTANTIATE_TEST_SUITE_P(
    Tables, RevokedOnTheWay,
    testing::Combine(testing::Values(Journey{{"bills", "orders"}, {0, 1}, 0},
                                     Journey{{"bills", "orders"}, {0}, 0},
                                     Journey{{"bills", "orders"}, {1}, 0},
                                     Journey{{"bills", "old"}, {0, 1}, 0},
                                     Journey{{"bills", "old"}, {0}, 0},
                                     Journey{{"bills", "old"}, {1}, 0},
                                     Journey{{"bills", "old", "orders"}, {0, 1, 2}, 0},
                                     Journey{{"bills", "old", "orders"}, {0, 1, 2}, 1},
                                     Journey{{"bills", "old", "orders"}, {0, 2}, 0},
                                     Journey{{"bills", "old", "orders"}, {0, 2}, 1},
                                     Journey{{"bills", "old", "orders"}, {1, 2}, 0},
                                     Journey{{"bills", "old", "orders"}, {1, 2}, 1},
                                     Journey{{"bills", "old", "orders"}, {0, 1}, 1}),
                     testing::Values(0, 3, 20, 200, 2000)));

}  // namespace
}  // namespace hmsync::simulation
