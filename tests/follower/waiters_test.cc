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
  waiters.add(0, 5, kStart + seconds(30), record.done());
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
  waiters.add(1, 5, kStart + seconds(30), record.done());
  waiters.advance({2, 100});
  EXPECT_EQ(record.ends, std::vector{WaitEnd::reset});
}

TEST(Waiters, OfANewerGenerationWaitForIt) {
  Waiters waiters;
  Record record;
  waiters.add(2, 5, kStart + seconds(30), record.done());
  waiters.advance({1, 100});
  EXPECT_TRUE(record.ends.empty());
}

TEST(Waiters, TimeOutAndAreForgotten) {
  Waiters waiters;
  Record record;
  waiters.add(0, 5, kStart + seconds(30), record.done());
  waiters.expire(kStart + seconds(29));
  EXPECT_TRUE(record.ends.empty());
  waiters.expire(kStart + seconds(30));
  EXPECT_EQ(record.ends, std::vector{WaitEnd::timed_out});
  EXPECT_EQ(waiters.size(), 0u);
}

TEST(Waiters, WhoWentAwayIsNotTold) {
  Waiters waiters;
  Record record;
  const uint64_t ticket = waiters.add(0, 5, kStart + seconds(30), record.done());
  waiters.forget(ticket);
  waiters.advance({0, 9});
  EXPECT_TRUE(record.ends.empty());
}

TEST(Waiters, TellTheEarliestDeadline) {
  Waiters waiters;
  Record record;
  EXPECT_FALSE(waiters.next_deadline());
  waiters.add(0, 5, kStart + seconds(30), record.done());
  waiters.add(0, 6, kStart + seconds(10), record.done());
  EXPECT_EQ(waiters.next_deadline(), kStart + seconds(10));
}

TEST(Waiters, OneMayBeAddedWhileAnotherIsTold) {
  Waiters waiters;
  Record record;
  waiters.add(0, 5, kStart + seconds(30), [&](WaitEnd, ReadablePosition) {
    waiters.add(0, 6, kStart + seconds(30), record.done());
  });
  waiters.advance({0, 5});
  EXPECT_EQ(waiters.size(), 1u);
  waiters.abandon_all();
  EXPECT_EQ(record.ends, std::vector{WaitEnd::abandoned});
}

}  // namespace
}  // namespace hmsync::follower
