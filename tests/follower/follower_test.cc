#include "follower/follower.h"

#include <gtest/gtest.h>

#include "tests/follower/world.h"

namespace hmsync::doubles {
namespace {

using namespace std::chrono_literals;
using follower::Notice;
using follower::Phase;
using follower::ResyncRequest;
using follower::SnapshotReport;

TEST(Follower, FirstStartTakesASnapshotAndThenFollows) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders", true);
  world.metastore.add_partition("sales", "orders", "1");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.batches, 0);

  world.metastore.create_table("sales", "items");
  world.metastore.rename_table("sales", "orders", "sales", "old_orders");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications.size(), 1u);
  EXPECT_EQ(world.store.totals.applied, 2);
}

TEST(Follower, AnEmptyMetastoreAtFirstStartIsValid) {
  World world;
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.follower.cursor, 0);
  EXPECT_TRUE(world.store.live.tables.empty());
}

TEST(Follower, WhatHappensDuringTheSnapshotIsReplayedOnIt) {
  World world;
  world.metastore.create_database("sales");
  for (int i = 0; i < 6; ++i) {
    world.metastore.create_table("sales", "t" + std::to_string(i), true);
    world.metastore.add_partition("sales", "t" + std::to_string(i), "1");
  }
  int pages = 0;
  world.metastore.before_call = [&](std::string_view call) {
    if (call != "page" || ++pages != 3) return;
    world.metastore.rename_table("sales", "t0", "sales", "renamed");
    world.metastore.drop_table("sales", "t5");
    world.metastore.create_table("sales", "t5", true);
    world.metastore.rename_table("sales", "t4", "sales", "t9");
    world.metastore.add_partition("sales", "t9", "2");
    world.metastore.create_table("sales", "t4");
  };
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications[0].cursor, world.metastore.now());
  for (size_t i = 1; i < world.store.publications.size(); ++i) {
    EXPECT_EQ(world.store.publications[i].reason, "re_read") << "of what the renames left doubtful";
  }
}

TEST(Follower, AHoleThatFillsWithinTheGraceNeedsNoSnapshot) {
  World world;
  ASSERT_TRUE(world.catch_up());
  world.metastore.skip_ids(1);
  world.step();
  world.step();
  EXPECT_TRUE(world.observer.notices.empty());
  world.metastore.start_log_anew();
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications.size(), 1u);
}

TEST(Follower, AHoleBeyondTheGraceLeadsToASnapshot) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_table("sales", "before");
  world.metastore.skip_ids(1);
  world.metastore.create_table("sales", "after");
  const auto begun = world.clock.time;
  ASSERT_TRUE(world.run_until([&] { return !world.observer.notices.empty(); }));
  EXPECT_EQ(world.observer.notices[0].kind, Notice::Kind::gap);
  EXPECT_EQ(world.observer.notices[0].event, 3);
  EXPECT_EQ(world.store.follower.cursor, 2) << "what is before the hole is applied";
  EXPECT_GE(world.clock.time - begun, 5s);
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  ASSERT_EQ(world.store.publications.size(), 2u);
  EXPECT_FALSE(world.store.publications[1].unbroken);
  EXPECT_FALSE(world.store.publications[1].raise_generation);
}

TEST(Follower, ACleanedLogLeadsToASnapshot) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_table("sales", "orders");
  world.metastore.clean_events();
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.observer.notices.at(0).kind, Notice::Kind::gap);
}

TEST(Follower, AHeadThatFlickersBackwardsIsNoReset) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  world.metastore.skip_ids(-1);
  world.step();
  world.step();
  world.metastore.skip_ids(1);
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_TRUE(world.observer.notices.empty());
  EXPECT_EQ(world.store.publications.size(), 1u);
}

TEST(Follower, AHeadThatStaysBackwardsIsAResetAndRaisesTheGeneration) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  world.metastore.start_log_anew();
  world.metastore.create_table("sales", "items");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.follower.generation, 1);
  EXPECT_EQ(world.store.follower.cursor, 1);
}

TEST(Follower, AnotherUuidIsAReset) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.database_uuid = "uuid-2";
  world.elect(2);
  ASSERT_TRUE(world.run_until([&] { return world.store.publications.size() == 2; }));
  EXPECT_EQ(world.store.follower.generation, 1);
  EXPECT_EQ(world.store.follower.metastore_uuid, "uuid-2");
}

TEST(Follower, ACommitWhoseReplyWasLostIsNotAppliedTwice) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  bool lost = false;
  world.store.after_effect = [&](std::string_view) {
    if (!lost) {
      lost = true;
      throw Error(ErrorKind::transient, "connection lost");
    }
  };
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  EXPECT_TRUE(lost);
  EXPECT_EQ(world.store.batches, 1);
  EXPECT_EQ(world.store.totals.applied, 1);
  EXPECT_EQ(world.observer.failures.size(), 1u);
}

TEST(Follower, TransientFailuresAreBackedOffFromEverLonger) {
  World world;
  world.metastore.before_call = [](std::string_view) {
    throw Error(ErrorKind::transient, "metastore away");
  };
  std::vector<std::chrono::milliseconds> waits;
  for (int i = 0; i < 12; ++i) waits.push_back(world.step());
  EXPECT_GE(waits.front(), 50ms);
  EXPECT_LE(waits.front(), 100ms);
  EXPECT_GE(waits.back(), 5s);
  EXPECT_LE(waits.back(), 10s);
  world.metastore.before_call = [](std::string_view) {};
  EXPECT_TRUE(world.catch_up());
}

TEST(Follower, ADeposedLeaderAppliesNothingAndIsTold) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.store.follower.token = {2, "another"};
  world.metastore.create_table("sales", "orders");
  EXPECT_THROW(
      {
        for (int i = 0; i < 5; ++i) world.step();
      },
      Error);
  EXPECT_EQ(world.store.batches, 0);
  EXPECT_FALSE(world.store.live.tables.contains({"hive", "sales", "orders"}));
}

TEST(Follower, AFenceThatFailedUnderTheOwnTokenIsReadAgain) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.store.follower.commit_number += 1;
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, AnEventThatCannotBeReadIsQuarantinedAndTheStoreIsRightAnyway) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_table("sales", "orders");
  world.metastore.log_event("CREATE_TABLE", "sales", "ghost", "{not json");
  world.metastore.create_table("sales", "items");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  ASSERT_EQ(world.store.quarantine.size(), 1u);
  EXPECT_EQ(world.store.quarantine[0].event.id, 3);
  EXPECT_EQ(world.store.totals.applied, 2);
  EXPECT_EQ(world.store.totals.quarantined, 1);
  EXPECT_TRUE(world.store.publications.back().unbroken);
}

TEST(Follower, AnEventThatTheStoreRefusesIsFoundByHalving) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 9; ++i) world.metastore.create_table("sales", "t" + std::to_string(i));
  world.store.check = [](const follower::Batch& batch) {
    for (const auto& mutation : batch.mutations) {
      if (mutation.event_id == 5) throw Error(ErrorKind::poison, "refused by the database");
    }
  };
  ASSERT_TRUE(world.catch_up());
  ASSERT_EQ(world.store.quarantine.size(), 1u);
  EXPECT_EQ(world.store.quarantine[0].event.id, 5);
  EXPECT_EQ(world.store.totals.applied, 8);
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, EventsOfOneIdAreQuarantinedTogetherAndNoneIsLeftBehind) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 3; ++i) {
    world.metastore.create_table("sales", "t" + std::to_string(i));
    world.metastore.share_last_id();
  }
  world.metastore.create_table("sales", "t3");
  world.metastore.create_table("sales", "t4");
  world.store.check = [](const follower::Batch& batch) {
    for (const processor::Claim& claim : batch.claims) {
      if (claim.name.table == "t1" && batch.quarantined.empty()) {
        throw Error(ErrorKind::poison, "refused by the database");
      }
    }
  };
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.quarantine.size(), 4u) << "t0 to t3 have one id";
  EXPECT_EQ(world.store.totals.applied + world.store.totals.quarantined, 5);
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, WhatTheStoreWantsReadAgainIsReadWithoutAnyFailure) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders", true);
  world.metastore.add_partition("sales", "orders", "1");
  ASSERT_TRUE(world.catch_up());
  world.store.live.tables.erase({"hive", "sales", "orders"});
  world.metastore.rename_table("sales", "orders", "sales", "renamed");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.observer.snapshots.back().reason, "re_read");
}

TEST(Follower, APublicationWhoseReplyWasLostIsNotMadeAgain) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.start_log_anew();
  world.metastore.create_table("sales", "orders");
  world.metastore.skip_ids(-1);
  world.metastore.clean_events();
  bool lost = false;
  world.store.after_effect = [&](std::string_view call) {
    if (call == "publish" && !std::exchange(lost, true)) {
      throw Error(ErrorKind::transient, "connection lost");
    }
  };
  ASSERT_TRUE(world.run_until([&] { return lost; }));
  world.metastore.create_table("sales", "items");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.follower.generation, 1);
  EXPECT_EQ(world.store.publications.size(), 2u);
}

TEST(Follower, AHoleIsWaitedForAnewAfterAnOutage) {
  World world;
  ASSERT_TRUE(world.catch_up());
  world.metastore.skip_ids(1);
  world.step();
  world.metastore.before_call = [](std::string_view) {
    throw Error(ErrorKind::transient, "metastore away");
  };
  for (int i = 0; i < 5; ++i) world.step();
  world.clock.time += std::chrono::minutes(1);
  world.metastore.before_call = [](std::string_view) {};
  world.step();
  EXPECT_TRUE(world.observer.notices.empty());
}

TEST(Follower, LargeEventsAreAskedForInSmallerNumbers) {
  World world;
  world.options.settle = 0s;
  world.make_follower();
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 30; ++i) world.metastore.create_table("sales", "t" + std::to_string(i));
  world.metastore.events_a_page = 3;
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.metastore.most_asked_after_a_cut, 5) << "twice two new ones, and the cursor's";
}

TEST(Follower, AnUnreadableRenameInTheSpanOfASnapshotIsReadAgainAfterIt) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders");
  int pages = 0;
  world.metastore.before_call = [&](std::string_view call) {
    if (call != "page" || ++pages != 3) return;
    world.metastore.rename_table("sales", "orders", "sales", "renamed");
    world.metastore.spoil_last_message();
  };
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.store.publications.front().reason, "initial");
  EXPECT_EQ(world.store.publications.back().reason, "re_read");
}

TEST(Follower, ALastingLoadOfRenamesDoesNotKeepASnapshotFromItsEnd) {
  World world;
  world.metastore.create_database("sales");
  for (int i = 0; i < 6; ++i) world.metastore.create_table("sales", "t" + std::to_string(i), true);
  int calls = 0;
  world.metastore.before_call = [&](std::string_view) {
    const std::string from = calls % 2 == 0 ? "t0" : "u0";
    world.metastore.rename_table("sales", from, "sales", calls % 2 == 0 ? "u0" : "t0");
    ++calls;
  };
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor.has_value(); }, 100));
  world.metastore.before_call = [](std::string_view) {};
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, AStreamOfUnreadableEventsDoesNotStarveASnapshot) {
  World world;
  world.metastore.create_database("sales");
  for (int i = 0; i < 6; ++i) world.metastore.create_table("sales", "t" + std::to_string(i), true);
  int calls = 0;
  int made = 0;
  world.metastore.before_call = [&](std::string_view) {
    if (++calls % 7 != 0 || made == 50) return;
    world.metastore.create_table("sales", "u" + std::to_string(made++));
    world.metastore.spoil_last_message();
  };
  ASSERT_TRUE(world.run_until([&] { return world.store.follower.cursor.has_value(); }));
  EXPECT_LT(made, 50) << "published while the stream went on";
  world.metastore.before_call = [](std::string_view) {};
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, AnEventThatCannotBeDeliveredIsTakenForLostHistory) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_table("sales", "before");
  world.metastore.create_table("sales", "undeliverable");
  world.metastore.create_table("sales", "after");
  world.metastore.undeliverable = 3;
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  EXPECT_EQ(world.observer.notices.at(0).kind, Notice::Kind::gap);
  EXPECT_EQ(world.observer.notices.at(0).event, 3) << "what is before it was applied";
}

TEST(Follower, AResyncIsAnsweredAlthoughNoEventsCanBeHad) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.metastore.create_table("sales", "undeliverable");
  world.metastore.undeliverable = 2;
  ResyncRequest request;
  request.id = 11;
  request.dry_run = true;
  world.store.orders.resyncs = {request};
  EXPECT_TRUE(world.run_until([&] { return world.store.outcomes.contains(11); }));
}

TEST(Follower, AResumeIsToldBeforeTheMetastoreIsAsked) {
  World world;
  ASSERT_TRUE(world.catch_up());
  world.store.orders.pause = follower::Pause{"operator", 1, std::nullopt, ""};
  world.step();
  EXPECT_EQ(world.observer.last_poll.phase, Phase::paused);
  world.store.orders.pause.reset();
  world.metastore.before_call = [](std::string_view) {
    throw Error(ErrorKind::transient, "metastore away");
  };
  world.step();
  EXPECT_EQ(world.observer.last_poll.phase, Phase::following);
}

TEST(Follower, ASnapshotThatAPauseDropsIsToldAsDropped) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders");
  world.step();
  world.store.orders.pause = follower::Pause{"operator", 1, std::nullopt, ""};
  world.step();
  ASSERT_EQ(world.observer.snapshots.size(), 1u);
  EXPECT_EQ(world.observer.snapshots[0].state, SnapshotReport::State::dropped);
}

TEST(Follower, IgnoredEventsAreCountedAndMoveTheCursor) {
  World world;
  ASSERT_TRUE(world.catch_up());
  world.metastore.log_event("OPEN_TXN", "", "", "{}");
  world.metastore.log_event("INSERT", "sales", "orders", "garbage");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.totals.ignored, 2);
  EXPECT_EQ(world.store.follower.cursor, 2);
}

TEST(Follower, AnEventOfATypeThatNobodyListedIsSetAsideAndWhatItNamesIsReadAgain) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  world.store.live.tables.erase({"hive", "sales", "orders"});
  world.metastore.log_event("SOMETHING_NEW", "sales", "orders", "garbage");
  ASSERT_TRUE(world.catch_up());
  ASSERT_EQ(world.store.quarantine.size(), 1u);
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, FullBatchesFollowEachOtherWithoutAWait) {
  World world;
  world.options.batch_events = 10;
  world.make_follower();
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 35; ++i) world.metastore.create_table("sales", "t" + std::to_string(i));
  EXPECT_EQ(world.step(), 0ms);
  EXPECT_EQ(world.step(), 0ms);
  EXPECT_EQ(world.step(), 0ms);
  EXPECT_EQ(world.step(), 500ms);
  EXPECT_EQ(world.store.batches, 4);
  EXPECT_EQ(world.store.follower.cursor, 36);
}

TEST(Follower, AfterATimeWithoutEventsFewAreAskedForAndThenEverMore) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 1500; ++i) world.metastore.log_event("OPEN_TXN", "", "", "{}");
  std::vector<int64_t> cursors;
  while (world.store.follower.cursor != world.metastore.now()) {
    ASSERT_LT(cursors.size(), 10u);
    world.step();
    cursors.push_back(*world.store.follower.cursor);
  }
  EXPECT_EQ(cursors, (std::vector<int64_t>{101, 301, 701, 1501}));
  world.metastore.log_event("OPEN_TXN", "", "", "{}");
  world.step();
  for (int i = 0; i < 200; ++i) world.metastore.log_event("OPEN_TXN", "", "", "{}");
  world.step();
  EXPECT_EQ(world.store.follower.cursor, 1602);
}

TEST(Follower, LogsAreTrimmedWhileIdleUntilNothingIsLeftAndAgainAfterTheInterval) {
  World world;
  world.store.trims_with_more = 3;
  ASSERT_TRUE(world.catch_up());
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_EQ(world.store.trims, 4);
  world.clock.time += std::chrono::hours(1);
  world.step();
  EXPECT_EQ(world.store.trims, 5);
}

TEST(Follower, APauseStopsApplyingUntilItIsOver) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  world.store.orders.pause = follower::Pause{"operator", 1, std::nullopt, "maintenance"};
  world.metastore.create_table("sales", "orders");
  for (int i = 0; i < 5; ++i) world.step();
  EXPECT_EQ(world.store.batches, 0);
  EXPECT_EQ(world.observer.last_poll.phase, Phase::paused);
  world.store.orders.pause.reset();
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, ADryRunTellsTheDriftAndRepairsNothing) {
  World world;
  world.metastore.create_database("sales");
  world.metastore.create_table("sales", "orders", true);
  world.metastore.add_partition("sales", "orders", "1");
  ASSERT_TRUE(world.catch_up());
  const ObjectMap drifted = [&] {
    world.store.live.tables.at({"hive", "sales", "orders"}).table.owner.name = "mallory";
    return world.store.live;
  }();
  world.metastore.create_table("sales", "items");
  ResyncRequest request;
  request.id = 7;
  request.dry_run = true;
  world.store.orders.resyncs = {request};
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(7); }));
  const auto& outcome = world.store.outcomes[7];
  EXPECT_EQ(outcome.outcome, "done");
  EXPECT_EQ(outcome.event, 4);
  EXPECT_EQ(outcome.difference.changed.tables, 1);
  EXPECT_EQ(outcome.difference.added.tables, 0) << "what events tell is no drift";
  EXPECT_EQ(world.store.live.tables.at({"hive", "sales", "orders"}),
            drifted.tables.at({"hive", "sales", "orders"}));
}

TEST(Follower, AResyncRepairsDriftWhileEventsGoOn) {
  World world;
  world.metastore.create_database("sales");
  for (int i = 0; i < 8; ++i) world.metastore.create_table("sales", "t" + std::to_string(i));
  ASSERT_TRUE(world.catch_up());
  world.store.live.tables.erase({"hive", "sales", "t3"});
  ResyncRequest request;
  request.id = 8;
  world.store.orders.resyncs = {request};
  int pages = 0;
  world.metastore.before_call = [&](std::string_view call) {
    if (call == "page") world.metastore.create_table("sales", "n" + std::to_string(pages++));
  };
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(8); }));
  EXPECT_EQ(world.store.outcomes[8].difference.added.tables, 1);
  EXPECT_GT(world.store.batches, 0) << "the live state went on meanwhile";
  EXPECT_TRUE(world.store.publications.back().unbroken);
  world.metastore.before_call = [](std::string_view) {};
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

TEST(Follower, AFailedResyncIsToldAndTheLiveStateServes) {
  World world;
  world.metastore.create_database("sales");
  ASSERT_TRUE(world.catch_up());
  ResyncRequest request;
  request.id = 9;
  world.store.orders.resyncs = {request};
  world.metastore.before_call = [](std::string_view call) {
    if (call == "page") throw Error(ErrorKind::transient, "page refused");
  };
  ASSERT_TRUE(world.run_until([&] { return world.store.outcomes.contains(9); }));
  EXPECT_EQ(world.store.outcomes[9].outcome, "failed");
  EXPECT_EQ(world.store.outcomes[9].reason, "page refused");
  world.metastore.create_table("sales", "orders");
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
}

}  // namespace
}  // namespace hmsync::doubles
