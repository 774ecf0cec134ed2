// The metastore's double: transactions that overlap, and the oddities of real ones.
#include "tests/follower/memory_metastore.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "processor/change.h"

namespace hmsync::doubles {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kRefused = MemoryMetastore::kRefused;

std::vector<int64_t> ids(MemoryMetastore& metastore, const follower::EventRequest& request = {}) {
  std::vector<int64_t> result;
  for (const processor::Event& event : metastore.events(request).events) {
    result.push_back(event.id);
  }
  return result;
}

std::vector<std::string> types(MemoryMetastore& metastore) {
  std::vector<std::string> result;
  for (const processor::Event& event : metastore.events({}).events) result.push_back(event.type);
  return result;
}

ddl::CreateTable create(const std::string& table) {
  return {.database = "d", .table = table, .partition_keys = {"dt"}};
}

/// With a database `d`, whose event is the first.
MemoryMetastore metastore(Generation generation) {
  MemoryMetastore made(generation);
  made.create_database("d");
  return made;
}

TEST(MemoryMetastore, ATransactionIsSeenWhenItCommits) {
  MemoryMetastore hms = metastore(Generation::v3_1);
  const int begun = hms.begin(create("t"));
  ASSERT_NE(begun, kRefused);
  EXPECT_EQ(hms.head(), 1);
  EXPECT_THAT(hms.objects().tables, IsEmpty());
  EXPECT_THAT(hms.open(), ElementsAre(begun));
  hms.commit(begun);
  EXPECT_EQ(hms.head(), 2);
  EXPECT_THAT(hms.objects().tables, SizeIs(1));
  EXPECT_THAT(ids(hms), ElementsAre(1, 2));
  EXPECT_THAT(hms.open(), IsEmpty());
}

TEST(MemoryMetastore, WithoutALockOpenTransactionsShareTheirIds) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  const int a = hms.begin(create("a"));
  const int b = hms.begin(create("b"));
  hms.commit(b);
  EXPECT_THAT(ids(hms), ElementsAre(1, 2));
  hms.create_table("d", "c");
  EXPECT_THAT(ids(hms), ElementsAre(1, 2, 3));
  hms.commit(a);
  EXPECT_THAT(ids(hms), ElementsAre(1, 2, 2, 3)) << "late, under an id that was passed";
  EXPECT_EQ(hms.head(), 3) << "the head does not move";
}

TEST(MemoryMetastore, ALateCommitMayTakeTheHeadBack) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  hms.sequence_goes_back = true;
  const int a = hms.begin(create("a"));
  hms.create_table("d", "b");
  hms.create_table("d", "c");
  EXPECT_EQ(hms.head(), 3);
  hms.commit(a);
  EXPECT_EQ(hms.head(), 2);
  hms.drop_table("d", "c");
  EXPECT_THAT(ids(hms), ElementsAre(1, 2, 2, 3, 3)) << "a create and its drop under one id";
}

TEST(MemoryMetastore, WithALockIdsAreHandedOutOneTransactionAfterTheOther) {
  for (const Generation generation : {Generation::v3_1, Generation::v4_0}) {
    MemoryMetastore hms = metastore(generation);
    const int a = hms.begin(create("a"));
    EXPECT_TRUE(hms.must_wait(create("b")));
    EXPECT_EQ(hms.begin(create("b")), kRefused);
    hms.commit(a);
    EXPECT_FALSE(hms.must_wait(create("b")));
    hms.commit(hms.begin(create("b")));
    EXPECT_THAT(ids(hms), ElementsAre(1, 2, 3));
  }
}

TEST(MemoryMetastore, AnAbortedTransactionGivesItsIdsBack) {
  for (const Generation generation : {Generation::v2_3, Generation::v3_1}) {
    MemoryMetastore hms = metastore(generation);
    hms.abort(hms.begin(create("a")));
    EXPECT_EQ(hms.head(), 1);
    EXPECT_THAT(hms.objects().tables, IsEmpty());
    hms.create_table("d", "b");
    EXPECT_THAT(ids(hms), ElementsAre(1, 2));
    hms.abort(hms.begin(create("c")), true);
    EXPECT_EQ(hms.head(), 3) << "a hole, where it is asked for";
    EXPECT_THAT(ids(hms), ElementsAre(1, 2));
  }
}

TEST(MemoryMetastore, WhatAnOpenTransactionTouchesIsLocked) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  hms.create_database("e");
  hms.create_table("d", "t", true);
  hms.create_table("d", "u", true);
  const int a = hms.begin(
      ddl::AlterTable{.database = "d", .table = "t", .new_database = "e", .new_table = "t2"});
  EXPECT_EQ(hms.begin(ddl::DropTable{"d", "t"}), kRefused);
  EXPECT_EQ(hms.begin(ddl::CreateTable{.database = "e", .table = "t2"}), kRefused);
  EXPECT_EQ(hms.begin(ddl::DropDatabase{"d", true}), kRefused);
  EXPECT_EQ(hms.begin(ddl::DropDatabase{"e", true}), kRefused);
  const int b = hms.begin(ddl::AddPartitions{"d", "u", {{{"1"}, {}}}});
  EXPECT_NE(b, kRefused);
  EXPECT_NE(hms.begin(ddl::AlterDatabase{.database = "d", .owner = {{"carol"}}}), kRefused);
  hms.commit(b);
  hms.commit(a);
  EXPECT_FALSE(hms.must_wait(ddl::DropTable{"e", "t2"}));
  EXPECT_THROW(hms.commit(a), std::logic_error);
}

TEST(MemoryMetastore, HistoryIsInTheOrderOfCommits) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  hms.keep_history_of_objects(true);
  const ObjectMap none = hms.objects();
  const int a = hms.begin(create("a"));
  const int b = hms.begin(create("b"));
  hms.commit(b);
  hms.commit(a);
  hms.run(ddl::AlterDatabase{.database = "d", .owner = {{"carol"}}});
  ASSERT_THAT(hms.history(), SizeIs(4));
  const Committed& second = hms.history()[1];
  EXPECT_EQ(second.number, 2);
  EXPECT_EQ(second.kind, "CREATE_TABLE");
  EXPECT_THAT(second.event_ids, ElementsAre(2));
  EXPECT_THAT(second.touched, ElementsAre(processor::TableName{"hive", "d", "b"}));
  EXPECT_THAT(hms.history()[2].event_ids, ElementsAre(2));
  EXPECT_EQ(hms.history()[3].kind, "ALTER_DATABASE");
  EXPECT_FALSE(hms.history()[3].evented);
  EXPECT_EQ(hms.objects_after(1), none);
  EXPECT_THAT(hms.objects_after(2).tables, SizeIs(1));
  EXPECT_THAT(hms.objects_after(3).tables, SizeIs(2));
  EXPECT_EQ(hms.objects_after(4), hms.objects());
  EXPECT_THROW((void)hms.objects_after(0), std::out_of_range) << "not kept then";
  hms.keep_history_of_objects(false);
  EXPECT_THROW((void)hms.objects_after(4), std::out_of_range);
}

TEST(MemoryMetastore, ARestoreBeginsAnotherHistoryUnderTheSameIds) {
  MemoryMetastore hms = metastore(Generation::v4_0);
  const MemoryMetastore backup = hms;
  hms.create_table("d", "lost");
  const std::string lost = hms.objects().tables.begin()->second.table.identity;
  hms.restore(backup);
  EXPECT_EQ(hms.head(), 1);
  EXPECT_EQ(hms.generation_of_log(), 2);
  EXPECT_EQ(hms.history().back().kind, "RESTORE");
  hms.create_table("d", "made");
  EXPECT_THAT(ids(hms), ElementsAre(1, 2));
  EXPECT_EQ(hms.history().back().generation_of_log, 2);
  EXPECT_NE(hms.objects().tables.begin()->second.table.identity, lost);
  hms.restore_reuses_table_ids = true;
  hms.restore(backup);
  hms.create_table("d", "made");
  EXPECT_EQ(hms.objects().tables.begin()->second.table.identity, lost);
  hms.become_another("uuid-2");
  EXPECT_EQ(hms.uuid(), "uuid-2");
  EXPECT_EQ(hms.head(), 0);
  EXPECT_EQ(hms.objects(), ObjectMap{});
}

TEST(MemoryMetastore, APlainListenerLogsWhatIsRefused) {
  MemoryMetastore hms = metastore(Generation::v3_1);
  hms.plain = true;
  hms.create_table("d", "t");
  EXPECT_EQ(hms.begin(ddl::DropDatabase{.database = "d"}), kRefused);
  EXPECT_EQ(hms.begin(create("t")), kRefused);
  EXPECT_EQ(hms.begin(ddl::CreateTable{.database = "missing", .table = "t"}), kRefused);
  EXPECT_EQ(hms.begin(ddl::DropTable{"d", "missing"}), kRefused);
  EXPECT_THAT(types(hms), ElementsAre("CREATE_DATABASE", "CREATE_TABLE", "DROP_DATABASE",
                                      "CREATE_TABLE", "CREATE_TABLE"));
  EXPECT_TRUE(hms.history().back().refused);
  EXPECT_THAT(hms.objects().tables, SizeIs(1));
}

TEST(MemoryMetastore, APageEndsBetweenTwoIdsUnlessToldOtherwise) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  const int a = hms.begin(create("a"));
  const int b = hms.begin(create("b"));
  const int c = hms.begin(create("c"));
  for (const int each : {a, b, c}) hms.commit(each);
  hms.create_table("d", "last");
  EXPECT_THAT(ids(hms), ElementsAre(1, 2, 2, 2, 3));
  EXPECT_THAT(ids(hms, {.after = 0, .max_events = 2}), ElementsAre(1));
  EXPECT_THAT(ids(hms, {.after = 1, .max_events = 2}), ElementsAre(2, 2, 2)) << "all of one id";
  EXPECT_TRUE(hms.events({.after = 1, .max_events = 2}).cut);
  EXPECT_THAT(ids(hms, {.after = 0, .max_events = 4}), ElementsAre(1, 2, 2, 2));
  hms.cuts_within_id = true;
  EXPECT_THAT(ids(hms, {.after = 0, .max_events = 2}), ElementsAre(1, 2));
  hms.cuts_within_id = false;
  hms.most_events_an_answer = 3;
  const follower::EventPage capped = hms.events({});
  EXPECT_THAT(capped.events, SizeIs(3));
  EXPECT_FALSE(capped.cut) << "the server does not tell";
}

TEST(MemoryMetastore, EventsMayBeSpoiltWithheldOrUndeliverable) {
  for (const Generation generation : {Generation::v2_3, Generation::v3_1, Generation::v4_0}) {
    MemoryMetastore hms = metastore(generation);
    hms.run(create("a"), Delivery::spoilt);
    hms.run(create("b"), Delivery::withheld);
    const auto events = hms.events({}).events;
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_THROW(processor::decode(events[1]), Error);
    ASSERT_TRUE(events[2].withheld);
    EXPECT_GT(events[2].withheld->bytes, 0);
    EXPECT_EQ(events[2].message, "");
    hms.run(create("c"), Delivery::undeliverable);
    EXPECT_THROW(hms.events({}), Error);
    EXPECT_THAT(ids(hms, {.after = 0, .max_events = 3}), ElementsAre(1, 2, 3));
    EXPECT_THAT(hms.objects().tables, SizeIs(3));
  }
}

TEST(MemoryMetastore, ACleanedLogKeepsItsHead) {
  MemoryMetastore hms = metastore(Generation::v3_1);
  for (const char* table : {"a", "b", "c"}) hms.create_table("d", table);
  hms.clean_events_up_to(2);
  EXPECT_THAT(ids(hms), ElementsAre(3, 4));
  EXPECT_EQ(hms.oldest_event(), 3);
  hms.clean_events();
  EXPECT_THAT(ids(hms), IsEmpty());
  EXPECT_EQ(hms.head(), 4);
}

TEST(MemoryMetastore, AListingMayLeaveDatabasesOut) {
  MemoryMetastore hms = metastore(Generation::v3_1);
  hms.create_database("e");
  hms.create_table("d", "t");
  hms.create_table("e", "t");
  hms.unlisted = {"d"};
  EXPECT_EQ(hms.count_tables(), 1);
  size_t tables = 0;
  const auto stream = hms.snapshot({});
  while (const auto page = stream->next()) {
    tables += page->tables.size();
    for (const processor::Database& each : page->databases) EXPECT_EQ(each.name.database, "e");
  }
  EXPECT_EQ(tables, 1U);
  EXPECT_TRUE(hms.table({"hive", "d", "t"})) << "by its name it is there";
}

TEST(MemoryMetastore, AHeadMayBeToldTooLow) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  hms.head_falls_back_by = [] { return int64_t{3}; };
  EXPECT_EQ(hms.head(), 0);
  EXPECT_EQ(hms.now(), 1);
}

TEST(MemoryMetastore, WithAClockCreationsOfOneSecondHaveOneIdentity) {
  MemoryMetastore hms = metastore(Generation::v3_1);
  int64_t seconds = 1700000000;
  hms.clock = [&] { return seconds; };
  hms.create_table("d", "a");
  hms.create_table("d", "b");
  ++seconds;
  hms.create_table("d", "c");
  EXPECT_EQ(hms.table({"hive", "d", "a"})->identity, "created:1700000000");
  EXPECT_EQ(hms.table({"hive", "d", "b"})->identity, "created:1700000000");
  EXPECT_EQ(hms.table({"hive", "d", "c"})->identity, "created:1700000001");
  EXPECT_EQ(hms.events({}).events.back().time, 1700000001);
}

TEST(MemoryMetastore, ACopyGoesItsOwnWay) {
  MemoryMetastore hms = metastore(Generation::v2_3);
  const int open = hms.begin(create("a"));
  MemoryMetastore copy = hms;
  copy.commit(open);
  EXPECT_THAT(copy.objects().tables, SizeIs(1));
  EXPECT_THAT(hms.objects().tables, IsEmpty());
  hms.abort(open);
}

}  // namespace

}  // namespace hmsync::doubles
