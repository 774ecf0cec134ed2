#include "hmsclient/snapshot_reader.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/hmsclient/expect_error.h"
#include "tests/hmsclient/small_metastore.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::eventually;
using fixtures::FakeHms;
using fixtures::Reaction;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class EveryVersion : public testing::TestWithParam<FakeHms::Version> {};

TEST_P(EveryVersion, ASnapshotHasEverything) {
  FakeHms hms(GetParam());
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader);
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty));
  EXPECT_THAT(all.tables,
              UnorderedElementsAre(small.orders, small.customers, ASmallMetastore::view()));
  ASSERT_EQ(all.partitions.size(), 1U);
  EXPECT_THAT(
      all.partitions.at(small.orders.name),
      UnorderedElementsAre(small.inside, ASmallMetastore::outside(), ASmallMetastore::nowhere()));
}

TEST_P(EveryVersion, OneDatabaseOrTableIsReadOrAbsent) {
  FakeHms hms(GetParam());
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms));
  EXPECT_EQ(reader.database({"hive", "SALES"}), small.sales);
  EXPECT_EQ(reader.database({"hive", "gone"}), std::nullopt);
  EXPECT_EQ(reader.table({"hive", "Sales", "Orders"}), small.orders);
  EXPECT_EQ(reader.table({"hive", "sales", "gone"}), std::nullopt);
}

std::string name_of(const testing::TestParamInfo<FakeHms::Version>& version) {
  switch (version.param) {
    case FakeHms::Version::v1_2:
      return "v1_2";
    case FakeHms::Version::v2_3:
      return "v2_3";
    case FakeHms::Version::v3_1:
      return "v3_1";
    case FakeHms::Version::v4_0:
      break;
  }
  return "v4_0";
}

INSTANTIATE_TEST_SUITE_P(SnapshotReader, EveryVersion,
                         testing::Values(FakeHms::Version::v1_2, FakeHms::Version::v2_3,
                                         FakeHms::Version::v3_1, FakeHms::Version::v4_0),
                         name_of);

TEST(SnapshotReader, AnEmptyMetastoreHasNoPages) {
  FakeHms hms;
  SnapshotReader reader(options_for(hms));
  EXPECT_TRUE(read_all(reader).pages.empty());
}

TEST(SnapshotReader, ObjectsAreCutIntoPagesOfTheConfiguredSizes) {
  FakeHms hms;
  hms.put(database("sales"));
  const processor::Table large = table("sales", "a_large", {"dt"});
  hms.put(large);
  for (int i = 0; i < 25; ++i) {
    hms.put(large.name, partition(large, std::to_string(i)));
  }
  for (int i = 0; i < 20; ++i) {
    hms.put(table("sales", "t" + std::to_string(i)));
  }
  SnapshotReader reader(options_for(hms),
                        {.connections = 3, .tables_per_page = 6, .partitions_per_page = 10});
  const Everything all = read_all(reader);
  EXPECT_EQ(all.tables.size(), 21U);
  EXPECT_EQ(all.partitions.at(large.name).size(), 25U);
  std::vector<size_t> table_pages;
  std::vector<size_t> partition_pages;
  for (const follower::SnapshotPage& page : all.pages) {
    if (!page.tables.empty()) {
      table_pages.push_back(page.tables.size());
    }
    if (!page.partitions.empty()) {
      partition_pages.push_back(page.partitions.at(0).partitions.size());
    }
  }
  EXPECT_THAT(table_pages, UnorderedElementsAre(6, 6, 6, 3));
  EXPECT_THAT(partition_pages, UnorderedElementsAre(10, 10, 5));
}

TEST(SnapshotReader, SmallTablesShareAPartitionPage) {
  FakeHms hms;
  hms.put(database("sales"));
  for (int i = 0; i < 5; ++i) {
    const processor::Table each = table("sales", "t" + std::to_string(i), {"dt"});
    hms.put(each);
    for (int j = 0; j < 4; ++j) {
      hms.put(each.name, partition(each, std::to_string(j)));
    }
  }
  SnapshotReader reader(options_for(hms), {.partitions_per_page = 10});
  const Everything all = read_all(reader);
  ASSERT_EQ(all.partitions.size(), 5U);
  for (const auto& [name, partitions] : all.partitions) {
    EXPECT_EQ(partitions.size(), 4U) << name.table;
  }
  const auto with_partitions =
      std::count_if(all.pages.begin(), all.pages.end(),
                    [](const auto& page) { return !page.partitions.empty(); });
  EXPECT_EQ(with_partitions, 3) << "two tables of four partitions fit into a page of ten";
}

TEST(SnapshotReader, NoPageIsWorthManyCalls) {
  FakeHms hms;
  for (int i = 0; i < 25; ++i) {
    hms.put(database("db" + std::to_string(i)));
  }
  for (int i = 0; i < 25; ++i) {
    const processor::Table each = table("db0", "t" + std::to_string(100 + i), {"dt"});
    hms.put(each);
    hms.put(each.name, partition(each, "1"));
  }
  SnapshotReader reader(options_for(hms));
  std::vector<size_t> databases;
  std::vector<size_t> partitioned;
  for (const follower::SnapshotPage& page : read_all(reader).pages) {
    databases.push_back(page.databases.size());
    partitioned.push_back(page.partitions.size());
  }
  std::erase(databases, 0U);
  std::erase(partitioned, 0U);
  EXPECT_THAT(databases, UnorderedElementsAre(10, 10, 5));
  EXPECT_THAT(partitioned, UnorderedElementsAre(10, 10, 5));
}

TEST(SnapshotReader, ReadingThatFindsNothingStillShowsThatItGoesOn) {
  FakeHms hms;
  hms.put(database("sales"));
  for (int i = 0; i < 12; ++i) {
    hms.put(table("sales", "t" + std::to_string(100 + i), {"dt"}));
  }
  hms.put(database("z_empty"));
  std::atomic<int> pages_without_objects = 0;
  // Each waits until the page of what was read before it, and found nothing, has come.
  hms.on("get_partition_names", [&](int call) {
    EXPECT_TRUE(call != 11 ||
                eventually(milliseconds(10000), [&] { return pages_without_objects > 0; }));
    return Reaction{};
  });
  SnapshotReader reader(options_for(hms), {.connections = 1});
  const auto stream = reader.snapshot({});
  size_t tables = 0;
  while (const auto page = stream->next()) {
    tables += page->tables.size();
    if (page->databases.empty() && page->tables.empty() && page->partitions.empty()) {
      ++pages_without_objects;
    }
  }
  EXPECT_EQ(tables, 12U);
  EXPECT_GT(pages_without_objects, 0);
}

TEST(SnapshotReader, ADatabaseWithoutTablesShowsThatReadingGoesOn) {
  FakeHms hms;
  hms.put(database("a"));
  hms.put(database("b"));
  std::atomic<bool> shown = false;
  hms.on("get_all_tables", [&](int call) {
    EXPECT_TRUE(call == 1 || eventually(milliseconds(10000), [&] { return shown.load(); }));
    return Reaction{};
  });
  SnapshotReader reader(options_for(hms), {.connections = 1});
  const auto stream = reader.snapshot({});
  while (const auto page = stream->next()) {
    shown = shown || page->databases.empty();
  }
  EXPECT_TRUE(shown);
}

TEST(SnapshotReader, ObjectsOfOtherCatalogsAreReadByTheirOwnNames) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.set_catalogs({"hive", "spark"});
  const processor::Database other = database("sales", "spark");
  const processor::Table there = table("sales", "orders", {"dt"}, "spark");
  hms.put(other);
  hms.put(there);
  hms.put(there.name, partition(there, "1"));
  SnapshotReader reader(options_for(hms));
  const Everything all = read_all(reader);
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty, other));
  EXPECT_THAT(all.tables, testing::Contains(there));
  EXPECT_THAT(all.partitions.at(there.name), ElementsAre(partition(there, "1")));
  EXPECT_THAT(hms.asked("get_databases"), ElementsAre("@spark#"));
  EXPECT_THAT(hms.asked("get_database"), UnorderedElementsAre("empty", "sales", "@spark#sales"));
  EXPECT_EQ(reader.table(there.name), there);
  EXPECT_EQ(reader.database(other.name), other);
}

TEST(SnapshotReader, NamesComeInLowerCaseAndTheIdentityPrefersTheTableId) {
  FakeHms hms(FakeHms::Version::v4_0);
  processor::Database sales = database("sales");
  sales.identity = "created:1700000001";
  hms.put(sales);
  processor::Table mixed = table("sales", "orders", {"DT"});
  mixed.columns = {"Id", "grÖße"};
  mixed.identity = "id:77";
  hms.put(mixed);
  SnapshotReader reader(options_for(hms));
  const auto read = reader.table({"hive", "sales", "orders"});
  ASSERT_TRUE(read);
  EXPECT_THAT(read->columns, ElementsAre("id", "grÖße"));
  EXPECT_THAT(read->partition_keys, ElementsAre("dt"));
  EXPECT_EQ(read->identity, "id:77");
  EXPECT_EQ(reader.database({"hive", "sales"})->identity, "created:1700000001");
}

TEST(SnapshotReader, WhatVanishesWhileItIsReadIsLeftOut) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.put(database("vanishing"));
  hms.put(table("vanishing", "t"));
  const processor::Table dropped = table("sales", "dropped", {"dt"});
  hms.put(dropped);
  hms.put(dropped.name, partition(dropped, "1"));
  hms.on("get_database", [&](int) {
    hms.drop(processor::DatabaseName{"hive", "vanishing"});
    return Reaction{};
  });
  hms.on("get_table_objects_by_name_req", [&](int) {
    hms.drop(small.customers.name);
    return Reaction{};
  });
  hms.on("get_partition_names", [&](int) {
    hms.drop(dropped.name);
    return Reaction{};
  });
  SnapshotReader reader(options_for(hms), {.connections = 1});
  const Everything all = read_all(reader);
  EXPECT_THAT(all.databases, UnorderedElementsAre(small.sales, small.empty));
  EXPECT_THAT(all.tables, UnorderedElementsAre(small.orders, dropped, ASmallMetastore::view()))
      << "the dropped table was there when its page was read";
  ASSERT_EQ(all.partitions.size(), 1U);
  EXPECT_EQ(all.partitions.begin()->first, small.orders.name);
}

TEST(SnapshotReader, AnAmbiguousErrorForPartitionNamesIsNotTakenForAGoneTable) {
  FakeHms hms(FakeHms::Version::v2_3);
  const ASmallMetastore small(hms);
  // 2.3's MetaException has the id that NoSuchObjectException has later.
  hms.on("get_partition_names",
         {.kind = Reaction::Kind::exception, .number = 1, .text = "the database is away"});
  SnapshotReader reader(options_for(hms));
  expect_error(ErrorKind::transient, "the database is away", [&] { read_all(reader); });
}

TEST(SnapshotReader, APageThatFailsIsReadAgainAlone) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.on("get_partitions_by_names", [](int call) {
    return Reaction{.kind = call == 1 ? Reaction::Kind::half_answer : Reaction::Kind::answer};
  });
  hms.on("get_table_objects_by_name_req",
         [](int call) { return call == 1 ? Reaction::internal_error() : Reaction{}; });
  SnapshotReader reader(options_for(hms), {.connections = 1});
  const Everything all = read_all(reader);
  EXPECT_EQ(all.tables.size(), 3U);
  EXPECT_EQ(all.partitions.at(small.orders.name).size(), 3U);
  EXPECT_EQ(hms.calls("get_all_databases"), 1);
  EXPECT_EQ(hms.connections(), 3);
}

TEST(SnapshotReader, OneFailingPageAmongManyIsReadAgainAndTheOthersAreNot) {
  FakeHms hms;
  hms.put(database("sales"));
  for (int i = 0; i < 60; ++i) {
    hms.put(table("sales", "t" + std::to_string(100 + i)));
  }
  std::atomic<int> failures = 0;
  hms.on("get_table_objects_by_name_req", [&](int call) {
    failures += call == 7 ? 1 : 0;
    return Reaction{.kind = call == 7 ? Reaction::Kind::half_answer : Reaction::Kind::answer};
  });
  SnapshotReader reader(options_for(hms), {.connections = 3, .tables_per_page = 3});
  std::set<std::string> names;
  for (const processor::Table& each : read_all(reader).tables) {
    EXPECT_TRUE(names.insert(each.name.table).second) << each.name.table << " came twice";
  }
  EXPECT_EQ(names.size(), 60U);
  EXPECT_EQ(failures, 1);
  std::map<std::string, int> asked;
  for (const std::string& page : hms.asked("get_table_objects_by_name_req")) {
    ++asked[page];
  }
  EXPECT_EQ(asked.size(), 20U);
  EXPECT_EQ(
      std::count_if(asked.begin(), asked.end(), [](const auto& page) { return page.second == 2; }),
      1);
  EXPECT_EQ(hms.calls("get_table_objects_by_name_req"), 21);
  EXPECT_EQ(hms.calls("get_all_tables"), 1);
  EXPECT_EQ(hms.calls("get_database"), 1);
}

TEST(SnapshotReader, APageThatFailsForGoodEndsTheStreamWithTheReason) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.on("get_partition_names", {.kind = Reaction::Kind::close});
  SnapshotReader reader(options_for(hms));
  const auto stream = reader.snapshot({});
  expect_error(ErrorKind::transient, "get_partition_names", [&] { read_all(*stream); });
  EXPECT_THROW(stream->next(), Error);
}

TEST(SnapshotReader, OnlyTheConfiguredNumberOfPagesIsReadAhead) {
  FakeHms hms;
  hms.put(database("sales"));
  for (int i = 0; i < 40; ++i) {
    hms.put(table("sales", "t" + std::to_string(100 + i)));
  }
  SnapshotReader reader(options_for(hms),
                        {.connections = 2, .tables_per_page = 1, .pages_ahead = 3});
  const auto stream = reader.snapshot({});
  ASSERT_TRUE(stream->next());
  // Three pages wait, and each of two connections holds one more.
  const auto calls = [&] { return hms.calls("get_table_objects_by_name_req"); };
  ASSERT_TRUE(eventually(milliseconds(10000), [&] { return calls() == 5; }));
  EXPECT_FALSE(eventually(milliseconds(300), [&] { return calls() > 5; }));
  ASSERT_TRUE(stream->next());
  EXPECT_TRUE(eventually(milliseconds(10000), [&] { return calls() == 6; }));
  EXPECT_EQ(read_all(*stream).tables.size(), 39U);
}

TEST(SnapshotReader, SeveralConnectionsReadAtTheSameTime) {
  FakeHms hms;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "db" + std::to_string(i);
    hms.put(database(name));
    hms.put(table(name, "t"));
  }
  // Nobody is answered before all three ask.
  std::atomic<int> asking = 0;
  hms.on("get_all_tables", [&](int) {
    ++asking;
    EXPECT_TRUE(eventually(milliseconds(10000), [&] { return asking >= 3; }));
    return Reaction{};
  });
  SnapshotReader reader(options_for(hms), {.connections = 3});
  EXPECT_EQ(read_all(reader).tables.size(), 4U);
}

TEST(SnapshotReader, DestroyingAStreamStopsItsThreadsAtOnce) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.on("get_all_tables", {.delay = milliseconds(60000)});
  SnapshotReader reader(options_for(hms));
  auto stream = reader.snapshot({});
  ASSERT_TRUE(stream->next());
  ASSERT_TRUE(eventually(milliseconds(10000), [&] { return hms.calls("get_all_tables") == 2; }));
  const auto started = std::chrono::steady_clock::now();
  stream.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
}

TEST(SnapshotReader, InterruptEndsAStreamThatWaits) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  hms.on("get_all_tables", {.delay = milliseconds(60000)});
  SnapshotReader reader(options_for(hms));
  const auto stream = reader.snapshot({});
  std::thread other([&] {
    eventually(milliseconds(10000), [&] { return hms.calls("get_all_tables") == 2; });
    reader.interrupt();
  });
  expect_error(ErrorKind::transient, "interrupted", [&] { read_all(*stream); });
  other.join();
  expect_error(ErrorKind::transient, "told to stop", [&] { read_all(reader); });
}

TEST(SnapshotReader, ProgressCountsWhatWasHandedOut) {
  FakeHms hms;
  const ASmallMetastore small(hms);
  SnapshotReader reader(options_for(hms), {.connections = 1});
  const auto stream = reader.snapshot({});
  EXPECT_EQ(stream->progress().phase, "databases");
  read_all(*stream);
  const follower::SnapshotProgress end = stream->progress();
  EXPECT_EQ(end.phase, "partitions");
  EXPECT_EQ(end.done, 3);
  EXPECT_EQ(end.total, 3);
}

}  // namespace
}  // namespace hmsync::hmsclient
