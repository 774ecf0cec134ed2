// Judging ids: late and shared ones, holes, cleaned and restored logs, other metastores.
#include <gtest/gtest.h>

#include "processor/error.h"
#include "tests/follower/followed.h"

namespace hmsync::doubles {
namespace {

using namespace std::chrono_literals;
using follower::Notice;
using follower::Phase;

TEST(History, AnEventBelowTheCursorThatIsShownLateIsReadAgain) {
  Followed world;
  world.metastore.drop_table("sales", "t0");
  world.metastore.hide_last_event();
  world.metastore.share_last_id();
  world.metastore.create_table("sales", "twin");
  world.metastore.create_table("sales", "above");
  ASSERT_TRUE(world.catch_up());
  EXPECT_TRUE(world.store.live.tables.contains({"hive", "sales", "t0"}));
  world.metastore.show_hidden_events();
  ASSERT_TRUE(world.run_until([&] { return world.store.totals.late == 1; }, 10));
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::late), 1);
  EXPECT_EQ(world.store.follower.generation, 0);
}

TEST(History, ATwinOfTheCursorsEventIsSeenWhileTheHeadStandsStill) {
  Followed world;
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  world.clock.time += 5s;
  world.metastore.show_hidden_events();
  ASSERT_TRUE(world.run_until([&] { return world.store.totals.late == 1; }, 10));
  world.expect_equal();
}

TEST(History, WhatIsRememberedCountsAsJustSeenAfterATakeover) {
  Followed world;
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  world.clock.time += 1h;
  world.elect(2);
  world.step();
  world.metastore.show_hidden_events();
  ASSERT_TRUE(world.run_until([&] { return world.store.totals.late == 1; }, 10));
  world.expect_equal();
}

TEST(History, ALateEventIsSeenHoweverLongNobodyLooked) {
  Followed world;
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  world.metastore.show_hidden_events();
  world.clock.time += 1h;  // a call that hung
  ASSERT_TRUE(world.run_until([&] { return world.store.totals.late == 1; }, 3));
  world.expect_equal();
}

TEST(History, ALateEventIsSeenThoughManyNewOnesCameBeforeTheNextLook) {
  Followed world;
  world.options.overlap_events = 20;
  world.options.batch_events = 10;
  world.make_follower();
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  world.metastore.show_hidden_events();
  world.clock.time += 1h;
  for (int i = 0; i < 15; ++i) world.metastore.create_table("sales", "n" + std::to_string(i));
  world.expect_equal();
  EXPECT_EQ(world.store.totals.late, 1);
}

TEST(History, NothingIsAskedForOnceAllIsSettled) {
  Followed world;
  world.clock.time += 11s;
  world.step();
  int asked = 0;
  world.metastore.before_call = [&](std::string_view call) { asked += call == "events"; };
  for (int i = 0; i < 10; ++i) world.step();
  EXPECT_EQ(asked, 0);
}

TEST(History, EventsOfOneIdAreAllReadAgainWhateverTheirOrder) {
  Followed world;
  world.metastore.create_table("sales", "made");
  world.metastore.share_last_id();
  world.metastore.drop_table("sales", "made");
  world.metastore.share_last_id();
  world.metastore.rename_table("sales", "t1", "sales", "renamed");
  world.expect_equal();
  EXPECT_EQ(world.store.totals.shared_id, 3);
  EXPECT_EQ(notices_of(world, Notice::Kind::shared_id), 1);
  EXPECT_TRUE(world.store.follower.shared_ids_seen);
}

TEST(History, WhatFollowsOnARenameThatIsNotSettledWaitsForItsReading) {
  Followed world;
  world.metastore.rename_table("sales", "t1", "sales", "renamed");
  world.metastore.share_last_id();
  world.metastore.create_table("sales", "twin");
  world.metastore.create_table("sales", "t1");
  world.metastore.drop_table("sales", "t1");
  world.metastore.drop_table("sales", "t2");
  ASSERT_TRUE(world.run_until([&] { return world.store.batches == 1; }));
  EXPECT_TRUE(world.store.live.tables.contains({"hive", "sales", "t1"}))
      << "its drop would take the renamed table's grants";
  EXPECT_FALSE(world.store.live.tables.contains({"hive", "sales", "t2"}));
  world.expect_equal();
}

TEST(History, AnObjectThatCannotBeReadKeepsNoOtherFromBeingRead) {
  Followed world;
  for (int i = 0; i < 8; ++i) {
    world.metastore.create_table("sales", "s" + std::to_string(i));
    world.metastore.share_last_id();
  }
  world.metastore.create_table("sales", "last");
  world.metastore.unreadable = "s3";
  ASSERT_TRUE(world.run_until([&] { return world.store.re_reads.size() == 1; }, 200));
  EXPECT_TRUE(world.store.live.tables.contains({"hive", "sales", "s7"}));
  EXPECT_FALSE(world.store.live.tables.contains({"hive", "sales", "s3"}));
  world.metastore.unreadable.clear();
  world.expect_equal();
}

TEST(History, AKnownEventThatCannotBeDeliveredAnyMoreHoldsNothingUp) {
  Followed world;
  world.metastore.create_table("sales", "known");
  ASSERT_TRUE(world.catch_up());
  world.metastore.undeliverable = world.metastore.now();
  for (int i = 0; i < 20; ++i) world.metastore.create_table("sales", "n" + std::to_string(i));
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor == 32; }, 40));
  for (int i = 0; i < 20; ++i) world.metastore.create_table("sales", "m" + std::to_string(i));
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor == 52; }, 20));
  const size_t failures = world.observer.failures.size();
  EXPECT_LE(failures, 16u) << "two graces long";
  for (int i = 0; i < 20; ++i) world.metastore.create_table("sales", "l" + std::to_string(i));
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor == 72; }, 10));
  EXPECT_EQ(world.observer.failures.size(), failures);
  EXPECT_EQ(notices_of(world, Notice::Kind::gap), 1);
}

TEST(History, ANewestEventThatCannotBeDeliveredAtASnapshotHoldsNothingUp) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "t");
  world.metastore.undeliverable = world.metastore.now();
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor == 2; }, 100));
  for (int i = 0; i < 20; ++i) world.step();
  world.metastore.create_table("sales", "u");
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor == 3; }, 100));
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(History, ALogThatIsOutOfReachForLongLosesHistoryEachTimeAndIsThenLookedAtAsBefore) {
  Followed world;
  for (int64_t outage = 1; outage <= 2; ++outage) {
    SCOPED_TRACE(outage);
    ASSERT_NO_FATAL_FAILURE(world.lose_answers_until_history_is_lost(outage));
    ASSERT_TRUE(world.catch_up());
    const auto lost = world.lose_one_answer();
    world.metastore.create_table("sales", "u" + std::to_string(outage));
    world.expect_equal();
    EXPECT_TRUE(*lost);
  }
  const MemoryMetastore copy = world.metastore;
  world.metastore.create_table("sales", "new");
  ASSERT_TRUE(world.catch_up());
  world.metastore.restore(copy);
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "v" + std::to_string(i));
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::reset), 1);
}

TEST(History, ARestoredLogIsAResetAlsoWhereAnAnswerGotLostAfterASnapshot) {
  Followed world;
  const MemoryMetastore copy = world.metastore;
  for (int i = 0; i < 2; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  ASSERT_NO_FATAL_FAILURE(world.lose_answers_until_history_is_lost(1));
  ASSERT_TRUE(world.run_until([&] { return world.observer.last_poll.phase == Phase::following; }));
  const auto lost = world.lose_one_answer();
  ASSERT_TRUE(world.run_until([&] { return *lost; }));
  world.metastore.restore(copy);
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "v" + std::to_string(i));
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::reset), 1);
}

TEST(History, AnOutageIsNotTakenForAnEventThatCannotBeDelivered) {
  Followed world;
  world.options.batch_events = 1;
  world.make_follower();
  world.metastore.create_table("sales", "new");
  bool broken_answers = true;
  bool away = false;
  world.metastore.before_call = [&](std::string_view call) {
    if (away || (broken_answers && call == "events")) {
      throw Error(ErrorKind::transient, "the metastore is away");
    }
  };
  for (int i = 0; i < 3; ++i) world.step();
  away = true;
  for (int i = 0; i < 10; ++i) world.step();
  world.clock.time += 10min;
  away = false;
  world.step();
  EXPECT_TRUE(world.observer.notices.empty());
  broken_answers = false;
  world.expect_equal();
  EXPECT_TRUE(world.observer.notices.empty());
}

TEST(History, ACappedAnswerOfKnownEventsIsNoHole) {
  Followed world;
  world.metastore.events_a_page = 3;
  for (int i = 0; i < 2; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::gap), 0);
  EXPECT_EQ(world.store.follower.generation, 0);
}

TEST(History, TheCursorsEventIsLearntWhereASnapshotHadToDoWithoutIt) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "t");
  bool lost = false;
  world.metastore.before_call = [&](std::string_view call) {
    if (call == "events" && !std::exchange(lost, true)) {
      throw Error(ErrorKind::transient, "the answer was lost");
    }
  };
  ASSERT_TRUE(world.catch_up());
  ASSERT_TRUE(lost);
  for (int i = 0; i < 10; ++i) world.step();
  ASSERT_EQ(world.store.follower.digests.size(), 1u);
  EXPECT_EQ(world.store.follower.digests[0].id, world.metastore.now());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(History, ALateEventIsSeenAlsoWhereAnswersGotLostBefore) {
  Followed world;
  ASSERT_NO_FATAL_FAILURE(world.follow_a_twin_of_a_hidden_event());
  ASSERT_NO_FATAL_FAILURE(world.lose_answers());
  world.metastore.show_hidden_events();
  ASSERT_TRUE(world.run_until([&] { return world.store.totals.late == 1; }));
  world.expect_equal();
}

TEST(History, ARestoredLogIsAResetAlsoWhereAnswersGotLostBefore) {
  Followed world;
  const MemoryMetastore copy = world.metastore;
  for (int i = 0; i < 2; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  ASSERT_NO_FATAL_FAILURE(world.lose_answers());
  world.metastore.restore(copy);
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "v" + std::to_string(i));
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::reset), 1);
}

TEST(History, ARestoredLogIsAResetBeforeItsHeadPassesTheCursor) {
  Followed world;
  const MemoryMetastore copy = world.metastore;
  for (int i = 0; i < 2; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  world.metastore.restore(copy);
  const auto begun = world.clock.time;
  ASSERT_TRUE(world.run_until([&] { return !world.observer.notices.empty(); }));
  EXPECT_EQ(world.observer.notices[0].kind, Notice::Kind::reset);
  EXPECT_LT(world.clock.time - begun, 5s) << "the digests say so at once";
  world.expect_equal();
  EXPECT_EQ(world.store.follower.generation, 1);
}

TEST(History, ARestoredLogIsAResetAfterItsHeadPassedTheCursor) {
  Followed world;
  const MemoryMetastore copy = world.metastore;
  for (int i = 0; i < 2; ++i) world.metastore.create_table("sales", "u" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  world.clock.time += 1h;
  world.step();
  world.metastore.restore(copy);
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "v" + std::to_string(i));
  ASSERT_TRUE(world.run_until([&] { return !world.observer.notices.empty(); }));
  EXPECT_EQ(world.observer.notices[0].kind, Notice::Kind::reset);
  world.expect_equal();
  EXPECT_EQ(world.store.follower.generation, 1);
}

TEST(History, ACleanedLogWithoutAnyNewEventRefutesNothing) {
  Followed world;
  world.metastore.clean_events();
  for (int i = 0; i < 100; ++i) world.step();
  EXPECT_TRUE(world.observer.notices.empty());
  world.metastore.create_table("sales", "new");
  world.expect_equal();
  EXPECT_TRUE(world.observer.notices.empty());
}

TEST(History, AHeadThatIsBackOnEachSideOfAStandstillRefutesNothing) {
  Followed world;
  world.metastore.clean_events();
  bool back = true;
  world.metastore.head_falls_back_by = [&] { return back ? 1 : 0; };
  world.step();
  world.clock.time += 1min;  // a process that was stopped
  world.step();
  back = false;
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_TRUE(world.observer.notices.empty());
  EXPECT_EQ(world.store.follower.generation, 0);
}

TEST(History, GrantsFollowARenameWhateverTheFirstSnapshotHasReadByThen) {
  // From before its first call to after its last.
  for (int call = 1; call <= 12; ++call) {
    SCOPED_TRACE(call);
    World world;
    world.metastore.create_database("b");
    world.metastore.create_table("b", "t");
    MemoryGrant grant;
    grant.id = world.store.next_grant_id();
    grant.role = "reader";
    grant.action = "SELECT";
    grant.catalog = "hive";
    grant.database = "b";
    grant.table = "t";
    grant.identity = world.metastore.objects().tables.at({"hive", "b", "t"}).table.identity;
    grant.as_of_event = world.metastore.now();
    world.store.grants.push_back(grant);
    int calls = 0;
    world.metastore.before_call = [&](std::string_view) {
      if (++calls != call) return;
      world.metastore.rename_table("b", "t", "b", "renamed");
      world.metastore.create_table("b", "t");
    };
    EXPECT_TRUE(world.catch_up());
    EXPECT_EQ(world.store.live, world.metastore.objects());
    ASSERT_EQ(world.store.grants.size(), 1u);
    EXPECT_EQ(world.store.grants[0].table, "renamed");
    EXPECT_FALSE(world.store.grants[0].suspended);
  }
}

TEST(History, AUuidWhereNoneWasKnownIsNoReset) {
  World world;
  world.metastore.database_uuid.reset();
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.database_uuid = "uuid-2";
  world.elect(2);
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.follower.generation, 0);
  EXPECT_TRUE(world.observer.notices.empty());
}

TEST(History, AMuchSmallerMetastoreIsRefusedUntilForced) {
  Followed world;
  world.metastore.database_uuid = "uuid-2";
  world.metastore.start_log_anew();
  for (int i = 0; i < 5; ++i) world.metastore.lose_table("sales", "t" + std::to_string(i));
  const ObjectMap before = world.store.live;
  world.elect(2);
  ASSERT_TRUE(world.run_until([&] { return world.observer.last_poll.phase == Phase::waiting; }));
  for (int i = 0; i < 100; ++i) world.step();
  EXPECT_EQ(world.store.live, before);
  EXPECT_EQ(world.store.follower.generation, 0);
  follower::ResyncRequest request;
  request.id = 5;
  world.store.orders.resyncs = {request};
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(5); }));
  EXPECT_EQ(world.store.outcomes[5].outcome, "refused");
  request.id = 6;
  request.force = true;
  world.store.orders.resyncs = {request};
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(6); }));
  EXPECT_EQ(world.store.outcomes[6].outcome, "done");
  world.expect_equal();
  EXPECT_EQ(world.store.follower.generation, 1);
}

TEST(History, TheRightMetastoreIsFollowedOnWhenItIsBack) {
  Followed world;
  const MemoryMetastore right = world.metastore;
  world.metastore.restore(MemoryMetastore());
  ASSERT_TRUE(world.run_until([&] { return world.observer.last_poll.phase == Phase::waiting; }));
  world.metastore.restore(right);
  world.metastore.create_table("sales", "new");
  world.expect_equal();
  EXPECT_EQ(world.store.follower.generation, 0);
  EXPECT_EQ(notices_of(world, Notice::Kind::recovered), 1);
}

TEST(History, APlainListenersRefusedDropChangesNothing) {
  Followed world;
  world.metastore.plain = true;
  world.elect(2);
  world.metastore.log_refused_drop("sales", "t3");
  world.metastore.drop_table("sales", "t4");
  world.metastore.create_table("sales", "new");
  world.metastore.rename_table("sales", "t5", "sales", "renamed");
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::plain_listener), 1);
  EXPECT_EQ(notices_of(world, Notice::Kind::refuted), 1);
  EXPECT_EQ(world.store.totals.applied, 4);
}

TEST(History, AMetastoreThatCouldNotSayWhetherItsListenerIsPlainIsAskedAgain) {
  Followed world;
  world.metastore.plain = true;
  bool failed = false;
  world.metastore.before_call = [&](std::string_view call) {
    if (call != "plain_listener" || std::exchange(failed, true)) return;
    throw Error(ErrorKind::transient, "connection reset");
  };
  world.elect(2);
  world.metastore.log_refused_drop("sales", "t3");
  world.expect_equal();
  EXPECT_EQ(notices_of(world, Notice::Kind::refuted), 1);
}

TEST(History, AnOwnerThatChangedWithoutAnEventComesByTheSweep) {
  Followed world;
  world.options.sweep_interval = 60s;
  world.make_follower();
  world.metastore.change_owner("sales", "carol");
  ASSERT_TRUE(world.run_until([&] { return world.store.live == world.metastore.objects(); }, 200));
  EXPECT_EQ(notices_of(world, Notice::Kind::drift), 1);
}

TEST(History, ATableThatVanishedWithoutAnEventComesByTheSweepOfTables) {
  Followed world;
  world.options.sweep_tables_per_second = 1;
  world.make_follower();
  world.metastore.lose_table("sales", "t7");
  ASSERT_TRUE(world.run_until([&] { return world.store.live == world.metastore.objects(); }, 200));
  EXPECT_EQ(notices_of(world, Notice::Kind::drift), 1);
}

TEST(History, ARefusedSweepHoldsUpNothingAndIsCuredByTheNext) {
  Followed world;
  world.options.sweep_tables_per_second = 10;
  world.make_follower();
  MemoryMetastore whole = world.metastore;
  for (int i = 0; i < 5; ++i) world.metastore.lose_table("sales", "t" + std::to_string(i));
  const auto last_is = [&](follower::SnapshotReport::State state) {
    return !world.observer.snapshots.empty() && world.observer.snapshots.back().state == state &&
           world.observer.snapshots.back().reason == "sweep";
  };
  ASSERT_TRUE(world.run_until([&] { return last_is(follower::SnapshotReport::State::refused); }));
  for (MemoryMetastore* each : {&world.metastore, &whole}) {
    each->create_table("sales", "new");
    each->spoil_last_message();
  }
  ASSERT_TRUE(world.run_until(
      [&] {
        return world.store.re_reads.empty() &&
               world.store.live.tables.contains({"hive", "sales", "new"});
      },
      20))
      << "what events name is read again at once";
  world.metastore.restore(whole);
  ASSERT_TRUE(world.run_until([&] { return last_is(follower::SnapshotReport::State::published); }));
}

TEST(History, AnAutomaticDryRunVerifies) {
  Followed world;
  world.options.verify_interval = 1h;
  world.make_follower();
  ASSERT_TRUE(world.run_until(
      [&] {
        return !world.observer.snapshots.empty() &&
               world.observer.snapshots.back().reason == "verify";
      },
      2000));
  EXPECT_EQ(world.observer.snapshots.back().state, follower::SnapshotReport::State::compared);
}

TEST(History, AScopedResyncRepairsWhatItIsAbout) {
  Followed world;
  world.store.live.tables.erase({"hive", "sales", "t1"});
  world.store.live.tables.erase({"hive", "sales", "t2"});
  follower::ResyncRequest request;
  request.id = 4;
  request.scope.database = processor::DatabaseName{"hive", "sales"};
  request.scope.table = "t1";
  world.store.orders.resyncs = {request};
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(4); }));
  EXPECT_EQ(world.store.outcomes[4].difference.added.tables, 1);
  EXPECT_TRUE(world.store.live.tables.contains({"hive", "sales", "t1"}));
  EXPECT_FALSE(world.store.live.tables.contains({"hive", "sales", "t2"}));
}

TEST(History, AQuarantinedEventThatCanBeReadNowIsAppliedByARetry) {
  Followed world;
  world.metastore.create_table("sales", "new");
  ASSERT_NO_FATAL_FAILURE(world.ask_to_retry_last_event());
  ASSERT_TRUE(world.run_until([&] { return world.store.retries.contains(9); }));
  ASSERT_EQ(world.store.retries[9].size(), 1u);
  EXPECT_EQ(world.store.retries[9][0].failure, "");
  EXPECT_TRUE(world.store.retries[9][0].claims.at(0).certain);
  world.expect_equal();
}

TEST(History, ARetryWaitsForTheFirstLookAtTheListener) {
  Followed world;
  world.metastore.drop_table("sales", "t0");
  ASSERT_NO_FATAL_FAILURE(world.ask_to_retry_last_event());
  world.metastore.plain = true;
  world.elect(2);
  ASSERT_TRUE(world.run_until([&] { return world.store.retries.contains(9); }));
  EXPECT_FALSE(world.store.retries[9].at(0).claims.at(0).certain);
}

TEST(History, ARetryOfANewLeaderBelievesATransactionalListener) {
  Followed world;
  world.metastore.drop_table("sales", "t0");
  ASSERT_NO_FATAL_FAILURE(world.ask_to_retry_last_event());
  world.elect(2);
  ASSERT_TRUE(world.run_until([&] { return world.store.retries.contains(9); }));
  EXPECT_TRUE(world.store.retries[9].at(0).claims.at(0).certain);
}

TEST(History, ALeaderThatTookOverWhilePausedRetries) {
  Followed world;
  world.metastore.drop_table("sales", "t0");
  ASSERT_NO_FATAL_FAILURE(world.ask_to_retry_last_event());
  world.store.orders.pause = follower::Pause{};
  world.elect(2);
  bool away = true;
  world.metastore.before_call = [&](std::string_view) {
    if (away) throw Error(ErrorKind::transient, "the metastore is away");
  };
  for (int i = 0; i < 5; ++i) world.step();
  EXPECT_FALSE(world.observer.last_poll.metastore_answered);
  EXPECT_EQ(world.observer.last_poll.phase, Phase::paused);
  away = false;
  ASSERT_TRUE(world.run_until([&] { return world.store.retries.contains(9); }));
  EXPECT_TRUE(world.store.retries[9].at(0).claims.at(0).certain);
  world.store.orders.retries.clear();
  world.step();
  EXPECT_TRUE(world.observer.last_poll.metastore_answered);
  world.step();
  EXPECT_FALSE(world.observer.last_poll.metastore_answered);
}

}  // namespace
}  // namespace hmsync::doubles
