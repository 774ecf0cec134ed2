// What every LeaseStore does: run on the double and on PostgreSQL, so that tests on the double say
// something about the real one. A World is one server's lease, new for each test, with two
// replicas.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "leader/lease.h"

namespace hmsync::leader {

/// World: LeaseStore& first(), LeaseStore& second(), Token follower_token(),
/// WriterSession start_session(), bool runs(const WriterSession&).
template <typename World>
class LeaseStoreContract : public ::testing::Test {
 protected:
  LeaseRow take(LeaseStore& store, const Token& token, const WriterSessions& writers = {}) {
    const auto row = store.acquire(store.read(), token, "host-1", writers);
    EXPECT_TRUE(row.has_value());
    return row.value_or(LeaseRow{});
  }

  World world_;
};

TYPED_TEST_SUITE_P(LeaseStoreContract);

TYPED_TEST_P(LeaseStoreContract, MissingRowReadsAsReleasedOneOfEpochZero) {
  const LeaseRow row = this->world_.first().read();
  EXPECT_TRUE(row.released);
  EXPECT_EQ(row.token, (Token{0, ""}));
}

TYPED_TEST_P(LeaseStoreContract, AcquiredRowIsWhatTheNextReadShows) {
  const LeaseRow acquired = this->take(this->world_.first(), {7, "abc"});
  const LeaseRow seen = this->world_.second().read();
  EXPECT_EQ(seen.token, (Token{7, "abc"}));
  EXPECT_FALSE(seen.released);
  EXPECT_EQ(seen.instance, "host-1");
  EXPECT_GT(seen.since, 0);
  EXPECT_TRUE(seen.same_version(acquired));
  EXPECT_EQ(seen.since, acquired.since);
}

TYPED_TEST_P(LeaseStoreContract, AcquisitionWritesTheTokenToTheFollowerState) {
  this->take(this->world_.first(), {1, "first"});
  EXPECT_EQ(this->world_.follower_token(), (Token{1, "first"}));
  this->take(this->world_.second(), {2, "second"});
  EXPECT_EQ(this->world_.follower_token(), (Token{2, "second"}));
}

TYPED_TEST_P(LeaseStoreContract, AcquisitionOfAnOutdatedVersionChangesNothing) {
  const LeaseRow old = this->take(this->world_.first(), {1, "first"});
  ASSERT_TRUE(this->world_.first().renew({1, "first"}, {}));
  EXPECT_EQ(this->world_.second().acquire(old, {2, "second"}, "host-2", {}), std::nullopt);
  EXPECT_EQ(this->world_.second().read().token, (Token{1, "first"}));
  EXPECT_EQ(this->world_.follower_token(), (Token{1, "first"}));
}

TYPED_TEST_P(LeaseStoreContract, OfTwoAcquisitionsOfOneVersionTheSecondIsRefused) {
  const LeaseRow free = this->world_.first().read();
  EXPECT_TRUE(this->world_.first().acquire(free, {1, "first"}, "host-1", {}));
  EXPECT_FALSE(this->world_.second().acquire(free, {1, "second"}, "host-2", {}));
  EXPECT_EQ(this->world_.first().read().token, (Token{1, "first"}));
}

TYPED_TEST_P(LeaseStoreContract, RenewalMakesANewVersionUnderTheSameToken) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  EXPECT_TRUE(this->world_.first().renew({1, "first"}, {}));
  const LeaseRow after = this->world_.second().read();
  EXPECT_FALSE(after.same_version(before));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.renewal, before.renewal + 1);
}

TYPED_TEST_P(LeaseStoreContract, RenewalUnderAnotherTokenIsRefused) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  EXPECT_FALSE(this->world_.second().renew({1, "second"}, {}));
  EXPECT_FALSE(this->world_.second().renew({2, "first"}, {}));
  EXPECT_TRUE(this->world_.first().read().same_version(before));
}

TYPED_TEST_P(LeaseStoreContract, ReleaseKeepsTheRowAndEndsItsRenewal) {
  this->take(this->world_.first(), {4, "first"});
  this->world_.first().release({4, "first"});
  const LeaseRow row = this->world_.second().read();
  EXPECT_TRUE(row.released);
  EXPECT_EQ(row.token, (Token{4, "first"}));
  EXPECT_FALSE(this->world_.first().renew({4, "first"}, {}));
}

TYPED_TEST_P(LeaseStoreContract, ReleaseUnderAnotherTokenChangesNothing) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  this->world_.second().release({1, "second"});
  EXPECT_TRUE(this->world_.first().read().same_version(before));
}

TYPED_TEST_P(LeaseStoreContract, AcquisitionEndsTheOldHoldersSessions) {
  const WriterSession told_at_once = this->world_.start_session();
  const WriterSession told_later = this->world_.start_session();
  const WriterSession successors = this->world_.start_session();
  this->take(this->world_.first(), {1, "first"}, {told_at_once});
  ASSERT_TRUE(this->world_.first().renew({1, "first"}, {told_at_once, told_later}));
  this->take(this->world_.second(), {2, "second"}, {successors});
  EXPECT_FALSE(this->world_.runs(told_at_once));
  EXPECT_FALSE(this->world_.runs(told_later));
  EXPECT_TRUE(this->world_.runs(successors));
}

TYPED_TEST_P(LeaseStoreContract, SessionThatOnlyHasTheSameProcessIdIsLeftAlone) {
  const WriterSession session = this->world_.start_session();
  this->take(this->world_.first(), {1, "first"}, {{session.pid, "2001-01-01 00:00:00+00"}});
  this->take(this->world_.second(), {2, "second"});
  EXPECT_TRUE(this->world_.runs(session));
}

TYPED_TEST_P(LeaseStoreContract, RefusedAcquisitionEndsNoSession) {
  const WriterSession session = this->world_.start_session();
  const LeaseRow old = this->take(this->world_.first(), {1, "first"}, {session});
  ASSERT_TRUE(this->world_.first().renew({1, "first"}, {session}));
  EXPECT_FALSE(this->world_.second().acquire(old, {2, "second"}, "host-2", {}));
  EXPECT_TRUE(this->world_.runs(session));
}

TYPED_TEST_P(LeaseStoreContract, SessionsOfAReleasedLeaseAreLeftAlone) {
  const WriterSession session = this->world_.start_session();
  this->take(this->world_.first(), {1, "first"}, {session});
  this->world_.first().release({1, "first"});
  this->take(this->world_.second(), {2, "second"});
  EXPECT_TRUE(this->world_.runs(session));
}

REGISTER_TYPED_TEST_SUITE_P(
    LeaseStoreContract, MissingRowReadsAsReleasedOneOfEpochZero, AcquiredRowIsWhatTheNextReadShows,
    AcquisitionWritesTheTokenToTheFollowerState, AcquisitionOfAnOutdatedVersionChangesNothing,
    OfTwoAcquisitionsOfOneVersionTheSecondIsRefused, RenewalMakesANewVersionUnderTheSameToken,
    RenewalUnderAnotherTokenIsRefused, ReleaseKeepsTheRowAndEndsItsRenewal,
    ReleaseUnderAnotherTokenChangesNothing, AcquisitionEndsTheOldHoldersSessions,
    SessionThatOnlyHasTheSameProcessIdIsLeftAlone, RefusedAcquisitionEndsNoSession,
    SessionsOfAReleasedLeaseAreLeftAlone);

}  // namespace hmsync::leader
