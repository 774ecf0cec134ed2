// Up to where events are readable, as waiters are told.
#include "tests/store/grants_fixture.h"

namespace hmsync::store {
namespace {

using processor::Claim;
using testing::ElementsAre;

Claim changed(int64_t event, const std::string& name) {
  Claim claim;
  claim.event_id = event;
  claim.name = named("sales", name);
  return claim;
}

Claim renamed(int64_t event, const std::string& name, const std::string& from) {
  Claim claim = changed(event, name);
  claim.kind = Claim::Kind::renamed;
  claim.from = named("sales", from);
  return claim;
}

processor::Mutation become_orders(int64_t event, const std::string& from) {
  return {event,
          processor::RenameTable{named("sales", from), table("sales", "orders"), std::nullopt, {}}};
}

/// No table: the database and all that is in it.
follower::Scope scope(const std::string& table) {
  follower::Scope scope{processor::DatabaseName{"hive", "sales"}, std::nullopt, false};
  if (!table.empty()) scope.table = table;
  return scope;
}

class ReadablePosition : public GrantsFixture {
 protected:
  /// orders, read again at the cursor.
  void publish(const std::string& id, const std::string& uuid = "", bool reset = false) {
    follower::Publication publication;
    publication.cursor = store_.events().state().cursor.value_or(5);
    publication.unbroken = !reset;
    publication.raise_generation = reset;
    publication.metastore_uuid = uuid;
    publication.reason = "re_read";
    store_.snapshots().publish(fence(), id, publication);
  }
  std::string stage_orders() { return staged({scope("orders")}, {}); }
};

TEST_F(ReadablePosition, IsBelowEveryEventBeforeTheFirstSnapshot) {
  EXPECT_EQ(store_.position().cursor, -1);
  EXPECT_EQ(store_.position().generation, 0);
  publish(staged({}, {}));
  EXPECT_EQ(store_.position().cursor, 5);
}

TEST_F(ReadablePosition, IsBelowTheFirstEventWhoseReReadIsPending) {
  claim(9, {changed(7, "orders"), changed(6, "orders"), changed(8, "bills")});
  EXPECT_EQ(store_.position().cursor, 5);
  publish(stage_orders());
  EXPECT_EQ(store_.position().cursor, 7);
}

TEST_F(ReadablePosition, WhatIsAskedForAgainWhileItIsReadIsDueSinceTheLaterEvent) {
  claim(6, {changed(6, "orders")});
  const std::string id = stage_orders();
  claim(9, {changed(9, "orders")});
  EXPECT_EQ(store_.position().cursor, 5);
  publish(id);
  EXPECT_THAT(store_.re_reads(), ElementsAre("9 sales.orders"));
  EXPECT_EQ(store_.position().cursor, 8);
}

TEST_F(ReadablePosition, MovesOnWithEachReadingOfATableThatIsNeverQuiet) {
  claim(6, {changed(6, "orders")});
  for (const int64_t event : {7, 8, 9}) {
    const std::string id = stage_orders();
    claim(event, {changed(event, "orders")});
    Claim replayed = changed(event, "orders");
    replayed.unordered = true;  // it is read anew for the live state, too
    store_.snapshots().replay(id, {}, {replayed});
    publish(id);
    EXPECT_EQ(store_.position().cursor, event - 1);
  }
}

TEST_F(ReadablePosition, MovesOnAfterAWholeSnapshotThatLeftATableToItsReading) {
  claim(6, {changed(6, "orders")});
  publish(staged({}, {}));
  const std::string id = stage_orders();
  claim(7, {changed(7, "orders")});
  publish(id);
  EXPECT_EQ(store_.position().cursor, 6);
}

// incoming becomes orders while orders is read: what was read is thrown away for what is stored.
TEST_F(ReadablePosition, OfWhatWasReadInVainStaysBelowTheFirstEvent) {
  claim(5, {changed(5, "orders")});
  const std::string id = staged({scope("orders"), scope("incoming")}, {});
  claim(6, {renamed(6, "orders", "incoming")});
  store_.snapshots().replay(id, {become_orders(6, "incoming")}, {changed(6, "orders")});
  publish(id);
  EXPECT_THAT(store_.re_reads(), ElementsAre("5 sales.orders", "6 sales.incoming"));
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, OfWhatAWholeSnapshotReadInVainStaysBelowTheFirstEvent) {
  claim(5, {changed(5, "orders")});
  const std::string id = staged({}, {});
  claim(6, {renamed(6, "orders", "incoming")});
  store_.snapshots().replay(id, {become_orders(6, "incoming")}, {changed(6, "orders")});
  publish(id);
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, ADatabaseIsNotReadWhileATableOfItWasReadInVain) {
  claim(5, {changed(5, "")});
  const std::string id = staged({scope("")}, {});
  claim(6, {renamed(6, "orders", "incoming")});
  store_.snapshots().replay(id, {become_orders(6, "incoming")}, {changed(6, "orders")});
  publish(id);
  EXPECT_THAT(store_.re_reads(), ElementsAre("5 sales.incoming", "5 sales.orders"));
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, EverythingIsNotReadWhileATableWasReadInVain) {
  Claim everything;
  everything.event_id = 5;
  claim(5, {everything});
  const std::string id = staged({}, {});
  claim(6, {renamed(6, "orders", "incoming")});
  store_.snapshots().replay(id, {become_orders(6, "incoming")}, {changed(6, "orders")});
  publish(id);
  EXPECT_THAT(store_.re_reads(), ElementsAre("5 sales.incoming", "5 sales.orders"));
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, ATableIsNotReadWhileItsDatabaseWasReadInVain) {
  claim(5, {changed(5, "orders")});
  const std::string id = staged({scope("")}, {});
  claim(6, {changed(6, "orders")});
  store_.snapshots().replay(id, {}, {changed(7, "")});
  publish(id);
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, PartitionsOfAMissingTableHoldItBelowTheFirstEventThatNamesThem) {
  apply(6, {{5, processor::PutPartitions{named("sales", "orders"), {partition({"a"}, "/a")}}},
            {6, processor::PutPartitions{named("sales", "orders"), {partition({"b"}, "/b")}}}});
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, EventsOfOnePartitionOfAMissingTableHoldItBelowTheFirstOfThem) {
  apply(7, {{5, processor::PutPartitions{named("sales", "orders"), {partition({"a"}, "/a")}}},
            {6, processor::PutPartitions{named("sales", "orders"), {partition({"a"}, "/b")}}},
            {7, processor::RemovePartitions{named("sales", "bills"), {{"a"}}}}});
  EXPECT_THAT(store_.re_reads(), ElementsAre("5 sales.orders", "7 sales.bills"));
  EXPECT_EQ(store_.position().cursor, 4);
}

TEST_F(ReadablePosition, NeedsPollsWhileIdsMayBeShared) {
  publish(staged({}, {}));
  EXPECT_TRUE(store_.position().polls_needed) << "no UUID is known";
  publish(staged({}, {}), "uuid");
  EXPECT_FALSE(store_.position().polls_needed);
  follower::Batch batch;
  batch.cursor = 6;
  batch.counts.shared_id = 2;
  store_.events().apply(fence(), batch);
  EXPECT_TRUE(store_.position().polls_needed);
}

TEST_F(ReadablePosition, TellsWhichOfThePollsThatWereAskedForAreAnswered) {
  EXPECT_EQ(store_.ask_poll(), 1);
  EXPECT_EQ(store_.ask_poll(), 2);
  EXPECT_EQ(store_.orders().pending().polls_asked, 2);
  EXPECT_EQ(store_.position().polls_answered, 0);
  store_.events().answer_polls(2);
  EXPECT_EQ(store_.position().polls_answered, 2);
}

TEST_F(ReadablePosition, IsOfTheNewGenerationAfterAReset) {
  claim(9, {changed(7, "orders")});
  publish(staged({}, {}), "uuid", true);
  EXPECT_EQ(store_.position().generation, 1);
  EXPECT_EQ(store_.position().cursor, 9);
}

}  // namespace
}  // namespace hmsync::store
