// What people's grants and revokes leave.
#include <array>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/store/revokes_fixture.h"

namespace hmsync::store {
namespace {

class GrantsAndRevokes : public RevokesFixture {};

TEST_F(GrantsAndRevokes, AGrantTwiceChangesNothing) {
  grant("SELECT", kOrders);
  EXPECT_FALSE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "SELECT\n");
  EXPECT_THAT(audit(), ElementsAre("alice grant sales.orders"));
}

TEST_F(GrantsAndRevokes, WhatIsStoredIsLookedUpByName) {
  const follower::LookedUp drafts = store_.privileges().look_up(kDrafts);
  EXPECT_EQ(drafts.generation, 2);
  EXPECT_EQ(drafts.identity, "created:1");
  EXPECT_EQ(store_.privileges().look_up(kSales).identity, "");
  EXPECT_EQ(store_.privileges().look_up(kOrders).identity, std::nullopt);
  EXPECT_EQ(store_.privileges().look_up({}).identity, std::nullopt);
}

// An event under an id that was passed leaves the cursor where it is.
TEST_F(GrantsAndRevokes, AGrantOnWhatALateEventTookMeanwhileIsAskedForAgain) {
  apply(10, {{10, processor::RemoveTable{named("sales", "drafts")}}});
  EXPECT_EQ(store_.privileges().grant(command("SELECT", kDrafts), {2, 10, "created:1", true}),
            std::nullopt);
  EXPECT_THAT(grants(), IsEmpty());
  EXPECT_TRUE(grant("SELECT", kDrafts).changed) << "it is not stored yet";
}

TEST_F(GrantsAndRevokes, TheGrantOptionIsAddedToAGrantAndNotTakenBackByOneWithout) {
  grant("SELECT", kOrders);
  EXPECT_TRUE(grant("SELECT", kOrders, true).changed);
  EXPECT_EQ(held(), "SELECT+\n");
  EXPECT_FALSE(grant("SELECT", kOrders, false).changed);
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(GrantsAndRevokes, AnActionIsNotGrantedAgainWhereAllIsHeld) {
  grant("ALL", kOrders);
  EXPECT_FALSE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "ALL\n");
  EXPECT_TRUE(grant("SELECT", kOrders, true).changed);
  EXPECT_EQ(held(), "ALL\nSELECT+\n");
}

TEST_F(GrantsAndRevokes, AllOnTheDatabaseDoesNotKeepATableFromHavingItsOwn) {
  grant("ALL", kSales);
  EXPECT_TRUE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "ALL on sales\nSELECT\n");
}

TEST_F(GrantsAndRevokes, AllTakesThePlaceOfWhatItContains) {
  grant("SELECT", kOrders);
  grant("INSERT", kOrders, true);
  grant("SELECT", kAmount);
  EXPECT_TRUE(grant("ALL", kOrders).changed);
  EXPECT_EQ(held(), "ALL\nINSERT+\nSELECT on sales.orders.amount\n");
  grant("ALL", kOrders, true);
  EXPECT_EQ(held(), "ALL+\nSELECT on sales.orders.amount\n");
}

TEST_F(GrantsAndRevokes, RevokingOneActionFromAllLeavesTheSevenOthers) {
  grant("ALL", kOrders, true, {2, 12, "created:7"});
  EXPECT_TRUE(revoke("LOCK", kOrders).changed);
  EXPECT_EQ(held(), "ALTER+\nCREATE+\nDROP+\nINDEX+\nINSERT+\nREFRESH+\nSELECT+\n");
  EXPECT_THAT(grants(), Each(HasSubstr(" 12 created:7 option")));
  EXPECT_THAT(store_.audited_grants(),
              IsSupersetOf({"alice revoke: - -> sales.orders DROP+ 12 alice",
                            "alice revoke: sales.orders ALL+ 12 alice -> -"}));
}

TEST_F(GrantsAndRevokes, RevokingOneActionFromAllKeepsANarrowerGrantWithOption) {
  grant("ALL", kOrders);
  grant("SELECT", kOrders, true);
  revoke("INSERT", kOrders);
  EXPECT_EQ(held(), "ALTER\nCREATE\nDROP\nINDEX\nLOCK\nREFRESH\nSELECT+\n");
}

TEST_F(GrantsAndRevokes, RevokingAllLeavesNothing) {
  grant("SELECT", kOrders);
  grant("INSERT", kOrders, true);
  EXPECT_TRUE(revoke("ALL", kOrders).changed);
  EXPECT_EQ(held(), "");
}

TEST_F(GrantsAndRevokes, RevokingWhatIsNotGrantedChangesNothing) {
  grant("SELECT", kOrders);
  const PrivilegeOutcome outcome = revoke("INSERT", kOrders);
  EXPECT_EQ(outcome.outcome, "done");
  EXPECT_FALSE(outcome.changed);
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(GrantsAndRevokes, ARevokeReachesWhatIsBelowAndNotWhatIsAboveOrBeside) {
  const PrivilegeObject returns{"hive", "sales", "returns", std::nullopt, std::nullopt};
  const PrivilegeObject elsewhere{"other", "sales", "orders", std::nullopt, std::nullopt};
  grant("SELECT", kServer, false, {2, kAny, ""});
  grant("SELECT", kUri, false, {2, kAny, ""});
  for (const auto& object : {kSales, kOrders, kAmount, returns, elsewhere}) grant("SELECT", object);
  revoke("SELECT", kOrders);
  EXPECT_THAT(grants(),
              ElementsAre("hdfs://nn/Data SELECT 10 ", "other:sales.orders SELECT 10 created:1",
                          "sales SELECT 10 created:1", "sales.returns SELECT 10 created:1",
                          "server SELECT 10 "));
  revoke("SELECT", kSales);
  EXPECT_THAT(grants(), ElementsAre("hdfs://nn/Data SELECT 10 ",
                                    "other:sales.orders SELECT 10 created:1", "server SELECT 10 "));
}

TEST_F(GrantsAndRevokes, ARevokeFromTheDatabaseSplitsAllOnItsTables) {
  grant("ALL", kOrders);
  revoke("SELECT", kSales);
  EXPECT_EQ(held(), "ALTER\nCREATE\nDROP\nINDEX\nINSERT\nLOCK\nREFRESH\n");
}

TEST_F(GrantsAndRevokes, ARevokeOnlyMeansItsRole) {
  store_.create_role("clerk", "root");
  PrivilegeCommand other = command("SELECT", kOrders);
  other.role = "clerk";
  ASSERT_TRUE(store_.privileges().grant(other, {2, 10, ""}));
  grant("SELECT", kOrders);
  revoke("ALL", kSales);
  EXPECT_THAT(grants(), ElementsAre("clerk: sales.orders SELECT 10 "));
}

TEST_F(GrantsAndRevokes, ARevokeRemovesSuspendedGrantsToo) {
  GrantsFixture::grant(
      {.on = "sales.orders", .as_of = 10, .action = "ALL", .suspended_reason = "object gone"});
  revoke("SELECT", kOrders);
  EXPECT_THAT(grants(), AllOf(SizeIs(7), Each(HasSubstr(" (object gone)"))));
  revoke("ALL", kOrders);
  EXPECT_EQ(held(), "");
}

TEST_F(GrantsAndRevokes, AGrantIsNotMadeOnABasisThatTheCursorHasPassed) {
  EXPECT_EQ(store_.privileges().grant(command("SELECT", kOrders), {2, 9, ""}), std::nullopt);
  EXPECT_EQ(store_.privileges().grant(command("SELECT", kOrders), {1, 10, ""}), std::nullopt);
  EXPECT_EQ(held(), "");
  EXPECT_TRUE(store_.privileges().grant(command("SELECT", kOrders), {2, 10, ""}));
}

TEST_F(GrantsAndRevokes, AnEqualGrantTakesTheNewerEventSoThatAnUnreadDropDoesNotUndoIt) {
  grant("SELECT", kSales, false, {2, 10, ""});
  EXPECT_FALSE(grant("SELECT", kSales, false, {2, 15, ""}).changed);
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 15 "));
}

TEST_F(GrantsAndRevokes, AGrantOfAFormerObjectDoesNotSwallowOneOnItsSuccessor) {
  grant("SELECT", kOrders, true, {2, 10, "created:1"});
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 15, "created:2"}).changed);
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 10 created:1 option (other object)",
                                    "sales.orders SELECT 15 created:2"));
  EXPECT_THAT(permission_changes(), ElementsAre("granted analyst sales orders  SELECT",
                                                "granted analyst sales orders  SELECT",
                                                "suspended analyst sales orders  SELECT"));
  EXPECT_THAT(audit(), ElementsAre("alice grant sales.orders", "alice grant sales.orders",
                                   "alice suspend sales.orders"));
}

TEST_F(GrantsAndRevokes, AllOfAFormerObjectDoesNotSwallowAnActionOnItsSuccessor) {
  grant("ALL", kOrders, false, {2, 10, "created:1"});
  grant("SELECT", kOrders, false, {2, 15, "created:2"});
  EXPECT_EQ(held(), "ALL suspended\nSELECT\n");
}

TEST_F(GrantsAndRevokes, AllOnAnObjectWithoutIdentityDoesNotSwallowAnActionWhileEventsAreUnread) {
  grant("ALL", kSales, false, {2, 10, ""});
  EXPECT_TRUE(grant("SELECT", kSales, false, {2, 15, ""}).changed);
  EXPECT_EQ(held(), "ALL on sales\nSELECT on sales\n");
}

TEST_F(GrantsAndRevokes, UnknownRolesAreRefusedAndAudited) {
  PrivilegeCommand unknown = command("SELECT", kOrders);
  unknown.role = "nobody";
  const auto granted = store_.privileges().grant(unknown, {2, 10, ""});
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->outcome, "refused");
  EXPECT_THAT(granted->reason, HasSubstr("no role nobody"));
  EXPECT_EQ(store_.privileges().revoke(unknown, 10).outcome, "refused");
  EXPECT_THAT(audit(), ElementsAre("alice grant sales.orders refused: there is no role nobody",
                                   "alice revoke sales.orders refused: there is no role nobody"));
}

TEST_F(GrantsAndRevokes, TheAuditShowsAGrantAsItWasBeforeItGotTheOption) {
  grant("SELECT", kOrders);
  PrivilegeCommand wider = command("SELECT", kOrders, true);
  wider.who = "bob";
  ASSERT_TRUE(store_.privileges().grant(wider, {2, 10, "created:1"}));
  EXPECT_THAT(
      store_.audited_grants(),
      ElementsAre("alice grant: - -> sales.orders SELECT 10 alice",
                  "bob grant: sales.orders SELECT 10 alice -> sales.orders SELECT+ 10 bob"));
}

TEST_F(GrantsAndRevokes, ARoleIsCreatedOnceAndTakesItsGrantsAlong) {
  EXPECT_EQ(store_.create_role("analyst", "bob").outcome, "refused");
  grant("SELECT", kOrders);
  EXPECT_TRUE(store_.drop_role("analyst", "bob").changed);
  EXPECT_EQ(store_.drop_role("analyst", "bob").outcome, "refused");
  EXPECT_THAT(grants(), IsEmpty());
  EXPECT_THAT(permission_changes(), ElementsAre("granted analyst sales orders  SELECT",
                                                "revoked analyst sales orders  SELECT"));
  EXPECT_THAT(audit(),
              ElementsAre("alice grant sales.orders",
                          "bob create role analyst refused: there is a role analyst already",
                          "bob drop role analyst",
                          "bob drop role analyst refused: there is no role "
                          "analyst",
                          "bob drop role sales.orders"));
}

/// What a role may do, as sets of actions an object: the plain meaning that rows must keep.
class Meaning {
 public:
  static constexpr std::array kEach = {"SELECT", "INSERT", "CREATE", "ALTER",
                                       "DROP",   "INDEX",  "LOCK",   "REFRESH"};

  void grant(const std::string& object, const std::string& action, bool option) {
    for (const auto& each : meant(action)) {
      allowed_.insert(object + " " + each);
      if (option) allowed_.insert(object + " " + each + "+");
    }
  }
  void revoke(const std::string& object, const std::string& action) {
    for (const auto& each : meant(action)) {
      std::erase_if(allowed_, [&](const std::string& entry) {
        const bool reached = object == "server" || entry.starts_with(object + " ") ||
                             entry.starts_with(object + ".");
        return reached && (entry.ends_with(" " + each) || entry.ends_with(" " + each + "+"));
      });
    }
  }
  [[nodiscard]] const std::set<std::string>& allowed() const { return allowed_; }

 private:
  static std::vector<std::string> meant(const std::string& action) {
    if (action == "ALL") return {kEach.begin(), kEach.end()};
    return {action};
  }

  std::set<std::string> allowed_;
};

TEST_F(GrantsAndRevokes, RandomGrantsAndRevokesMeanWhatTheyMeanAsSets) {
  const std::vector<std::pair<std::string, PrivilegeObject>> objects = {
      {"server", kServer},
      {"sales", kSales},
      {"sales.orders", kOrders},
      {"sales.orders.amount", kAmount}};
  const std::vector<std::string> actions = {"ALL", "ALL", "SELECT", "INSERT", "DROP", "REFRESH"};
  std::minstd_rand random(20261130);
  Meaning meaning;
  for (int step = 0; step < 400; ++step) {
    const auto& [name, object] = objects[random() % objects.size()];
    const std::string& action = actions[random() % actions.size()];
    const bool option = random() % 3 == 0;
    const std::set<std::string> before = meaning.allowed();
    const bool revoking = random() % 2 == 0;
    if (revoking) {
      meaning.revoke(name, action);
    } else {
      meaning.grant(name, action, option);
    }
    const PrivilegeOutcome outcome =
        revoking ? revoke(action, object) : grant(action, object, option);
    if (before != meaning.allowed()) {
      EXPECT_TRUE(outcome.changed) << "step " << step;
    }
    Meaning stored;
    for (const std::string& line : grants()) {
      std::istringstream words(line);
      std::string on, act;
      words >> on >> act;
      stored.grant(on, act, line.ends_with(" option"));
    }
    ASSERT_EQ(stored.allowed(), meaning.allowed())
        << "step " << step << ": " << (revoking ? "revoke " : "grant ") << action << " on " << name
        << (option ? " with grant option" : "");
  }
}

}  // namespace
}  // namespace hmsync::store
