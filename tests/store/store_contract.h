// What every implementation of the follower's ports to the live state and to orders does, whatever
// is behind it: a typed suite over classes that are a StoreUnderTest. Snapshots:
// snapshot_contract.h.
//   INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, StoreContract, testing::Types<PostgresUnderTest>);
#pragma once

#include "tests/store/contract_fixture.h"

namespace hmsync::store {

inline processor::Claim claimed(int64_t event_id, processor::Claim::Kind kind,
                                const processor::TableName& name,
                                const processor::TableName& from = {}) {
  processor::Claim claim;
  claim.event_id = event_id;
  claim.kind = kind;
  claim.name = name;
  claim.from = from;
  return claim;
}

inline processor::EventDigest digest(int64_t id, int byte) {
  processor::EventDigest digest;
  digest.id = id;
  digest.hash.fill(static_cast<std::byte>(byte));
  digest.hash.front() = std::byte{0x12};
  return digest;
}

inline processor::Event spoilt_event(int64_t id, const std::string& message) {
  processor::Event event;
  event.id = id;
  event.time = 1700000000;
  event.type = "ALTER_TABLE";
  event.database = "sales";
  event.table = "orders";
  event.message = message;
  event.message_format = "json-0.2";
  return event;
}

inline void expect_same(const processor::Event& event, const processor::Event& expected) {
  EXPECT_EQ(event.id, expected.id);
  EXPECT_EQ(event.time, expected.time);
  EXPECT_EQ(event.type, expected.type);
  EXPECT_EQ(event.catalog, expected.catalog);
  EXPECT_EQ(event.database, expected.database);
  EXPECT_EQ(event.table, expected.table);
  EXPECT_EQ(event.message, expected.message);
  EXPECT_EQ(event.message_format, expected.message_format);
  EXPECT_TRUE(event.withheld == expected.withheld);
}

template <typename Store>
class StoreContract : public ContractFixture<Store> {
 protected:
  /// One event into quarantine.
  processor::Event set_aside(int64_t id, const std::string& message) {
    follower::Batch batch;
    batch.cursor = id;
    batch.quarantined = {{spoilt_event(id, message), "not readable"}};
    this->store_.events().apply(this->fence(), batch);
    return batch.quarantined.front().event;
  }
};

TYPED_TEST_SUITE_P(StoreContract);

TYPED_TEST_P(StoreContract, StartsWithoutACursor) {
  const follower::FollowerState state = this->store_.events().state();
  EXPECT_EQ(state.cursor, std::nullopt);
  EXPECT_EQ(state.generation, 0);
  EXPECT_EQ(state.token, this->token_);
  EXPECT_THAT(this->store_.orders().pending().re_reads, testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, ABatchIsReadableWithItsCursorAndRaisesTheCommitNumber) {
  const int64_t before = this->store_.events().state().commit_number;
  this->apply_some();
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(this->store_.events().state().cursor, 3);
  EXPECT_EQ(this->store_.events().state().commit_number, before + 1);
}

TYPED_TEST_P(StoreContract, AnEmptyBatchMovesTheCursor) {
  this->apply(5, {});
  EXPECT_EQ(this->store_.events().state().cursor, 5);
}

TYPED_TEST_P(StoreContract, AnotherTokenIsFencedAndNothingIsWritten) {
  this->apply_some();
  follower::Batch batch;
  batch.cursor = 4;
  batch.mutations = {{4, processor::RemoveTable{named("sales", "orders")}}};
  follower::Fence other = this->fence();
  other.token.nonce = "another";
  EXPECT_EQ(this->kind_of([&] { this->store_.events().apply(other, batch); }), "fenced");
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(this->store_.events().state().cursor, 3);
}

TYPED_TEST_P(StoreContract, AnOldCommitNumberIsFencedSoThatNothingIsDoneTwice) {
  const follower::Fence old = this->fence();
  this->apply_some();
  follower::Batch batch;
  batch.cursor = 4;
  batch.mutations = {{4, processor::RemoveTable{named("sales", "orders")}}};
  EXPECT_EQ(this->kind_of([&] { this->store_.events().apply(old, batch); }), "fenced");
  EXPECT_EQ(this->store_.objects(), kSome);
}

TYPED_TEST_P(StoreContract, MutationsOfOneObjectKeepTheirOrder) {
  this->apply_some();
  processor::Table renamed = table("sales", "bills");
  this->apply(
      9, {{4, processor::RemovePartitions{named("sales", "orders"), {{"2026", "eu"}}}},
          {5, processor::PutPartitions{named("sales", "orders"), {partition({"a", "b"}, "/x")}}},
          {6, processor::RenameTable{named("sales", "orders"), renamed, std::nullopt, {}}},
          {7, processor::CreateTableRow{table("sales", "orders", "created:2")}},
          {8, processor::RemoveTable{named("sales", "orders")}},
          {9, processor::PutPartitions{named("sales", "bills"), {partition({"a", "b"}, "/y")}}}});
  EXPECT_EQ(
      this->store_.objects(),
      (std::vector<std::string>{
          "database sales alice hdfs://nn/w/sales.db", "partition sales.bills {a,b} hdfs://nn/y",
          "table sales.bills MANAGED_TABLE alice hdfs://nn/w/sales.db/bills"}));
}

TYPED_TEST_P(StoreContract, ARemovedDatabaseTakesItsTablesAlongAndNoOthers) {
  this->apply_some();
  this->apply(6, {{4, processor::PutDatabase{database("other")}},
                  {5, processor::CreateTableRow{table("other", "kept")}},
                  {6, processor::RemoveDatabase{{processor::kDefaultCatalog, "sales"}}}});
  EXPECT_EQ(
      this->store_.objects(),
      (std::vector<std::string>{"database other alice hdfs://nn/w/other.db",
                                "table other.kept MANAGED_TABLE alice hdfs://nn/w/other.db/kept"}));
}

TYPED_TEST_P(StoreContract, ATableMadeAnewHasNoneOfTheFormerPartitions) {
  this->apply_some();
  this->apply(4, {{4, processor::CreateTableRow{table("sales", "orders", "created:9")}}});
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "database sales alice hdfs://nn/w/sales.db",
                "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"}));
}

TYPED_TEST_P(StoreContract, AManagedRenameMovesThePartitionsThatLieInTheTablesFolder) {
  this->apply_some();
  this->apply(4, {{4, processor::PutPartitions{named("sales", "orders"),
                                               {partition({"2026", "us"}, "/elsewhere/p")}}}});
  this->apply(
      5,
      {{5, processor::RenameTable{named("sales", "orders"),
                                  table("archive", "old"),
                                  processor::PathRewrite{"/w/sales.db/orders", "/w/archive.db/old"},
                                  {}}}});
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "database sales alice hdfs://nn/w/sales.db",
                "partition archive.old {2026,eu} hdfs://nn/w/archive.db/old/p",
                "partition archive.old {2026,us} hdfs://nn/elsewhere/p",
                "table archive.old MANAGED_TABLE alice hdfs://nn/w/archive.db/old"}));
}

TYPED_TEST_P(StoreContract, ARenameWhoseSourceIsMissingMakesItsTargetAndAsksForAReRead) {
  this->apply(1, {{1, processor::RenameTable{
                          named("sales", "gone"), table("sales", "there"), std::nullopt, {}}}});
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "table sales.there MANAGED_TABLE alice hdfs://nn/w/sales.db/there"}));
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.there"));
}

TYPED_TEST_P(StoreContract, AnUpdateOfAMissingTableMakesItAndAsksForAReRead) {
  this->apply(1, {{1, processor::UpdateTable{table("sales", "orders"), {}}}});
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"}));
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.orders"));
}

TYPED_TEST_P(StoreContract, PartitionsOfAMissingTableAskForAReRead) {
  this->apply(1, {{1, processor::RemovePartitions{named("sales", "orders"), {{"2026", "eu"}}}}});
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.orders"));
}

TYPED_TEST_P(StoreContract, ClaimsAreKeptAndWhatTheyNameIsToBeReadAgain) {
  this->claim(
      7, {claimed(5, processor::Claim::Kind::dropped, named("sales", "orders")),
          claimed(6, processor::Claim::Kind::renamed, named("sales", "new"), named("old", "name")),
          claimed(7, processor::Claim::Kind::changed, named("other", ""))});
  EXPECT_THAT(this->store_.claims(),
              testing::ElementsAre("5 dropped sales.orders", "6 renamed sales.new from old.name",
                                   "7 changed other."));
  EXPECT_THAT(this->store_.re_reads(),
              testing::ElementsAre("5 sales.orders", "6 old.name", "6 sales.new", "7 other."));
  EXPECT_THAT(this->ordered_re_reads(),
              testing::UnorderedElementsAre("sales.orders", "sales.new", "old.name", "other"));
  EXPECT_EQ(this->store_.events().state().cursor, 7);
}

TYPED_TEST_P(StoreContract, AClaimKeepsWhatItsEventSays) {
  processor::Claim claim = claimed(5, processor::Claim::Kind::created, named("sales", "orders"));
  claim.identity = "created:7";
  claim.unordered = true;
  this->claim(5, {claim});
  claim = claimed(6, processor::Claim::Kind::renamed, named("sales", "orders"));
  claim.certain = true;
  this->claim(6, {claim});
  EXPECT_THAT(this->store_.claims(),
              testing::ElementsAre("5 created sales.orders created:7 unordered",
                                   "6 renamed sales.orders certain"));
}

TYPED_TEST_P(StoreContract, AClaimOfNoDatabaseIsAboutEverything) {
  this->claim(5, {claimed(5, processor::Claim::Kind::dropped, named("", "orders"))});
  EXPECT_THAT(this->store_.claims(), testing::ElementsAre("5 changed ."));
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("everything"));
}

TYPED_TEST_P(StoreContract, WhatIsAskedForAgainIsReadLastAndWaitsForItsFirstEvent) {
  this->claim(5, {claimed(5, processor::Claim::Kind::changed, named("sales", "a"))});
  this->claim(6, {claimed(6, processor::Claim::Kind::changed, named("sales", "b"))});
  this->claim(7, {claimed(7, processor::Claim::Kind::changed, named("sales", "a"))});
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.b", "sales.a"));
  this->claim(8, {claimed(4, processor::Claim::Kind::changed, named("sales", "b"))});
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.a", "sales.b"));
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("4 sales.b", "5 sales.a"));
}

TYPED_TEST_P(StoreContract, AMutationThatAsksForAReReadAgainIsReadLast) {
  this->apply(1, {{1, processor::PutPartitions{named("sales", "a"), {partition({"1"}, "/1")}}}});
  this->apply(2, {{2, processor::PutPartitions{named("sales", "b"), {partition({"1"}, "/1")}}}});
  this->apply(3, {{3, processor::PutPartitions{named("sales", "a"), {partition({"2"}, "/2")}}}});
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.b", "sales.a"));
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("1 sales.a", "2 sales.b"));
}

TYPED_TEST_P(StoreContract, APendingReReadIsAlsoOfTheNewNameAfterARename) {
  this->apply_some();
  this->claim(5, {claimed(5, processor::Claim::Kind::changed, named("sales", "orders"))});
  this->apply(6, {{6, processor::RenameTable{
                          named("sales", "orders"), table("sales", "bills"), std::nullopt, {}}}});
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("5 sales.bills", "5 sales.orders"));
  EXPECT_THAT(this->ordered_re_reads(), testing::ElementsAre("sales.orders", "sales.bills"));
}

TYPED_TEST_P(StoreContract, APendingReReadOutlivesADropSinceItsClaimsDo) {
  this->apply_some();
  this->claim(5, {claimed(5, processor::Claim::Kind::changed, named("sales", "orders"))});
  this->apply(6, {{6, processor::RemoveTable{named("sales", "orders")}}});
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("5 sales.orders"));
}

TYPED_TEST_P(StoreContract, DigestsAreThoseOfTheLastBatch) {
  EXPECT_THAT(this->store_.events().state().digests, testing::IsEmpty());
  follower::Batch batch;
  batch.cursor = 3;
  batch.digests = {digest(1, 0x00), digest(2, 0xFF), digest(2, 0x7A)};
  this->store_.events().apply(this->fence(), batch);
  EXPECT_EQ(this->store_.events().state().digests, batch.digests);
  batch.digests = {digest(INT64_MAX, 0x01)};
  this->store_.events().apply(this->fence(), batch);
  EXPECT_EQ(this->store_.events().state().digests, batch.digests);
  this->apply(4, {});
  EXPECT_THAT(this->store_.events().state().digests, testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, ASharedIdIsRememberedForEver) {
  this->apply(1, {});
  EXPECT_FALSE(this->store_.events().state().shared_ids_seen);
  follower::Batch batch;
  batch.cursor = 2;
  batch.counts.shared_id = 2;
  this->store_.events().apply(this->fence(), batch);
  this->apply(3, {});
  EXPECT_TRUE(this->store_.events().state().shared_ids_seen);
}

TYPED_TEST_P(StoreContract, ABatchMayLeaveTheCursorWhereItIs) {
  this->apply_some();
  this->claim(3, {claimed(2, processor::Claim::Kind::changed, named("sales", "orders"))});
  EXPECT_EQ(this->store_.events().state().cursor, 3);
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("2 sales.orders"));
}

TYPED_TEST_P(StoreContract, NotesAreInTheAuditWithTheirBatchAndAlone) {
  follower::Batch batch;
  batch.cursor = 5;
  batch.notes = {{"late", 4, "it came after 5"}, {"shared_id", 5, "two have it"}};
  this->store_.events().apply(this->fence(), batch);
  const int64_t before = this->store_.events().state().commit_number;
  this->store_.events().note(this->fence(), {{"gap", 6, "it is missing"}});
  EXPECT_EQ(this->store_.events().state().commit_number, before + 1);
  EXPECT_EQ(this->store_.events().state().cursor, 5);
  EXPECT_THAT(this->store_.notes(),
              testing::ElementsAre("late 4 it came after 5", "shared_id 5 two have it",
                                   "gap 6 it is missing"));
}

TYPED_TEST_P(StoreContract, AFencedNoteIsNotWritten) {
  follower::Fence other = this->fence();
  other.token.nonce = "another";
  EXPECT_EQ(this->kind_of([&] { this->store_.events().note(other, {{"gap", 6, ""}}); }), "fenced");
  EXPECT_THAT(this->store_.notes(), testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, AnAnswerToPollsNeverGoesBack) {
  this->store_.events().answer_polls(3);
  EXPECT_EQ(this->store_.polls_answered(), 3);
  this->store_.events().answer_polls(2);
  EXPECT_EQ(this->store_.polls_answered(), 3);
}

TYPED_TEST_P(StoreContract, AQuarantinedEventComesBackWhole) {
  const processor::Event first = this->set_aside(4, std::string("{\0\xFF", 3));
  processor::Event second = spoilt_event(4, "");
  second.withheld.emplace();
  second.withheld->bytes = int64_t{3} << 30;
  second.withheld->hash.fill(std::byte{0xA5});
  follower::Batch batch;
  batch.cursor = 5;
  batch.quarantined = {{second, "too long"}, {spoilt_event(5, "{"), "not readable"}};
  this->store_.events().apply(this->fence(), batch);
  const std::vector<processor::Event> events = this->store_.orders().quarantined(4);
  ASSERT_EQ(events.size(), 2u);
  expect_same(events[0], first);
  expect_same(events[1], second);
  EXPECT_THAT(this->store_.orders().quarantined(6), testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, ARetryThatCanReadTheEventEndsItsQuarantine) {
  this->set_aside(4, "{");
  const int64_t id = this->store_.ask_retry(4, "alice");
  const follower::Orders orders = this->store_.orders().pending();
  ASSERT_EQ(orders.retries.size(), 1u);
  EXPECT_EQ(orders.retries[0].id, id);
  EXPECT_EQ(orders.retries[0].event, 4);
  EXPECT_EQ(orders.retries[0].requested_by, "alice");
  this->store_.orders().retried(
      this->fence(), orders.retries[0],
      {{{claimed(4, processor::Claim::Kind::changed, named("sales", "orders"))}, ""}});
  EXPECT_THAT(this->store_.orders().pending().retries, testing::IsEmpty());
  EXPECT_THAT(this->store_.orders().quarantined(4), testing::IsEmpty());
  EXPECT_THAT(this->store_.claims(), testing::ElementsAre("4 changed sales.orders"));
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("4 sales.orders"));
}

TYPED_TEST_P(StoreContract, ARetryEndsTheQuarantineOnlyOfThoseThatItCouldRead) {
  this->set_aside(4, "first");
  this->set_aside(4, "second");
  const follower::RetryRequest request{this->store_.ask_retry(4, "alice"), 4, "alice"};
  this->store_.orders().retried(this->fence(), request, {{{}, "still not readable"}, {{}, ""}});
  const std::vector<processor::Event> events = this->store_.orders().quarantined(4);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].message, "first");
  EXPECT_THAT(this->store_.orders().pending().retries, testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, AFencedRetryChangesNothing) {
  this->set_aside(4, "{");
  const follower::RetryRequest request{this->store_.ask_retry(4, "alice"), 4, "alice"};
  follower::Fence other = this->fence();
  other.commit_number += 1;
  EXPECT_EQ(this->kind_of([&] {
    this->store_.orders().retried(other, request, {{{}, ""}});
  }),
            "fenced");
  EXPECT_EQ(this->store_.orders().quarantined(4).size(), 1u);
  EXPECT_EQ(this->store_.orders().pending().retries.size(), 1u);
}

TYPED_TEST_P(StoreContract, TablesAreCountedAndWalkedInTheOrderOfTheirNames) {
  this->apply_some();
  this->apply(7, {{4, processor::CreateTableRow{table("archive", "x")}},
                  {5, processor::CreateTableRow{table("sales", "bills")}},
                  {6, processor::PutDatabase{database("empty")}},
                  {7, processor::CreateTableRow{table("sales", "returns")}}});
  follower::StoredObjects& stored = this->store_.stored();
  EXPECT_EQ(stored.count_tables(), 4);
  EXPECT_THAT(stored.tables_after(named("", ""), 3),
              testing::ElementsAre(named("archive", "x"), named("sales", "bills"),
                                   named("sales", "orders")));
  EXPECT_THAT(stored.tables_after(named("sales", "orders"), 3),
              testing::ElementsAre(named("sales", "returns")));
  EXPECT_THAT(stored.tables_after(named("sales", "returns"), 3), testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, SomeTablesAreToldWithTheirIdentities) {
  EXPECT_THAT(this->store_.stored().some_tables(5), testing::IsEmpty());
  this->apply(3, {{1, processor::PutDatabase{database("sales")}},
                  {2, processor::CreateTableRow{table("sales", "unknown", "")}},
                  {3, processor::CreateTableRow{table("sales", "orders", "created:7")}}});
  const std::vector<follower::KnownTable> tables = this->store_.stored().some_tables(5);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, named("sales", "orders"));
  EXPECT_EQ(tables[0].identity, "created:7");
  for (int i = 0; i < 20; ++i) {
    this->apply(4 + i,
                {{4 + i, processor::CreateTableRow{table("sales", "t" + std::to_string(i))}}});
  }
  EXPECT_EQ(this->store_.stored().some_tables(5).size(), 5u);
}

TYPED_TEST_P(StoreContract, AResyncIsPendingUntilItIsFinished) {
  follower::ResyncRequest request;
  request.scope.database = processor::DatabaseName{processor::kDefaultCatalog, "sales"};
  request.scope.table = "orders";
  request.dry_run = true;
  request.requested_by = "alice";
  const int64_t id = this->store_.ask_resync(request);
  const follower::Orders orders = this->store_.orders().pending();
  ASSERT_EQ(orders.resyncs.size(), 1u);
  EXPECT_EQ(orders.resyncs[0].id, id);
  EXPECT_EQ(orders.resyncs[0].scope.database->database, "sales");
  EXPECT_EQ(orders.resyncs[0].scope.table, "orders");
  EXPECT_TRUE(orders.resyncs[0].dry_run);
  EXPECT_FALSE(orders.resyncs[0].force);
  EXPECT_EQ(orders.resyncs[0].requested_by, "alice");
  this->store_.orders().finish(this->fence(), id, {"done", "", 5, 0.5, {}});
  EXPECT_THAT(this->store_.orders().pending().resyncs, testing::IsEmpty());
}

TYPED_TEST_P(StoreContract, AFencedFinishLeavesTheRequestPending) {
  follower::ResyncRequest request;
  request.requested_by = "alice";
  const int64_t id = this->store_.ask_resync(request);
  follower::Fence other = this->fence();
  other.commit_number += 1;
  EXPECT_EQ(this->kind_of([&] { this->store_.orders().finish(other, id, {}); }), "fenced");
  EXPECT_EQ(this->store_.orders().pending().resyncs.size(), 1u);
}

TYPED_TEST_P(StoreContract, APauseIsSeen) {
  EXPECT_FALSE(this->store_.orders().pending().pause.has_value());
  this->store_.pause("alice", "an upgrade");
  const follower::Orders orders = this->store_.orders().pending();
  ASSERT_TRUE(orders.pause.has_value());
  EXPECT_EQ(orders.pause->by, "alice");
  EXPECT_EQ(orders.pause->reason, "an upgrade");
  EXPECT_EQ(orders.pause->until, std::nullopt);
}

REGISTER_TYPED_TEST_SUITE_P(
    StoreContract, StartsWithoutACursor, ABatchIsReadableWithItsCursorAndRaisesTheCommitNumber,
    AnEmptyBatchMovesTheCursor, AnotherTokenIsFencedAndNothingIsWritten,
    AnOldCommitNumberIsFencedSoThatNothingIsDoneTwice, MutationsOfOneObjectKeepTheirOrder,
    ARemovedDatabaseTakesItsTablesAlongAndNoOthers, ATableMadeAnewHasNoneOfTheFormerPartitions,
    AManagedRenameMovesThePartitionsThatLieInTheTablesFolder,
    ARenameWhoseSourceIsMissingMakesItsTargetAndAsksForAReRead,
    AnUpdateOfAMissingTableMakesItAndAsksForAReRead, PartitionsOfAMissingTableAskForAReRead,
    ClaimsAreKeptAndWhatTheyNameIsToBeReadAgain, AClaimKeepsWhatItsEventSays,
    AClaimOfNoDatabaseIsAboutEverything, WhatIsAskedForAgainIsReadLastAndWaitsForItsFirstEvent,
    AMutationThatAsksForAReReadAgainIsReadLast, APendingReReadIsAlsoOfTheNewNameAfterARename,
    APendingReReadOutlivesADropSinceItsClaimsDo, DigestsAreThoseOfTheLastBatch,
    ASharedIdIsRememberedForEver, ABatchMayLeaveTheCursorWhereItIs,
    NotesAreInTheAuditWithTheirBatchAndAlone, AFencedNoteIsNotWritten, AnAnswerToPollsNeverGoesBack,
    AQuarantinedEventComesBackWhole, ARetryThatCanReadTheEventEndsItsQuarantine,
    ARetryEndsTheQuarantineOnlyOfThoseThatItCouldRead, AFencedRetryChangesNothing,
    TablesAreCountedAndWalkedInTheOrderOfTheirNames, SomeTablesAreToldWithTheirIdentities,
    AResyncIsPendingUntilItIsFinished, AFencedFinishLeavesTheRequestPending, APauseIsSeen);

}  // namespace hmsync::store
