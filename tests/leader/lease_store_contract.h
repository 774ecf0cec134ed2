// What every LeaseStore does: run on the double and on PostgreSQL, so that tests on the double say
// something about the real one. A World is one server's lease, new for each test, with two
// replicas.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "leader/lease.h"

namespace hmsync::leader {

/// World: LeaseStore& first(), LeaseStore& second(), Token follower_token().
template <typename World>
class LeaseStoreContract : public ::testing::Test {
 protected:
  static LeaseRow row_of(const Token& token) {
    return {.token = token,
            .released = false,
            .length = std::chrono::milliseconds(1500),
            .instance = "host-1"};
  }

  LeaseRow take(LeaseStore& store, const Token& token) {
    const auto row = store.acquire(store.read(), row_of(token));
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
  EXPECT_EQ(seen.length, std::chrono::milliseconds(1500));
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
  ASSERT_TRUE(this->world_.first().renew({1, "first"}, 1));
  EXPECT_EQ(this->world_.second().acquire(old, this->row_of({2, "second"})), std::nullopt);
  EXPECT_EQ(this->world_.second().read().token, (Token{1, "first"}));
  EXPECT_EQ(this->world_.follower_token(), (Token{1, "first"}));
}

TYPED_TEST_P(LeaseStoreContract, OfTwoAcquisitionsOfOneVersionTheSecondIsRefused) {
  const LeaseRow free = this->world_.first().read();
  EXPECT_TRUE(this->world_.first().acquire(free, this->row_of({1, "first"})));
  EXPECT_FALSE(this->world_.second().acquire(free, this->row_of({1, "second"})));
  EXPECT_EQ(this->world_.first().read().token, (Token{1, "first"}));
}

TYPED_TEST_P(LeaseStoreContract, RenewalMakesANewVersionUnderTheSameToken) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  EXPECT_TRUE(this->world_.first().renew({1, "first"}, 7));
  const LeaseRow after = this->world_.second().read();
  EXPECT_FALSE(after.same_version(before));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.renewal, 7);
}

TYPED_TEST_P(LeaseStoreContract, RenewalUnderAnotherTokenIsRefused) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  EXPECT_FALSE(this->world_.second().renew({1, "second"}, 1));
  EXPECT_FALSE(this->world_.second().renew({2, "first"}, 1));
  EXPECT_TRUE(this->world_.first().read().same_version(before));
}

TYPED_TEST_P(LeaseStoreContract, ReleaseKeepsTheRowAndEndsItsRenewal) {
  this->take(this->world_.first(), {4, "first"});
  this->world_.first().release({4, "first"});
  const LeaseRow row = this->world_.second().read();
  EXPECT_TRUE(row.released);
  EXPECT_EQ(row.token, (Token{4, "first"}));
  EXPECT_FALSE(this->world_.first().renew({4, "first"}, 1));
}

TYPED_TEST_P(LeaseStoreContract, ReleaseUnderAnotherTokenChangesNothing) {
  const LeaseRow before = this->take(this->world_.first(), {1, "first"});
  this->world_.second().release({1, "second"});
  EXPECT_TRUE(this->world_.first().read().same_version(before));
}

REGISTER_TYPED_TEST_SUITE_P(LeaseStoreContract, MissingRowReadsAsReleasedOneOfEpochZero,
                            AcquiredRowIsWhatTheNextReadShows,
                            AcquisitionWritesTheTokenToTheFollowerState,
                            AcquisitionOfAnOutdatedVersionChangesNothing,
                            OfTwoAcquisitionsOfOneVersionTheSecondIsRefused,
                            RenewalMakesANewVersionUnderTheSameToken,
                            RenewalUnderAnotherTokenIsRefused, ReleaseKeepsTheRowAndEndsItsRenewal,
                            ReleaseUnderAnotherTokenChangesNothing);

}  // namespace hmsync::leader
