// What a snapshot of some objects does to grants: by what events said of the objects, and by
// identity.
#include "tests/store/claims_fixture.h"

namespace hmsync::store {

namespace {

class SnapshotClaims : public ClaimsFixture {};

TEST_F(SnapshotClaims, ARenameMovesGrantsWhateverTheirEventAndRevivesSuspendedOnes) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.a", 99, "", "ALTER", true});
  grant({"sales.a.price", 5, "created:1"});
  grant({"sales.a", 5, "created:1", "INSERT", false, "object gone"});
  grant({"sales.a", 5, "created:1", "DROP", false, "column gone"});
  grant({"sales.a", 5, "created:44", "LOCK"});
  claim({unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales", "a"), scope("sales", "b")}, {{}, {table("sales", "b", "created:1")}, {}});
  EXPECT_THAT(grants(),
              UnorderedElementsAre("sales.b SELECT 8 created:1", "sales.b ALTER 8 created:1 option",
                                   "sales.b.price SELECT 8 created:1", "sales.b INSERT 8 created:1",
                                   "sales.b DROP 8 created:1 (column gone)",
                                   "sales.a LOCK 5 created:44 (object gone)"));
  EXPECT_THAT(permission_changes(), IsSupersetOf({"8 moved analyst sales a  SELECT sales b",
                                                  "8 restored analyst sales b  INSERT"}));
  EXPECT_THAT(audit(), IsSupersetOf({"event move sales.b 8", "event move sales.b.price 8",
                                     "snapshot restore sales.b 8"}));
}

TEST_F(SnapshotClaims, ADropInItsPlaceLeavesGrantsThatAreYoungerThanIt) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.a", 9, "created:2", "INSERT"});
  claim({claimed(8, Kind::dropped, named("sales", "a"))});
  publish({scope("sales", "a")}, {});
  EXPECT_THAT(grants(), ElementsAre("sales.a INSERT 9 created:2 (object gone)"));
}

TEST_F(SnapshotClaims, ADropUnderALaterNameLeavesGrantsThatAreYoungerThanIt) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.a", 9, "created:2", "INSERT"});
  claim({claimed(7, Kind::renamed, named("sales", "b"), named("sales", "a")),
         claimed(8, Kind::dropped, named("sales", "b"))});
  publish({scope("sales", "a"), scope("sales", "b")}, {});
  EXPECT_THAT(grants(), ElementsAre("sales.a INSERT 9 created:2 (object gone)"));
}

TEST_F(SnapshotClaims, ARenameOverSeveralNamesIsFollowedToItsEnd) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({claimed(8, Kind::renamed, named("sales", "c"), named("sales", "b")),
         unordered(claimed(7, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales")}, sales({table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 8 created:1"));
}

TEST_F(SnapshotClaims, TablesThatExchangedTheirNamesExchangeTheirGrants) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:2"});
  claim({claimed(7, Kind::renamed, named("sales", "t"), named("sales", "a")),
         claimed(8, Kind::renamed, named("sales", "a"), named("sales", "b")),
         claimed(9, Kind::renamed, named("sales", "b"), named("sales", "t"))});
  publish({scope("sales")},
          sales({table("sales", "a", "created:2"), table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 8 created:2", "sales.b SELECT 9 created:1"));
}

TEST_F(SnapshotClaims, AMovedGrantMergesAndWhatWasAnothersAtTheTargetIsSuspended) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2")}));
  grant({"sales.a", 5, "created:1", "SELECT", true});
  grant({"sales.b", 5, "created:2"});
  grant({"sales.a", 5, "created:1", "ALTER", true});
  grant({"sales.b", 9, "created:1", "ALTER"});
  claim({claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b ALTER 9 created:1 option",
                                    "sales.b SELECT 5 created:2 (other object)",
                                    "sales.b SELECT 8 created:1 option"));
}

TEST_F(SnapshotClaims, TheAuditShowsAMergedGrantAsItAuthorisedBefore) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1", "ALTER"});
  grant({"sales.b", 9, "created:1", "ALTER"});
  claim({claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(store_.audited_grants(), ElementsAre("event merge: sales.a ALTER 5  -> -"));
}

TEST_F(SnapshotClaims, ATableThatWasRenamedAndThenDroppedTakesItsGrantsAlong) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 99, "created:1"});
  grant({"sales.a", 99, "", "ALTER"});
  grant({"sales.a", 5, "", "INSERT"});
  claim({unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a"))),
         claimed(9, Kind::dropped, named("sales", "b"))});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales.a ALTER 99 "));
  EXPECT_THAT(audit(), ElementsAre("event remove sales.a 9", "event remove sales.a 9"));
}

TEST_F(SnapshotClaims, ADropBeforeTheRenameDoesNotEndTheRenamedTablesGrants) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:2"});
  claim({claimed(7, Kind::dropped, named("sales", "b")),
         claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1"));
  // Gone without any event after the rename: nobody said that it was dropped.
  claim({claimed(9, Kind::dropped, named("sales", "c")),
         claimed(10, Kind::renamed, named("sales", "c"), named("sales", "b"))});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ARenameWhoseTargetWasReadBeforeStillMovesTheGrants) {
  start(sales({table("sales", "b", "created:1")}));
  grant({"sales.a", 9, "created:1"});
  claim({unordered(claimed(7, Kind::dropped, named("sales", "b"))),
         unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales", "a"), scope("sales", "b")}, {{}, {table("sales", "b", "created:1")}, {}});
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1"));
}

TEST_F(SnapshotClaims, OfTwoTablesOfOneSecondNeitherIsTakenForTheOther) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:1"});
  claim({unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "a"))),
         unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "b")))});
  publish({scope("sales")}, sales({table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)",
                                    "sales.b SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, OfTwoTablesOfOneSecondThatWereGoneBeforeNeitherIsTakenForTheOther) {
  start(sales({table("sales", "c", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:1", "ALTER"});
  claim({unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "a"))),
         unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "b")))});
  publish({scope("sales")}, sales({table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)",
                                    "sales.b ALTER 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ARenameOfAnotherIdentityToTheSameNameDoesNotKeepTheGrantsFromMoving) {
  start(sales({table("sales", "c", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  Claim other = claimed(6, Kind::renamed, named("sales", "c"), named("sales", "b"));
  other.identity = "created:2";
  claim({unordered(other),
         unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "a")))});
  publish({scope("sales")}, sales({table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 7 created:1"));
}

TEST_F(SnapshotClaims, ATableOfTheSameSecondThatGaveWayAndCameBackInheritsNothing) {
  start(sales({table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({claimed(6, Kind::renamed, named("sales", "t"), named("sales", "a")),
         claimed(7, Kind::dropped, named("sales", "t")),
         claimed(8, Kind::renamed, named("sales", "t"), named("sales", "b")),
         claimed(9, Kind::renamed, named("sales", "b"), named("sales", "t"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ATableOfTheSameSecondThatWasMadeAtTheTargetInheritsNothing) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  Claim made = claimed(8, Kind::created, named("sales", "b"));
  made.identity = "created:1";
  claim({unordered(claimed(6, Kind::renamed, named("sales", "b"), named("sales", "a"))),
         unordered(claimed(7, Kind::dropped, named("sales", "b"))), unordered(made)});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ATableOfTheSameSecondThatWasReadAtTheNextNameIsNotTheOneThatFollowsIt) {
  start(sales({table("sales", "c", "created:1"), table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({unordered(claimed(7, Kind::renamed, named("sales", "c"), named("sales", "b"))),
         unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales")},
          sales({table("sales", "b", "created:1"), table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1"));
}

TEST_F(SnapshotClaims, GrantsOfATableThatMayLiveUnderANameReadBeforeAreNotRemoved) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({unordered(claimed(7, Kind::dropped, named("sales", "b"))),
         unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, GrantsOfATableThatMayLiveElsewhereAreNotRemovedByADropUnderItsOldName) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({claimed(7, Kind::renamed, named("sales", "b"), named("sales", "a")),
         claimed(8, Kind::created, named("sales", "a")),
         claimed(9, Kind::dropped, named("sales", "a"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ATableThatWentBackAndForthAndWasReadBeforeTakesItsGrantsAlong) {
  start(sales({table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({unordered(claimed(6, Kind::renamed, named("sales", "b"), named("sales", "a"))),
         unordered(claimed(7, Kind::renamed, named("sales", "a"), named("sales", "b"))),
         unordered(claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1"));
}

TEST_F(SnapshotClaims, ATwinOfTheSameSecondThatStaysKeepsItsGrants) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:1"});
  claim({claimed(7, Kind::renamed, named("sales", "c"), named("sales", "a"))});
  publish({scope("sales")},
          sales({table("sales", "b", "created:1"), table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 5 created:1", "sales.c SELECT 7 created:1"));
}

TEST_F(SnapshotClaims, ARenameThatTurnsUpAfterItsTableWasFoundGoneCarriesAndRevivesTheGrants) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  publish({scope("sales", "a")}, {});
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
  claim({unordered(claimed(4, Kind::renamed, named("sales", "b"), named("sales", "a")))});
  publish({scope("sales", "a"), scope("sales", "b")}, {{}, {table("sales", "b", "created:1")}, {}});
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 4 created:1"));
}

TEST_F(SnapshotClaims, AnUnreadableRenameMovesGrantsWhereOneVanishedAndOneCame) {
  start(sales({table("sales", "a", "created:1"), table("sales", "twin", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.twin", 5, "created:1"});
  claim({claimed(8, Kind::renamed, named("sales", "b"))});
  publish({scope("sales")},
          sales({table("sales", "b", "created:1"), table("sales", "twin", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 8 created:1", "sales.twin SELECT 5 created:1"));
}

TEST_F(SnapshotClaims, AnUnreadableRenameIsFoundByTheNextOneThatLedOn) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:2"});
  claim({known(7, Kind::renamed, "c", "b", "created:2"),
         claimed(8, Kind::renamed, named("sales", "b")),
         known(9, Kind::renamed, "d", "b", "created:1")});
  const Published published =
      publish({scope("sales", "b"), scope("sales", "c"), scope("sales", "d")},
              {{}, {table("sales", "c", "created:2"), table("sales", "d", "created:1")}, {}});
  EXPECT_EQ(published.outcome, Published::Outcome::incomplete);
  EXPECT_THAT(published.missing, ElementsAre(scope("sales", "a")));
  publish({scope("sales")},
          sales({table("sales", "c", "created:2"), table("sales", "d", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 7 created:2", "sales.d SELECT 9 created:1"));
}

TEST_F(SnapshotClaims, AnUnreadableRenameIsNotFoundByOneThatLedAwayWhatCameLater) {
  start(sales({table("sales", "a", "created:1"), table("sales", "x", "created:2")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.x", 5, "created:2"});
  claim({claimed(6, Kind::renamed, named("sales", "b")),
         known(7, Kind::renamed, "c", "b", "created:1"),
         known(8, Kind::renamed, "b", "x", "created:2"),
         known(9, Kind::renamed, "d", "b", "created:2")});
  publish({scope("sales")},
          sales({table("sales", "c", "created:1"), table("sales", "d", "created:2")}));
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 7 created:1", "sales.d SELECT 9 created:2"));
}

TEST_F(SnapshotClaims, AnUnreadableRenameWithoutAPlaceBroughtWhatIsThere) {
  start(sales({table("sales", "b", "created:2"), table("sales", "y", "created:1")}));
  grant({"sales.b", 5, "created:2"});
  grant({"sales.y", 5, "created:1"});
  claim({unordered(known(7, Kind::renamed, "c", "b", "created:2")),
         unordered(claimed(7, Kind::renamed, named("sales", "b")))});
  publish({scope("sales")},
          sales({table("sales", "b", "created:1"), table("sales", "c", "created:2")}));
  EXPECT_THAT(grants(), ElementsAre("sales.b SELECT 7 created:1", "sales.c SELECT 7 created:2"));
}

TEST_F(SnapshotClaims, AnUnreadableRenameIsNotGuessedWhereTwoVanished) {
  start(sales({table("sales", "a", "created:1"), table("sales", "twin", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.twin", 5, "created:1"});
  claim({claimed(8, Kind::renamed, named("sales", "b"))});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)",
                                    "sales.twin SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, MoreThanTwoHundredTablesOfOneIdentityAreNotReadForAnUnreadableRename) {
  SnapshotPage page = sales({table("sales", "a", "created:1")});
  for (int i = 0; i < 200; ++i) {
    page.tables.push_back(table("sales", "t" + std::to_string(i), "created:1"));
  }
  start(page);
  grant({"sales.a", 5, "created:1"});
  claim({claimed(8, Kind::renamed, named("sales", "b"))});
  const Published published = publish({scope("sales", "a"), scope("sales", "b")},
                                      {{}, {table("sales", "b", "created:1")}, {}});
  EXPECT_EQ(published.outcome, Published::Outcome::published);
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ADropEndsTheGrantsOfWhatIsNotThereAnyMore) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 99, "created:1"});
  grant({"sales.a.price", 5, "created:1"});
  grant({"sales.a", 5, "created:0", "ALTER", false, "other object"});
  grant({"sales.a", 5, "", "INSERT"});
  grant({"sales.a", 9, "created:9", "DROP"});
  grant({"sales.a", 8, "", "LOCK"});
  claim({unordered(claimed(8, Kind::dropped, named("sales", "a"))),
         unordered(claimed(8, Kind::created, named("sales", "a")))});
  publish({scope("sales", "a")}, {{}, {table("sales", "a", "created:9")}, {}});
  EXPECT_THAT(grants(), ElementsAre("sales.a DROP 9 created:9", "sales.a LOCK 8  (other object)"));
  EXPECT_THAT(audit(), IsSupersetOf({"event remove sales.a 8", "event remove sales.a.price 8"}));
}

// It may be of a table that was renamed away by an event that nobody could read.
TEST_F(SnapshotClaims, ADropLeavesTheGrantsThatAreNotOfTheTableThatItTells) {
  start(sales({table("sales", "a", "created:2")}));
  grant({"sales.a", 5, "created:1", "SELECT", false, "other object"});
  grant({"sales.a", 5, "created:2", "ALTER", false, "object gone"});
  processor::Claim drop = claimed(8, Kind::dropped, named("sales", "a"));
  drop.identity = "created:2";
  claim({drop, claimed(9, Kind::created, named("sales", "a"))});
  publish({scope("sales", "a")}, {{}, {table("sales", "a", "created:9")}, {}});
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (other object)"));
}

TEST_F(SnapshotClaims, ADropOfADatabaseLeavesSuspendedGrantsOfTablesThatItDoesNotHold) {
  start(sales({table("sales", "a", "created:2")}));
  grant({"sales.a", 5, "created:1", "SELECT", false, "other object"});
  grant({"sales.a", 5, "created:2", "ALTER", false, "object gone"});
  grant({"sales.b", 5, "created:1", "SELECT", false, "object gone"});
  claim({claimed(8, Kind::dropped, named("sales", ""))});
  publish({scope("sales")}, {});
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (other object)",
                                    "sales.b SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotClaims, ADropThatIsRefutedEndsNoGrantAndIsCounted) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.a", 5, "", "ALTER"});
  grant({"sales", 5});
  claim({plain(claimed(8, Kind::dropped, named("sales", "a"))),
         plain(claimed(9, Kind::dropped, named("sales", "")))});
  publish({scope("sales")}, sales({table("sales", "a", "created:1")}));
  EXPECT_THAT(grants(),
              ElementsAre("sales SELECT 5 ", "sales.a ALTER 5 ", "sales.a SELECT 5 created:1"));
  EXPECT_THAT(audit(), ElementsAre("event refute sales 9", "event refute sales.a 8"));
  EXPECT_EQ(store_.refuted(), 2);
}

TEST_F(SnapshotClaims, ADatabaseWhoseOnlyStoredTableWasRenamedWithinItIsStillTheSame) {
  start(page_of({database("sales"), database("shop")},
                {table("sales", "a", "created:1"), table("shop", "a", "created:2")}));
  grant({"sales", 5});
  grant({"shop", 5});
  claim({plain(claimed(8, Kind::dropped, named("sales", ""))),
         claimed(8, Kind::renamed, named("sales", "b"), named("sales", "a")),
         plain(claimed(9, Kind::dropped, named("shop", ""))),
         claimed(9, Kind::renamed, named("shop", "b"), named("shop", "a"))});
  publish({scope("sales"), scope("shop")},
          page_of({database("sales"), database("shop")},
                  {table("sales", "b", "created:1"), table("sales", "more", "created:8"),
                   table("shop", "b", "created:9")}));
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 5 ")) << "what shop has is another table";
  EXPECT_THAT(audit(), testing::Contains("event refute sales 8"));
}

TEST_F(SnapshotClaims, ADroppedDatabaseTakesTheGrantsInItAlong) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales", 5});
  grant({"sales", 99, "", "ALTER"});
  grant({"sales.a", 5, "created:1"});
  grant({"sales.a.price", 5, "created:1"});
  grant({"other.a", 5, "created:1"});
  claim({claimed(8, Kind::dropped, named("sales", ""))});
  publish({scope("sales")}, {});
  EXPECT_THAT(grants(), ElementsAre("other.a SELECT 5 created:1", "sales ALTER 99 "));
}

TEST_F(SnapshotClaims, ADatabaseMadeAnewHasNoneOfTheGrantsUnlessNothingTellsThemApart) {
  start(page_of({database("sales"), database("shop"), database("empty"), database("shared")},
                {table("sales", "a", "created:1"), table("shop", "a", "created:2"),
                 table("shared", "a", "created:3")}));
  for (const char* on : {"sales", "shop", "empty", "shared"}) grant({on, 5});
  grant({"shared", 8, "", "ALTER"});
  claim({plain(claimed(8, Kind::dropped, named("sales", ""))),
         plain(claimed(8, Kind::dropped, named("shop", ""))),
         plain(claimed(8, Kind::dropped, named("empty", ""))),
         unordered(claimed(8, Kind::dropped, named("shared", "")))});
  // shop still has its table, empty its owner and location.
  publish({scope("sales"), scope("shop"), scope("empty"), scope("shared")},
          page_of({database("sales"), database("shop"), database("empty"), database("shared")},
                  {table("sales", "a", "created:9"), table("shop", "a", "created:2")}));
  EXPECT_THAT(grants(), ElementsAre("empty SELECT 5 ", "shared ALTER 8 ",
                                    "shared SELECT 5  (other object)", "shop SELECT 5 "));
}

TEST_F(SnapshotClaims, ADatabaseWithAnIdentityGoesByIt) {
  Database before = database("sales");
  before.identity = "created:1";
  Database after = database("sales");
  after.identity = "created:9";
  start(page_of({before}, {}));
  grant({"sales", 99, "created:1"});
  grant({"sales", 9, "created:9", "ALTER"});
  claim({unordered(claimed(8, Kind::dropped, named("sales", "")))});
  publish({scope("sales")}, page_of({after}, {}));
  EXPECT_THAT(grants(), ElementsAre("sales ALTER 9 created:9"));
}

TEST_F(SnapshotClaims, WithoutAClaimWhatIsGoneOrAnothersIsSuspendedAndNothingRemoved) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2"),
               table("sales", "c", "created:3")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:2"});
  grant({"sales.b", 11, "created:2", "ALTER"});
  grant({"sales.c", 5, ""});
  grant({"sales.other", 5, "created:5"});
  const Published published =
      publish({scope("sales", "a"), scope("sales", "b"), scope("sales", "c")},
              {{}, {table("sales", "b", "created:8"), table("sales", "c", "created:3")}, {}});
  EXPECT_THAT(grants(),
              ElementsAre("sales.a SELECT 5 created:1 (object gone)", "sales.b ALTER 11 created:2",
                          "sales.b SELECT 5 created:2 (other object)", "sales.c SELECT 5 ",
                          "sales.other SELECT 5 created:5"));
  EXPECT_EQ(published.difference.suspended_grants, 2);
  EXPECT_THAT(audit(), ElementsAre("snapshot suspend sales.a 10", "snapshot suspend sales.b 10"));
}

TEST_F(SnapshotClaims, SuspendedGrantsWhoseObjectIsThereAgainAuthoriseAgain) {
  start(sales({table("sales", "a", "created:2")}));
  grant({"sales.a", 5, "created:1", "SELECT", false, "object gone"});
  grant({"sales.a", 5, "created:2", "SELECT"});
  grant({"sales.a", 5, "created:1", "ALTER", false, "other object"});
  grant({"sales.a", 6, "created:1", "ALTER", false, "other object"});
  grant({"sales.a", 5, "created:1", "DROP", false, "column gone"});
  grant({"sales.a", 5, "", "INDEX", false, "object gone"});
  grant({"sales.a", 5, "created:1", "LOCK", false, "other object"});
  grant({"sales.a", 99, "created:1", "LOCK"});
  publish({scope("sales", "a")}, {{}, {table("sales", "a", "created:1")}, {}});
  EXPECT_THAT(grants(),
              UnorderedElementsAre(
                  "sales.a SELECT 5 created:1", "sales.a SELECT 5 created:2 (other object)",
                  "sales.a ALTER 5 created:1", "sales.a ALTER 6 created:1 (other object)",
                  "sales.a DROP 5 created:1 (column gone)", "sales.a INDEX 5  (object gone)",
                  "sales.a LOCK 5 created:1 (other object)", "sales.a LOCK 99 created:1"));
  EXPECT_THAT(permission_changes(), IsSupersetOf({"10 restored analyst sales a  SELECT"}));
}

TEST_F(SnapshotClaims, AWholeSnapshotLeavesWhatIsToBeReadAgainToItsReading) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 99, "created:2"});
  claim({claimed(7, Kind::renamed, named("sales", "c"), named("sales", "a")),
         unordered(claimed(8, Kind::dropped, named("sales", "b")))});
  const SnapshotPage now = sales({table("sales", "c", "created:1")});
  const Published whole = publish({}, now);
  EXPECT_EQ(whole.difference.removed.tables, 0) << "it would be taken for drift";
  EXPECT_THAT(grants(),
              UnorderedElementsAre("sales.a SELECT 5 created:1", "sales.b SELECT 99 created:2"));
  publish({scope("sales", "a"), scope("sales", "b"), scope("sales", "c")}, {{}, now.tables, {}});
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 7 created:1"));
}

TEST_F(SnapshotClaims, AfterAGapClaimsAreHeededBeforeIdentities) {
  start(sales({table("sales", "a", "created:1"), table("sales", "b", "created:2"),
               table("sales", "c", "created:3")}));
  grant({"sales.a", 5, "created:1"});
  grant({"sales.b", 5, "created:2"});
  grant({"sales.c", 5, "created:3"});
  claim({claimed(7, Kind::renamed, named("sales", "d"), named("sales", "a")),
         claimed(8, Kind::dropped, named("sales", "b"))});
  const std::string id = store_.snapshots().begin({});
  store_.snapshots().add(
      id, sales({table("sales", "d", "created:1"), table("sales", "e", "created:3")}));
  follower::Publication gap;
  gap.cursor = 20;
  store_.snapshots().publish(fence(), id, gap);
  EXPECT_THAT(grants(), ElementsAre("sales.d SELECT 7 created:1", "sales.e SELECT 20 created:3"));
}

TEST_F(SnapshotClaims, ClaimsOfAHistoryThatWasResetSayNothing) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({claimed(8, Kind::dropped, named("sales", "a"))});
  const std::string id = store_.snapshots().begin({});
  follower::Publication reset;
  reset.raise_generation = true;
  reset.cursor = 2;
  store_.snapshots().publish(fence(), id, reset);
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 0 created:1 (object gone)"));
  EXPECT_THAT(store_.claims(), IsEmpty());
  EXPECT_THAT(store_.re_reads(), IsEmpty());
}

TEST_F(SnapshotClaims, ARefusedPublicationSuspendsNothing) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  const std::string id = store_.snapshots().begin({scope("sales", "a")});
  follower::Publication publication;
  publication.cursor = 5;
  publication.guard = follower::Guard{0.2, 0};
  EXPECT_EQ(store_.snapshots().publish(fence(), id, publication).outcome,
            Published::Outcome::refused);
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1"));
  EXPECT_THAT(audit(), IsEmpty());
}

}  // namespace

}  // namespace hmsync::store
