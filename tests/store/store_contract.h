// What every implementation of the follower's store ports does, whatever is behind it: a typed
// suite over classes that are a StoreUnderTest.
//   INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, StoreContract, testing::Types<PostgresUnderTest>);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processor/error.h"
#include "tests/store/objects.h"
#include "tests/store/store_under_test.h"

namespace hmsync::store {

template <typename Store>
class StoreContract : public testing::Test {
 protected:
  StoreContract() { store_.elect(token_); }

  follower::Fence fence() { return {token_, store_.events().state().commit_number}; }

  void apply(int64_t cursor, std::vector<processor::Mutation> mutations) {
    follower::Batch batch;
    batch.cursor = cursor;
    batch.mutations = std::move(mutations);
    store_.events().apply(fence(), batch);
  }

  /// One database, one table with a partition.
  void apply_some() {
    apply(3, {{1, processor::PutDatabase{database("sales")}},
              {2, processor::CreateTableRow{table("sales", "orders")}},
              {3, processor::PutPartitions{named("sales", "orders"),
                                           {partition({"2026", "eu"}, "/w/sales.db/orders/p")}}}});
  }

  /// The kind of what the call throws.
  template <typename Call>
  std::string kind_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return to_string(error.kind());
    }
    return "nothing";
  }

  Store store_;
  const follower::Token token_{7, "nonce"};
};

inline const std::vector<std::string> kSome{
    "database sales alice hdfs://nn/w/sales.db",
    "partition sales.orders {2026,eu} hdfs://nn/w/sales.db/orders/p",
    "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"};

TYPED_TEST_SUITE_P(StoreContract);

TYPED_TEST_P(StoreContract, StartsWithoutACursor) {
  const follower::FollowerState state = this->store_.events().state();
  EXPECT_EQ(state.cursor, std::nullopt);
  EXPECT_EQ(state.generation, 0);
  EXPECT_EQ(state.token, this->token_);
  EXPECT_FALSE(this->store_.orders().pending().re_reads_due);
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
  EXPECT_TRUE(this->store_.orders().pending().re_reads_due);
}

TYPED_TEST_P(StoreContract, AnUpdateOfAMissingTableMakesItAndAsksForAReRead) {
  this->apply(1, {{1, processor::UpdateTable{table("sales", "orders"), {}}}});
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"}));
  EXPECT_TRUE(this->store_.orders().pending().re_reads_due);
}

TYPED_TEST_P(StoreContract, PartitionsOfAMissingTableAskForAReRead) {
  this->apply(1, {{1, processor::RemovePartitions{named("sales", "orders"), {{"2026", "eu"}}}}});
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
  EXPECT_TRUE(this->store_.orders().pending().re_reads_due);
}

TYPED_TEST_P(StoreContract, AQuarantinedEventAsksForAReReadOfWhatItsHeaderNames) {
  follower::Batch batch;
  batch.cursor = 1;
  batch.counts.quarantined = 1;
  processor::Event event;
  event.id = 1;
  event.type = "ALTER_TABLE";
  event.database = "sales";
  event.table = "orders";
  event.message = "{";
  batch.quarantined = {{event, "not readable"}};
  this->store_.events().apply(this->fence(), batch);
  EXPECT_TRUE(this->store_.orders().pending().re_reads_due);
}

TYPED_TEST_P(StoreContract, ASnapshotIsSeenOnlyOnceItIsPublished) {
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin();
  snapshots.add(id, {{database("sales")}, {table("sales", "orders")}, {}});
  snapshots.add(
      id,
      {{}, {}, {{named("sales", "orders"), {partition({"2026", "eu"}, "/w/sales.db/orders/p")}}}});
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
  follower::Publication publication;
  publication.cursor = 12;
  publication.metastore_uuid = "uuid";
  const follower::Difference difference = snapshots.publish(this->fence(), id, publication);
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(difference.added.databases, 1);
  EXPECT_EQ(difference.added.tables, 1);
  EXPECT_EQ(difference.added.partitions, 1);
  EXPECT_EQ(this->store_.events().state().cursor, 12);
  EXPECT_EQ(this->store_.events().state().metastore_uuid, "uuid");
}

TYPED_TEST_P(StoreContract, ASnapshotWritesTheDifferenceOnlyAndCountsIt) {
  this->apply_some();
  this->apply(4, {{4, processor::CreateTableRow{table("sales", "gone")}}});
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin();
  snapshots.add(id, {{database("sales", "bob"), database("new")},
                     {table("sales", "orders")},
                     {{named("sales", "orders"), {partition({"2026", "us"}, "/us")}}}});
  const follower::Difference compared = snapshots.compare(id);
  follower::Publication publication;
  publication.cursor = 4;
  publication.unbroken = true;
  const follower::Difference published = snapshots.publish(this->fence(), id, publication);
  for (const follower::Difference& difference : {compared, published}) {
    EXPECT_EQ(difference.added.databases, 1);
    EXPECT_EQ(difference.changed.databases, 1);
    EXPECT_EQ(difference.removed.databases, 0);
    EXPECT_EQ(difference.added.tables, 0);
    EXPECT_EQ(difference.changed.tables, 0);
    EXPECT_EQ(difference.removed.tables, 1);
    EXPECT_EQ(difference.added.partitions, 1);
    EXPECT_EQ(difference.changed.partitions, 0);
    EXPECT_EQ(difference.removed.partitions, 1);
  }
  EXPECT_EQ(this->store_.objects(),
            (std::vector<std::string>{
                "database new alice hdfs://nn/w/new.db", "database sales bob hdfs://nn/w/sales.db",
                "partition sales.orders {2026,us} hdfs://nn/us",
                "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"}));
}

TYPED_TEST_P(StoreContract, EventsReplayedOnTheStagingDoWhatLiveEventsDo) {
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin();
  snapshots.add(id, {{database("sales"), database("gone")}, {table("gone", "too")}, {}});
  snapshots.replay(id,
                   {{1, processor::CreateTableRow{table("sales", "orders")}},
                    {2, processor::PutPartitions{named("sales", "orders"),
                                                 {partition({"2026", "eu"}, "/w/sales.db/orders/p"),
                                                  partition({"2026", "us"}, "/us")}}},
                    {3, processor::RemovePartitions{named("sales", "orders"), {{"2026", "us"}}}},
                    {4, processor::RemoveDatabase{{processor::kDefaultCatalog, "gone"}}}});
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
  follower::Publication publication;
  publication.cursor = 4;
  snapshots.publish(this->fence(), id, publication);
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_FALSE(this->store_.orders().pending().re_reads_due);
}

TYPED_TEST_P(StoreContract, AFencedSnapshotChangesNothing) {
  this->apply_some();
  const std::string id = this->store_.snapshots().begin();
  follower::Fence other = this->fence();
  other.token.epoch = 8;
  EXPECT_EQ(this->kind_of([&] {
    this->store_.snapshots().publish(other, id, {9, false, true, ""});
  }),
            "fenced");
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(this->store_.events().state().generation, 0);
}

TYPED_TEST_P(StoreContract, AResetRaisesTheGenerationAndEndsPendingReReads) {
  this->apply(1, {{1, processor::UpdateTable{table("sales", "orders"), {}}}});
  const std::string id = this->store_.snapshots().begin();
  this->store_.snapshots().publish(this->fence(), id, {0, false, true, "other"});
  const follower::FollowerState state = this->store_.events().state();
  EXPECT_EQ(state.generation, 1);
  EXPECT_EQ(state.cursor, 0);
  EXPECT_FALSE(this->store_.orders().pending().re_reads_due);
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
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
    AQuarantinedEventAsksForAReReadOfWhatItsHeaderNames, ASnapshotIsSeenOnlyOnceItIsPublished,
    ASnapshotWritesTheDifferenceOnlyAndCountsIt, EventsReplayedOnTheStagingDoWhatLiveEventsDo,
    AFencedSnapshotChangesNothing, AResetRaisesTheGenerationAndEndsPendingReReads,
    AResyncIsPendingUntilItIsFinished, AFencedFinishLeavesTheRequestPending, APauseIsSeen);

}  // namespace hmsync::store
