#include "tests/store/grants_fixture.h"

namespace hmsync::store {

namespace {

using processor::CreateTableRow;
using processor::PutDatabase;
using processor::RemoveDatabase;
using processor::RemoveTable;
using processor::RenameTable;
using processor::UpdateTable;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class EventGrants : public GrantsFixture {
 protected:
  EventGrants() {
    apply(2, {{1, PutDatabase{database("sales")}},
              {2, CreateTableRow{table("sales", "orders", "created:1")}}});
  }

  static RenameTable rename(const std::string& to_database, const std::string& to_table) {
    return {named("sales", "orders"), table(to_database, to_table, "created:1"), std::nullopt, {}};
  }
};

TEST_F(EventGrants, FollowARenameToAnotherDatabaseAtTableAndColumnLevel) {
  grant({"sales.orders", 2, "created:1"});
  grant({"sales.orders.price", 2, "created:1", "SELECT", true});
  apply(3, {{3, rename("archive", "old")}});
  EXPECT_THAT(grants(), ElementsAre("archive.old SELECT 3 created:1",
                                    "archive.old.price SELECT 3 created:1 option"));
  EXPECT_THAT(audit(), ElementsAre("event move archive.old 3", "event move archive.old.price 3"));
  EXPECT_THAT(permission_changes(),
              ElementsAre("3 moved analyst sales orders  SELECT archive old",
                          "3 moved analyst sales orders price SELECT archive old"));
  EXPECT_THAT(store_.audited_grants(),
              UnorderedElementsAre(
                  "event move: sales.orders SELECT 2  -> archive.old SELECT 3 ",
                  "event move: sales.orders.price SELECT+ 2  -> archive.old.price SELECT+ 3 "));
}

TEST_F(EventGrants, VanishWithTheirTable) {
  grant({"sales.orders", 2, "created:1"});
  grant({"sales.orders.price", 2, "created:1"});
  grant({"sales", 2});
  grant({"sales.orders2", 2});
  apply(3, {{3, RemoveTable{named("sales", "orders")}}});
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 2 ", "sales.orders2 SELECT 2 "));
  EXPECT_THAT(audit(),
              ElementsAre("event remove sales.orders 3", "event remove sales.orders.price 3"));
  EXPECT_THAT(permission_changes(), ElementsAre("3 removed analyst sales orders  SELECT",
                                                "3 removed analyst sales orders price SELECT"));
}

TEST_F(EventGrants, VanishWithTheirDatabaseAtEveryLevel) {
  grant({"sales", 2});
  grant({"sales.orders", 2});
  grant({"sales.orders.price", 2});
  grant({"other", 2});
  follower::PrivilegeCommand on_uri{"analyst", "ALL", {}, false, "alice"};
  on_uri.object.uri = "hdfs://nn/w/sales.db";
  ASSERT_TRUE(store_.privileges().grant(on_uri, {0, 2, ""}));
  apply(3, {{3, RemoveDatabase{{processor::kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(grants(), ElementsAre("hdfs://nn/w/sales.db ALL 2 ", "other SELECT 2 "));
}

// It may have been renamed into another database by an event that nobody could read.
TEST_F(EventGrants, ThatAreSuspendedStayWhereTheDroppedDatabaseDoesNotHoldTheirTable) {
  apply(2, {{2, CreateTableRow{table("sales", "orders", "created:2")}}});
  grant({"sales.orders", 1, "created:1", "SELECT", false, "other object"});
  grant({"sales.orders", 1, "created:2", "INSERT", false, "object gone"});
  grant({"sales.orders", 1, "", "ALTER", false, "object gone"});
  grant({"sales.bills", 1, "created:1", "SELECT", false, "object gone"});
  grant({"sales", 1, "created:1", "SELECT", false, "other object"});
  apply(3, {{3, RemoveDatabase{{processor::kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills SELECT 1 created:1 (object gone)",
                                    "sales.orders SELECT 1 created:1 (other object)"));
}

TEST_F(EventGrants, ThatAreNewerThanADropStay) {
  grant({"sales.orders", 3, "created:9"});
  grant({"sales", 4});
  apply(3, {{3, RemoveTable{named("sales", "orders")}}});
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 4 ", "sales.orders SELECT 3 created:9"));
  apply(4, {{4, RemoveDatabase{{processor::kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 4 "));
}

TEST_F(EventGrants, OfAFormerTableAreNotThoseOfOneMadeAnew) {
  grant({"sales.orders", 2, "created:1"});
  apply(4, {{3, RemoveTable{named("sales", "orders")}},
            {4, CreateTableRow{table("sales", "orders", "created:5")}}});
  EXPECT_THAT(grants(), IsEmpty());
}

TEST_F(EventGrants, OfAnotherIdentityAreSuspendedByACreate) {
  grant({"sales.orders", 2, "created:1"});
  grant({"sales.orders", 2, "created:5", "INSERT"});
  grant({"sales.orders", 2, "", "ALTER"});
  grant({"sales.orders", 4, "created:1", "DROP"});
  apply(4, {{4, CreateTableRow{table("sales", "orders", "created:5")}}});
  EXPECT_THAT(grants(), ElementsAre("sales.orders ALTER 2 ", "sales.orders DROP 4 created:1",
                                    "sales.orders INSERT 2 created:5",
                                    "sales.orders SELECT 2 created:1 (other object)"));
  EXPECT_THAT(audit(), ElementsAre("event suspend sales.orders 4"));
  EXPECT_THAT(permission_changes(), ElementsAre("4 suspended analyst sales orders  SELECT"));
}

TEST_F(EventGrants, OnAVanishedColumnAreSuspended) {
  grant({"sales.orders.price", 2});
  grant({"sales.orders.amount", 2});
  grant({"sales.orders.late", 3});
  apply(3, {{3, UpdateTable{table("sales", "orders"), {"price", "late"}}}});
  EXPECT_THAT(grants(), ElementsAre("sales.orders.amount SELECT 2 ", "sales.orders.late SELECT 3 ",
                                    "sales.orders.price SELECT 2  (column gone)"));
}

TEST_F(EventGrants, OnAColumnThatVanishesInARenameMoveSuspended) {
  grant({"sales.orders.price", 2, "created:1"});
  RenameTable renamed = rename("sales", "bills");
  renamed.vanished_columns = {"price"};
  apply(3, {{3, renamed}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills.price SELECT 3 created:1 (column gone)"));
}

TEST_F(EventGrants, AtTheTargetOfARenameAreSuspendedIfTheyAreOfAnotherTable) {
  apply(3, {{3, CreateTableRow{table("sales", "bills", "created:7")}}});
  grant({"sales.orders", 2, "created:1"});
  grant({"sales.bills", 3, "created:7", "INSERT"});
  apply(4, {{4, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills INSERT 3 created:7 (other object)",
                                    "sales.bills SELECT 4 created:1"));
}

TEST_F(EventGrants, MergeWithAnEqualOneAndTheLaterStays) {
  // Given on the new name, before the rename was read.
  grant({"sales.orders", 2, "created:1", "SELECT", true});
  grant({"sales.bills", 6, "created:1", "SELECT", false});
  // Another object's: its identity is not the moved one's.
  grant({"sales.orders", 2, "created:1", "INSERT", true});
  grant({"sales.bills", 6, "created:8", "INSERT", false});
  apply(5, {{5, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills INSERT 6 created:8",
                                    "sales.bills SELECT 6 created:1 option"));
  EXPECT_THAT(audit(), ElementsAre("event merge sales.bills 5", "event merge sales.orders 5",
                                   "event merge sales.orders 5"));
}

TEST_F(EventGrants, MergeWithAnOlderOneAtTheTargetAndTheMovedStays) {
  grant({"sales.orders", 2, "created:1", "SELECT", false});
  grant({"sales.bills", 2, "", "SELECT", true});
  grant({"sales.orders", 2, "created:1", "INSERT", false});
  grant({"sales.bills", 2, "created:1", "INSERT", true});
  apply(5, {{5, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills INSERT 5 created:1 option",
                                    "sales.bills SELECT 5 created:1"));
}

TEST_F(EventGrants, ThatGetTheGrantOptionInAMergeSaySoInTheChangeLogAndTheAudit) {
  grant({"sales.orders", 2, "created:1", "SELECT", true});
  grant({"sales.bills", 6, "created:1", "SELECT", false});
  grant({"sales.orders", 2, "created:1", "INSERT", false});
  grant({"sales.bills", 2, "created:1", "INSERT", true});
  // Both have it already.
  grant({"sales.orders", 2, "created:1", "ALTER", true});
  grant({"sales.bills", 6, "created:1", "ALTER", true});
  apply(5, {{5, rename("sales", "bills")}});
  EXPECT_THAT(
      permission_changes(),
      ElementsAre("5 granted analyst sales bills  SELECT", "5 granted analyst sales orders  INSERT",
                  "5 moved analyst sales orders  INSERT sales bills",
                  "5 removed analyst sales bills  INSERT", "5 removed analyst sales orders  ALTER",
                  "5 removed analyst sales orders  SELECT"));
  EXPECT_THAT(store_.audited_grants(),
              UnorderedElementsAre("event merge: sales.bills SELECT 6  -> sales.bills SELECT+ 6 ",
                                   "event merge: sales.orders SELECT+ 2  -> -",
                                   "event merge: sales.orders INSERT 2  -> sales.orders INSERT+ 2 ",
                                   "event merge: sales.bills INSERT+ 2  -> -",
                                   "event move: sales.orders INSERT+ 2  -> sales.bills INSERT+ 5 ",
                                   "event merge: sales.orders ALTER+ 2  -> -"));
}

TEST_F(EventGrants, ThatAreNewerThanARenameStayAtTheOldName) {
  grant({"sales.orders", 3, "created:9"});
  apply(3, {{3, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 3 created:9"));
}

TEST_F(EventGrants, OfAnotherObjectStayBehindSuspended) {
  grant({"sales.orders", 2, "created:77"});
  apply(3, {{3, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 2 created:77 (other object)"));
}

TEST_F(EventGrants, ThatWereSuspendedSinceTheirObjectWasGoneAreRevivedByItsRename) {
  grant({"sales.orders", 2, "created:1", "SELECT", false, "object gone"});
  grant({"sales.orders", 2, "created:2", "INSERT", false, "object gone"});
  apply(3, {{3, rename("sales", "bills")}});
  EXPECT_THAT(grants(), ElementsAre("sales.bills SELECT 3 created:1",
                                    "sales.orders INSERT 2 created:2 (object gone)"));
  EXPECT_THAT(audit(), ElementsAre("event move sales.bills 3", "event restore sales.bills 3"));
}

TEST_F(EventGrants, FollowSeveralRenamesOfOneBatchInTheirOrder) {
  grant({"sales.orders", 2, "created:1"});
  apply(5, {{3, rename("sales", "a")},
            {4, RenameTable{named("sales", "a"), table("sales", "b"), std::nullopt, {}}},
            {5, RenameTable{named("sales", "b"), table("other", "c"), std::nullopt, {}}}});
  EXPECT_THAT(grants(), ElementsAre("other.c SELECT 5 created:1"));
}

TEST_F(EventGrants, FollowAnExchangeOfTwoNames) {
  apply(3, {{3, CreateTableRow{table("sales", "bills", "created:2")}}});
  grant({"sales.orders", 3, "created:1", "SELECT"});
  grant({"sales.bills", 3, "created:2", "INSERT"});
  apply(6, {{4, rename("sales", "x")},
            {5,
             RenameTable{
                 named("sales", "bills"), table("sales", "orders", "created:2"), std::nullopt, {}}},
            {6, RenameTable{
                    named("sales", "x"), table("sales", "bills", "created:1"), std::nullopt, {}}}});
  EXPECT_THAT(grants(),
              ElementsAre("sales.bills SELECT 6 created:1", "sales.orders INSERT 5 created:2"));
}

TEST_F(EventGrants, SuspendedOnesOfAnotherObjectOutliveADrop) {
  grant({"sales.orders", 2, "created:1", "SELECT", false, "other object"});
  grant({"sales.orders", 2, "created:8", "INSERT", false, "object gone"});
  apply(3, {{3, RemoveTable{named("sales", "orders")}}});
  EXPECT_THAT(grants(), ElementsAre("sales.orders INSERT 2 created:8 (object gone)"));
}

}  // namespace

}  // namespace hmsync::store
