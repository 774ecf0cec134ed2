// What every implementation of follower::SnapshotStore does, whatever is behind it: a typed suite
// over classes that are a StoreUnderTest.
//   INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SnapshotContract, testing::Types<PostgresUnderTest>);
#pragma once

#include "tests/store/contract_fixture.h"

namespace hmsync::store {

template <typename Store>
class SnapshotContract : public ContractFixture<Store> {};

TYPED_TEST_SUITE_P(SnapshotContract);

TYPED_TEST_P(SnapshotContract, ASnapshotIsSeenOnlyOnceItIsPublished) {
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin({});
  snapshots.add(id, {{database("sales")}, {table("sales", "orders")}, {}});
  snapshots.add(
      id,
      {{}, {}, {{named("sales", "orders"), {partition({"2026", "eu"}, "/w/sales.db/orders/p")}}}});
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
  follower::Publication publication;
  publication.cursor = 12;
  publication.metastore_uuid = "uuid";
  const follower::Difference difference =
      snapshots.publish(this->fence(), id, publication).difference;
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(difference.added.databases, 1);
  EXPECT_EQ(difference.added.tables, 1);
  EXPECT_EQ(difference.added.partitions, 1);
  EXPECT_EQ(this->store_.events().state().cursor, 12);
  EXPECT_EQ(this->store_.events().state().metastore_uuid, "uuid");
}

TYPED_TEST_P(SnapshotContract, ASnapshotWritesTheDifferenceOnlyAndCountsIt) {
  this->apply_some();
  this->apply(4, {{4, processor::CreateTableRow{table("sales", "gone")}}});
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin({});
  snapshots.add(id, {{database("sales", "bob"), database("new")},
                     {table("sales", "orders")},
                     {{named("sales", "orders"), {partition({"2026", "us"}, "/us")}}}});
  const follower::Difference compared = snapshots.compare(id);
  follower::Publication publication;
  publication.cursor = 4;
  publication.unbroken = true;
  const follower::Difference published =
      snapshots.publish(this->fence(), id, publication).difference;
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

TYPED_TEST_P(SnapshotContract, EventsReplayedOnTheStagingDoWhatLiveEventsDo) {
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin({});
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
  EXPECT_THAT(this->store_.orders().pending().re_reads, testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, AFencedSnapshotChangesNothing) {
  this->apply_some();
  const std::string id = this->store_.snapshots().begin({});
  follower::Fence other = this->fence();
  other.token.epoch = 8;
  EXPECT_EQ(this->kind_of([&] {
    this->store_.snapshots().publish(other, id, {9, false, true, ""});
  }),
            "fenced");
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_EQ(this->store_.events().state().generation, 0);
}

TYPED_TEST_P(SnapshotContract, AResetRaisesTheGenerationAndEndsPendingReReads) {
  this->apply(1, {{1, processor::UpdateTable{table("sales", "orders"), {}}}});
  const std::string id = this->store_.snapshots().begin({});
  this->store_.snapshots().publish(this->fence(), id, {0, false, true, "other"});
  const follower::FollowerState state = this->store_.events().state();
  EXPECT_EQ(state.generation, 1);
  EXPECT_EQ(state.cursor, 0);
  EXPECT_THAT(this->store_.orders().pending().re_reads, testing::IsEmpty());
  EXPECT_THAT(this->store_.objects(), testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(SnapshotContract, ASnapshotIsSeenOnlyOnceItIsPublished,
                            ASnapshotWritesTheDifferenceOnlyAndCountsIt,
                            EventsReplayedOnTheStagingDoWhatLiveEventsDo,
                            AFencedSnapshotChangesNothing,
                            AResetRaisesTheGenerationAndEndsPendingReReads);

}  // namespace hmsync::store
