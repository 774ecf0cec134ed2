// Random DDL at every call that the follower makes, random failures before and after each effect,
// new terms of leadership: in the end the store equals the metastore, and every event counts once.
#include <gtest/gtest.h>

#include <random>

#include "tests/follower/world.h"

namespace hmsync::doubles {
namespace {

class RandomDdl {
 public:
  RandomDdl(MemoryMetastore& metastore, uint32_t seed) : metastore_(metastore), random_(seed) {}

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  void change() {
    const std::string database = "d" + std::to_string(random_() % 3);
    const std::string table = "t" + std::to_string(random_() % 6);
    const std::string other_database = "d" + std::to_string(random_() % 3);
    const std::string other_table = "t" + std::to_string(random_() % 6);
    const std::string value = std::to_string(random_() % 4);
    const bool here = exists(database, table);
    if (!metastore_.objects().databases.contains({"hive", database})) {
      metastore_.create_database(database);
    } else if (!here) {
      metastore_.create_table(database, table, true);
    } else if (chance(5)) {
      metastore_.drop_database(database);
    } else if (chance(15)) {
      metastore_.drop_table(database, table);
    } else if (chance(35) && metastore_.objects().databases.contains({"hive", other_database}) &&
               !exists(other_database, other_table)) {
      metastore_.rename_table(database, table, other_database, other_table);
    } else if (chance(70)) {
      metastore_.add_partition(database, table, value);
    } else {
      metastore_.drop_partition(database, table, value);
    }
  }

 private:
  bool exists(const std::string& database, const std::string& table) {
    return metastore_.objects().tables.contains({"hive", database, table});
  }

  MemoryMetastore& metastore_;
  std::mt19937 random_;
};

void run_with_seed(uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  World world;
  world.options.batch_events = 7;
  world.make_follower();
  RandomDdl ddl(world.metastore, seed);
  for (int i = 0; i < 30; ++i) ddl.change();
  const auto fail_sometimes = [&](int percent) {
    if (ddl.chance(percent)) throw Error(ErrorKind::transient, "made to fail");
  };
  world.metastore.before_call = [&](std::string_view) {
    if (ddl.chance(50)) ddl.change();
    fail_sometimes(2);
  };
  world.store.before_effect = [&](std::string_view) { fail_sometimes(3); };
  world.store.after_effect = [&](std::string_view) { fail_sometimes(10); };
  for (int i = 0; i < 400; ++i) {
    if (i % 100 == 99) world.elect(i);
    if (i % 150 == 40) {
      follower::ResyncRequest request;
      request.id = i;
      world.store.orders.resyncs.push_back(request);
    }
    world.step();
  }
  world.metastore.before_call = [](std::string_view) {};
  world.store.before_effect = [](std::string_view) {};
  world.store.after_effect = [](std::string_view) {};
  ASSERT_TRUE(world.catch_up());
  EXPECT_EQ(world.store.live, world.metastore.objects());
  // The last one before it counts as late where the snapshot had to do without the log.
  EXPECT_EQ(world.store.totals.applied - world.store.totals.late,
            *world.store.follower.cursor - world.store.publications.front().cursor)
      << "each event after the first snapshot is applied once";
  EXPECT_LE(world.store.totals.late, 1);
  for (const auto& report : world.observer.snapshots) {
    if (report.reason != "resync" || report.state == follower::SnapshotReport::State::failed) {
      continue;
    }
    EXPECT_EQ(report.difference.added.tables + report.difference.changed.tables +
                  report.difference.removed.tables + report.difference.added.partitions +
                  report.difference.changed.partitions + report.difference.removed.partitions,
              0)
        << "a resync while following finds no difference";
  }
}

TEST(FollowerUnderRandomDdl, EndsEqualToTheMetastore) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    run_with_seed(seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace hmsync::doubles
