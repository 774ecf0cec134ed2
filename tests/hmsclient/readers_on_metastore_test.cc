#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "follower/proof.h"
#include "processor/change.h"
#include "processor/digest.h"
#include "tests/fixtures/eventually.h"
#include "tests/hmsclient/expect_error.h"
#include "tests/hmsclient/real_metastore.h"

namespace hmsync::hmsclient {

namespace {

using processor::Location;
using processor::OwnerType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::MatchesRegex;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class ReadersOnMetastore : public RealMetastore {};
HMSYNC_ON_EACH_METASTORE(ReadersOnMetastore);

TEST_P(ReadersOnMetastore, EventsComeInOrderWithTheirHeaders) {
  ddl_.create_database({.name = "Headers"});
  ddl_.create_table({.database = "Headers", .table = "Orders"});
  EXPECT_EQ(log_.head(), before_ + 2);
  const follower::EventPage page = log_.events({.after = before_});
  ASSERT_EQ(page.events.size(), 2U);
  const processor::Event& event = page.events[1];
  EXPECT_EQ(event.id, before_ + 2);
  EXPECT_EQ(event.type, "CREATE_TABLE");
  EXPECT_EQ(event.catalog, is_2_3() ? std::nullopt : std::optional<std::string>("hive"));
  // As the creator wrote it, in lower case in 4.0.
  EXPECT_EQ(event.database, is_4_0() ? "headers" : "Headers");
  EXPECT_EQ(event.table, is_4_0() ? "orders" : "Orders");
  EXPECT_EQ(event.message_format, "json-0.2");
  EXPECT_THAT(event.message, StartsWith("{"));
  EXPECT_GT(event.time, 1700000000);
  EXPECT_FALSE(page.cut);
}

TEST_P(ReadersOnMetastore, AReaderThatAsksForFewBytesStillGetsEveryEventOnce) {
  ddl_.create_database({.name = "pages"});
  for (int i = 0; i < 30; ++i) {
    ddl_.create_table({.database = "pages", .table = "t" + std::to_string(i)});
  }
  int64_t last = before_;
  int cuts = 0;
  while (last < before_ + 31) {
    const follower::EventPage page =
        log_.events({.after = last, .max_events = 10, .max_bytes = 4000});
    ASSERT_FALSE(page.events.empty());
    for (const processor::Event& event : page.events) {
      EXPECT_EQ(event.id, ++last);
    }
    cuts += page.cut ? 1 : 0;
  }
  EXPECT_GT(cuts, 0);
  EXPECT_THAT(log_.events({.after = last}).events, IsEmpty());
  EXPECT_THAT(log_.events({.after = last + 1000000}).events, IsEmpty());
}

TEST_P(ReadersOnMetastore, AnAlterationThatTellsAnotherCreationTimeLeavesTheIdentity) {
  ddl_.create_database({.name = "times"});
  ddl_.create_table({.database = "times", .table = "t"});
  const auto made = objects_.table({"hive", "times", "t"});
  ASSERT_TRUE(made);
  ASSERT_THAT(made->identity, StartsWith(is_4_0() ? "id:" : "created:"));
  ddl_.alter_table("times", "t", {.owner = processor::Owner{"carol"}, .create_time = 1000});
  const auto altered = objects_.table({"hive", "times", "t"});
  ASSERT_TRUE(altered);
  EXPECT_EQ(altered->owner.name, "carol");
  EXPECT_EQ(altered->identity, made->identity);
  const follower::EventPage page = log_.events({.after = before_ + 2});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_THAT(page.events[0].message, HasSubstr(R"(\"4\":{\"i32\":1000})"))
      << "the event tells what the client sent";
  const auto change = std::get<processor::AlterTable>(processor::decode(page.events[0]));
  EXPECT_EQ(change.after.identity, made->identity);
}

TEST_P(ReadersOnMetastore, TheUuidAndVersionAreAskable) {
  const auto uuid = log_.uuid();
  EXPECT_EQ(log_.uuid(), uuid);
  if (is_2_3()) {
    EXPECT_EQ(uuid, std::nullopt);
  } else {
    ASSERT_TRUE(uuid);
    EXPECT_EQ(uuid->size(), 36U);
  }
  EXPECT_EQ(client_.version(), is_4_0() ? "4.0.1" : "3.0");
  EXPECT_EQ(client_.uri(), hms_->uri());
  EXPECT_THAT(client_.config_value("hive.metastore.transactional.event.listeners", ""),
              HasSubstr("DbNotificationListener"));
  EXPECT_FALSE(log_.plain_listener());
}

TEST_P(ReadersOnMetastore, AConnectionIsUsedOnlyWhereTheMetastoreProvesToBeTheOne) {
  ddl_.create_database({.name = "proved"});
  const follower::EventPage page = log_.events({.after = before_});
  ASSERT_EQ(page.events.size(), 1U);
  follower::Expectation expected{.uuid = log_.uuid().value_or(""),
                                 .cursor = before_ + 1,
                                 .digests = {processor::digest(page.events[0])},
                                 .tables = {}};
  Options proving = options();
  proving.prove = [&](follower::NotificationLog& log, follower::ObjectReader& objects) {
    return follower::disproof(log, objects, expected);
  };
  Client again(proving);
  EXPECT_EQ(NotificationReader(again).head(), before_ + 1);
  if (is_2_3()) {
    ++expected.digests[0].id;
  } else {
    expected.uuid = "another";
  }
  Client refused(proving);
  EXPECT_THROW(NotificationReader(refused).head(), follower::AnotherMetastore);
}

TEST_P(ReadersOnMetastore, OneObjectIsReadAsItIs) {
  ddl_.create_database({.name = "single", .owner = {"alice", OwnerType::user}});
  ddl_.create_table(managed({.database = "single",
                             .table = "Orders",
                             .owner = {"auditors", OwnerType::role},
                             .columns = {{"Id", "bigint"}, {"größe", "string"}},
                             .partition_keys = {{"DT", "string"}, {"region", "string"}}}));
  const auto database = objects_.database({"hive", "Single"});
  ASSERT_TRUE(database);
  EXPECT_EQ(database->name, (processor::DatabaseName{"hive", "single"}));
  EXPECT_EQ(database->owner, (processor::Owner{"alice", OwnerType::user}));
  EXPECT_EQ(database->location, (Location{"hdfs", "nn1:8020", "/warehouse/single.db"}));
  EXPECT_THAT(database->identity, MatchesRegex(is_4_0() ? "created:1[0-9]{9}" : ""));

  const auto table = objects_.table({"hive", "single", "ORDERS"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, (processor::TableName{"hive", "single", "orders"}));
  EXPECT_EQ(table->type, "MANAGED_TABLE");
  // A table of 2.3 has no type of owner.
  EXPECT_EQ(table->owner,
            (processor::Owner{"auditors", is_2_3() ? OwnerType::user : OwnerType::role}));
  EXPECT_EQ(table->location, (Location{"hdfs", "nn1:8020", "/warehouse/single.db/orders"}));
  EXPECT_THAT(table->identity, MatchesRegex(is_4_0() ? "id:[1-9][0-9]*" : "created:1[0-9]{9}"));
  EXPECT_THAT(table->columns, ElementsAre("id", "größe"));
  EXPECT_THAT(table->partition_keys, ElementsAre("dt", "region"));

  EXPECT_EQ(objects_.database({"hive", "nowhere"}), std::nullopt);
  EXPECT_EQ(objects_.table({"hive", "single", "nowhere"}), std::nullopt);
  EXPECT_EQ(objects_.table({"hive", "nowhere", "nowhere"}), std::nullopt);
}

TEST_P(ReadersOnMetastore, TheIdentityOutlivesARename) {
  ddl_.create_database({.name = "identities"});
  ddl_.create_table({.database = "identities", .table = "before"});
  const auto before = objects_.table({"hive", "identities", "before"});
  ddl_.rename_table("identities", "before", "identities", "after");
  const auto after = objects_.table({"hive", "identities", "after"});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(after->identity, before->identity);
}

/// By name, "db.table" or "db.table/values".
struct Read {
  std::map<std::string, processor::Database> databases;
  std::map<std::string, processor::Table> tables;
  std::map<std::string, std::string> partitions;
};

Read read_all(SnapshotReader& objects, const std::vector<follower::Scope>& scopes) {
  Read read;
  const auto stream = objects.snapshot(scopes);
  while (const auto page = stream->next()) {
    for (const processor::Database& database : page->databases) {
      EXPECT_TRUE(read.databases.emplace(database.name.database, database).second);
    }
    for (const processor::Table& table : page->tables) {
      EXPECT_TRUE(read.tables.emplace(table.name.database + "." + table.name.table, table).second);
    }
    for (const follower::TablePartitions& table : page->partitions) {
      const std::string name = table.table.database + "." + table.table.table;
      EXPECT_TRUE(read.tables.contains(name));
      for (const processor::Partition& partition : table.partitions) {
        std::string values;
        for (const std::string& value : partition.values) {
          values += "/" + value;
        }
        const std::string location =
            partition.location ? processor::to_string(*partition.location) : "";
        EXPECT_TRUE(read.partitions.emplace(name + values, location).second);
      }
    }
  }
  return read;
}

TEST_P(ReadersOnMetastore, ASnapshotHasWhatWasMadeWhateverItIsCalled) {
  const int64_t tables_before = objects_.count_tables();
  ddl_.create_database({.name = "whole", .location = "hdfs://nn1:8020/whole"});
  ddl_.create_table({.database = "whole", .table = "plain"});
  ddl_.create_table({.database = "whole",
                     .table = "outside",
                     .type = "EXTERNAL_TABLE",
                     .location = "s3a://bucket/a b/%3A"});
  ddl_.create_table(
      {.database = "whole", .table = "view", .type = "VIRTUAL_VIEW", .view_text = "select 1"});
  ddl_.create_table({.database = "whole",
                     .table = "parted",
                     .partition_keys = {{"dt", "string"}, {"region", "string"}}});
  ddl_.add_partitions(
      "whole", "parted",
      {{{"2026-11-30", "eu"}}, {{"a/b=c%d", "größe & co"}}, {{"far", "away"}, "s3a://bucket/far"}});
  ddl_.create_table({.database = "whole", .table = "many", .partition_keys = {{"n", "string"}}});
  std::vector<PartitionSpec> many;
  for (int i = 0; i < 500; ++i) {
    many.push_back({{std::to_string(i)}});
  }
  ddl_.add_partitions("whole", "many", many);

  SnapshotReader small(options(),
                       {.connections = 3, .tables_per_page = 2, .partitions_per_page = 150});
  const int64_t head = log_.head();
  for (const follower::Scope& scope :
       {follower::Scope{}, follower::Scope{.database = {{"hive", "whole"}}, .table = {}}}) {
    const Read read = read_all(small, {scope});
    EXPECT_EQ(read.databases.count("default"), scope.database ? 0U : 1U);
    ASSERT_EQ(read.databases.count("whole"), 1U);
    EXPECT_EQ(read.databases.at("whole").location, (Location{"hdfs", "nn1:8020", "/whole"}));
    for (const char* table : {"plain", "outside", "view", "parted", "many"}) {
      EXPECT_EQ(read.tables.count(std::string("whole.") + table), 1U) << table;
    }
    EXPECT_EQ(read.tables.at("whole.outside").location, (Location{"s3a", "bucket", "/a b/%3A"}));
    EXPECT_EQ(read.tables.at("whole.outside").type, "EXTERNAL_TABLE");
    EXPECT_EQ(read.tables.at("whole.view").location, std::nullopt);
    const std::string root = "hdfs://nn1:8020/whole/parted/";
    EXPECT_EQ(read.partitions.at("whole.parted/2026-11-30/eu"), root + "dt=2026-11-30/region=eu");
    EXPECT_EQ(read.partitions.at("whole.parted/a/b=c%d/größe & co"),
              root + "dt=a%2Fb%3Dc%25d/region=größe & co");
    EXPECT_EQ(read.partitions.at("whole.parted/far/away"), "s3a://bucket/far");
    EXPECT_EQ(std::count_if(read.partitions.begin(), read.partitions.end(),
                            [](const auto& each) { return each.first.starts_with("whole.many/"); }),
              500);
    EXPECT_EQ(read.partitions.at("whole.many/499"), "hdfs://nn1:8020/whole/many/n=499");
  }
  const follower::Scope parted{.database = {{"hive", "whole"}}, .table = "parted"};
  const Read one = read_all(small, {parted});
  EXPECT_TRUE(one.databases.empty());
  EXPECT_EQ(one.tables.size(), 1U);
  EXPECT_EQ(one.partitions.size(), 3U);
  const Read some = read_all(small, {parted,
                                     {.database = {{"hive", "whole"}}, .table = "gone"},
                                     {.database = {{"hive", "gone"}}, .table = "t"},
                                     {.database = {{"hive", "gone too"}}, .table = {}},
                                     {.database = {}, .table = {}, .databases_only = true}});
  EXPECT_EQ(some.databases.count("whole"), 1U);
  EXPECT_EQ(some.databases.count("default"), 1U);
  EXPECT_EQ(some.tables.size(), 1U);
  EXPECT_EQ(some.partitions.size(), 3U);
  EXPECT_EQ(small.count_tables(), tables_before + 5);
  EXPECT_EQ(log_.head(), head) << "reading leaves no event";
}

TEST_P(ReadersOnMetastore, EverythingWorksAgainAfterTheMetastoreWasRestarted) {
  const int64_t head = log_.head();
  hms_->stop();
  expect_error(ErrorKind::transient, "cannot connect", [&] { log_.head(); });
  hms_->start();
  EXPECT_EQ(log_.head(), head);
  EXPECT_TRUE(objects_.database({"hive", "default"}));
}

TEST_P(ReadersOnMetastore, WhatIsInAnotherCatalogIsReadThere) {
  if (is_2_3()) {
    EXPECT_EQ(objects_.database({"spark", "default"}), std::nullopt);
    return;
  }
  ddl_.create_catalog("spark", "hdfs://nn1:8020/spark");
  const std::string shop = in_catalog("spark", "shop");
  ddl_.create_database({.name = shop});
  ddl_.create_table({.database = shop, .table = "t", .partition_keys = {{"dt"}}});
  ddl_.add_partitions(shop, "t", {{{"1"}}});
  ddl_.create_table({.database = shop, .table = "u"});
  const auto database = objects_.database({"spark", "shop"});
  ASSERT_TRUE(database);
  EXPECT_EQ(database->name, (processor::DatabaseName{"spark", "shop"}));
  EXPECT_EQ(database->location, (Location{"hdfs", "nn1:8020", "/spark/shop.db"}));
  EXPECT_EQ(objects_.database({"hive", "shop"}), std::nullopt);
  const auto table = objects_.table({"spark", "shop", "t"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, (processor::TableName{"spark", "shop", "t"}));
  EXPECT_EQ(objects_.table({"hive", "shop", "t"}), std::nullopt);

  std::vector<processor::DatabaseName> databases;
  std::vector<processor::TableName> tables;
  std::size_t partitions = 0;
  const auto stream = objects_.snapshot({});
  while (const auto page = stream->next()) {
    for (const auto& each : page->databases) databases.push_back(each.name);
    for (const auto& each : page->tables) tables.push_back(each.name);
    for (const auto& each : page->partitions) {
      if (each.table == table->name) partitions += each.partitions.size();
    }
  }
  EXPECT_THAT(databases, IsSupersetOf({processor::DatabaseName{"hive", "default"},
                                       processor::DatabaseName{"spark", "default"},
                                       processor::DatabaseName{"spark", "shop"}}));
  EXPECT_THAT(tables, IsSupersetOf({processor::TableName{"spark", "shop", "t"},
                                    processor::TableName{"spark", "shop", "u"}}));
  EXPECT_EQ(partitions, 1U);
}

TEST(NotificationReaderOnMetastore, AMessageInGzipSaysSo) {
  const fixtures::MiniHms hms({.version = "4.0.1", .gzip_messages = true});
  DdlClient ddl(hms.uri());
  Options options;
  options.uris = {hms.uri()};
  Client client(options);
  NotificationReader log(client);
  ddl.create_database({.name = "packed"});
  const follower::EventPage page = log.events({});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].message_format, "gzip(json-2.0)");
  EXPECT_EQ(std::get<processor::CreateDatabase>(processor::decode(page.events[0])).database.name,
            (processor::DatabaseName{"hive", "packed"}));
}

TEST(NotificationReaderOnMetastore, APlainListenerTellsOfWhatWasRefused) {
  const fixtures::MiniHms hms({.plain_listener = true});
  DdlClient ddl(hms.uri());
  Options options;
  options.uris = {hms.uri()};
  Client client(options);
  NotificationReader log(client);
  EXPECT_EQ(client.config_value("hive.metastore.transactional.event.listeners", ""), "");
  EXPECT_TRUE(log.plain_listener());
  ddl.create_database({.name = "full"});
  ddl.create_table({.database = "full", .table = "t"});
  EXPECT_THROW(ddl.drop_database("full"), Error);
  EXPECT_THAT(ddl.databases(), testing::Contains("full"));
  std::vector<std::string> types;
  for (const processor::Event& event : log.events({}).events) types.push_back(event.type);
  EXPECT_THAT(types, ElementsAre("CREATE_DATABASE", "CREATE_TABLE", "DROP_DATABASE"));
}

TEST(NotificationReaderOnMetastore, CleanedHistoryIsAnEmptyAnswerBelowTheHead) {
  const fixtures::MiniHms hms({.version = "4.0.1", .event_ttl = std::chrono::seconds(2)});
  DdlClient ddl(hms.uri());
  Options options;
  options.uris = {hms.uri()};
  Client client(options);
  NotificationReader log(client);
  ddl.create_database({.name = "forgotten"});
  EXPECT_EQ(log.head(), 1);
  EXPECT_TRUE(fixtures::eventually(std::chrono::seconds(30),
                                   [&] { return log.events({}).events.empty(); }));
  EXPECT_EQ(log.head(), 1);
}

TEST(NotificationReaderOnMetastore, AMetastoreThatRefusesItsLogIsNamedAsSuch) {
  const fixtures::MiniHms hms(
      {.settings = {{"hive.metastore.event.db.notification.api.auth", "true"}}});
  Options options;
  options.uris = {hms.uri()};
  options.user = "stranger";
  Client client(options);
  NotificationReader log(client);
  expect_error(ErrorKind::fatal, "hive.metastore.event.db.notification.api.auth",
               [&] { log.head(); });
  expect_error(ErrorKind::fatal, "hive.metastore.event.db.notification.api.auth",
               [&] { log.events({}); });
  EXPECT_EQ(client.version(), "3.0") << "the connection stays usable";
}

}  // namespace
}  // namespace hmsync::hmsclient
