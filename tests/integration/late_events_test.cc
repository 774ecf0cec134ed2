// Events that a real metastore shows late: hidden in its own database and put back, as a
// transaction does that commits after others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/integration/followed.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using std::chrono::seconds;
using testing::HasSubstr;

class LateEvents : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    followed_ = std::make_unique<Followed>(
        std::vector<std::string>{"metastore.gap_grace=3s", "metastore.settle=30s"});
    followed_->metastore_sql("CREATE TABLE hidden AS TABLE \"NOTIFICATION_LOG\" WITH NO DATA");
    followed_->done({"role", "create", "analyst"});
  }
  static void TearDownTestSuite() { followed_.reset(); }

  /// Ten tables, so that the loss of one is no reason for suspicion; "doomed" has a grant.
  void SetUp() override {
    followed_->create_database(database());
    for (int i = 0; i < 9; ++i) followed_->create_table(database(), fmt::format("t{}", i));
    Followed::await_next_second();  // it has an identity of its own
    followed_->create_table(database(), "doomed");
    Followed::await_next_second();
    followed_->done({"grant", "analyst", "SELECT", database() + ".doomed"});
    followed_->expect_right();
    followed_->done({"pause"});
  }

  static std::string database() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  static void hide(int64_t event) {
    followed_->metastore_sql(fmt::format(
        "INSERT INTO hidden SELECT * FROM \"NOTIFICATION_LOG\" WHERE \"EVENT_ID\" = {0};"
        "DELETE FROM \"NOTIFICATION_LOG\" WHERE \"EVENT_ID\" = {0}",
        event));
  }
  /// Under its own id or another.
  static void show(int64_t event) {
    followed_->metastore_sql(
        fmt::format("UPDATE hidden SET \"EVENT_ID\" = {};"
                    "INSERT INTO \"NOTIFICATION_LOG\" SELECT * FROM hidden; TRUNCATE hidden",
                    event));
  }
  /// As where the hidden event never took an id of its own.
  static void take_back_last_id() {
    followed_->metastore_sql(
        "UPDATE \"NOTIFICATION_SEQUENCE\" SET \"NEXT_EVENT_ID\" = \"NEXT_EVENT_ID\" - 1");
  }

  static void expect_late(double before, int64_t event) {
    ASSERT_TRUE(eventually(seconds(20), [&] {
      return followed_->daemon->metric("hmsync_events_late_total") == before + 1;
    }));
    followed_->expect_right();
    EXPECT_EQ(followed_->grants(database()), "") << "its object is gone";
    EXPECT_THAT(followed_->daemon->log(), HasSubstr(fmt::format("event={}", event)));
    EXPECT_EQ(
        followed_->deployment.sql(fmt::format(
            "SELECT count(*) FROM hmsync.v1_audit WHERE action = 'late' AND event = {}", event)),
        "1");
  }

  static std::unique_ptr<Followed> followed_;
};

std::unique_ptr<Followed> LateEvents::followed_;

TEST_F(LateEvents, within_grace) {
  const double gaps = followed_->daemon->metric("hmsync_event_gaps_total");
  followed_->create_table(database(), "one");
  followed_->drop_table(database(), "doomed");
  const int64_t hidden = followed_->metastore_head();
  followed_->create_table(database(), "two");
  hide(hidden);
  followed_->done({"resume"});
  ASSERT_TRUE(eventually(seconds(20), [&] { return followed_->cursor() == hidden - 1; }));
  show(hidden);
  followed_->expect_right();
  EXPECT_EQ(followed_->grants(database()), "");
  EXPECT_EQ(followed_->daemon->metric("hmsync_event_gaps_total"), gaps)
      << "the hole filled in time";
}

TEST_F(LateEvents, after_grace) {
  const double gaps = followed_->daemon->metric("hmsync_event_gaps_total");
  const double late = followed_->daemon->metric("hmsync_events_late_total");
  followed_->drop_table(database(), "doomed");
  const int64_t hidden = followed_->metastore_head();
  followed_->create_table(database(), "two");
  hide(hidden);
  followed_->done({"resume"});
  ASSERT_TRUE(eventually(seconds(30), [&] {
    return followed_->daemon->metric("hmsync_event_gaps_total") == gaps + 1;
  }));
  followed_->expect_right();
  EXPECT_EQ(followed_->suspended(database()), "doomed SELECT")
      << "where events are missing, nothing tells that it was dropped";
  show(hidden);
  expect_late(late, hidden);
  EXPECT_EQ(followed_->suspended(database()), "") << "now it is told";
}

TEST_F(LateEvents, below_the_cursor) {
  const double late = followed_->daemon->metric("hmsync_events_late_total");
  followed_->create_table(database(), "one");
  const int64_t passed = followed_->metastore_head();
  followed_->create_table(database(), "two");
  followed_->drop_table(database(), "doomed");
  hide(followed_->metastore_head());
  take_back_last_id();
  followed_->done({"resume"});
  ASSERT_TRUE(eventually(seconds(20), [&] { return followed_->cursor() == passed + 1; }));
  show(passed);
  expect_late(late, passed);
}

TEST_F(LateEvents, twin_while_the_head_stands_still) {
  const double late = followed_->daemon->metric("hmsync_events_late_total");
  followed_->create_table(database(), "one");
  const int64_t head = followed_->metastore_head();
  followed_->drop_table(database(), "doomed");
  hide(followed_->metastore_head());
  take_back_last_id();
  followed_->done({"resume"});
  ASSERT_TRUE(eventually(seconds(20), [&] { return followed_->cursor() == head; }));
  show(head);
  expect_late(late, head);
  EXPECT_GE(followed_->daemon->metric("hmsync_events_shared_id_total"), 1);
  EXPECT_THAT(followed_->daemon->log(), HasSubstr("share their ids with others"));
  EXPECT_EQ(followed_->deployment.sql("SELECT count(*) > 0 FROM hmsync.v1_audit"
                                      " WHERE action = 'shared_id'"),
            "t");
}

}  // namespace
}  // namespace hmsync::integration
