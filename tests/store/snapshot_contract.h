// What every implementation of follower::SnapshotStore does, whatever is behind it: a typed suite
// over classes that are a StoreUnderTest.
//   INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SnapshotContract, testing::Types<PostgresUnderTest>);
#pragma once

#include "tests/store/contract_fixture.h"

namespace hmsync::store {

using ClaimKind = processor::Claim::Kind;

inline follower::Scope in_scope(const std::string& database) {
  return {processor::DatabaseName{processor::kDefaultCatalog, database}, std::nullopt, false};
}

inline follower::Scope in_scope(const std::string& database, const std::string& table) {
  return {processor::DatabaseName{processor::kDefaultCatalog, database}, table, false};
}

inline follower::Scope own_rows() { return {std::nullopt, std::nullopt, true}; }

inline processor::Claim said(int64_t event, processor::Claim::Kind kind,
                             const processor::TableName& name,
                             const processor::TableName& from = {}) {
  processor::Claim claim;
  claim.event_id = event;
  claim.kind = kind;
  claim.name = name;
  claim.from = from;
  return claim;
}

template <typename Store>
class SnapshotContract : public ContractFixture<Store> {
 protected:
  /// sales with orders and bills, archive with old; at event 5.
  void start() {
    publish({}, {{database("archive"), database("sales")},
                 {table("archive", "old", "created:3"), table("sales", "bills", "created:2"),
                  table("sales", "orders", "created:1")},
                 {{named("sales", "orders"), {partition({"a"}, "/a")}}}});
  }

  void claim(int64_t cursor, const std::vector<processor::Claim>& claims) {
    follower::Batch batch;
    batch.cursor = cursor;
    batch.claims = claims;
    this->store_.events().apply(this->fence(), batch);
  }

  std::string staged(const std::vector<follower::Scope>& scopes,
                     const follower::SnapshotPage& page) {
    const std::string id = this->store_.snapshots().begin(scopes);
    this->store_.snapshots().add(id, page);
    return id;
  }

  follower::Published publish_staged(const std::string& id,
                                     std::optional<follower::Guard> guard = std::nullopt) {
    follower::Publication publication;
    publication.cursor = this->store_.events().state().cursor.value_or(5);
    publication.unbroken = true;
    publication.reason = "re_read";
    publication.guard = guard;
    return this->store_.snapshots().publish(this->fence(), id, publication);
  }

  follower::Published publish(const std::vector<follower::Scope>& scopes,
                              const follower::SnapshotPage& page,
                              std::optional<follower::Guard> guard = std::nullopt) {
    return publish_staged(staged(scopes, page), guard);
  }

  /// "sales.orders" of all tables.
  std::vector<std::string> tables() {
    std::vector<std::string> names;
    for (const processor::TableName& name : this->store_.stored().tables_after({}, 100)) {
      names.push_back(name.database + "." + name.table);
    }
    return names;
  }

  static std::vector<int64_t> events_of(const std::vector<processor::Claim>& claims) {
    std::vector<int64_t> events;
    for (const processor::Claim& claim : claims) events.push_back(claim.event_id);
    return events;
  }
};

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

TYPED_TEST_P(SnapshotContract, ATableThatIsReadAgainLeavesAllOthersAlone) {
  this->start();
  const auto published = this->publish({in_scope("sales", "orders")},
                                       {{},
                                        {table("sales", "orders", "created:1")},
                                        {{named("sales", "orders"), {partition({"b"}, "/b")}}}});
  EXPECT_EQ(published.outcome, follower::Published::Outcome::published);
  EXPECT_EQ(published.difference.added.partitions, 1);
  EXPECT_EQ(published.difference.removed.partitions, 1);
  EXPECT_EQ(published.difference.removed.tables, 0);
  EXPECT_THAT(this->tables(), testing::ElementsAre("archive.old", "sales.bills", "sales.orders"));
  EXPECT_THAT(this->store_.objects(), testing::Contains("partition sales.orders {b} hdfs://nn/b"));
}

TYPED_TEST_P(SnapshotContract, WhatIsInTheScopesAndWasNotReadIsGone) {
  this->start();
  const auto published = this->publish(
      {in_scope("sales", "orders"), in_scope("sales", "never"), in_scope("archive")}, {});
  EXPECT_EQ(published.difference.removed.tables, 2);
  EXPECT_EQ(published.difference.removed.databases, 1);
  EXPECT_EQ(published.difference.removed.partitions, 1);
  EXPECT_EQ(published.lost_tables, 2);
  EXPECT_EQ(published.stored_tables, 3);
  EXPECT_THAT(this->tables(), testing::ElementsAre("sales.bills"));
}

TYPED_TEST_P(SnapshotContract, ADatabaseThatIsReadAgainIsSoWithItsTables) {
  this->start();
  this->publish({in_scope("sales")},
                {{database("sales", "bob")}, {table("sales", "new", "created:9")}, {}});
  EXPECT_THAT(this->tables(), testing::ElementsAre("archive.old", "sales.new"));
  EXPECT_THAT(this->store_.objects(), testing::Contains("database sales bob hdfs://nn/w/sales.db"));
}

TYPED_TEST_P(SnapshotContract, OwnRowsOfDatabasesLeaveTheirTablesAloneUnlessTheDatabaseIsGone) {
  this->start();
  const auto published =
      this->publish({own_rows()}, {{database("new"), database("sales", "bob")}, {}, {}});
  EXPECT_EQ(published.difference.added.databases, 1);
  EXPECT_EQ(published.difference.changed.databases, 1);
  EXPECT_EQ(published.difference.removed.databases, 1);
  EXPECT_EQ(published.difference.removed.tables, 1);
  EXPECT_EQ(published.lost_tables, 1);
  EXPECT_THAT(this->tables(), testing::ElementsAre("sales.bills", "sales.orders"));
  EXPECT_THAT(this->store_.objects(),
              testing::IsSupersetOf({"database new alice hdfs://nn/w/new.db",
                                     "database sales bob hdfs://nn/w/sales.db",
                                     "partition sales.orders {a} hdfs://nn/a"}));
}

TYPED_TEST_P(SnapshotContract, ScopesAreWidenedWithAPage) {
  this->start();
  const std::string id = this->staged({in_scope("sales", "orders")}, {});
  this->store_.snapshots().add(id, {{}, {table("sales", "new", "created:8")}, {}},
                               {in_scope("sales", "new"), in_scope("archive", "old")});
  EXPECT_EQ(this->store_.snapshots().compare(id).removed.tables, 2);
  this->publish_staged(id);
  EXPECT_THAT(this->tables(), testing::ElementsAre("sales.bills", "sales.new"));
}

TYPED_TEST_P(SnapshotContract, AScopeOfEverythingIsAWholeSnapshot) {
  this->start();
  this->publish({in_scope("sales", "orders"), {}}, {{database("sales")}, {}, {}});
  EXPECT_THAT(this->tables(), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, SeveralAreMadeAtTheSameTime) {
  this->start();
  const std::string whole = this->staged({}, {{database("sales")}, {}, {}});
  const std::string one =
      this->staged({in_scope("sales", "one")}, {{}, {table("sales", "one", "created:8")}, {}});
  const std::string two =
      this->staged({in_scope("sales", "two")}, {{}, {table("sales", "two", "created:8")}, {}});
  this->publish_staged(two);
  this->publish_staged(one);
  EXPECT_THAT(this->tables(), testing::ElementsAre("archive.old", "sales.bills", "sales.one",
                                                   "sales.orders", "sales.two"));
  this->publish_staged(whole);
  EXPECT_THAT(this->tables(), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, EndsTheReReadsAndClaimsOfItsScopesThatItHasRead) {
  this->start();
  this->claim(7, {said(6, ClaimKind::changed, named("sales", "orders")),
                  said(7, ClaimKind::changed, named("archive", ""))});
  const std::string id =
      this->staged({in_scope("sales", "orders"), in_scope("archive", "old"), own_rows()},
                   {{database("archive"), database("sales")},
                    {table("archive", "old", "created:3"), table("sales", "orders", "created:1")},
                    {}});
  this->publish_staged(id);
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("7 archive."));
  ASSERT_EQ(this->store_.claims().size(), 1u);
  this->publish({in_scope("archive")},
                {{database("archive")}, {table("archive", "old", "created:3")}, {}});
  EXPECT_THAT(this->store_.re_reads(), testing::IsEmpty());
  EXPECT_THAT(this->store_.claims(), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, AReReadThatWasAskedForAfterItBeganStaysPending) {
  this->start();
  this->claim(6, {said(6, ClaimKind::changed, named("sales", "orders"))});
  const std::string id = this->staged({in_scope("sales")}, {{database("sales")}, {}, {}});
  this->claim(8, {said(7, ClaimKind::changed, named("sales", "orders")),
                  said(8, ClaimKind::changed, named("sales", "bills"))});
  this->publish_staged(id);
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("7 sales.orders", "8 sales.bills"));
  EXPECT_EQ(this->store_.claims().size(), 2u);
}

TYPED_TEST_P(SnapshotContract, AWholeSnapshotInTheMakingReadsAgainWhatWasReadMeanwhile) {
  this->start();
  const std::string whole = this->staged({}, {{database("sales")}, {}, {}});
  this->claim(6, {said(6, ClaimKind::changed, named("sales", "orders"))});
  this->publish({in_scope("sales", "orders")}, {{}, {table("sales", "orders", "created:1")}, {}});
  EXPECT_THAT(this->store_.re_reads(), testing::IsEmpty());
  this->publish_staged(whole);
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("6 sales.orders"));
}

TYPED_TEST_P(SnapshotContract, AWholeSnapshotEndsAReReadOfEverything) {
  this->start();
  this->claim(6, {said(6, ClaimKind::changed, {processor::kDefaultCatalog, "", ""})});
  this->publish({in_scope("sales", "orders")}, {});
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("6 ."));
  this->publish({}, {{database("sales")}, {}, {}});
  EXPECT_THAT(this->store_.re_reads(), testing::IsEmpty());
  EXPECT_THAT(this->store_.claims(), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, ItsDigestsAreRememberedFromThenOn) {
  this->start();
  follower::Publication publication;
  publication.cursor = 20;
  publication.digests.resize(2);
  publication.digests[0].id = 19;
  publication.digests[1].id = 20;
  publication.digests[1].hash.fill(std::byte{0xAB});
  this->store_.snapshots().publish(this->fence(), this->staged({}, {}), publication);
  EXPECT_EQ(this->store_.events().state().digests, publication.digests);
  this->publish({}, {});
  EXPECT_EQ(this->store_.events().state().digests, publication.digests);
}

TYPED_TEST_P(SnapshotContract, WhatLosesTooMuchIsRefusedAndChangesNothing) {
  this->start();
  this->claim(6, {said(6, ClaimKind::changed, named("archive", "old"))});
  const std::vector<std::string> before = this->store_.objects();
  const int64_t commit = this->store_.events().state().commit_number;
  const auto refused =
      this->publish({},
                    {{database("archive"), database("sales")},
                     {table("archive", "old", "created:3"), table("sales", "bills", "created:2"),
                      table("sales", "orders", "created:99")},
                     {}},
                    follower::Guard{0.2, 0});
  EXPECT_EQ(refused.outcome, follower::Published::Outcome::refused);
  EXPECT_THAT(refused.reason,
              testing::AllOf(testing::HasSubstr("1 of 3"), testing::HasSubstr("--force")));
  EXPECT_EQ(refused.stored_tables, 3);
  EXPECT_EQ(refused.lost_tables, 1);
  EXPECT_EQ(this->store_.objects(), before);
  EXPECT_EQ(this->store_.events().state().commit_number, commit);
  EXPECT_THAT(this->store_.re_reads(), testing::ElementsAre("6 archive.old"));
}

TYPED_TEST_P(SnapshotContract, WhatWasLostBeforeCountsToo) {
  this->start();
  const std::vector<follower::Scope> scopes{in_scope("sales", "orders")};
  // One of three; with two before, three of five.
  EXPECT_EQ(this->publish(scopes, {}, follower::Guard{0.5, 2}).outcome,
            follower::Published::Outcome::refused);
  EXPECT_EQ(this->publish(scopes, {}, follower::Guard{0.5, 0}).outcome,
            follower::Published::Outcome::published);
}

TYPED_TEST_P(SnapshotContract, WhatAnEventNamesDoesNotCountAsLost) {
  this->start();
  this->claim(8, {said(6, ClaimKind::dropped, named("sales", "orders")),
                  said(7, ClaimKind::renamed, named("sales", "new"), named("sales", "bills")),
                  said(8, ClaimKind::dropped, named("archive", ""))});
  const auto published = this->publish({in_scope("sales"), in_scope("archive")},
                                       {{database("sales")}, {}, {}}, follower::Guard{0, 0});
  EXPECT_EQ(published.outcome, follower::Published::Outcome::published);
  EXPECT_EQ(published.lost_tables, 0);
}

TYPED_TEST_P(SnapshotContract, WhereNoTablesAreStoredDatabasesCount) {
  this->publish({}, {{database("archive"), database("sales")}, {}, {}});
  EXPECT_EQ(this->publish({}, {{database("sales")}, {}, {}}, follower::Guard{0.4, 0}).outcome,
            follower::Published::Outcome::refused);
  EXPECT_EQ(this->publish({}, {{database("sales")}, {}, {}}, follower::Guard{0.5, 0}).outcome,
            follower::Published::Outcome::published);
}

TYPED_TEST_P(SnapshotContract, ARenameOutOfTheScopesMakesTheOtherNamesBeReadToo) {
  this->start();
  this->claim(7, {said(6, ClaimKind::renamed, named("sales", "new"), named("sales", "orders")),
                  said(7, ClaimKind::renamed, named("archive", "new"), named("sales", "new"))});
  const std::string id = this->staged({in_scope("sales", "orders")}, {});
  const auto incomplete = this->publish_staged(id);
  EXPECT_EQ(incomplete.outcome, follower::Published::Outcome::incomplete);
  EXPECT_THAT(incomplete.missing,
              testing::UnorderedElementsAre(in_scope("archive", "new"), in_scope("sales", "new")));
  EXPECT_THAT(this->tables(), testing::Contains("sales.orders"));
  this->store_.snapshots().add(id, {{}, {table("archive", "new", "created:1")}, {}},
                               incomplete.missing);
  EXPECT_EQ(this->publish_staged(id).outcome, follower::Published::Outcome::published);
  EXPECT_THAT(this->tables(), testing::ElementsAre("archive.new", "archive.old", "sales.bills"));
  EXPECT_THAT(this->store_.claims(), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, ARenameWhoseSourceCouldNotBeReadMakesTablesOfItsIdentityBeRead) {
  this->start();
  this->claim(6, {said(6, ClaimKind::renamed, named("sales", "new"))});
  const std::string id =
      this->staged({in_scope("sales", "new")}, {{}, {table("sales", "new", "created:2")}, {}});
  const auto incomplete = this->publish_staged(id);
  EXPECT_EQ(incomplete.outcome, follower::Published::Outcome::incomplete);
  EXPECT_THAT(incomplete.missing, testing::ElementsAre(in_scope("sales", "bills")));
  this->store_.snapshots().add(id, {}, incomplete.missing);
  EXPECT_EQ(this->publish_staged(id).outcome, follower::Published::Outcome::published);
  EXPECT_THAT(this->tables(), testing::ElementsAre("archive.old", "sales.new", "sales.orders"));
}

TYPED_TEST_P(SnapshotContract, OrderedEventsAreRefutedByWhatIsThere) {
  this->start();
  processor::Claim created = said(9, ClaimKind::created, named("archive", "old"));
  created.identity = "created:77";
  processor::Claim over_another = said(11, ClaimKind::created, named("sales", "orders"));
  over_another.identity = "created:78";
  this->claim(11, {said(6, ClaimKind::dropped, named("sales", "")),
                   said(7, ClaimKind::dropped, named("sales", "orders")),
                   said(8, ClaimKind::renamed, named("sales", "new"), named("sales", "bills")),
                   created, said(10, ClaimKind::created, named("sales", "never")), over_another});
  const auto published =
      this->publish({in_scope("sales"), in_scope("archive", "old")},
                    {{database("sales")},
                     {table("archive", "old", "created:3"), table("sales", "bills", "created:2"),
                      table("sales", "orders", "created:1")},
                     {}});
  EXPECT_THAT(this->events_of(published.refuted), testing::ElementsAre(6, 7, 8, 9, 10, 11));
}

TYPED_TEST_P(SnapshotContract, WhatTrulyHappenedIsNotRefuted) {
  this->start();
  processor::Claim again = said(8, ClaimKind::created, named("archive", "old"));
  again.identity = "created:8";
  this->claim(12, {said(6, ClaimKind::dropped, named("sales", "orders")),
                   said(7, ClaimKind::dropped, named("archive", "old")), again,
                   // There and back, made and dropped.
                   said(9, ClaimKind::renamed, named("sales", "b"), named("sales", "bills")),
                   said(10, ClaimKind::renamed, named("sales", "bills"), named("sales", "b")),
                   said(11, ClaimKind::created, named("sales", "short")),
                   said(12, ClaimKind::dropped, named("sales", "short"))});
  const auto published =
      this->publish({in_scope("sales"), in_scope("archive")},
                    {{database("archive"), database("sales")},
                     {table("archive", "old", "created:8"), table("sales", "bills", "created:2")},
                     {}});
  EXPECT_THAT(this->events_of(published.refuted), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, EventsWithoutOrderCertainAndUnreadableOnesAreNeverRefuted) {
  this->start();
  processor::Claim unordered = said(6, ClaimKind::dropped, named("sales", "orders"));
  unordered.unordered = true;
  follower::Batch batch;
  batch.cursor = 8;
  processor::Claim certain = said(8, ClaimKind::dropped, named("sales", "orders"));
  certain.certain = true;
  batch.claims = {unordered, said(7, ClaimKind::dropped, named("sales", "bills")), certain};
  batch.quarantined.resize(1);
  batch.quarantined[0].event.id = 7;
  batch.quarantined[0].event.type = "DROP_TABLE";
  this->store_.events().apply(this->fence(), batch);
  const auto published = this->publish(
      {in_scope("sales", "orders"), in_scope("sales", "bills")},
      {{}, {table("sales", "bills", "created:2"), table("sales", "orders", "created:1")}, {}});
  EXPECT_THAT(this->events_of(published.refuted), testing::IsEmpty());
}

TYPED_TEST_P(SnapshotContract, WhatEventsLeftDoubtfulStaysAsItIsLiveAndIsReadAgain) {
  this->start();
  const std::string id =
      this->staged({}, {{database("sales")}, {table("sales", "orders", "created:9")}, {}});
  processor::Claim doubtful;
  doubtful.event_id = 5;
  doubtful.name = named("sales", "orders");
  this->store_.snapshots().replay(
      id, {{5, processor::CreateTableRow{table("sales", "new", "created:7")}}}, {doubtful});
  const auto published = this->publish_staged(id);
  EXPECT_EQ(published.difference.changed.tables, 0);
  EXPECT_EQ(published.difference.removed.partitions, 0);
  EXPECT_EQ(published.difference.added.tables, 1);
  const follower::Orders orders = this->store_.orders().pending();
  ASSERT_EQ(orders.re_reads.size(), 1u);
  EXPECT_EQ(orders.re_reads[0], in_scope("sales", "orders"));
}

TYPED_TEST_P(SnapshotContract, ADatabaseThatIsNotListedStaysWhereEventsTellOfItsTables) {
  this->apply_some();
  follower::SnapshotStore& snapshots = this->store_.snapshots();
  const std::string id = snapshots.begin({});
  snapshots.replay(id, {}, {said(4, ClaimKind::changed, named("sales", "orders"))});
  const follower::Published published = this->publish_staged(id);
  EXPECT_EQ(published.outcome, follower::Published::Outcome::published);
  EXPECT_EQ(this->store_.objects(), kSome);
  EXPECT_THAT(this->store_.orders().pending().re_reads,
              testing::UnorderedElementsAre(in_scope("sales"), in_scope("sales", "orders")));
}

REGISTER_TYPED_TEST_SUITE_P(
    SnapshotContract, ADatabaseThatIsNotListedStaysWhereEventsTellOfItsTables,
    WhatEventsLeftDoubtfulStaysAsItIsLiveAndIsReadAgain, ASnapshotIsSeenOnlyOnceItIsPublished,
    ASnapshotWritesTheDifferenceOnlyAndCountsIt, EventsReplayedOnTheStagingDoWhatLiveEventsDo,
    AFencedSnapshotChangesNothing, AResetRaisesTheGenerationAndEndsPendingReReads,
    ATableThatIsReadAgainLeavesAllOthersAlone, WhatIsInTheScopesAndWasNotReadIsGone,
    ADatabaseThatIsReadAgainIsSoWithItsTables,
    OwnRowsOfDatabasesLeaveTheirTablesAloneUnlessTheDatabaseIsGone, ScopesAreWidenedWithAPage,
    AScopeOfEverythingIsAWholeSnapshot, SeveralAreMadeAtTheSameTime,
    EndsTheReReadsAndClaimsOfItsScopesThatItHasRead, AReReadThatWasAskedForAfterItBeganStaysPending,
    AWholeSnapshotInTheMakingReadsAgainWhatWasReadMeanwhile, AWholeSnapshotEndsAReReadOfEverything,
    ItsDigestsAreRememberedFromThenOn, WhatLosesTooMuchIsRefusedAndChangesNothing,
    WhatWasLostBeforeCountsToo, WhatAnEventNamesDoesNotCountAsLost,
    WhereNoTablesAreStoredDatabasesCount, ARenameOutOfTheScopesMakesTheOtherNamesBeReadToo,
    ARenameWhoseSourceCouldNotBeReadMakesTablesOfItsIdentityBeRead,
    OrderedEventsAreRefutedByWhatIsThere, WhatTrulyHappenedIsNotRefuted,
    EventsWithoutOrderCertainAndUnreadableOnesAreNeverRefuted);

}  // namespace hmsync::store
