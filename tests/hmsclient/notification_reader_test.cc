#include "hmsclient/notification_reader.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "processor/digest.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/hmsclient/expect_error.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::FakeHms;
using fixtures::Reaction;
using testing::ElementsAre;

Options options_for(const FakeHms& hms) {
  Options options;
  options.uris = {hms.uri()};
  options.call_timeout = std::chrono::milliseconds(10000);
  options.first_backoff = std::chrono::milliseconds(1);
  options.longest_backoff = std::chrono::milliseconds(4);
  return options;
}

processor::Event event_with(int64_t id, std::string message) {
  processor::Event event;
  event.id = id;
  event.time = 1700000000 + id;
  event.type = "CREATE_TABLE";
  event.catalog = "hive";
  event.database = "sales";
  event.table = "t" + std::to_string(id);
  event.message = std::move(message);
  event.message_format = "json-0.2";
  return event;
}

std::vector<int64_t> ids(const follower::EventPage& page) {
  std::vector<int64_t> ids;
  for (const processor::Event& event : page.events) {
    ids.push_back(event.id);
  }
  return ids;
}

TEST(NotificationReader, AnEventComesWithAllItsFields) {
  FakeHms hms;
  hms.set_events({event_with(7, "{}")});
  Client client(options_for(hms));
  NotificationReader reader(client);
  EXPECT_EQ(reader.head(), 7);
  const follower::EventPage page = reader.events({.after = 6});
  ASSERT_EQ(page.events.size(), 1U);
  const processor::Event& event = page.events[0];
  EXPECT_EQ(event.id, 7);
  EXPECT_EQ(event.time, 1700000007);
  EXPECT_EQ(event.type, "CREATE_TABLE");
  EXPECT_EQ(event.catalog, "hive");
  EXPECT_EQ(event.database, "sales");
  EXPECT_EQ(event.table, "t7");
  EXPECT_EQ(event.message, "{}");
  EXPECT_EQ(event.message_format, "json-0.2");
  EXPECT_FALSE(page.cut);
}

TEST(NotificationReader, AbsentFieldsStayAbsent) {
  FakeHms hms;
  processor::Event event = event_with(1, "{}");
  event.catalog.reset();
  event.database.reset();
  event.table.reset();
  event.message_format.clear();
  hms.set_events({event});
  Client client(options_for(hms));
  const follower::EventPage page = NotificationReader(client).events({});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_FALSE(page.events[0].catalog);
  EXPECT_FALSE(page.events[0].database);
  EXPECT_FALSE(page.events[0].table);
  EXPECT_EQ(page.events[0].message_format, "");
}

TEST(NotificationReader, PagesFollowEachOtherByTheLastId) {
  FakeHms hms;
  hms.set_events({event_with(1, "a"), event_with(2, "b"), event_with(3, "c")});
  Client client(options_for(hms));
  NotificationReader reader(client);
  EXPECT_THAT(ids(reader.events({.after = 0, .max_events = 2})), ElementsAre(1, 2));
  EXPECT_THAT(ids(reader.events({.after = 2, .max_events = 2})), ElementsAre(3));
  EXPECT_THAT(ids(reader.events({.after = 3, .max_events = 2})), ElementsAre());
  EXPECT_THAT(hms.asked("get_next_notification"), ElementsAre("0", "2", "3"));
  EXPECT_EQ(hms.connections(), 1);
}

TEST(NotificationReader, TheServersOrderIsKept) {
  FakeHms hms;
  hms.set_events({event_with(5, "a"), event_with(4, "b"), event_with(4, "c")});
  Client client(options_for(hms));
  EXPECT_THAT(ids(NotificationReader(client).events({})), ElementsAre(5, 4, 4));
}

TEST(NotificationReader, TheRestIsReadThroughWhenLittleIsLeftAboveTheBytesAllowed) {
  FakeHms hms;
  hms.set_events({event_with(1, std::string(600, 'a')), event_with(2, std::string(600, 'b')),
                  event_with(3, std::string(600, 'c')), event_with(4, std::string(600, 'd'))});
  Client client(options_for(hms));
  NotificationReader reader(client);
  const follower::EventPage page = reader.events({.after = 0, .max_bytes = 1000});
  EXPECT_THAT(ids(page), ElementsAre(1, 2));
  EXPECT_TRUE(page.cut);
  EXPECT_THAT(ids(reader.events({.after = 2})), ElementsAre(3, 4));
  EXPECT_EQ(hms.connections(), 1);
}

TEST(NotificationReader, TheConnectionIsClosedWhenMuchIsLeftAboveTheBytesAllowed) {
  FakeHms hms;
  std::vector<processor::Event> events;
  for (int64_t id = 1; id <= 40; ++id) {
    events.push_back(event_with(id, std::string(200 << 10, 'x')));
  }
  hms.set_events(events);
  Client client(options_for(hms));
  NotificationReader reader(client);
  const follower::EventPage page = reader.events({.after = 0, .max_bytes = 300 << 10});
  EXPECT_THAT(ids(page), ElementsAre(1, 2));
  EXPECT_TRUE(page.cut);
  EXPECT_THAT(ids(reader.events({.after = 39})), ElementsAre(40));
  EXPECT_EQ(hms.connections(), 2);
}

TEST(NotificationReader, OneEventComesHoweverLargeItIs) {
  FakeHms hms;
  hms.set_events({event_with(1, std::string(5000, 'a')), event_with(2, "b")});
  Client client(options_for(hms));
  const follower::EventPage page = NotificationReader(client).events({.max_bytes = 10});
  EXPECT_THAT(ids(page), ElementsAre(1));
  EXPECT_TRUE(page.cut);
}

TEST(NotificationReader, APageThatIsFullAtItsLastEventIsNotCut) {
  FakeHms hms;
  hms.set_events({event_with(1, std::string(500, 'a')), event_with(2, std::string(500, 'b'))});
  Client client(options_for(hms));
  const follower::EventPage page = NotificationReader(client).events({.max_bytes = 1000});
  EXPECT_THAT(ids(page), ElementsAre(1, 2));
  EXPECT_FALSE(page.cut);
}

std::vector<processor::Event> events_of(const std::vector<int64_t>& ids, size_t bytes) {
  std::vector<processor::Event> events;
  for (const int64_t id : ids) {
    events.push_back(event_with(id, std::string(bytes, 'x')));
  }
  return events;
}

TEST(NotificationReader, APageThatItsCountEndsWithinAnIdLeavesThatIdToTheNextPage) {
  FakeHms hms;
  hms.set_events(events_of({1, 2, 2, 2}, 10));
  Client client(options_for(hms));
  NotificationReader reader(client);
  for (const int32_t most : {2, 3}) {
    const follower::EventPage first = reader.events({.after = 0, .max_events = most});
    EXPECT_THAT(ids(first), ElementsAre(1)) << most;
    EXPECT_TRUE(first.cut) << most;
    const follower::EventPage second = reader.events({.after = 1, .max_events = most});
    EXPECT_THAT(ids(second), ElementsAre(2, 2, 2)) << most;
    EXPECT_FALSE(second.cut) << most;
  }
}

TEST(NotificationReader, APageThatItsBytesEndWithinAnIdLeavesThatIdToTheNextPage) {
  FakeHms hms;
  hms.set_events(events_of({1, 2, 2, 2, 3}, 400));
  Client client(options_for(hms));
  NotificationReader reader(client);
  for (const int64_t most : {800, 1200}) {
    const follower::EventPage first = reader.events({.after = 0, .max_bytes = most});
    EXPECT_THAT(ids(first), ElementsAre(1)) << most;
    EXPECT_TRUE(first.cut) << most;
  }
  const follower::EventPage second = reader.events({.after = 1, .max_bytes = 800});
  EXPECT_THAT(ids(second), ElementsAre(2, 2, 2)) << "an id is never cut, however large it is";
  EXPECT_TRUE(second.cut);
  EXPECT_THAT(ids(reader.events({.after = 2, .max_bytes = 800})), ElementsAre(3));
}

TEST(NotificationReader, APageThatEndsBetweenTwoIdsIsNotShortened) {
  FakeHms hms;
  hms.set_events(events_of({1, 2, 2, 3}, 400));
  Client client(options_for(hms));
  NotificationReader reader(client);
  EXPECT_THAT(ids(reader.events({.after = 0, .max_events = 3})), ElementsAre(1, 2, 2));
  EXPECT_THAT(ids(reader.events({.after = 0, .max_bytes = 1200})), ElementsAre(1, 2, 2));
}

TEST(NotificationReader, AnIdWithMoreEventsThanAreAskedForComesWhole) {
  FakeHms hms;
  std::vector<int64_t> many(50, 7);
  many.push_back(8);
  hms.set_events(events_of(many, 400));
  Client client(options_for(hms));
  const follower::EventPage page =
      NotificationReader(client).events({.after = 0, .max_events = 3, .max_bytes = 500});
  EXPECT_THAT(ids(page), testing::AllOf(testing::SizeIs(50), testing::Each(7)));
  EXPECT_TRUE(page.cut);
}

TEST(NotificationReader, AMessageAboveTheLimitIsWithheldAndWhatFollowsIsStillRead) {
  FakeHms hms;
  const processor::Event large = event_with(2, std::string(300 << 10, 'x'));
  hms.set_events({event_with(1, "{}"), large, event_with(3, "{}")});
  Options options = options_for(hms);
  options.max_message = 100 << 10;
  Client client(options);
  const follower::EventPage page = NotificationReader(client).events({});
  ASSERT_THAT(ids(page), ElementsAre(1, 2, 3));
  EXPECT_EQ(page.events[1].message, "");
  ASSERT_TRUE(page.events[1].withheld);
  EXPECT_EQ(page.events[1].withheld->bytes, 307200);
  EXPECT_EQ(processor::digest(page.events[1]), processor::digest(large));
  EXPECT_FALSE(page.events[0].withheld);
  EXPECT_EQ(page.events[1].table, "t2");
  EXPECT_EQ(page.events[1].message_format, "json-0.2");
  EXPECT_EQ(page.events[2].message, "{}");
  EXPECT_EQ(hms.connections(), 1);
}

TEST(NotificationReader, AWithheldMessageTakesNoneOfThePagesBytes) {
  FakeHms hms;
  hms.set_events(events_of({1, 2, 3, 4, 5}, 300 << 10));
  Options options = options_for(hms);
  options.max_message = 100 << 10;
  Client client(options);
  const follower::EventPage page = NotificationReader(client).events({.max_bytes = 200 << 10});
  EXPECT_THAT(ids(page), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_FALSE(page.cut);
}

TEST(NotificationReader, WithheldMessagesBehindAFullPageAreNotReadThrough) {
  FakeHms hms;
  std::vector<processor::Event> events = events_of({1, 2}, 10);
  for (const processor::Event& large : events_of({3, 4, 5, 6, 7, 8, 9}, 800 << 10)) {
    events.push_back(large);
  }
  hms.set_events(events);
  Options options = options_for(hms);
  options.max_message = 100 << 10;
  Client client(options);
  NotificationReader reader(client);
  const follower::EventPage page = reader.events({.max_bytes = 20});
  EXPECT_THAT(ids(page), ElementsAre(1, 2));
  EXPECT_TRUE(page.cut);
  EXPECT_THAT(ids(reader.events({.after = 8})), ElementsAre(9));
  EXPECT_EQ(hms.connections(), 2);
}

TEST(NotificationReader, TheLimitIsForOneEventAndNotForTheAnswer) {
  FakeHms hms;
  std::vector<processor::Event> events;
  for (int64_t id = 1; id <= 50; ++id) {
    events.push_back(event_with(id, std::string(90 << 10, 'x')));
  }
  hms.set_events(events);
  Options options = options_for(hms);
  options.max_message = 100 << 10;
  Client client(options);
  EXPECT_EQ(NotificationReader(client).events({}).events.size(), 50U);
}

TEST(NotificationReader, AnAnswerThatTheServerCapsIsReturnedAsItIs) {
  FakeHms hms(FakeHms::Version::v4_0);
  hms.set_events(events_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 10));
  hms.set_most_events(4);
  Client client(options_for(hms));
  NotificationReader reader(client);
  const follower::EventPage page = reader.events({.after = 2, .max_events = 1000});
  EXPECT_THAT(ids(page), ElementsAre(3, 4, 5, 6));
  EXPECT_FALSE(page.cut) << "only the server knows of more";
  EXPECT_EQ(hms.calls("get_next_notification"), 1);
}

TEST(NotificationReader, AnIdThatTheServersCapCutsDoesNotMakeItAskForEver) {
  FakeHms hms(FakeHms::Version::v4_0);
  hms.set_events(events_of(std::vector<int64_t>(9, 7), 10));
  hms.set_most_events(4);
  Client client(options_for(hms));
  const follower::EventPage page = NotificationReader(client).events({.max_events = 3});
  EXPECT_THAT(ids(page), ElementsAre(7, 7, 7, 7));
  EXPECT_EQ(hms.calls("get_next_notification"), 2);
}

TEST(NotificationReader, AHeadThatGoesBackOrPromisesMoreThanIsListedIsTold) {
  FakeHms hms;
  hms.set_events(events_of({8, 9}, 10));
  Client client(options_for(hms));
  NotificationReader reader(client);
  EXPECT_EQ(reader.head(), 9);
  hms.set_head(5);
  EXPECT_EQ(reader.head(), 5);
  hms.set_head(12);
  EXPECT_EQ(reader.head(), 12);
  EXPECT_THAT(ids(reader.events({.after = 7})), ElementsAre(8, 9));
}

TEST(NotificationReader, AMissingListIsAnEmptyPage) {
  FakeHms hms;
  hms.on("get_next_notification", {.kind = Reaction::Kind::empty_struct});
  Client client(options_for(hms));
  const follower::EventPage page = NotificationReader(client).events({});
  EXPECT_TRUE(page.events.empty());
  EXPECT_FALSE(page.cut);
}

TEST(NotificationReader, ANullAnswerIsAFailureAndNotAnEmptyPage) {
  FakeHms hms(FakeHms::Version::v2_3);
  hms.on("get_next_notification", [](int call) {
    return Reaction{.kind = call == 1 ? Reaction::Kind::null_answer : Reaction::Kind::answer};
  });
  hms.set_events({event_with(1, "{}")});
  Client client(options_for(hms));
  EXPECT_THAT(ids(NotificationReader(client).events({})), ElementsAre(1));
}

TEST(NotificationReader, RefusedNotificationCallsNameTheSettingThatOpensThem) {
  FakeHms hms;
  hms.on("get_current_notificationEventId", Reaction::internal_error());
  hms.on("get_next_notification", Reaction::internal_error());
  Client client(options_for(hms));
  NotificationReader reader(client);
  const std::string hint = "hive.metastore.event.db.notification.api.auth";
  expect_error(ErrorKind::fatal, hint, [&] { reader.head(); });
  expect_error(ErrorKind::fatal, hint, [&] { reader.events({}); });
  EXPECT_EQ(hms.connections(), 1);
}

TEST(NotificationReader, AnInternalErrorIsTransientWhileTheMetastoresDatabaseIsAway) {
  FakeHms hms;
  hms.on("get_current_notificationEventId", Reaction::internal_error());
  hms.on("get_all_databases",
         {.kind = Reaction::Kind::exception, .number = 1, .text = "javax.jdo.JDOException"});
  Client client(options_for(hms));
  NotificationReader reader(client);
  expect_error(ErrorKind::transient, "javax.jdo.JDOException", [&] { reader.head(); });
  hms.off("get_current_notificationEventId");
  hms.off("get_all_databases");
  EXPECT_EQ(reader.head(), 0);
}

TEST(NotificationReader, TheUuidIsAskedForAndAbsentWhereTheServerHasNone) {
  FakeHms current;
  current.set_uuid("d1c7");
  Client current_client(options_for(current));
  EXPECT_EQ(NotificationReader(current_client).uuid(), "d1c7");

  FakeHms old(FakeHms::Version::v2_3);
  Client old_client(options_for(old));
  NotificationReader reader(old_client);
  EXPECT_EQ(reader.uuid(), std::nullopt);
  EXPECT_EQ(reader.uuid(), std::nullopt);
  EXPECT_EQ(old.calls("get_metastore_db_uuid"), 1) << "once known, it is not asked again";
  EXPECT_EQ(old.connections(), 1);
}

TEST(NotificationReader, AListenerWithinTheTransactionIsNotAPlainOne) {
  const std::string setting = "hive.metastore.transactional.event.listeners";
  FakeHms hms;
  Client client(options_for(hms));
  NotificationReader reader(client);
  EXPECT_TRUE(reader.plain_listener()) << "2.3 answers an empty setting by the caller's default";
  hms.set_setting(setting, "");
  EXPECT_TRUE(reader.plain_listener());
  hms.set_setting(setting, "com.acme.AuditListener");
  EXPECT_TRUE(reader.plain_listener());
  hms.set_setting(
      setting, "com.acme.AuditListener,org.apache.hive.hcatalog.listener.DbNotificationListener");
  EXPECT_FALSE(reader.plain_listener());
  EXPECT_THAT(hms.asked("get_config_value"), testing::Each(setting));
}

TEST(NotificationReader, AMetastoreThatDoesNotSayHasNoPlainListener) {
  FakeHms hms;
  Client client(options_for(hms));
  NotificationReader reader(client);
  hms.on("get_config_value",
         {.kind = Reaction::Kind::exception, .number = 1, .text = "not allowed"});
  EXPECT_FALSE(reader.plain_listener());
  hms.on("get_config_value", Reaction::unknown_method());
  EXPECT_FALSE(reader.plain_listener());
  EXPECT_EQ(hms.connections(), 1);
  Client other(options_for(hms));
  hms.on("get_config_value", {.kind = Reaction::Kind::close});
  expect_error(ErrorKind::transient, "closed the connection",
               [&] { NotificationReader(other).plain_listener(); });
}

TEST(NotificationReader, ABrokenPageIsAskedForAgainAndNothingOfItIsKept) {
  FakeHms hms;
  hms.set_events({event_with(1, std::string(500, 'a')), event_with(2, std::string(500, 'b'))});
  hms.on("get_next_notification", [](int call) {
    return Reaction{.kind = call == 1 ? Reaction::Kind::half_answer : Reaction::Kind::answer};
  });
  Client client(options_for(hms));
  EXPECT_THAT(ids(NotificationReader(client).events({})), ElementsAre(1, 2));
  EXPECT_EQ(hms.connections(), 2);
}

int64_t most_kilobytes_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(NotificationReader, AMessageThatClaimsTwoBillionBytesNeedsNoMemoryForThem) {
  FakeHms hms;
  // REPLY get_next_notification, success { events: list of 1 { message: 2^31-1 bytes, then nothing.
  std::string bytes("\x80\x01\x00\x02\x00\x00\x00\x15", 8);
  bytes += "get_next_notification";
  bytes += std::string("\x00\x00\x00\x00", 4);
  bytes += std::string("\x0c\x00\x00\x0f\x00\x01\x0c\x00\x00\x00\x01", 11);
  bytes += std::string("\x0b\x00\x06\x7f\xff\xff\xff", 7);
  hms.on("get_next_notification", {.kind = Reaction::Kind::bytes, .text = bytes});
  for (const int64_t most : {int64_t{100} << 20, int64_t{4} << 30}) {
    Options options = options_for(hms);
    options.attempts = 1;
    options.call_timeout = std::chrono::milliseconds(300);
    options.max_message = most;
    Client client(options);
    const int64_t before = most_kilobytes_so_far();
    expect_error(ErrorKind::transient, "timed out", [&] { NotificationReader(client).events({}); });
    EXPECT_LT(most_kilobytes_so_far() - before, 200 << 10) << most;
  }
}

TEST(NotificationReader, AListThatClaimsTwoBillionEventsNeedsNoMemoryForThem) {
  FakeHms hms;
  // REPLY get_next_notification, success { events: list of 2^31-1 structs, then nothing.
  std::string bytes("\x80\x01\x00\x02\x00\x00\x00\x15", 8);
  bytes += "get_next_notification";
  bytes += std::string("\x00\x00\x00\x00", 4);
  bytes += std::string("\x0c\x00\x00\x0f\x00\x01\x0c\x7f\xff\xff\xff", 11);
  hms.on("get_next_notification", {.kind = Reaction::Kind::bytes, .text = bytes});
  Options options = options_for(hms);
  options.attempts = 1;
  options.call_timeout = std::chrono::milliseconds(300);
  Client client(options);
  expect_error(ErrorKind::transient, "timed out", [&] { NotificationReader(client).events({}); });
}

}  // namespace
}  // namespace hmsync::hmsclient
