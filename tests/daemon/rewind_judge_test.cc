#include "daemon/rewind_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hmsync::daemon {
namespace {

using store::StoreProgress;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RewindJudgeTest : public testing::Test {
 protected:
  /// Asked and answered with nothing in between.
  std::optional<Rewind> look(const StoreProgress& found) {
    return judge_.judge(judge_.mark(), found, now_);
  }

  const RewindJudge::Time now_{std::chrono::seconds(7)};
  RewindJudge judge_;
};

TEST_F(RewindJudgeTest, NumbersThatStandOrRiseAreNoRewind) {
  EXPECT_FALSE(look({10, 1, 2, 30}));
  EXPECT_FALSE(look({10, 1, 2, 30}));
  EXPECT_FALSE(look({11, 2, 3, 31}));
  EXPECT_FALSE(judge_.last());
}

TEST_F(RewindJudgeTest, EachNumberThatFallsIsOneAndToldOnce) {
  for (const StoreProgress& found : {StoreProgress{9, 1, 2, 30}, StoreProgress{10, 0, 2, 30},
                                     StoreProgress{10, 1, 1, 30}, StoreProgress{10, 1, 2, 29}}) {
    RewindJudge judge;
    ASSERT_FALSE(judge.judge(judge.mark(), {10, 1, 2, 30}, now_));
    const auto rewind = judge.judge(judge.mark(), found, now_);
    ASSERT_TRUE(rewind);
    EXPECT_EQ(rewind->seen.commit_number, 10);
    EXPECT_EQ(rewind->found.audit_id, found.audit_id);
    EXPECT_FALSE(judge.judge(judge.mark(), found, now_)) << "that is what counts from then on";
    EXPECT_EQ(judge.last()->at, now_);
  }
}

TEST_F(RewindJudgeTest, WhatThisProcessCommittedWasSeenToo) {
  const auto session = judge_.mark();
  ASSERT_FALSE(look({10, 1, 2, 30}));
  judge_.committed(session, 12, 1);
  const auto rewind = look({11, 1, 2, 30});
  ASSERT_TRUE(rewind);
  EXPECT_EQ(rewind->seen.commit_number, 12);
}

TEST_F(RewindJudgeTest, AnAnswerThatIsOlderThanACommitIsNoRewind) {
  ASSERT_FALSE(look({10, 1, 2, 30}));
  const auto asked = judge_.mark();
  judge_.committed(asked, 11, 1);
  EXPECT_FALSE(judge_.judge(asked, {10, 1, 2, 30}, now_));
  EXPECT_TRUE(look({10, 1, 2, 30})) << "asked after the commit";
}

TEST_F(RewindJudgeTest, TwoConnectionsFindOneRewind) {
  ASSERT_FALSE(look({10, 1, 2, 30}));
  const auto asked = judge_.mark();
  EXPECT_TRUE(look({8, 1, 2, 30}));
  EXPECT_FALSE(judge_.judge(asked, {8, 1, 2, 30}, now_));
}

TEST_F(RewindJudgeTest, ACommitOnASessionOfTheLostDatabaseCountsNoMore) {
  const auto session = judge_.mark();
  ASSERT_FALSE(look({10, 1, 2, 30}));
  ASSERT_TRUE(look({8, 1, 2, 30}));
  judge_.committed(session, 11, 1);
  EXPECT_FALSE(look({8, 1, 2, 30}));
}

TEST_F(RewindJudgeTest, IsAuditedOnce) {
  ASSERT_FALSE(look({10, 1, 2, 30}));
  ASSERT_TRUE(look({8, 1, 2, 30}));
  EXPECT_FALSE(judge_.last()->audited);
  judge_.audited();
  EXPECT_TRUE(judge_.last()->audited);
  ASSERT_TRUE(look({7, 1, 2, 30}));
  EXPECT_FALSE(judge_.last()->audited);
}

TEST_F(RewindJudgeTest, TheTextTellsWhatFellWhatThatMeansAndTheRemedy) {
  EXPECT_THAT(text_of({{10, 1, 2, 30}, {8, 1, 2, 29}}),
              AllOf(HasSubstr("commit 10 was the last and is now 8"),
                    HasSubstr("audit row 30 was the last and is now 29"),
                    Not(HasSubstr("generation")), Not(HasSubstr("epoch")),
                    HasSubstr("grants and revokes that were acknowledged then may be undone"),
                    HasSubstr("synchronous replication")));
}

}  // namespace
}  // namespace hmsync::daemon
