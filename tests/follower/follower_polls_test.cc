// Looks at everything that is remembered, which whoever waits asks for where ids are shared; and
// heads that are below the log.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/follower/followed.h"

namespace hmsync::doubles {
namespace {

using namespace std::chrono_literals;
using follower::Phase;

TEST(Polls, APollIsAnsweredWhereTheHeadWasWrittenBack) {
  Followed world;
  world.metastore.head_falls_back_by = [] { return 2; };
  world.store.orders.polls_asked = 1;
  EXPECT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }, 3));
  EXPECT_TRUE(world.observer.notices.empty());
}

TEST(Polls, APollIsNotAnsweredWhileNothingShowsWhoseHeadIsBelowTheCursor) {
  Followed world;
  world.clock.time += 1min;
  world.step();
  world.metastore.clean_events();
  bool back = true;
  int looks = 0;
  world.metastore.head_falls_back_by = [&] { return back ? 2 : 0; };
  world.metastore.before_call = [&](std::string_view call) { looks += call == "events" ? 1 : 0; };
  world.store.orders.polls_asked = 1;
  for (int i = 0; i < 3; ++i) world.step();
  EXPECT_EQ(world.store.polls_answered, 0);
  back = false;
  looks = 0;
  EXPECT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }, 3));
  EXPECT_GT(looks, 0) << "not by its head alone";
}

TEST(Polls, APollIsAnsweredByALookFromTheBeginningHoweverFarAnotherHasCome) {
  for (int steps = 0; steps < 12; ++steps) {
    SCOPED_TRACE(steps);
    Followed world;
    world.metastore.drop_table("sales", "t0");
    world.metastore.hide_last_event();
    world.metastore.share_last_id();
    for (const char* table : {"twin", "a", "b", "c", "d"}) {
      world.metastore.create_table("sales", table);
    }
    ASSERT_TRUE(world.catch_up());
    // A look at all that is not settled takes several answers now.
    world.metastore.most_events_an_answer = 3;
    for (int i = 0; i < steps; ++i) world.step();
    world.metastore.show_hidden_events();
    world.store.orders.polls_asked = 1;
    ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }));
    EXPECT_EQ(world.store.totals.late, 1);
  }
}

TEST(Polls, APollIsNotAnsweredBelowAnEventThatItShowed) {
  Followed world;
  bool back = true;
  world.metastore.head_falls_back_by = [&] { return back ? 2 : 0; };
  world.metastore.create_table("sales", "hidden");
  world.metastore.hide_last_event();
  world.metastore.create_table("sales", "shown");
  world.store.orders.polls_asked = 1;
  for (int i = 0; i < 3; ++i) world.step();
  EXPECT_EQ(world.store.polls_answered, 0) << "though the head is that of the cursor";
  world.metastore.show_hidden_events();
  ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }));
  EXPECT_TRUE(world.store.live.tables.contains({"hive", "sales", "shown"}));
}

TEST(Polls, AWholeLookIsAnsweredOnceWhatItShowedIsApplied) {
  Followed world;
  world.clock.time += 1min;
  world.step();
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  world.clock.time += 1min;
  world.step();
  world.metastore.show_hidden_events();
  world.step();
  EXPECT_EQ(world.store.totals.late, 0) << "settled long ago";
  world.store.orders.polls_asked = 3;
  ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 3; }, 5));
  EXPECT_EQ(world.store.totals.late, 1);
  world.expect_equal();
}

TEST(Polls, APollIsAnsweredOnceEverythingUpToTheHeadIsApplied) {
  Followed world;
  world.options.batch_events = 2;
  world.make_follower();
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  world.store.orders.polls_asked = 1;
  ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }));
  EXPECT_EQ(world.store.follower.cursor, world.metastore.now());
}

TEST(Polls, ALookOfSeveralAnswersBeginsAnewAfterAHeadThatWasBack) {
  Followed world;
  const MemoryMetastore copy = world.metastore;
  for (int i = 0; i < 5; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  world.clock.time += 1min;
  world.step();
  world.metastore.most_events_an_answer = 3;
  world.store.orders.polls_asked = 1;
  world.step();
  ASSERT_EQ(world.store.polls_answered, 0);
  // Another history, of which no event is there before its head is that of the cursor.
  world.metastore.restore(copy);
  world.metastore.clean_events();
  world.step();
  for (int i = 0; i < 5; ++i) world.metastore.create_table("sales", "v" + std::to_string(i));
  ASSERT_TRUE(
      world.run_until([&] { return notices_of(world, follower::Notice::Kind::reset) == 1; }));
  EXPECT_EQ(world.store.polls_answered, 0);
}

TEST(Polls, APauseAnswersNone) {
  Followed world;
  world.clock.time += 1min;
  world.step();
  world.metastore.clean_events();
  bool back = true;
  int looks = 0;
  world.metastore.head_falls_back_by = [&] { return back ? 2 : 0; };
  world.metastore.before_call = [&](std::string_view call) { looks += call == "events" ? 1 : 0; };
  world.store.orders.polls_asked = 1;
  for (int i = 0; i < 3; ++i) world.step();
  world.store.orders.pause = follower::Pause{};
  world.step();
  world.store.orders.pause.reset();
  back = false;
  looks = 0;
  ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }, 3));
  EXPECT_GT(looks, 0) << "not by what was seen before the pause";
}

TEST(Polls, AreAnsweredAfterAnotherHistoryThatHadHigherIds) {
  Followed world;
  const MemoryMetastore right = world.metastore;
  MemoryMetastore wrong;
  wrong.create_database("x");
  for (int i = 0; i < 40; ++i) {
    wrong.create_table("x", "t");
    wrong.drop_table("x", "t");
  }
  world.metastore.restore(wrong);
  ASSERT_TRUE(world.run_until([&] { return world.observer.last_poll.phase == Phase::waiting; }));
  world.metastore.restore(right);
  world.expect_equal();
  world.store.orders.polls_asked = 1;
  EXPECT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }, 5));
}

TEST(Polls, AreAnsweredAnewWhereTheStoreLostThatTheyWere) {
  Followed world;
  world.store.orders.polls_asked = 1;
  ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }));
  world.store.polls_answered = 0;  // and that it was asked, which somebody has done again
  EXPECT_TRUE(world.run_until([&] { return world.store.polls_answered == 1; }, 3));
}

/// Two of them, and from then on the head is below both.
void make_tables_at_the_first_page(World& world, const std::string& database) {
  const auto back = std::make_shared<bool>(false);
  world.metastore.head_falls_back_by = [back] { return *back ? 2 : 0; };
  world.metastore.before_call = [&world, back, database](std::string_view call) {
    if (call != "page" || std::exchange(*back, true)) return;
    world.metastore.create_table(database, "orders");
    world.metastore.create_table(database, "returns");
  };
}

TEST(Heads, ThatAreBackAtTheEndOfASnapshotDoNotPutItAheadOfItsCursor) {
  World world;
  world.metastore.create_database("sales");
  make_tables_at_the_first_page(world, "sales");
  while (world.store.publications.empty()) world.step();
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications[0].cursor, world.metastore.now());
}

TEST(Heads, ThatAreBackAtTheEndOfAReReadDoNotPutItAheadOfItsCursor) {
  World world;
  world.metastore.events_a_page = 1;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_database("new");
  world.metastore.spoil_last_message();
  make_tables_at_the_first_page(world, "new");
  ASSERT_TRUE(world.run_until([&] { return world.store.publications.size() == 2; }));
  EXPECT_EQ(world.store.publications[1].reason, "re_read");
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications[1].cursor, world.metastore.now());
}

}  // namespace
}  // namespace hmsync::doubles
