#include "follower/event_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace hmsync::follower {
namespace {

std::vector<processor::Event> with_ids(const std::vector<int64_t>& ids) {
  std::vector<processor::Event> events(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) events[i].id = ids[i];
  return events;
}

TEST(EventOrder, EventsThatFollowOnTheCursorAreAllUsable) {
  const Judgement judgement = judge(7, 10, with_ids({8, 9, 10}));
  EXPECT_EQ(judgement.usable, 3u);
  EXPECT_FALSE(judgement.missing);
}

TEST(EventOrder, AHoleAtTheStartLeavesNothingUsable) {
  const Judgement judgement = judge(7, 10, with_ids({9, 10}));
  EXPECT_EQ(judgement.usable, 0u);
  EXPECT_EQ(judgement.missing, 8);
}

TEST(EventOrder, AHoleInsideLeavesWhatIsBeforeItUsable) {
  const Judgement judgement = judge(7, 11, with_ids({8, 9, 11}));
  EXPECT_EQ(judgement.usable, 2u);
  EXPECT_EQ(judgement.missing, 10);
}

TEST(EventOrder, NothingBelowAHigherHeadIsAHole) {
  const Judgement judgement = judge(7, 9, {});
  EXPECT_EQ(judgement.missing, 8);
}

TEST(EventOrder, NothingAtTheHeadIsInOrder) { EXPECT_FALSE(judge(7, 7, {}).missing); }

TEST(EventOrder, EventsOfOneIdFollowOnEachOther) {
  const Judgement judgement = judge(7, 9, with_ids({8, 8, 8, 9}));
  EXPECT_EQ(judgement.usable, 4u);
  EXPECT_FALSE(judgement.missing);
}

}  // namespace
}  // namespace hmsync::follower
