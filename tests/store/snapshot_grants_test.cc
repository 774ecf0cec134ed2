// What snapshots do to grants, by identity.
#include "tests/store/grants_fixture.h"

namespace hmsync::store {

namespace {

using namespace processor;
using follower::Difference;
using follower::Publication;
using follower::SnapshotPage;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class SnapshotGrants : public GrantsFixture {
 protected:
  std::string staged(const SnapshotPage& page) { return GrantsFixture::staged({}, page); }

  Difference publish(const SnapshotPage& page, const Publication& publication) {
    return store_.snapshots().publish(fence(), staged(page), publication).difference;
  }

  /// As after a snapshot at event 5.
  void start_with(const SnapshotPage& page) {
    Publication first;
    first.cursor = 5;
    publish(page, first);
  }

  static Publication broken_at(int64_t cursor) {
    Publication publication;
    publication.cursor = cursor;
    return publication;
  }
  static Publication unbroken_at(int64_t cursor) {
    Publication publication = broken_at(cursor);
    publication.unbroken = true;
    return publication;
  }
};

SnapshotPage some() {
  SnapshotPage page;
  page.databases = {database("sales")};
  page.tables = {table("sales", "orders", "created:1"), table("sales", "bills", "created:2")};
  page.partitions = {{named("sales", "orders"),
                      {partition({"a"}, "/a"), {{"n"}, std::nullopt}, partition({"b"}, "/b")}}};
  return page;
}

TEST_F(SnapshotGrants, WithUnbrokenHistoryGrantsOnVanishedAndOtherObjectsAreSuspended) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.orders", 5, "", "ALTER"});
  grant({"sales.orders", 6, "created:77", "INSERT"});
  grant({"sales.bills", 5, "created:2"});
  grant({"sales.bills", 6, "created:2", "INSERT"});
  grant({"sales.old", 5, "created:3"});
  grant({"sales", 5});
  grant({"not.yet_there", 5});
  SnapshotPage page = some();
  page.tables = {table("sales", "orders", "created:77"), table("sales", "old", "")};
  const std::string id = staged(page);
  EXPECT_EQ(store_.snapshots().compare(id).suspended_grants, 3);
  EXPECT_EQ(store_.snapshots().publish(fence(), id, unbroken_at(5)).difference.suspended_grants, 3);
  EXPECT_THAT(
      grants(),
      ElementsAre("not.yet_there SELECT 5 ", "sales SELECT 5 ", "sales.bills INSERT 6 created:2",
                  "sales.bills SELECT 5 created:2 (object gone)", "sales.old SELECT 5 created:3",
                  "sales.orders ALTER 5  (other object)", "sales.orders INSERT 6 created:77",
                  "sales.orders SELECT 5 created:1 (other object)"));
  EXPECT_THAT(audit(), UnorderedElementsAre("snapshot suspend sales.bills 5",
                                            "snapshot suspend sales.orders 5",
                                            "snapshot suspend sales.orders 5"));
}

TEST_F(SnapshotGrants, WithLostHistoryGrantsGoByIdentity) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.orders.price", 5, "created:1"});
  grant({"sales.bills", 5, "created:2"});
  SnapshotPage page;
  page.databases = {database("sales"), database("archive")};
  // orders was renamed and made anew, bills dropped.
  page.tables = {table("archive", "old", "created:1"), table("sales", "orders", "created:9")};
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 1);
  EXPECT_THAT(grants(), ElementsAre("archive.old SELECT 20 created:1",
                                    "archive.old.price SELECT 20 created:1",
                                    "sales.bills SELECT 5 created:2 (object gone)"));
  EXPECT_THAT(audit(),
              ElementsAre("snapshot move archive.old 20", "snapshot move archive.old.price 20",
                          "snapshot suspend sales.bills 20"));
}

TEST_F(SnapshotGrants, AGrantThatTheSwitchMovesToANameItWasRevokedAtIsNeverReadable) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.bills", 5, "created:2"});
  follower::PrivilegeCommand command{"analyst", "SELECT", {}, false, "bob"};
  command.object.database = "archive";
  command.object.table = "old";
  EXPECT_EQ(store_.privileges().revoke(command, 20).repeat_at_event, 20);
  SnapshotPage page;
  page.databases = {database("archive"), database("sales")};
  page.tables = {table("archive", "old", "created:1"), table("sales", "bills", "created:2")};
  publish(page, broken_at(20));
  EXPECT_THAT(grants(), ElementsAre("sales.bills SELECT 5 created:2"));
  EXPECT_THAT(store_.revokes(), ElementsAre("20 finished bob true"));
}

TEST_F(SnapshotGrants, WithLostHistoryATableMadeAnewHasNoneOfTheOldGrants) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  SnapshotPage page = some();
  page.tables[0].identity = "created:9";
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 1);
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 5 created:1 (other object)"));
}

TEST_F(SnapshotGrants, WithLostHistoryTwoTablesThatExchangedTheirNamesExchangeTheirGrants) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.bills", 5, "created:2"});
  SnapshotPage page = some();
  std::swap(page.tables[0].identity, page.tables[1].identity);
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 0);
  EXPECT_THAT(grants(),
              ElementsAre("sales.bills SELECT 20 created:1", "sales.orders SELECT 20 created:2"));
}

TEST_F(SnapshotGrants, TwoTablesOfOneSecondAreNotTakenForEachOther) {
  SnapshotPage page = some();
  page.tables[1].identity = "created:1";
  start_with(page);
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.bills", 5, "created:1"});
  // Both are gone, one of them may be the new one: which, nobody knows.
  page.tables = {table("sales", "new", "created:1")};
  page.partitions.clear();
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 2);
  EXPECT_THAT(grants(), ElementsAre("sales.bills SELECT 5 created:1 (object gone)",
                                    "sales.orders SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotGrants, ATableOfTheSameSecondThatWasThereAllTheTimeGetsNoGrants) {
  SnapshotPage page = some();
  page.tables[1].identity = "created:1";
  start_with(page);
  grant({"sales.orders", 5, "created:1"});
  page.tables.erase(page.tables.begin());
  page.partitions.clear();
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 1);
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 5 created:1 (object gone)"));
}

TEST_F(SnapshotGrants, ADatabaseWithoutIdentityIsTheSameWhileATableOfItIs) {
  start_with(some());
  grant({"sales", 5});
  SnapshotPage page = some();
  page.databases = {database("sales", "bob")};
  page.tables = {table("sales", "bills", "created:2")};
  page.partitions.clear();
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 0);
  page.tables = {table("sales", "bills", "created:30")};
  EXPECT_EQ(publish(page, broken_at(40)).suspended_grants, 1);
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 5  (other object)"));
}

TEST_F(SnapshotGrants, AnEmptyDatabaseIsTheSameWhileOwnerAndLocationAre) {
  SnapshotPage page;
  page.databases = {database("sales"), database("other")};
  start_with(page);
  grant({"sales", 5});
  grant({"other", 5});
  page.databases = {database("sales"), database("other", "bob")};
  EXPECT_EQ(publish(page, broken_at(20)).suspended_grants, 1);
  EXPECT_THAT(grants(), ElementsAre("other SELECT 5  (other object)", "sales SELECT 5 "));
}

TEST_F(SnapshotGrants, AResetSetsEveryAsOfEventToZero) {
  start_with(some());
  grant({"sales.orders", 5, "created:1"});
  grant({"sales.bills", 99, "created:3"});
  grant({"sales.gone", 5, "created:4", "SELECT", false, "object gone"});
  Publication reset = broken_at(2);
  reset.raise_generation = true;
  publish(some(), reset);
  EXPECT_THAT(grants(), ElementsAre("sales.bills SELECT 0 created:3 (other object)",
                                    "sales.gone SELECT 0 created:4 (object gone)",
                                    "sales.orders SELECT 0 created:1"));
}

}  // namespace

}  // namespace hmsync::store
