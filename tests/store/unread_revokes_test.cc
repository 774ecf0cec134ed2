// What revokes leave when events that were unread at that moment are applied, or what they name is
// read again.
#include "tests/store/revokes_fixture.h"

namespace hmsync::store {
namespace {

class UnreadRevokes : public RevokesFixture {};

TEST_F(UnreadRevokes, ARevokeIsFinalWhereAllEventsAreApplied) {
  grant("SELECT", kOrders);
  EXPECT_EQ(revoke("SELECT", kOrders, 10).repeat_at_event, std::nullopt);
  EXPECT_THAT(store_.revokes(), IsEmpty());
}

TEST_F(UnreadRevokes, ARevokeWithUnreadEventsIsRepeatedWhenTheyAreApplied) {
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

TEST_F(UnreadRevokes, ARepeatedRevokeSparesGrantsMadeAfterIt) {
  grant("SELECT", kOrders);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  apply(12, {});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(UnreadRevokes, AnEqualGrantMadeAfterARevokeOutlivesItsRepetition) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  apply(11, {drafts_become_orders(11)});
  EXPECT_FALSE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  apply(12, {});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(UnreadRevokes, AMergeDoesNotGiveBackAGrantOptionThatWasRevoked) {
  grant("SELECT", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  apply(12, {drafts_become_orders(11)});
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(UnreadRevokes, AMergeGivesTheGrantOptionWhereRevokesOfOthersWait) {
  grant("SELECT", kDrafts, true);
  revoke("INSERT", kOrders, 13);
  revoke("SELECT", kDrafts, 13);
  grant("SELECT", kDrafts, true, {2, 12, "created:1"});
  grant("SELECT", kOrders, false, {2, 13, "created:1"});
  apply(13, {drafts_become_orders(13)});
  repeat();
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(UnreadRevokes, AGrantWithoutOptionMadeAfterARevokeDoesNotKeepTheOption) {
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

TEST_F(UnreadRevokes, AGrantWithoutOptionKeepsTheOptionWhereRevokesOfOthersWait) {
  grant("SELECT", kOrders, true);
  revoke("INSERT", kOrders, 12);
  PrivilegeObject column = kDrafts;
  column.column = "price";
  revoke("SELECT", column, 12);
  EXPECT_FALSE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(UnreadRevokes, AGrantWithoutOptionKeepsNoneThatWasRevokedUnderANameInBetween) {
  grant("SELECT", kDrafts, true);
  revoke("SELECT", kOrders, 11);
  grant("SELECT", kDrafts, false, {2, 12, "created:1"});
  apply(11, {drafts_become_orders(11)});
  repeat();
  apply(12, {orders_become_drafts(12)});
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
}

TEST_F(UnreadRevokes, WhatIsLeftOfAllGivesBackNoOptionThatWasRevokedUnderANameInBetween) {
  grant("ALL", kDrafts, true);
  revoke("INSERT", kOrders, 11);
  grant("INSERT", kDrafts, false, {2, 12, "created:1"});
  revoke("SELECT", kDrafts, 12);
  EXPECT_THAT(held(), AllOf(HasSubstr("INSERT on"), HasSubstr("ALTER+ on")));
}

TEST_F(UnreadRevokes, WhatIsLeftOfAllDoesNotGiveBackAGrantOptionThatWasRevoked) {
  grant("ALL", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  revoke("INSERT", kOrders, 12);
  grant("INSERT", kOrders, false, {2, 12, "created:1"});
  apply(12, {drafts_become_orders(11)});
  repeat();
  EXPECT_EQ(held(), "ALTER+\nCREATE+\nDROP+\nINDEX+\nINSERT\nLOCK+\nREFRESH+\n");
}

TEST_F(UnreadRevokes, AnActionGrantedUnderAnOlderAllOutlivesTheRepetitionOfItsRevoke) {
  grant("ALL", kDrafts);
  revoke("SELECT", kOrders, 12);
  apply(11, {drafts_become_orders(11)});
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  apply(12, {});
  repeat();
  EXPECT_THAT(held(), HasSubstr("SELECT\n"));
  EXPECT_THAT(grants(), SizeIs(8));
}

TEST_F(UnreadRevokes, ARevokeWithoutAHeadWaitsForOneThatWasSurelyReadAfterIt) {
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

TEST_F(UnreadRevokes, EventsAboveTheOneOfARevokeWaitUntilItIsRepeated) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  EXPECT_EQ(ahead(), 12);
  const processor::Mutation moves_on = becomes(13, "orders", "old");
  EXPECT_THROW(apply(13, {drafts_become_orders(11), moves_on}), Error);
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
  apply(12, {drafts_become_orders(11)});
  EXPECT_THROW(apply(13, {moves_on}), Error);
  repeat();
  EXPECT_EQ(ahead(), std::nullopt);
  apply(13, {moves_on});
  EXPECT_EQ(held(), "");
}

TEST_F(UnreadRevokes, ARevokeIsRepeatedAtItsEventWhateverIsStillToBeReadAgain) {
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

TEST_F(UnreadRevokes, AGrantOfATableThatCameBackOverARevokesNameIsSuspended) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders")});
  repeat();
  claim(13, {renamed(13, "orders", "drafts")});
  read_again(13, {table("sales", "drafts", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, ItsEventIsNotReadableBeforeARevokeIsRepeatedAndItsReadingsAreDone) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 12);
  EXPECT_EQ(store_.position().cursor, 10);
  claim(11, {renamed(11, "returns", "bills")});
  apply(12, {becomes(12, "drafts", "orders")});
  read_again(12, {table("sales", "orders", "created:1")});
  EXPECT_EQ(store_.position().cursor, 11);
  repeat();
  EXPECT_EQ(held(), "");
  EXPECT_EQ(store_.position().cursor, 12);
}

TEST_F(UnreadRevokes, AGrantOfATableThatCameBackByAnUnreadableRenameIsSuspended) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 11);
  claim(11, {renamed(11, "", "orders")});
  repeat();
  claim(12, {renamed(12, "", "drafts")});
  read_again(12, {table("sales", "drafts", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, UnreadableRenamesAreReadTogetherWhileARevokeWaits) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 11);
  claim(11, {renamed(11, "", "orders")});
  repeat();
  claim(12, {renamed(12, "", "drafts")});
  const follower::Scope orders{processor::DatabaseName{"hive", "sales"}, "orders", false};
  const follower::Scope drafts{processor::DatabaseName{"hive", "sales"}, "drafts", false};
  const std::string id = staged({orders}, {});
  EXPECT_THAT(publish(id, 12).missing, ElementsAre(drafts));
  store_.snapshots().add(id, {{}, {table("sales", "drafts", "created:1")}, {}}, {drafts});
  publish(id, 12);
  EXPECT_THAT(grants(), ElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, WithoutARevokeUnreadableRenamesAreReadEachByItself) {
  grant("SELECT", kDrafts);
  claim(12, {renamed(11, "", "orders"), renamed(12, "", "drafts")});
  const follower::Scope orders{processor::DatabaseName{"hive", "sales"}, "orders", false};
  const std::string id = staged({orders}, {});
  EXPECT_THAT(publish(id, 12).missing, IsEmpty());
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
}

TEST_F(UnreadRevokes, AGrantOfATableThatWasAlteredUnreadablyStays) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOld, 12);
  claim(11, {renamed(11, "", "drafts")});
  read_again(11, {table("sales", "drafts", "created:1")});
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
}

TEST_F(UnreadRevokes, AGrantOfATableThatWentByAnUnreadableRenameAndCameBackIsSuspended) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOrders, 11);
  claim(11, {renamed(11, "", "orders")});
  repeat();
  processor::Claim back = renamed(12, "orders", "drafts");
  back.identity = "created:1";
  claim(12, {back});
  read_again(12, {table("sales", "drafts", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, AGrantThatAReadingMovesOverARevokesNameIsSuspended) {
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
  apply(13, {becomes(13, "old", "older")});
  EXPECT_EQ(store_.restore_suspended(std::nullopt, false, "alice").count, 0);
  EXPECT_THAT(grants(), UnorderedElementsAre("sales.older SELECT 13 created:1 (revoke unfinished)",
                                             "sales.older INSERT 13 created:1"));
}

TEST_F(UnreadRevokes, AGrantGivenAfterARevokeMovesThoughAnOlderOneOfItsTableMayBeRevoked) {
  grant("SELECT", kDrafts);
  claim(12, {renamed(11, "drafts", "orders")});
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  repeat();
  claim(13, {renamed(13, "orders", "old")});
  read_again(13, {table("sales", "old", "created:1")});
  EXPECT_THAT(grants(), UnorderedElementsAre("sales.old SELECT 13 created:1 (revoke unfinished)",
                                             "sales.old SELECT 13 created:1"));
}

TEST_F(UnreadRevokes, WhatWasSuspendedStaysSoWhereItsTableCameBackOverARevokesName) {
  grant("SELECT", kDrafts);
  read_again(10, {});
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders")});
  repeat();
  claim(13, {renamed(13, "orders", "drafts")});
  read_again(13, {table("sales", "drafts", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.drafts SELECT 10 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, WhatWasSuspendedStaysSoWhereAReadingMovesItOverARevokesName) {
  grant("SELECT", kDrafts);
  read_again(10, {});
  revoke("SELECT", kOrders, 12);
  claim(12, {renamed(11, "drafts", "orders"), renamed(12, "orders", "old")});
  repeat();
  read_again(12, {table("sales", "old", "created:1")});
  EXPECT_THAT(grants(), ElementsAre("sales.old SELECT 12 created:1 (revoke unfinished)"));
}

TEST_F(UnreadRevokes, NothingIsAppliedWhileTheHeadOfARevokesMomentIsUnknown) {
  revoke("SELECT", kOrders, std::nullopt);
  EXPECT_EQ(ahead(), 10);
  EXPECT_THROW(apply(11, {}), Error);
  apply(10, {});
}

TEST_F(UnreadRevokes, ARevokeWithAHeadBelowTheCursorWaitsForTheResetOrAHigherHead) {
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

TEST_F(UnreadRevokes, AResetRepeatsWhateverRevokeIsWaiting) {
  revoke("SELECT", kOrders, 99);
  revoke("SELECT", kSales, std::nullopt);
  reset_at(4);
  EXPECT_FALSE(due());
  EXPECT_THAT(store_.revokes(), ElementsAre("99 finished alice false", "-1 finished alice false"));
}

TEST_F(UnreadRevokes, AMergeDoesNotGiveBackAGrantOptionThatWasRevokedUnderANameInBetween) {
  grant("SELECT", kDrafts, true);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  claim(12, {renamed(11, "drafts", "orders")});
  repeat();
  claim(13, {renamed(13, "orders", "drafts")});
  read_again(13, {table("sales", "drafts", "created:1")});
  EXPECT_EQ(held(), "SELECT on sales.drafts\nSELECT+ suspended on sales.drafts\n");
}

TEST_F(UnreadRevokes, AMergeGivesBackNoOptionOfATableThatMovedOn) {
  grant("SELECT", kDrafts, true);
  claim(12, {renamed(11, "drafts", "orders")});
  revoke("SELECT", kOrders, 12);
  repeat();
  claim(13, {renamed(13, "orders", "old")});
  grant("SELECT", kOld, false, {2, 13, "created:1"});
  read_again(13, {table("sales", "old", "created:1")});
  EXPECT_EQ(held(), "SELECT on sales.old\nSELECT+ suspended on sales.old\n");
}

TEST_F(UnreadRevokes, WhatWasGrantedAfterARevokeOutlivesALostSpan) {
  grant("SELECT", kDrafts);
  revoke("SELECT", kOld, 16);
  grant("SELECT", kOld, false, {2, 17, "created:1"});
  follower::Publication after_gap;
  after_gap.cursor = 20;
  const std::string id =
      staged({}, {{database("sales")}, {table("sales", "old", "created:1")}, {}});
  store_.snapshots().publish(fence(), id, after_gap);
  EXPECT_EQ(held(), "SELECT on sales.old\n");
  EXPECT_THAT(store_.revokes(), ElementsAre("16 finished alice true"));
}

}  // namespace
}  // namespace hmsync::store
