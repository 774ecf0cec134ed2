// What events that happened, each in its place, say of grants when what they name is read again.
#include "tests/store/claims_fixture.h"

namespace hmsync::store {
namespace {

class KnownEvents : public ClaimsFixture {};

TEST_F(KnownEvents, ADropEndsGrantsOnADatabaseHoweverMuchTheNextOneIsLikeIt) {
  start(sales({}));
  grant({"sales", 5});
  grant({"sales", 8, "", "ALTER"});
  claim({known(7, Kind::dropped, ""), known(8, Kind::created, "")});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales ALTER 8 "));
}

TEST_F(KnownEvents, ADropUnderAnOldNameLeavesGrantsOfATableThatWasLostUnderItsNewOneSuspended) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({known(6, Kind::renamed, "b", "a", "created:1"), known(7, Kind::created, "a"),
         known(8, Kind::dropped, "a")});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(KnownEvents, ADropUnderANameInBetweenLeavesGrantsOfATableThatWasLostLaterSuspended) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({known(6, Kind::renamed, "b", "a", "created:1"),
         known(7, Kind::renamed, "c", "b", "created:1"), known(8, Kind::created, "b"),
         known(9, Kind::dropped, "b")});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(KnownEvents, ADropAfterTheRenameEndsTheGrantsThatItTookAlong) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  claim({known(6, Kind::renamed, "b", "a", "created:1"), known(7, Kind::dropped, "b")});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), IsEmpty());
}

TEST_F(KnownEvents, ARenameOfAnotherTableAndItsDropLeaveWhatIsSuspendedUnderTheNameAlone) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  publish({scope("sales")}, sales({}));
  claim({known(7, Kind::renamed, "b", "a", "created:2"), known(8, Kind::dropped, "b")});
  publish({scope("sales")}, sales({}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

TEST_F(KnownEvents, GrantsFollowATableThatWasBackUnderItsStoredNameAndWentOn) {
  start(sales({table("sales", "a", "created:1")}));
  grant({"sales.b", 7, "created:1"});
  claim({known(6, Kind::renamed, "b", "a", "created:1"),
         known(8, Kind::renamed, "a", "b", "created:1"),
         known(9, Kind::renamed, "c", "a", "created:1")});
  publish({scope("sales")}, sales({table("sales", "c", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.c SELECT 9 created:1"));
}

TEST_F(KnownEvents, GrantsFollowATableBackToTheNameThatItWasMadeUnder) {
  start(sales({}));
  grant({"sales.b", 8, "created:1"});
  claim({known(6, Kind::created, "a", "", "created:1"),
         known(7, Kind::renamed, "b", "a", "created:1"),
         known(9, Kind::renamed, "a", "b", "created:1")});
  publish({scope("sales")}, sales({table("sales", "a", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 9 created:1"));
}

// d was renamed to b by an event that cannot be read.
TEST_F(KnownEvents, ATwinUnderTheNameOfADroppedTableIsNotTakenForIt) {
  start(sales({table("sales", "a", "created:1"), table("sales", "d", "created:1")}));
  grant({"sales.a", 5, "created:1"});
  const Claim unreadable = plain(claimed(8, Kind::renamed, named("sales", "b")));
  claim({known(6, Kind::renamed, "b", "a", "created:1"), known(7, Kind::dropped, "b"), unreadable});
  publish({scope("sales")}, sales({table("sales", "b", "created:1")}));
  EXPECT_THAT(grants(), ElementsAre("sales.a SELECT 5 created:1 (object gone)"));
}

}  // namespace
}  // namespace hmsync::store
