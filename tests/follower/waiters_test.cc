#include "follower/waiters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace hmsync::follower {
namespace {

using std::chrono::seconds;

const Waiters::Time kStart{};

struct Record {
  std::vector<WaitEnd> ends;
  Waiters::Done done() {
    return [this](WaitEnd end, ReadablePosition) { ends.push_back(end); };
  }
};

TEST(Waiters, AreReleasedAtTheirEventAndNotBefore) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 0, kStart + seconds(30), record.done());
  waiters.advance({0, 4});
  EXPECT_TRUE(record.ends.empty());
  waiters.advance({0, 5});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reached});
  waiters.advance({0, 6});
  EXPECT_EQ(record.ends.size(), 1u);
}

TEST(Waiters, OfAnOlderGenerationAreToldOfTheReset) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 1, kStart + seconds(30), record.done());
  waiters.advance({2, 100});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reset});
}

TEST(Waiters, OfANewerGenerationWaitForIt) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 2, kStart + seconds(30), record.done());
  waiters.advance({1, 100});
  EXPECT_TRUE(record.ends.empty());
}

TEST(Waiters, TimeOutAndAreForgotten) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 0, kStart + seconds(30), record.done());
  waiters.expire(kStart + seconds(29));
  EXPECT_TRUE(record.ends.empty());
  waiters.expire(kStart + seconds(30));
  EXPECT_EQ(record.ends, std::vector{WaitEnd::timed_out});
  EXPECT_EQ(waiters.size(), 0u);
}

TEST(Waiters, WhoseEventIsNotKnownNeedNoPollAndOnlyTimeOut) {
  Waiters waiters;
  Record record;
  waiters.expect(kStart + seconds(30), record.done());
  EXPECT_FALSE(waiters.need_poll(true));
  waiters.forget_polls();
  waiters.advance({5, 100});
  EXPECT_TRUE(record.ends.empty());
  waiters.expire(kStart + seconds(30));
  EXPECT_EQ(record.ends, std::vector{WaitEnd::timed_out});
  EXPECT_EQ(waiters.size(), 0u);
}

TEST(Waiters, WhoWentAwayIsNotTold) {
  Waiters waiters;
  Record record;
  const uint64_t ticket = waiters.add({5}, 0, kStart + seconds(30), record.done());
  waiters.forget(ticket);
  waiters.advance({0, 9});
  EXPECT_TRUE(record.ends.empty());
}

TEST(Waiters, TellTheEarliestDeadline) {
  Waiters waiters;
  Record record;
  EXPECT_FALSE(waiters.next_deadline());
  waiters.add({5}, 0, kStart + seconds(30), record.done());
  waiters.add({6}, 0, kStart + seconds(10), record.done());
  EXPECT_EQ(waiters.next_deadline(), kStart + seconds(10));
}

TEST(Waiters, OneMayBeAddedWhileAnotherIsTold) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 0, kStart + seconds(30), [&](WaitEnd, ReadablePosition) {
    waiters.add({6}, 0, kStart + seconds(30), record.done());
  });
  waiters.advance({0, 5});
  EXPECT_EQ(waiters.size(), 1u);
  waiters.abandon_all();
  EXPECT_EQ(record.ends, std::vector{WaitEnd::abandoned});
}

TEST(Waiters, WhereIdsMayBeSharedAreNotReleasedBeforeTheirPollIsAnswered) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 0, kStart + seconds(30), record.done());
  EXPECT_TRUE(waiters.need_poll(true));
  waiters.await_poll(3, true);
  EXPECT_FALSE(waiters.need_poll(true));
  waiters.advance({0, 9, true, 2});
  EXPECT_TRUE(record.ends.empty());
  waiters.advance({0, 9, true, 3});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reached});
}

TEST(Waiters, AreNotReleasedByTheirPollBeforeTheirEvent) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 0, kStart + seconds(30), record.done());
  waiters.await_poll(3, true);
  waiters.advance({0, 4, true, 7});
  EXPECT_TRUE(record.ends.empty());
  EXPECT_FALSE(waiters.need_poll(true));
  waiters.advance({0, 5, true, 7});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reached});
}

TEST(Waiters, ALaterPollIsOnlyForThoseThatCameLater) {
  Waiters waiters;
  Record first;
  Record second;
  waiters.add({5}, 0, kStart + seconds(30), first.done());
  waiters.await_poll(1, true);
  waiters.add({5}, 0, kStart + seconds(30), second.done());
  waiters.await_poll(2, true);
  waiters.advance({0, 5, true, 1});
  EXPECT_EQ(first.ends, std::vector{WaitEnd::reached});
  EXPECT_TRUE(second.ends.empty());
}

TEST(Waiters, PollsThatTheStoreMayHaveLostAreNeededAnew) {
  Waiters waiters;
  Record waiting;
  Record answered;
  waiters.add({9}, 0, kStart + seconds(30), answered.done());
  waiters.await_poll(1, true);
  waiters.add({5}, 0, kStart + seconds(30), waiting.done());
  waiters.await_poll(8, true);
  waiters.advance({0, 6, true, 1});
  waiters.forget_polls();
  EXPECT_TRUE(waiters.need_poll(true));
  waiters.await_poll(2, true);
  waiters.advance({0, 9, true, 1});
  EXPECT_EQ(answered.ends, std::vector{WaitEnd::reached}) << "its poll has been answered already";
  EXPECT_TRUE(waiting.ends.empty());
  waiters.advance({0, 9, true, 2});
  EXPECT_EQ(waiting.ends, std::vector{WaitEnd::reached});
}

TEST(Waiters, ThatWaitForAPollAreToldOfAResetToo) {
  Waiters waiters;
  Record record;
  waiters.add({5}, 1, kStart + seconds(30), record.done());
  waiters.await_poll(8, true);
  waiters.advance({2, 5, true, 0});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reset});
  EXPECT_EQ(waiters.size(), 0U);
  EXPECT_FALSE(waiters.next_deadline());
}

TEST(Waiters, OfManyEachEndsOnceAndInItsOwnWay) {
  constexpr int kMany = 20'000;
  Waiters waiters;
  std::vector<Record> records(kMany);
  std::vector<uint64_t> tickets;
  // By their number: 0 is reached, 1 times out, 2 leaves, 3 is at a poll that is never answered.
  for (int i = 0; i < kMany; ++i) {
    const auto deadline = kStart + seconds(i % 4 == 1 ? 1 : 1000);
    tickets.push_back(waiters.add({i}, 0, deadline, records[static_cast<size_t>(i)].done()));
    waiters.await_poll(i % 4 == 3 ? kMany : 1, true);
  }
  for (int i = 2; i < kMany; i += 4) waiters.forget(tickets[static_cast<size_t>(i)]);
  waiters.expire(kStart + seconds(2));
  for (int i = 0; i < kMany; ++i) waiters.advance({0, i, true, 1});
  EXPECT_EQ(waiters.size(), kMany / 4U);
  waiters.abandon_all();
  EXPECT_EQ(waiters.size(), 0U);
  const std::vector<std::vector<WaitEnd>> expected = {
      {WaitEnd::reached}, {WaitEnd::timed_out}, {}, {WaitEnd::abandoned}};
  for (int i = 0; i < kMany; ++i) {
    ASSERT_EQ(records[static_cast<size_t>(i)].ends, expected[static_cast<size_t>(i % 4)]) << i;
  }
}

}  // namespace
}  // namespace hmsync::follower
