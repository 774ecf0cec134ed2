// The rules of taking, renewing and giving up a lease, under virtual time.
#include "leader/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/leader/memory_lease_store.h"

namespace hmsync::leader {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Change = LeaseStep::Change;

[[noreturn]] void lose(const std::string& what) { throw Error(ErrorKind::transient, what); }

struct Replica {
  Replica(MemoryLeaseDatabase& database, Lease::Time& now, const std::string& name)
      : store(database), lease(store, lease_times(seconds(12)), name, [&now] { return now; }) {}

  MemoryLeaseStore store;
  Lease lease;
};

/// A length of 12 s: renewed each 4 s, held for 8 s, looked at each 500 ms.
class LeaseTest : public ::testing::Test {
 protected:
  /// Steps as often as the lease asks for, to `end`; everything that was not routine.
  std::vector<LeaseStep> run(Replica& replica, milliseconds duration) {
    const auto end = now_ + duration;
    std::vector<LeaseStep> steps;
    while (true) {
      LeaseStep step = replica.lease.step();
      EXPECT_GE(step.wait.count(), 0);
      if (step.change != Change::none || step.failure) steps.push_back(step);
      // A step that is due at once still lets a little time pass.
      const auto next = now_ + std::max(step.wait, milliseconds(1));
      if (next > end) break;
      now_ = next;
    }
    now_ = end;
    return steps;
  }

  bool held(const Replica& replica) const {
    return replica.lease.token() && now_ < replica.lease.held_until();
  }

  Token elect(Replica& replica) {
    const LeaseStep step = replica.lease.step();
    EXPECT_EQ(step.change, Change::elected);
    return replica.lease.token().value_or(Token{});
  }

  Lease::Time now_{seconds(1000)};
  MemoryLeaseDatabase database_;
  Replica first_{database_, now_, "host-1"};
  Replica second_{database_, now_, "host-2"};
};

TEST_F(LeaseTest, ALeaseThatNobodyHasIsTakenAtOnce) {
  const Token token = elect(first_);
  EXPECT_EQ(token.epoch, 1);
  EXPECT_EQ(token.nonce.size(), 32U);
  EXPECT_TRUE(held(first_));
  EXPECT_EQ(database_.row.token, token);
  EXPECT_EQ(database_.follower_token, token);
  EXPECT_EQ(database_.row.instance, "host-1");
}

TEST_F(LeaseTest, RenewalsComeEachThirdAndKeepAStandbyOutForEver) {
  elect(first_);
  for (int i = 0; i < 600; ++i) {
    EXPECT_THAT(run(second_, milliseconds(500)), ::testing::IsEmpty());
    EXPECT_EQ(first_.lease.step().change, Change::none);
    ASSERT_TRUE(held(first_));
  }
  EXPECT_EQ(database_.row.renewal, 300 / 4);
}

TEST_F(LeaseTest, StandbyTakesOverOneLengthAfterItSawTheLastRenewal) {
  elect(first_);
  ASSERT_EQ(second_.lease.step().change, Change::none);
  EXPECT_THAT(run(second_, milliseconds(11'999)), ::testing::IsEmpty());
  now_ += milliseconds(1);
  EXPECT_EQ(second_.lease.step().change, Change::elected);
  EXPECT_EQ(second_.lease.token()->epoch, 2);
}

TEST_F(LeaseTest, HolderStepsDownByItselfAtTwoThirds) {
  elect(first_);
  first_.store.before = [](const std::string&) { lose("the database is away"); };
  now_ += milliseconds(4000);
  const auto steps = run(first_, milliseconds(3999));
  ASSERT_FALSE(steps.empty());
  for (const auto& step : steps) EXPECT_TRUE(step.failure);
  EXPECT_TRUE(held(first_));
  now_ += milliseconds(1);
  EXPECT_FALSE(held(first_));
  const LeaseStep last = first_.lease.step();
  EXPECT_EQ(last.change, Change::deposed);
  EXPECT_THAT(last.reason, ::testing::HasSubstr("no renewal"));
  EXPECT_FALSE(first_.lease.token());
}

TEST_F(LeaseTest, FailedRenewalIsRepeatedAndForgottenOnceOneSucceeds) {
  elect(first_);
  int failures = 3;
  first_.store.before = [&](const std::string&) {
    if (failures-- > 0) lose("the database restarts");
  };
  const auto steps = run(first_, seconds(20));
  EXPECT_EQ(steps.size(), 3U);
  EXPECT_TRUE(held(first_));
  EXPECT_EQ(database_.row.token.epoch, 1);
}

TEST_F(LeaseTest, ReleasedLeaseIsTakenAtTheStandbysNextLook) {
  const Token old = elect(first_);
  ASSERT_EQ(second_.lease.step().change, Change::none);
  first_.lease.release();
  EXPECT_FALSE(held(first_));
  EXPECT_FALSE(first_.lease.token());
  now_ += milliseconds(500);
  EXPECT_EQ(second_.lease.step().change, Change::elected);
  EXPECT_NE(second_.lease.token()->nonce, old.nonce);
}

TEST_F(LeaseTest, AnotherTokenInTheRowDeposesTheHolder) {
  elect(first_);
  database_.row.token = {2, "taken"};
  now_ += seconds(4);
  const LeaseStep step = first_.lease.step();
  EXPECT_EQ(step.change, Change::deposed);
  EXPECT_THAT(step.reason, ::testing::HasSubstr("another process"));
  EXPECT_FALSE(held(first_));
  EXPECT_THAT(run(first_, milliseconds(11'999)), ::testing::IsEmpty());
}

TEST_F(LeaseTest, EpochThatALossyFailOverForgotIsNotGivenOutAgainWithTheSameNonce) {
  const Token lost = elect(first_);
  database_.row = {};
  now_ += seconds(4);
  EXPECT_EQ(first_.lease.step().change, Change::deposed);
  const Token next = elect(second_);
  EXPECT_EQ(next.epoch, lost.epoch);
  EXPECT_NE(next.nonce, lost.nonce);
}

TEST_F(LeaseTest, HoldIsCountedFromTheRequestNotFromTheReply) {
  first_.store.after = [this](const std::string& call) {
    if (call != "read") now_ += seconds(3);
  };
  const auto start = now_;
  elect(first_);
  EXPECT_EQ(first_.lease.held_until(), start + seconds(8));
  now_ = start + seconds(4);
  EXPECT_EQ(first_.lease.step().change, Change::none);
  EXPECT_EQ(now_, start + seconds(7)) << "no renewal was sent";
  EXPECT_EQ(first_.lease.held_until(), start + seconds(12));
}

TEST_F(LeaseTest, WaitIsCountedFromTheReplyNotFromTheRequest) {
  elect(first_);
  // The row is written while the standby's request is on its way.
  second_.store.before = [this](const std::string&) { now_ += seconds(3); };
  second_.lease.step();
  const auto seen_at = now_;
  second_.store.before = [](const std::string&) {};
  now_ = seen_at + milliseconds(11'999);
  EXPECT_EQ(second_.lease.step().change, Change::none);
  now_ = seen_at + seconds(12);
  EXPECT_EQ(second_.lease.step().change, Change::elected);
}

TEST_F(LeaseTest, HolderThatWasStoppedForLongHoldsNothingWhenItGoesOn) {
  elect(first_);
  now_ += seconds(60);
  EXPECT_FALSE(held(first_));
  EXPECT_EQ(first_.lease.step().change, Change::deposed);
}

TEST_F(LeaseTest, HolderThatWasStoppedWithinARenewalIsDeposedThoughItSucceeded) {
  elect(first_);
  first_.store.after = [this](const std::string&) { now_ += seconds(5); };
  now_ += milliseconds(4000);
  const LeaseStep step = first_.lease.step();
  EXPECT_EQ(step.change, Change::deposed);
  EXPECT_THAT(step.reason, ::testing::HasSubstr("too late"));
}

TEST_F(LeaseTest, StandbyThatWasStoppedDoesNotTakeARowThatWasRenewedMeanwhile) {
  elect(first_);
  second_.lease.step();
  for (int i = 0; i < 20; ++i) run(first_, seconds(4));
  EXPECT_EQ(second_.lease.step().change, Change::none);
  EXPECT_TRUE(held(first_));
}

TEST_F(LeaseTest, AcquisitionThatWasAnsweredTooLateIsNotUsed) {
  first_.store.after = [this](const std::string& call) {
    if (call == "acquire") now_ += seconds(8);
  };
  const LeaseStep step = first_.lease.step();
  EXPECT_EQ(step.change, Change::none);
  EXPECT_TRUE(step.failure);
  EXPECT_FALSE(held(first_));
  first_.store.after = [](const std::string&) {};
  EXPECT_EQ(elect(first_).epoch, 2);
}

TEST_F(LeaseTest, LostReplyToAnAcquisitionIsMadeGoodByANewOneAtOnce) {
  first_.store.after = [](const std::string& call) {
    if (call == "acquire") lose("the connection broke");
  };
  const LeaseStep step = first_.lease.step();
  EXPECT_EQ(step.change, Change::none);
  EXPECT_TRUE(step.failure);
  EXPECT_FALSE(first_.lease.token());
  first_.store.after = [](const std::string&) {};
  now_ += step.wait;
  const Token token = elect(first_);
  EXPECT_EQ(token.epoch, 2);
  EXPECT_EQ(database_.follower_token, token);
}

TEST_F(LeaseTest, LostRequestOfAnAcquisitionIsRepeated) {
  first_.store.before = [](const std::string& call) {
    if (call == "acquire") lose("the connection broke");
  };
  EXPECT_TRUE(first_.lease.step().failure);
  first_.store.before = [](const std::string&) {};
  elect(first_);
}

TEST_F(LeaseTest, LostReplyToARenewalKeepsTheLease) {
  elect(first_);
  int lost = 1;
  first_.store.after = [&](const std::string&) {
    if (lost-- > 0) lose("the connection broke");
  };
  const auto steps = run(first_, seconds(30));
  EXPECT_EQ(steps.size(), 1U);
  EXPECT_TRUE(held(first_));
}

TEST_F(LeaseTest, HolderThatSteppedDownTakesItsOwnRowAgainWithoutWaiting) {
  const Token old = elect(first_);
  now_ += seconds(9);
  ASSERT_EQ(first_.lease.step().change, Change::deposed);
  const Token token = elect(first_);
  EXPECT_EQ(token.epoch, old.epoch + 1);
  EXPECT_NE(token.nonce, old.nonce);
}

TEST_F(LeaseTest, StandbyThatLosesTheRaceKeepsWaiting) {
  second_.store.before = [this](const std::string& call) {
    if (call == "acquire") elect(first_);
  };
  EXPECT_EQ(second_.lease.step().change, Change::none);
  EXPECT_FALSE(held(second_));
  second_.store.before = [](const std::string&) {};
  EXPECT_EQ(second_.lease.step().change, Change::none);
  EXPECT_TRUE(held(first_));
}

TEST_F(LeaseTest, ResignedHolderWritesNothingAndIsDeposedAtItsNextStep) {
  elect(first_);
  first_.lease.resign();
  EXPECT_FALSE(held(first_));
  first_.store.before = [](const std::string& call) { ADD_FAILURE() << call; };
  EXPECT_EQ(first_.lease.step().change, Change::deposed);
}

TEST_F(LeaseTest, ARowThatAFailOverTookBackNeverLooksAsItDidBefore) {
  elect(first_);
  run(first_, seconds(12));
  const LeaseRow lost = database_.row;
  ASSERT_EQ(second_.lease.step().change, Change::none);
  // The fail-over forgets two renewals; the standby does not reach the database for a while.
  database_.row.renewal -= 2;
  for (int i = 0; i < 10; ++i) {
    run(first_, seconds(1));
    EXPECT_FALSE(database_.row.same_version(lost));
  }
  ASSERT_TRUE(held(first_));
  now_ += seconds(4);
  EXPECT_EQ(second_.lease.step().change, Change::none) << "the holder renewed all the time";
}

TEST_F(LeaseTest, ARenewalWhoseReplyWasLostIsNotNumberedAgain) {
  elect(first_);
  first_.store.after = [](const std::string&) { lose("the connection broke"); };
  now_ += seconds(4);
  ASSERT_TRUE(first_.lease.step().failure);
  const LeaseRow lost = database_.row;
  first_.store.after = [](const std::string&) {};
  --database_.row.renewal;
  ASSERT_FALSE(first_.lease.step().failure);
  EXPECT_FALSE(database_.row.same_version(lost));
}

TEST_F(LeaseTest, AStandbyOfAShorterLengthWaitsAsLongAsTheHolderCountsOn) {
  elect(first_);
  MemoryLeaseStore store(database_);
  Lease hasty(store, lease_times(seconds(3)), "host-3", [this] { return now_; });
  ASSERT_EQ(hasty.step().change, Change::none);
  now_ += milliseconds(11'999);
  EXPECT_EQ(hasty.step().change, Change::none);
  now_ += milliseconds(1);
  EXPECT_EQ(hasty.step().change, Change::elected);
}

TEST_F(LeaseTest, AStandbyOfALongerLengthWaitsForItsOwn) {
  MemoryLeaseStore store(database_);
  Lease hasty(store, lease_times(seconds(3)), "host-3", [this] { return now_; });
  ASSERT_EQ(hasty.step().change, Change::elected);
  ASSERT_EQ(second_.lease.step().change, Change::none);
  now_ += milliseconds(11'999);
  EXPECT_EQ(second_.lease.step().change, Change::none);
  now_ += milliseconds(1);
  EXPECT_EQ(second_.lease.step().change, Change::elected);
}

TEST_F(LeaseTest, DeposedHolderStillFreesItsRowWhenItStops) {
  elect(first_);
  now_ += seconds(9);
  ASSERT_EQ(first_.lease.step().change, Change::deposed);
  first_.lease.release();
  EXPECT_TRUE(database_.row.released);
}

TEST_F(LeaseTest, ReleaseThatFailsIsToldAndTheLeaseIsGivenUpAllTheSame) {
  elect(first_);
  first_.store.before = [](const std::string&) { lose("the database is away"); };
  EXPECT_THROW(first_.lease.release(), Error);
  EXPECT_FALSE(held(first_));
}

TEST(LeaseTimes, RelationsHoldForEveryLengthFromASecondToTenMinutes) {
  for (auto length = seconds(1); length <= seconds(600); ++length) {
    const LeaseTimes times = lease_times(length);
    EXPECT_NO_THROW(check(times));
    // A renewal that uses up its time-outs to connect and to write ends before the hold does.
    EXPECT_LE(times.renewal + 2 * times.call, times.hold);
  }
}

TEST(LeaseTimes, BrokenRelationNamesBothSettings) {
  LeaseTimes times = lease_times(seconds(10));
  times.call = times.renewal;
  try {
    check(times);
    FAIL() << "a call time-out as long as the renewal interval was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::fatal);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("call time-out of 3333 ms"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("renewal interval of 3333 ms"));
  }
  times = lease_times(seconds(10));
  times.hold = times.length;
  EXPECT_THROW(check(times), Error);
  times = lease_times(seconds(10));
  times.renewal = times.hold;
  EXPECT_THROW(check(times), Error);
  times = lease_times(seconds(10));
  times.look = milliseconds(0);
  EXPECT_THROW(check(times), Error);
}

}  // namespace
}  // namespace hmsync::leader
