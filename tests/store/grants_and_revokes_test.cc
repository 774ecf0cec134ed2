// What people's grants and revokes leave, before and after the events that were unread at that
// moment.
#include <array>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/store/grants_fixture.h"
#include "tests/store/privilege_objects.h"

namespace hmsync::store {
namespace {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeObject;
using follower::PrivilegeOutcome;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const PrivilegeObject kDrafts{"hive", "sales", "drafts", std::nullopt, std::nullopt};

/// Of generation 2 and at event 10, with a table drafts.
class GrantsAndRevokes : public GrantsFixture {
 protected:
  GrantsAndRevokes() {
    reset_at(10);
    reset_at(10);
  }

  void reset_at(int64_t cursor) {
    follower::Publication reset;
    reset.cursor = cursor;
    reset.raise_generation = true;
    const std::string id =
        staged({}, {{database("sales")}, {table("sales", "drafts", "created:1")}, {}});
    store_.snapshots().publish(fence(), id, reset);
  }
  static processor::Mutation drafts_become_orders(int64_t event) {
    return {event,
            processor::RenameTable{
                named("sales", "drafts"), table("sales", "orders", "created:1"), std::nullopt, {}}};
  }

  /// On an object of identity "created:1", the store having read all events.
  PrivilegeOutcome grant(const std::string& action, const PrivilegeObject& object,
                         bool grant_option = false,
                         const GrantBasis& basis = {2, 10, "created:1"}) {
    const auto outcome = store_.privileges().grant(command(action, object, grant_option), basis);
    if (!outcome) throw std::runtime_error("the store asks again");
    return *outcome;
  }
  PrivilegeOutcome revoke(const std::string& action, const PrivilegeObject& object,
                          std::optional<int64_t> head = 10) {
    return store_.privileges().revoke(command(action, object), head);
  }

  static processor::Claim renamed(int64_t event, const std::string& from, const std::string& to) {
    processor::Claim claim;
    claim.event_id = event;
    claim.kind = processor::Claim::Kind::renamed;
    claim.from = named("sales", from);
    claim.name = named("sales", to);
    return claim;
  }
  void read_again(int64_t cursor, const std::vector<processor::Table>& tables) {
    const std::string id = staged({{processor::DatabaseName{"hive", "sales"}, std::nullopt}},
                                  {{database("sales")}, tables, {}});
    follower::Publication publication;
    publication.cursor = cursor;
    publication.unbroken = true;
    publication.reason = "re_read";
    store_.snapshots().publish(fence(), id, publication);
    store_.snapshots().discard(id);
  }

  /// action, grant option, and the object where it is not sales.orders; by object and action.
  std::string held() {
    std::vector<std::string> lines;
    for (const std::string& line : grants()) {
      std::istringstream words(line);
      std::string on, action;
      words >> on >> action;
      if (line.find(" option") != std::string::npos) action += "+";
      if (line.ends_with(")")) action += " suspended";
      lines.push_back(on == "sales.orders" ? on + ' ' + action : on + ' ' + action + " on " + on);
    }
    std::string text;
    for (const std::string& line : sorted(lines)) text += line.substr(line.find(' ') + 1) + '\n';
    return text;
  }
  /// What a leader does between two batches.
  void repeat() { store_.orders().repeat_revokes(fence()); }
  bool due() { return store_.orders().pending().revokes_due; }
  std::optional<int64_t> ahead() { return store_.orders().pending().revoke_ahead; }
};

TEST_F(GrantsAndRevokes, AGrantTwiceChangesNothing) {
  grant("SELECT", kOrders);
  EXPECT_FALSE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "SELECT\n");
  EXPECT_THAT(audit(), ElementsAre("alice grant sales.orders"));
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

TEST_F(GrantsAndRevokes, ARevokeIsFinalWhereAllEventsAreApplied) {
  grant("SELECT", kOrders);
  EXPECT_EQ(revoke("SELECT", kOrders, 10).repeat_at_event, std::nullopt);
  EXPECT_THAT(store_.revokes(), IsEmpty());
}

TEST_F(GrantsAndRevokes, ARevokeWithUnreadEventsIsRepeatedWhenTheyAreApplied) {
  grant("SELECT", kDrafts);
  EXPECT_EQ(revoke("SELECT", kOrders, 12).repeat_at_event, 12);
  EXPECT_FALSE(due());
  repeat();
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
  apply(12, {drafts_become_orders(11)});
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(held(), "");
  EXPECT_FALSE(due());
  EXPECT_THAT(store_.revokes(), ElementsAre("12 finished alice true"));
  EXPECT_THAT(audit(), Contains("alice revoke sales.orders 12"));
}

TEST_F(GrantsAndRevokes, ARepeatedRevokeSparesGrantsMadeAfterIt) {
  grant("SELECT", kOrders);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  apply(12, {});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(GrantsAndRevokes, AnEqualGrantMadeAfterARevokeOutlivesItsRepetition) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  apply(11, {drafts_become_orders(11)});
  EXPECT_FALSE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  apply(12, {});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(GrantsAndRevokes, AMergeDoesNotGiveBackAGrantOptionThatWasRevoked) {
  grant("SELECT", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  apply(12, {drafts_become_orders(11)});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(GrantsAndRevokes, AMergeGivesTheGrantOptionWhereRevokesOfOthersWait) {
  grant("SELECT", kDrafts, true);
  revoke("INSERT", kOrders, 13);
  revoke("SELECT", kDrafts, 13);
  grant("SELECT", kDrafts, true, {2, 12, "created:1"});
  grant("SELECT", kOrders, false, {2, 13, "created:1"});
  apply(13, {drafts_become_orders(13)});
  repeat();
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(GrantsAndRevokes, AGrantWithoutOptionMadeAfterARevokeDoesNotKeepTheOption) {
  grant("SELECT", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  apply(11, {drafts_become_orders(11)});
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  EXPECT_EQ(held(), "SELECT\n");
  apply(12, {});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
  EXPECT_THAT(store_.audited_grants(),
              IsSupersetOf({"alice grant: sales.orders SELECT+ 11 alice -> -",
                            "alice grant: - -> sales.orders SELECT 12 alice"}));
}

TEST_F(GrantsAndRevokes, AGrantWithoutOptionKeepsTheOptionWhereRevokesOfOthersWait) {
  grant("SELECT", kOrders, true);
  revoke("INSERT", kOrders, 12);
  revoke("SELECT", kDrafts, 12);
  EXPECT_FALSE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(GrantsAndRevokes, WhatIsLeftOfAllDoesNotGiveBackAGrantOptionThatWasRevoked) {
  grant("ALL", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  revoke("INSERT", kOrders, 12);
  grant("INSERT", kOrders, false, {2, 12, "created:1"});
  apply(12, {drafts_become_orders(11)});
  repeat();
  EXPECT_EQ(held(), "ALTER+\nCREATE+\nDROP+\nINDEX+\nINSERT\nLOCK+\nREFRESH+\n");
}

TEST_F(GrantsAndRevokes, AnActionGrantedUnderAnOlderAllOutlivesTheRepetitionOfItsRevoke) {
  grant("ALL", kDrafts);
  revoke("SELECT", kOrders, 12);
  apply(11, {drafts_become_orders(11)});
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  apply(12, {});
  repeat();
  EXPECT_THAT(held(), HasSubstr("SELECT\n"));
  EXPECT_THAT(grants(), SizeIs(8));
}

TEST_F(GrantsAndRevokes, ARevokeWithoutAHeadWaitsForOneThatWasSurelyReadAfterIt) {
  grant("SELECT", kOrders);
  EXPECT_EQ(revoke("SELECT", kOrders, std::nullopt).repeat_at_event, -1);
  EXPECT_FALSE(due());
  store_.record_head(10);  // perhaps asked for before the revoke
  EXPECT_TRUE(due());
  repeat();
  EXPECT_FALSE(due());
  EXPECT_THAT(store_.revokes(), ElementsAre("-1 pending alice"));
  store_.record_head(13);
  EXPECT_TRUE(due());
  repeat();
  EXPECT_THAT(store_.revokes(), ElementsAre("13 pending alice"));
  apply(13, {});
  repeat();
  EXPECT_THAT(store_.revokes(), ElementsAre("13 finished alice false"));
}

TEST_F(GrantsAndRevokes, EventsAboveTheOneOfARevokeWaitUntilItIsRepeated) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  EXPECT_EQ(ahead(), 12);
  const processor::Mutation moves_on{
      13, processor::RenameTable{
              named("sales", "orders"), table("sales", "old", "created:1"), std::nullopt, {}}};
  EXPECT_THROW(apply(13, {drafts_become_orders(11), moves_on}), Error);
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
  apply(12, {drafts_become_orders(11)});
  EXPECT_THROW(apply(13, {moves_on}), Error);
  repeat();
  EXPECT_EQ(ahead(), std::nullopt);
  apply(13, {moves_on});
  EXPECT_EQ(held(), "");
}

TEST_F(GrantsAndRevokes, ARevokeIsRepeatedAtItsEventWhateverIsStillToBeReadAgain) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  processor::Claim claim;
  claim.event_id = 11;
  claim.name = named("sales", "returns");
  claim.unordered = true;
  this->claim(11, {claim});
  apply(12, {drafts_become_orders(12)});
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(held(), "");
  EXPECT_FALSE(due());
  EXPECT_EQ(ahead(), std::nullopt);
  EXPECT_THAT(store_.revokes(), ElementsAre("12 pending alice"));
}

TEST_F(GrantsAndRevokes, AGrantOfATableThatCameBackOverARevokesNameIsSuspended) {
  grant("SELECT", kDrafts);
  grant("INSERT", kDrafts);
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders")});
  repeat();
  claim(13, {renamed(13, "orders", "drafts")});
  read_again(13, {table("sales", "drafts", "created:1")});
  EXPECT_THAT(grants(), UnorderedElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)",
                                             "sales.drafts INSERT 10 created:1"));
}

TEST_F(GrantsAndRevokes, AGrantThatAReadingMovesOverARevokesNameIsSuspended) {
  grant("SELECT", kDrafts);
  grant("INSERT", kDrafts);
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders"), renamed(12, "orders", "old")});
  repeat();
  read_again(12, {table("sales", "old", "created:1")});
  EXPECT_THAT(grants(), UnorderedElementsAre("sales.old SELECT 12 created:1 (revoke unfinished)",
                                             "sales.old INSERT 12 created:1"));
  repeat();
  // Not by a rename in its place, nor with all others: somebody has to look at it.
  apply(13,
        {{13, processor::RenameTable{
                  named("sales", "old"), table("sales", "older", "created:1"), std::nullopt, {}}}});
  EXPECT_EQ(store_.restore_suspended(std::nullopt, false, "alice").count, 0);
  EXPECT_THAT(grants(), UnorderedElementsAre("sales.older SELECT 13 created:1 (revoke unfinished)",
                                             "sales.older INSERT 13 created:1"));
}

TEST_F(GrantsAndRevokes, WhatWasSuspendedStaysSoWhereAReadingMovesItOverARevokesName) {
  grant("SELECT", kDrafts);
  read_again(10, {});
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders"), renamed(12, "orders", "old")});
  repeat();
  read_again(12, {table("sales", "old", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.old SELECT 12 created:1 (object gone)"));
}

TEST_F(GrantsAndRevokes, NothingIsAppliedWhileTheHeadOfARevokesMomentIsUnknown) {
  revoke("SELECT", kOrders, std::nullopt);
  EXPECT_EQ(ahead(), 10);
  EXPECT_THROW(apply(11, {}), Error);
  apply(10, {});
}

TEST_F(GrantsAndRevokes, ARevokeWithAHeadBelowTheCursorWaitsForTheResetOrAHigherHead) {
  EXPECT_EQ(revoke("SELECT", kOrders, 4).repeat_at_event, -1);
  for (int i = 0; i < 3; ++i) {
    store_.record_head(4);
    EXPECT_FALSE(due());
    repeat();
  }
  EXPECT_THAT(store_.revokes(), ElementsAre("-1 pending alice"));
  reset_at(4);
  EXPECT_FALSE(due());
  EXPECT_THAT(store_.revokes(), ElementsAre("-1 finished alice false"));
}

TEST_F(GrantsAndRevokes, AResetRepeatsWhateverRevokeIsWaiting) {
  revoke("SELECT", kOrders, 99);
  revoke("SELECT", kSales, std::nullopt);
  reset_at(4);
  EXPECT_FALSE(due());
  EXPECT_THAT(store_.revokes(), ElementsAre("99 finished alice false", "-1 finished alice false"));
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
