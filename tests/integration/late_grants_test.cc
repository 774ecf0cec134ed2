// Grants that are made or taken away while events that concern them are still unread: the daemon is
// paused, the metastore is changed, and it goes on.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/follower/event_messages.h"
#include "tests/integration/followed.h"

namespace hmsync::integration {
namespace {

class LateGrants : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    followed_ = std::make_unique<Followed>(std::vector<std::string>{});
    followed_->done({"role", "create", "analyst"});
  }
  static void TearDownTestSuite() { followed_.reset(); }

  void SetUp() override {
    followed_->create_database(database());
    followed_->create_table(database(), "a");
    followed_->await_next_second();
    followed_->expect_right();
  }

  static std::string database() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  static std::string on(const std::string& table) { return database() + "." + table; }

  static std::unique_ptr<Followed> followed_;
};

std::unique_ptr<Followed> LateGrants::followed_;

TEST_F(LateGrants, drop_create_grant) {
  followed_->done({"grant", "analyst", "SELECT", on("a")});
  followed_->done({"grant", "analyst", "INSERT", on("a")});
  followed_->done({"pause"});
  followed_->drop_table(database(), "a");
  followed_->create_table(database(), "a");
  followed_->done({"grant", "analyst", "SELECT", on("a")});
  followed_->done({"resume"});
  followed_->expect_right();
  EXPECT_EQ(followed_->grants(database()), "a SELECT") << "the one that was given afterwards";
  EXPECT_EQ(followed_->suspended(database()), "");
}

TEST_F(LateGrants, rename_create_grant) {
  followed_->done({"grant", "analyst", "SELECT", on("a")});
  followed_->done({"pause"});
  followed_->rename_table(database(), "a", "old");
  followed_->create_table(database(), "a");
  followed_->done({"grant", "analyst", "INSERT", on("a")});
  followed_->done({"resume"});
  followed_->expect_right();
  EXPECT_EQ(followed_->grants(database()), "a INSERT\nold SELECT");
}

TEST_F(LateGrants, revoke_while_a_rename_is_unread) {
  followed_->done({"grant", "analyst", "SELECT", on("a")});
  followed_->done({"grant", "analyst", "INSERT", on("a")});
  followed_->done({"pause"});
  followed_->rename_table(database(), "a", "b");
  followed_->done({"revoke", "analyst", "SELECT", on("b")});
  followed_->done({"resume"});
  followed_->expect_right();
  EXPECT_EQ(followed_->grants(database()), "b INSERT");
}

TEST_F(LateGrants, equal_grants_merge_on_a_rename) {
  followed_->done({"grant", "analyst", "SELECT", on("a"), "--grant-option"});
  followed_->done({"pause"});
  followed_->rename_table(database(), "a", "b");
  followed_->done({"grant", "analyst", "SELECT", on("b")});
  followed_->done({"resume"});
  followed_->expect_right();
  EXPECT_EQ(followed_->grants(database()), "b SELECT");
  EXPECT_EQ(followed_->deployment.sql(
                "SELECT grant_option FROM hmsync.v1_grants WHERE database = '" + database() + "'"),
            "t")
      << "of one object, the wider option stays";
}

processor::Event event(int64_t id, const std::string& type, const std::string& table,
                       const std::string& message) {
  processor::Event event;
  event.id = id;
  event.type = type;
  event.catalog = "hive";
  event.database = "sales";
  if (!table.empty()) event.table = table;
  event.message = message;
  event.message_format = "json-0.2";
  return event;
}

TEST(GrantsUnderSharedIds, AGrantInTheSameIdAsADropEndsWithItsTable) {
  fixtures::MiniPg pg;
  pg.create_database("privileges");
  fixtures::FakeHms hms;
  processor::Database sales;
  sales.name.database = "sales";
  processor::Table orders;
  orders.name = {"hive", "sales", "orders"};
  orders.type = "MANAGED_TABLE";
  orders.identity = "created:1000";
  processor::Table other = orders;
  other.name.table = "other";
  hms.set_setting("hive.metastore.transactional.event.listeners",
                  "org.apache.hive.hcatalog.listener.DbNotificationListener");
  hms.put(sales);
  hms.put(orders);
  hms.put(other);
  std::vector<processor::Event> events{
      event(1, "CREATE_DATABASE", "", doubles::create_database_message(sales)),
      event(2, "CREATE_TABLE", "other", doubles::create_table_message(other))};
  hms.set_events(events);
  fixtures::MiniHmsync::Options options;
  options.metastores = {hms.uri()};
  options.dsn = pg.dsn("privileges");
  fixtures::MiniHmsync daemon(options);
  daemon.await_ready();
  wait_until_readable(daemon);
  ASSERT_EQ(daemon.ctl({"role", "create", "analyst"}).exit, 0);
  for (const char* table : {"sales.orders", "sales.other"}) {
    const auto granted = daemon.ctl({"grant", "analyst", "SELECT", table});
    ASSERT_EQ(granted.exit, 0) << granted.err;
  }
  const auto sql = [&](const std::string& query) {
    std::string answer = pg.query(query, "privileges");
    while (answer.ends_with('\n')) answer.pop_back();
    return answer;
  };
  const auto grants = [&] { return sql("SELECT \"table\" FROM hmsync.v1_grants ORDER BY 1"); };
  ASSERT_EQ(grants(), "orders\nother");

  // Dropped, and made again within the same id.
  hms.drop(orders.name);
  events.push_back(event(2, "DROP_TABLE", "orders", doubles::drop_table_message(orders)));
  processor::Table again = orders;
  again.identity = "created:2000";
  hms.put(again);
  events.push_back(event(2, "CREATE_TABLE", "orders", doubles::create_table_message(again)));
  hms.set_events(events);
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30), [&] { return grants() == "other"; }));
  EXPECT_EQ(sql("SELECT count(*) FROM hmsync.v1_suspended_grants"), "0");
  EXPECT_EQ(sql("SELECT late FROM hmsync.v1_follower"), "2");
}

}  // namespace
}  // namespace hmsync::integration
