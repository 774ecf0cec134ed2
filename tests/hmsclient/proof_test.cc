// Connections that prove where they lead before they are used.
#include "follower/proof.h"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "processor/digest.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/hmsclient/expect_error.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::FakeHms;
using fixtures::Reaction;
using follower::AnotherMetastore;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Version = FakeHms::Version;

processor::Event event(int64_t id, const std::string& message) {
  processor::Event made;
  made.id = id;
  made.time = 1700000000;
  made.type = "CREATE_TABLE";
  made.message = message;
  return made;
}

processor::Table table(const std::string& name, const std::string& identity) {
  processor::Table made;
  made.name = {"hive", "sales", name};
  made.type = "MANAGED_TABLE";
  made.identity = identity;
  return made;
}

/// What AnotherMetastore says; fails where something else, or nothing, is thrown.
template <typename Action>
std::string another_metastore(const Action& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AnotherMetastore& error) {
    return error.what();
  } catch (const Error& error) {
    ADD_FAILURE() << "another error: " << error.what();
  }
  return "";
}

/// Asked by the threads of a snapshot.
class HeldExpectation {
 public:
  void set(follower::Expectation expectation) {
    const std::lock_guard lock(mutex_);
    expectation_ = std::move(expectation);
  }
  [[nodiscard]] follower::Expectation get() const {
    const std::lock_guard lock(mutex_);
    return expectation_;
  }

 private:
  mutable std::mutex mutex_;
  follower::Expectation expectation_;
};

class ProofTest : public testing::Test {
 protected:
  Options options_for(const std::vector<const FakeHms*>& metastores) {
    Options options;
    for (const FakeHms* each : metastores) {
      options.uris.push_back(each->uri());
    }
    options.call_timeout = std::chrono::milliseconds(10000);
    options.first_backoff = std::chrono::milliseconds(1);
    options.longest_backoff = std::chrono::milliseconds(4);
    options.prove = [this](follower::NotificationLog& log, follower::ObjectReader& objects) {
      ++proofs_;
      return follower::disproof(log, objects, expected_.get());
    };
    return options;
  }

  /// Of a metastore that has another history: nothing was asked of it but who it is.
  static void expect_unused(const FakeHms& metastore) {
    EXPECT_GT(metastore.connections(), 0) << "it was never asked";
    EXPECT_EQ(metastore.calls("get_all_databases"), 0);
    EXPECT_EQ(metastore.calls("get_all_tables"), 0);
    EXPECT_EQ(metastore.calls("get_table_objects_by_name_req"), 0);
  }

  HeldExpectation expected_;
  std::atomic<int> proofs_ = 0;
};

TEST_F(ProofTest, AnAddressWithAnotherUuidIsLeftForTheNext) {
  FakeHms wrong;
  FakeHms right;
  wrong.set_uuid("theirs");
  wrong.set_head(1000);
  right.set_uuid("ours");
  right.set_head(7);
  expected_.set({.uuid = "ours", .cursor = 5, .digests = {}, .tables = {}});
  Options options = options_for({&wrong, &right});
  options.attempts = 1;
  Client client(options);
  EXPECT_EQ(NotificationReader(client).head(), 7);
  EXPECT_EQ(client.uri(), right.uri());
  EXPECT_EQ(wrong.calls("get_metastore_db_uuid"), 1);
  EXPECT_EQ(wrong.calls("get_current_notificationEventId"), 0);
  EXPECT_EQ(wrong.open_connections(), 0);
}

TEST_F(ProofTest, AConnectionProvesItselfAnewOnceAnotherMetastoreIsWanted) {
  FakeHms first;
  FakeHms second;
  first.set_uuid("theirs");
  first.set_head(1000);
  second.set_uuid("ours");
  second.set_head(7);
  std::atomic<uint64_t> number = 1;
  Options options = options_for({&first, &second});
  options.proof_number = [&number] { return number.load(); };
  Client client(options);
  NotificationReader reader(client);
  EXPECT_EQ(reader.head(), 1000) << "nothing is known yet: any will do";
  expected_.set({.uuid = "ours", .cursor = 5, .digests = {}, .tables = {}});
  EXPECT_EQ(reader.head(), 1000) << "not told";
  ++number;
  EXPECT_EQ(reader.head(), 7);
  EXPECT_EQ(reader.head(), 7);
  EXPECT_EQ(second.connections(), 1) << "proved once";
}

TEST_F(ProofTest, WithoutAUuidTheCursorsEventTellsThemApart) {
  FakeHms wrong(Version::v2_3);
  FakeHms right(Version::v2_3);
  wrong.set_events({event(6, "a"), event(7, "theirs"), event(8, "b")});
  right.set_events({event(6, "a"), event(7, "ours")});
  expected_.set({.uuid = "",
                 .cursor = 7,
                 .digests = {processor::digest(event(6, "a")), processor::digest(event(7, "ours"))},
                 .tables = {}});
  Client client(options_for({&wrong, &right}));
  EXPECT_EQ(NotificationReader(client).head(), 7);
  EXPECT_EQ(client.uri(), right.uri());
  EXPECT_THAT(wrong.asked("get_next_notification"), ElementsAre("6"));
  EXPECT_EQ(wrong.calls("get_current_notificationEventId"), 0);
}

TEST_F(ProofTest, WhereTheLogWasCleanedAwayTheHeadAndTheTablesTellThemApart) {
  FakeHms behind(Version::v2_3);
  FakeHms elsewhere(Version::v2_3);
  FakeHms right(Version::v2_3);
  behind.set_head(6);
  elsewhere.set_head(9);
  elsewhere.put(table("orders", "created:99"));
  right.set_head(9);
  right.put(table("orders", "created:1"));
  right.put(table("customers", "created:3"));
  expected_.set({.uuid = "",
                 .cursor = 7,
                 .digests = {processor::digest(event(7, "ours"))},
                 .tables = {{{"hive", "sales", "orders"}, "created:1"},
                            {{"hive", "sales", "customers"}, "created:2"}}});
  Client client(options_for({&behind, &elsewhere, &right}));
  EXPECT_EQ(NotificationReader(client).head(), 9);
  EXPECT_EQ(client.uri(), right.uri());
  EXPECT_THAT(behind.asked("get_table_req"), ElementsAre());
  EXPECT_THAT(elsewhere.asked("get_table_req"), ElementsAre("sales.orders", "sales.customers"));
}

TEST_F(ProofTest, FailingOverToTheWrongOneUsesNothingOfIt) {
  FakeHms right;
  FakeHms wrong;
  right.set_uuid("ours");
  right.set_events({event(1, "a")});
  wrong.set_uuid("theirs");
  wrong.set_events({event(1, "x"), event(2, "y")});
  wrong.put(table("orders", "created:9"));
  expected_.set({.uuid = "ours", .cursor = 1, .digests = {}, .tables = {}});
  Client client(options_for({&right, &wrong}));
  NotificationReader log(client);
  SnapshotReader objects(options_for({&right, &wrong}));
  EXPECT_EQ(log.events({}).events.size(), 1U);
  EXPECT_EQ(objects.count_tables(), 0);
  right.stop();
  const std::string text = another_metastore([&] { log.events({}); });
  EXPECT_THAT(text, AllOf(HasSubstr(wrong.uri()), HasSubstr("its database is theirs, not ours"),
                          HasSubstr("Connection refused")));
  another_metastore([&] { objects.table({"hive", "sales", "orders"}); });
  another_metastore([&] { objects.snapshot({})->next(); });
  EXPECT_EQ(wrong.calls("get_next_notification"), 0);
  EXPECT_EQ(wrong.calls("get_table_req"), 0);
  expect_unused(wrong);
  right.start();
  EXPECT_EQ(log.events({}).events.size(), 1U);
  EXPECT_EQ(objects.table({"hive", "sales", "orders"}), std::nullopt);
}

TEST_F(ProofTest, WhereAllAreOthersEachIsAskedOnceAndNamedWithTheReason) {
  FakeHms first;
  FakeHms second;
  first.set_uuid("one");
  second.set_uuid("two");
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  Client client(options_for({&first, &second}));
  NotificationReader log(client);
  const std::string text = another_metastore([&] { log.head(); });
  EXPECT_THAT(text, AllOf(HasSubstr(first.uri() + " (its database is one, not ours)"),
                          HasSubstr(second.uri() + " (its database is two, not ours)")));
  EXPECT_EQ(first.connections(), 1);
  EXPECT_EQ(second.connections(), 1);
}

TEST_F(ProofTest, AMetastoreThatIsTheRightOneAgainIsUsedAgain) {
  FakeHms hms;
  hms.set_uuid("ours");
  hms.set_head(7);
  expected_.set({.uuid = "ours", .cursor = 7, .digests = {}, .tables = {}});
  Client client(options_for({&hms}));
  NotificationReader log(client);
  EXPECT_EQ(log.head(), 7);
  hms.stop();
  hms.set_uuid("theirs");
  hms.start();
  another_metastore([&] { log.head(); });
  another_metastore([&] { log.head(); });
  hms.set_uuid("ours");
  EXPECT_EQ(log.head(), 7);
}

TEST_F(ProofTest, AConnectionIsProvedOnceAndNotForEachCall) {
  FakeHms hms;
  hms.set_uuid("ours");
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  Client client(options_for({&hms}));
  NotificationReader log(client);
  log.head();
  log.events({});
  log.head();
  EXPECT_EQ(proofs_, 1);
  hms.on("get_current_notificationEventId", [](int call) {
    return Reaction{.kind = call == 3 ? Reaction::Kind::close : Reaction::Kind::answer};
  });
  log.head();
  EXPECT_EQ(hms.connections(), 2);
  EXPECT_EQ(proofs_, 2) << "the new connection proves itself too";
}

TEST_F(ProofTest, EveryAddressIsAskedBeforeTheMetastoreCountsAsAnother) {
  FakeHms wrong;
  FakeHms away;
  FakeHms right;
  wrong.set_uuid("theirs");
  right.set_uuid("ours");
  right.set_head(7);
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  Options options = options_for({&wrong, &away, &right});
  options.attempts = 1;
  away.stop();
  Client client(options);
  EXPECT_EQ(NotificationReader(client).head(), 7);
}

TEST_F(ProofTest, AMetastoreThatWasAcceptedAndThenFailsIsNotCalledAnother) {
  FakeHms right;
  FakeHms wrong;
  right.set_uuid("ours");
  wrong.set_uuid("theirs");
  right.on("get_current_notificationEventId", {.kind = Reaction::Kind::close});
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  Client client(options_for({&right, &wrong}));
  try {
    NotificationReader(client).head();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AnotherMetastore& error) {
    ADD_FAILURE() << error.what();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::transient);
    EXPECT_THAT(error.what(), HasSubstr("closed the connection"));
  }
}

TEST_F(ProofTest, AProofThatFailsIsAFailedConnectionAndNotARefusal) {
  FakeHms broken;
  FakeHms right;
  broken.on("get_metastore_db_uuid", {.kind = Reaction::Kind::close});
  right.set_uuid("ours");
  right.set_head(7);
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  Client client(options_for({&broken, &right}));
  NotificationReader log(client);
  EXPECT_EQ(log.head(), 7);
  EXPECT_EQ(broken.calls("get_current_notificationEventId"), 0);
  right.stop();
  expect_error(ErrorKind::transient, "closed the connection", [] {
    FakeHms alone;
    alone.on("get_metastore_db_uuid", {.kind = Reaction::Kind::close});
    Options options;
    options.uris = {alone.uri()};
    options.first_backoff = std::chrono::milliseconds(1);
    options.prove = [](follower::NotificationLog& its_log, follower::ObjectReader&) {
      return its_log.uuid().value_or("");
    };
    Client(options).version();
  });
}

TEST_F(ProofTest, EachConnectionOfASnapshotProvesItself) {
  FakeHms wrong;
  FakeHms right;
  wrong.set_uuid("theirs");
  right.set_uuid("ours");
  processor::Database sales;
  sales.name = {"hive", "sales"};
  for (FakeHms* each : {&wrong, &right}) {
    each->put(sales);
  }
  wrong.put(table("theirs", "created:9"));
  right.put(table("ours", "created:1"));
  expected_.set({.uuid = "ours", .cursor = 0, .digests = {}, .tables = {}});
  SnapshotReader reader(options_for({&wrong, &right}), {.connections = 3});
  const auto stream = reader.snapshot({});
  std::vector<std::string> tables;
  while (const auto page = stream->next()) {
    for (const processor::Table& each : page->tables) {
      tables.push_back(each.name.table);
    }
  }
  EXPECT_THAT(tables, ElementsAre("ours"));
  expect_unused(wrong);
  EXPECT_EQ(right.calls("get_metastore_db_uuid"), right.connections());
}

TEST_F(ProofTest, AProofMayReadWhateverTheMetastoreHas) {
  FakeHms hms;
  processor::Database sales;
  sales.name = {"hive", "sales"};
  hms.put(sales);
  hms.put(table("orders", "created:1"));
  hms.put(table("customers", "created:2"));
  Options options = options_for({&hms});
  std::vector<std::string> seen;
  options.prove = [&](follower::NotificationLog& log, follower::ObjectReader& objects) {
    const auto stream = objects.snapshot({});
    while (const auto page = stream->next()) {
      for (const processor::Table& each : page->tables) {
        seen.push_back(each.name.table);
      }
    }
    EXPECT_EQ(stream->progress().phase, "partitions");
    EXPECT_EQ(objects.count_tables(), 2);
    EXPECT_TRUE(objects.database({"hive", "Sales"}));
    EXPECT_TRUE(log.plain_listener());
    return "";
  };
  Client(options).version();
  EXPECT_THAT(seen, testing::UnorderedElementsAre("customers", "orders"));
  EXPECT_EQ(hms.connections(), 1);
}

}  // namespace
}  // namespace hmsync::hmsclient
