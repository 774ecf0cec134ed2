#include "daemon/wait_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/recorded_exchange.h"

namespace hmsync::daemon {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class WaitDeskTest : public ::testing::Test {
 protected:
  std::shared_ptr<RecordedExchange> arrive(int64_t event, seconds timeout = seconds(60)) {
    auto exchange = std::make_shared<RecordedExchange>();
    desk_.arrive(exchange, event, now_, now_ + timeout);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> arrive_below(int64_t head, follower::ReadablePosition known) {
    auto exchange = std::make_shared<RecordedExchange>();
    desk_.arrive_below(exchange, head, known, now_, now_ + seconds(60));
    return exchange;
  }
  void read(int64_t generation, int64_t cursor) {
    desk_.admit(desk_.take_arrivals(), {generation, cursor});
  }
  /// Of a metastore whose ids may be shared.
  void read_shared(int64_t cursor, int64_t polls_answered) {
    read_with_polls({0, cursor, true, polls_answered});
  }
  /// As the watcher does it.
  void read_with_polls(const follower::ReadablePosition& position) {
    auto arrivals = desk_.take_arrivals();
    std::optional<int64_t> poll;
    if (desk_.needs_poll(arrivals, position)) poll = ++polls_asked_;
    desk_.admit(std::move(arrivals), position, poll);
  }

  const WaitDesk::Time now_ = std::chrono::steady_clock::now();
  int kicks_ = 0;
  int64_t polls_asked_ = 0;
  WaitDesk desk_{3, [this] { ++kicks_; }};
};

TEST_F(WaitDeskTest, AnswersAtTheNextReadWhatIsReadableAlready) {
  const auto exchange = arrive(5);
  EXPECT_EQ(kicks_, 1);
  EXPECT_FALSE(exchange->answer.has_value());
  read(2, 7);
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_EQ(exchange->answer->status, 200);
  EXPECT_THAT(exchange->answer->body,
              HasSubstr(R"({"event":5,"reached":true,"cursor":7,"generation":2,"seconds":)"));
  EXPECT_EQ(desk_.size(), 0U);
}

TEST_F(WaitDeskTest, AnswersWhenTheEventBecomesReadable) {
  const auto exchange = arrive(9);
  read(0, 7);
  EXPECT_FALSE(exchange->answer.has_value());
  read(0, 8);
  EXPECT_FALSE(exchange->answer.has_value());
  read(0, 9);
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("event":9,"reached":true,"cursor":9)"));
}

TEST_F(WaitDeskTest, TellsTheCursorWhenTheTimeIsOver) {
  const auto exchange = arrive(9, seconds(1));
  read(0, 7);
  EXPECT_EQ(desk_.next_deadline(), now_ + seconds(1));
  desk_.expire(now_ + seconds(1));
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_EQ(exchange->answer->status, 200);
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("event":9,"reached":false,"cursor":7)"));
}

TEST_F(WaitDeskTest, WhoseEventTheMetastoreDoesNotTellInTimeIsAnsweredAllTheSame) {
  const auto exchange = std::make_shared<RecordedExchange>();
  const uint64_t ticket = desk_.expect(exchange, now_, now_ + seconds(1));
  EXPECT_EQ(kicks_, 1);
  read(0, 7);
  EXPECT_EQ(desk_.next_deadline(), now_ + seconds(1));
  EXPECT_FALSE(exchange->answer.has_value());
  desk_.expire(now_ + seconds(1));
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("event":null,"reached":false,"cursor":7)"));
  EXPECT_FALSE(desk_.forget(ticket));
  EXPECT_TRUE(desk_.forget(desk_.expect(exchange, now_, now_ + seconds(1))));
  EXPECT_EQ(desk_.size(), 0U);
}

TEST_F(WaitDeskTest, HasNoCursorBeforeTheFirstSnapshot) {
  const auto exchange = arrive(9, seconds(1));
  read(0, -1);
  desk_.expire(now_ + seconds(1));
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("reached":false,"cursor":null)"));
}

TEST_F(WaitDeskTest, AResetMeanwhileIsAConflict) {
  const auto exchange = arrive(9);
  read(0, 7);
  read(1, 20);
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_EQ(exchange->answer->status, 409);
}

TEST_F(WaitDeskTest, AHeadBelowTheCursorIsReachedOnceAPollShowsTheSameHistory) {
  const auto exchange = arrive_below(5, {2, 7});
  read_with_polls({2, 7, false, 0});
  EXPECT_EQ(polls_asked_, 1) << "though ids tell the truth here";
  read_with_polls({2, 8, false, 0});
  EXPECT_FALSE(exchange->answer.has_value());
  read_with_polls({2, 8, false, 1});
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("event":5,"reached":true,"cursor":8)"));
  EXPECT_EQ(polls_asked_, 1);
}

TEST_F(WaitDeskTest, AHeadBelowTheCursorIsNotReachedBeforeWhatWasAppliedByThenIsReadable) {
  const auto exchange = arrive_below(5, {2, 7});
  read_with_polls({2, 6, true, 0});  // something of event 7 is to be read again
  read_with_polls({2, 6, true, 1});
  EXPECT_FALSE(exchange->answer.has_value());
  read_with_polls({2, 7, true, 1});
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, WhereIdsTellTheTruthNobodyElseWaitsForThePollOfAHeadBelowTheCursor) {
  arrive_below(5, {0, 7});
  const auto exchange = arrive(7);
  read_with_polls({0, 7, false, 0});
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, AHeadBelowTheCursorNeedsAnotherPollWhereTheStoreLostTheFirst) {
  const auto exchange = arrive_below(5, {2, 7});
  read_with_polls({2, 7, false, 0});
  desk_.forget_polls();
  read_with_polls({2, 7, false, 1});
  EXPECT_EQ(polls_asked_, 2);
  EXPECT_FALSE(exchange->answer.has_value());
  read_with_polls({2, 7, false, 2});
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, AHeadBelowTheCursorThatWasAResetIsAConflict) {
  const auto waiting = arrive_below(5, {2, 7});
  read_with_polls({2, 7, false, 0});
  // The reset is judged before this one is looked at.
  const auto arriving = arrive_below(5, {2, 7});
  read_with_polls({3, 9, false, 0});
  for (const auto& exchange : {waiting, arriving}) {
    ASSERT_TRUE(exchange->answer.has_value());
    EXPECT_EQ(exchange->answer->status, 409);
  }
}

TEST_F(WaitDeskTest, AHeadBelowTheCursorThatStaysUnexplainedIsNotReached) {
  const auto exchange = arrive_below(5, {2, 7});
  read_with_polls({2, 7, false, 0});
  desk_.expire(now_ + seconds(60));
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_THAT(exchange->answer->body, HasSubstr(R"("event":5,"reached":false,"cursor":7)"));
}

TEST_F(WaitDeskTest, ForgetsWhoLeaves) {
  const auto exchange = arrive(9);
  read(0, 7);
  EXPECT_EQ(desk_.size(), 1U);
  exchange->leave();
  EXPECT_EQ(desk_.size(), 0U);
  read(0, 9);
  EXPECT_FALSE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, ForgetsWhoLeftBeforeTheRead) {
  const auto exchange = arrive(9);
  exchange->leave();
  read(0, 7);
  EXPECT_EQ(desk_.size(), 0U);
}

TEST_F(WaitDeskTest, RefusesMoreThanItsLimit) {
  arrive(9);
  read(0, 7);
  arrive(10);
  arrive(11);
  const auto fourth = arrive(12);
  ASSERT_TRUE(fourth->answer.has_value());
  EXPECT_EQ(fourth->answer->status, 503);
  EXPECT_EQ(desk_.size(), 3U);
}

TEST_F(WaitDeskTest, WhereIdsMayBeSharedAPollIsAskedForOnceForAllThatComeTogether) {
  const auto first = arrive(5);
  const auto second = arrive(6);
  read_shared(7, 0);
  EXPECT_EQ(polls_asked_, 1);
  EXPECT_FALSE(first->answer.has_value());
  const auto third = arrive(5);
  read_shared(7, 0);
  EXPECT_EQ(polls_asked_, 2);
  read_shared(7, 1);
  EXPECT_EQ(polls_asked_, 2);
  for (const auto& exchange : {first, second}) {
    ASSERT_TRUE(exchange->answer.has_value());
    EXPECT_THAT(exchange->answer->body, HasSubstr(R"("reached":true,"cursor":7)"));
  }
  EXPECT_FALSE(third->answer.has_value());
  read_shared(7, 2);
  EXPECT_TRUE(third->answer.has_value());
}

TEST_F(WaitDeskTest, WhoWaitedBeforeIdsWereSeenToBeSharedWaitsForAPollToo) {
  const auto exchange = arrive(9);
  read(0, 7);
  polls_asked_ = 4;  // by others
  read_shared(9, 4);
  EXPECT_EQ(polls_asked_, 5);
  EXPECT_FALSE(exchange->answer.has_value()) << "released by the cursor alone";
  read_shared(9, 5);
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, APollIsAskedForAnewAfterTheStoreWasAway) {
  const auto exchange = arrive(9);
  polls_asked_ = 7;
  read_shared(9, 7);
  desk_.forget_polls();
  polls_asked_ = 2;  // the last commits were lost
  read_shared(9, 2);
  EXPECT_EQ(polls_asked_, 3);
  EXPECT_FALSE(exchange->answer.has_value());
  read_shared(9, 3);
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(WaitDeskTest, SaysThatTheDaemonStops) {
  const auto waiting = arrive(9);
  read(0, 7);
  const auto arriving = arrive(10);
  desk_.abandon_all();
  const auto late = arrive(11);
  for (const auto& exchange : {waiting, arriving, late}) {
    ASSERT_TRUE(exchange->answer.has_value());
    EXPECT_EQ(exchange->answer->status, 503);
  }
}

TEST_F(WaitDeskTest, SaysWhyTheStoreCouldNotBeRead) {
  const auto exchange = arrive(9);
  desk_.refuse(desk_.take_arrivals(), "the database is away");
  ASSERT_TRUE(exchange->answer.has_value());
  EXPECT_EQ(exchange->answer->status, 503);
  EXPECT_THAT(exchange->answer->body, HasSubstr("the database is away"));
}

}  // namespace
}  // namespace hmsync::daemon
