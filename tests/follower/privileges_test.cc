#include "follower/privileges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "processor/error.h"
#include "tests/follower/event_messages.h"

namespace hmsync::follower {
namespace {

using processor::Database;
using processor::DatabaseName;
using processor::Event;
using processor::Table;
using processor::TableName;
using testing::_;
using testing::Field;
using testing::HasSubstr;
using testing::InSequence;
using testing::NiceMock;
using testing::Return;
using testing::StrictMock;
using testing::Throw;

class MockLog : public NotificationLog {
 public:
  MOCK_METHOD(int64_t, head, (), (override));
  MOCK_METHOD(EventPage, events, (const EventRequest&), (override));
  MOCK_METHOD(std::optional<std::string>, uuid, (), (override));
  MOCK_METHOD(bool, plain_listener, (), (override));
};

class MockObjects : public ObjectReader {
 public:
  MOCK_METHOD(std::unique_ptr<SnapshotStream>, snapshot, (const std::vector<Scope>&), (override));
  MOCK_METHOD(std::optional<Database>, database, (const DatabaseName&), (override));
  MOCK_METHOD(std::optional<Table>, table, (const TableName&), (override));
  MOCK_METHOD(int64_t, count_tables, (), (override));
};

class MockStore : public PrivilegeStore {
 public:
  MOCK_METHOD(LookedUp, look_up, (const PrivilegeObject&), (override));
  MOCK_METHOD(std::optional<PrivilegeOutcome>, grant, (const PrivilegeCommand&, const GrantBasis&),
              (override));
  MOCK_METHOD(bool, revoke_at_once, (const PrivilegeCommand&), (override));
  MOCK_METHOD(PrivilegeOutcome, revoke, (const PrivilegeCommand&, std::optional<int64_t>),
              (override));
};

const PrivilegeOutcome kDone{"done", "", true, std::nullopt};

auto basis(int64_t generation, int64_t as_of_event, const std::string& identity) {
  return testing::AllOf(Field(&GrantBasis::generation, generation),
                        Field(&GrantBasis::as_of_event, as_of_event),
                        Field(&GrantBasis::identity, identity));
}

Table orders_table() {
  Table table;
  table.name = {"hive", "sales", "orders"};
  table.identity = "created:1000";
  table.columns = {"id", "amount"};
  table.partition_keys = {"day"};
  return table;
}

Event event_about(int64_t id, const std::string& type, std::optional<std::string> database) {
  Event event;
  event.id = id;
  event.type = type;
  event.database = std::move(database);
  return event;
}

class Granting : public testing::Test {
 protected:
  Granting() {
    command_.role = "analyst";
    command_.action = "SELECT";
    command_.object.database = "sales";
    command_.object.table = "orders";
    ON_CALL(store_, look_up).WillByDefault(Return(LookedUp{3, std::nullopt}));
    ON_CALL(log_, head).WillByDefault(Return(20));
    ON_CALL(objects_, table).WillByDefault(Return(orders_table()));
    ON_CALL(store_, grant).WillByDefault(Return(kDone));
  }

  PrivilegeOutcome ask() { return grant(log_, objects_, store_, command_); }

  NiceMock<MockLog> log_;
  NiceMock<MockObjects> objects_;
  NiceMock<MockStore> store_;
  PrivilegeCommand command_;
};

TEST_F(Granting, StandsOnTheHeadAfterTheObjectWasReadAndOnItsIdentity) {
  InSequence sequence;
  EXPECT_CALL(store_, look_up).WillOnce(Return(LookedUp{3, std::nullopt}));
  EXPECT_CALL(log_, head).WillOnce(Return(20));
  EXPECT_CALL(objects_, table(TableName{"hive", "sales", "orders"}))
      .WillOnce(Return(orders_table()));
  EXPECT_CALL(log_, head).WillOnce(Return(20));
  EXPECT_CALL(log_, events(Field(&EventRequest::after, 20))).WillOnce(Return(EventPage{}));
  EXPECT_CALL(store_, grant(_, basis(3, 20, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_TRUE(ask().changed);
}

TEST_F(Granting, TellsWhetherTheStoreHadTheObjectThatTheMetastoreHas) {
  EXPECT_CALL(store_, look_up)
      .WillOnce(Return(LookedUp{3, "created:1000"}))
      .WillOnce(Return(LookedUp{3, "created:999"}))
      .WillOnce(Return(LookedUp{3, std::nullopt}));
  const auto had = [](bool stored) { return Field(&GrantBasis::stored, stored); };
  InSequence sequence;
  EXPECT_CALL(store_, grant(_, had(true))).WillOnce(Return(kDone));
  EXPECT_CALL(store_, grant(_, had(false))).Times(2).WillRepeatedly(Return(kDone));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask().changed);
}

TEST_F(Granting, LooksNamesUpInLowerCaseAndGrantsOnThem) {
  command_.action = "select";
  command_.object.catalog = "HIVE";
  command_.object.database = "Sales";
  command_.object.table = "ORDERS";
  command_.object.column = "Amount";
  EXPECT_CALL(objects_, table(TableName{"hive", "sales", "orders"}))
      .WillOnce(Return(orders_table()));
  PrivilegeCommand given;
  EXPECT_CALL(store_, grant).WillOnce([&](const PrivilegeCommand& command, const GrantBasis&) {
    given = command;
    return kDone;
  });
  EXPECT_EQ(ask().outcome, "done");
  EXPECT_EQ(given.action, "SELECT");
  EXPECT_EQ(given.object.catalog, "hive");
  EXPECT_EQ(given.object.database, "sales");
  EXPECT_EQ(given.object.table, "orders");
  EXPECT_EQ(given.object.column, "amount");
}

TEST_F(Granting, IsRefusedOnATableThatIsNotThere) {
  EXPECT_CALL(objects_, table).WillOnce(Return(std::nullopt));
  EXPECT_CALL(store_, grant).Times(0);
  const PrivilegeOutcome outcome = ask();
  EXPECT_EQ(outcome.outcome, "refused");
  EXPECT_THAT(outcome.reason, HasSubstr("no table sales.orders"));
}

TEST_F(Granting, IsRefusedOnADatabaseThatIsNotThere) {
  command_.object.table.reset();
  EXPECT_CALL(objects_, database(DatabaseName{"hive", "sales"})).WillOnce(Return(std::nullopt));
  EXPECT_CALL(store_, grant).Times(0);
  EXPECT_THAT(ask().reason, HasSubstr("no database sales"));
}

TEST_F(Granting, IsRefusedOnAColumnThatTheTableHasNot) {
  command_.object.column = "colour";
  EXPECT_CALL(store_, grant).Times(0);
  EXPECT_THAT(ask().reason, HasSubstr("no column colour"));
}

TEST_F(Granting, IsPossibleOnAPartitionKey) {
  command_.object.column = "day";
  EXPECT_CALL(store_, grant(_, basis(3, 20, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, CarriesTheDatabasesIdentity) {
  command_.object.table.reset();
  EXPECT_CALL(objects_, database)
      .WillOnce(Return(Database{{"hive", "sales"}, {}, std::nullopt, "created:7"}));
  EXPECT_CALL(store_, grant(_, basis(3, 20, "created:7"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, IsNeverGuessedWhileTheMetastoreCannotBeAsked) {
  EXPECT_CALL(log_, head).WillOnce(Throw(Error(ErrorKind::transient, "no route")));
  EXPECT_CALL(store_, grant).Times(0);
  EXPECT_THROW(ask(), Error);
}

TEST_F(Granting, AsksAgainWhenAnEventInBetweenNamesTheDatabase) {
  EXPECT_CALL(log_, head)
      .WillOnce(Return(20))
      .WillOnce(Return(21))
      .WillOnce(Return(21))
      .WillOnce(Return(21));
  EXPECT_CALL(log_, events(Field(&EventRequest::after, 20)))
      .WillOnce(Return(EventPage{{event_about(21, "DROP_TABLE", "SALES")}, false}));
  EXPECT_CALL(log_, events(Field(&EventRequest::after, 21))).WillOnce(Return(EventPage{}));
  Table again = orders_table();
  again.identity = "created:2000";
  EXPECT_CALL(objects_, table).WillOnce(Return(orders_table())).WillOnce(Return(again));
  EXPECT_CALL(store_, grant(_, basis(3, 21, "created:2000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, GoesOnPastEventsOfOtherDatabases) {
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(22));
  EXPECT_CALL(log_, events)
      .WillOnce(Return(EventPage{
          {event_about(21, "CREATE_TABLE", "hr"), event_about(22, "OPEN_TXN", std::nullopt)},
          false}));
  EXPECT_CALL(store_, grant(_, basis(3, 22, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

// The header of such an event names the database that the table went to, and only that.
TEST_F(Granting, AsksAgainWhenATableLeftTheDatabaseInBetween) {
  Table moved = orders_table();
  moved.name.database = "hr";
  Event rename = event_about(21, "ALTER_TABLE", "hr");
  rename.message = doubles::alter_table_message(orders_table(), moved);
  rename.message_format = "json-0.2";
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillRepeatedly(Return(21));
  EXPECT_CALL(log_, events).WillOnce(Return(EventPage{{rename}, false}));
  EXPECT_CALL(objects_, table).WillOnce(Return(orders_table())).WillOnce(Return(std::nullopt));
  EXPECT_CALL(store_, grant).Times(0);
  EXPECT_EQ(ask().outcome, "refused");
}

TEST_F(Granting, GoesOnPastAChangeOfATableElsewhere) {
  Table elsewhere = orders_table();
  elsewhere.name.database = "hr";
  Event change = event_about(21, "ALTER_TABLE", "hr");
  change.message = doubles::alter_table_message(elsewhere, elsewhere);
  change.message_format = "json-0.2";
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(21));
  EXPECT_CALL(log_, events).WillOnce(Return(EventPage{{change}, false}));
  EXPECT_CALL(objects_, table).WillOnce(Return(orders_table()));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, AsksAgainWhenAnotherDatabasesRenameCannotBeRead) {
  Event rename = event_about(21, "ALTER_TABLE", "hr");
  rename.message = "{";
  rename.message_format = "json-0.2";
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(21)).WillRepeatedly(Return(21));
  EXPECT_CALL(log_, events)
      .WillOnce(Return(EventPage{{rename}, false}))
      .WillOnce(Return(EventPage{}));
  EXPECT_CALL(objects_, table).Times(2).WillRepeatedly(Return(orders_table()));
  EXPECT_CALL(store_, grant).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, AsksAgainWhenAnEventInBetweenIsNotVisibleYet) {
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(22)).WillRepeatedly(Return(22));
  EXPECT_CALL(log_, events)
      .WillOnce(Return(EventPage{{event_about(22, "CREATE_TABLE", "hr")}, false}))
      .WillOnce(Return(EventPage{}));
  EXPECT_CALL(objects_, table).Times(2).WillRepeatedly(Return(orders_table()));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, ReadsOnWhereAPageWasCut) {
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(22));
  EXPECT_CALL(log_, events(Field(&EventRequest::after, 20)))
      .WillOnce(Return(EventPage{{event_about(21, "CREATE_TABLE", "hr")}, true}));
  EXPECT_CALL(log_, events(Field(&EventRequest::after, 21)))
      .WillOnce(Return(EventPage{{event_about(22, "CREATE_TABLE", "hr")}, false}));
  EXPECT_CALL(objects_, table).WillOnce(Return(orders_table()));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, TakesTheHigherHeadWhereItWentBack) {
  EXPECT_CALL(log_, head).WillOnce(Return(20)).WillOnce(Return(19));
  EXPECT_CALL(store_, grant(_, basis(3, 20, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, StandsOnTheNewestEventWhereTheHeadWasBackBothTimes) {
  ON_CALL(log_, events(Field(&EventRequest::after, 20)))
      .WillByDefault(Return(EventPage{{event_about(21, "CREATE_TABLE", "hr")}, false}));
  EXPECT_CALL(store_, grant(_, basis(3, 21, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, AsksAgainAfterEventsAboveAHeadThatIsBack) {
  ON_CALL(log_, events(Field(&EventRequest::after, 20)))
      .WillByDefault(Return(EventPage{
          {event_about(21, "DROP_TABLE", "sales"), event_about(22, "CREATE_TABLE", "sales")},
          false}));
  EXPECT_CALL(objects_, table).Times(2).WillRepeatedly(Return(orders_table()));
  EXPECT_CALL(store_, grant(_, basis(3, 22, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, TakesNoEventOfAnotherHistoryForTheNewest) {
  EXPECT_CALL(store_, look_up)
      .WillOnce(Return(LookedUp{3, std::nullopt}))
      .WillOnce(Return(LookedUp{4, std::nullopt}));
  EXPECT_CALL(log_, head).WillOnce(Return(1000)).WillRepeatedly(Return(50));
  EXPECT_CALL(store_, grant(_, basis(3, 1000, "created:1000"))).WillOnce(Return(std::nullopt));
  EXPECT_CALL(store_, grant(_, basis(4, 50, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, AsksAgainWhenTheStoreIsPastTheBasisOrReset) {
  EXPECT_CALL(store_, look_up)
      .WillOnce(Return(LookedUp{3, std::nullopt}))
      .WillOnce(Return(LookedUp{4, std::nullopt}));
  EXPECT_CALL(store_, grant(_, basis(3, 20, "created:1000"))).WillOnce(Return(std::nullopt));
  EXPECT_CALL(store_, grant(_, basis(4, 20, "created:1000"))).WillOnce(Return(kDone));
  EXPECT_EQ(ask().outcome, "done");
}

TEST_F(Granting, GivesUpAfterBoundedTries) {
  int asked = 0;
  EXPECT_CALL(store_, grant).WillRepeatedly([&](const PrivilegeCommand&, const GrantBasis&) {
    ++asked;
    return std::nullopt;
  });
  try {
    ask();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::transient);
  }
  EXPECT_EQ(asked, 10);
}

TEST_F(Granting, OnTheServerOrAUriDoesNotAskTheMetastore) {
  StrictMock<MockLog> silent_log;
  StrictMock<MockObjects> silent_objects;
  command_.object = {};
  EXPECT_CALL(store_, grant(_, basis(3, std::numeric_limits<int64_t>::max(), "")))
      .Times(2)
      .WillRepeatedly(Return(kDone));
  EXPECT_EQ(grant(silent_log, silent_objects, store_, command_).outcome, "done");
  command_.object.uri = "hdfs://nn/Data";
  EXPECT_EQ(grant(silent_log, silent_objects, store_, command_).outcome, "done");
}

TEST_F(Granting, RefusesWhatIsNoObjectOrNoAction) {
  EXPECT_CALL(store_, grant).Times(0);
  const PrivilegeCommand good = command_;
  const auto reason_with = [&](const std::function<void(PrivilegeCommand&)>& spoil) {
    command_ = good;
    spoil(command_);
    const PrivilegeOutcome outcome = ask();
    EXPECT_EQ(outcome.outcome, "refused");
    return outcome.reason;
  };
  EXPECT_THAT(reason_with([](auto& c) { c.action = "EAT"; }), HasSubstr("EAT is no action"));
  EXPECT_THAT(reason_with([](auto& c) { c.role = ""; }), HasSubstr("role"));
  EXPECT_THAT(reason_with([](auto& c) { c.object.database = ""; }), HasSubstr("empty name"));
  EXPECT_THAT(reason_with([](auto& c) { c.object.database.reset(); }),
              HasSubstr("needs its database"));
  EXPECT_THAT(reason_with([](auto& c) { c.object.uri = "file:/x"; }), HasSubstr("name one"));
  EXPECT_THAT(reason_with([](auto& c) {
                c.object.table.reset();
                c.object.column = "id";
              }),
              HasSubstr("needs its table"));
}

TEST_F(Granting, RevokesWithTheHeadOfThatMoment) {
  EXPECT_CALL(store_, revoke(_, std::optional<int64_t>(20)))
      .WillOnce(Return(PrivilegeOutcome{"done", "", true, 20}));
  EXPECT_EQ(revoke(log_, store_, command_).repeat_at_event, 20);
}

TEST_F(Granting, RevokesInTheStoreBeforeTheMetastoreIsAsked) {
  const testing::InSequence in_this_order;
  EXPECT_CALL(store_, revoke_at_once).WillOnce(Return(true));
  EXPECT_CALL(log_, head).WillOnce(Return(20));
  EXPECT_CALL(store_, revoke).WillOnce(Return(PrivilegeOutcome{"done", "", false, 20}));
  EXPECT_TRUE(revoke(log_, store_, command_).changed);
}

TEST_F(Granting, RevokesAsOfTheNewestEventWhereTheHeadIsBack) {
  ON_CALL(log_, events(Field(&EventRequest::after, 20)))
      .WillByDefault(Return(EventPage{{event_about(21, "ALTER_TABLE", "sales")}, false}));
  EXPECT_CALL(store_, revoke(_, std::optional<int64_t>(21))).WillOnce(Return(kDone));
  EXPECT_EQ(revoke(log_, store_, command_).outcome, "done");
}

TEST_F(Granting, RevokesWithoutTheMetastore) {
  EXPECT_CALL(log_, head).WillOnce(Throw(Error(ErrorKind::transient, "no route")));
  EXPECT_CALL(store_, revoke(_, std::optional<int64_t>()))
      .WillOnce(Return(PrivilegeOutcome{"done", "", true, -1}));
  EXPECT_EQ(revoke(log_, store_, command_).repeat_at_event, -1);
}

TEST_F(Granting, RevokesEvenWhereTheMetastoreRefusesTheDaemon) {
  EXPECT_CALL(log_, head).WillOnce(Throw(Error(ErrorKind::fatal, "not authorised")));
  EXPECT_CALL(store_, revoke(_, std::optional<int64_t>())).WillOnce(Return(kDone));
  EXPECT_EQ(revoke(log_, store_, command_).outcome, "done");
}

TEST_F(Granting, DoesNotTakeAnEmptyNameInARevokeForTheServer) {
  command_.object = {};
  command_.object.database = "";
  EXPECT_CALL(store_, revoke).Times(0);
  EXPECT_EQ(revoke(log_, store_, command_).outcome, "refused");
}

}  // namespace
}  // namespace hmsync::follower
