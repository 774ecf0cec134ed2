// What holds for every history: its events, planned and applied in whatever pieces, leave the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "follower/batch.h"
#include "tests/follower/world.h"

namespace hmsync::doubles {
namespace {

using processor::Event;
using processor::TableName;

constexpr uint32_t kSeeds = 100;
constexpr int kChanges = 60;

/// Changes of three databases with four tables each, all under ids of their own.
class RandomHistory {
 public:
  explicit RandomHistory(uint32_t seed) : random_(seed) {
    metastore.keep_history_of_objects(true);
    for (int i = 0; i < kChanges; ++i) change();
  }

  [[nodiscard]] size_t below(size_t n) { return random_() % n; }
  [[nodiscard]] std::vector<Event> events() { return metastore.events({0}).events; }
  /// As the events up to this one leave them.
  [[nodiscard]] const ObjectMap& objects_at(int64_t event) const {
    int64_t number = 0;
    for (const Committed& step : metastore.history()) {
      if (!step.event_ids.empty() && step.event_ids.back() <= event) number = step.number;
    }
    return metastore.objects_after(number);
  }
  /// A step of the history ends with it.
  [[nodiscard]] std::vector<int64_t> ends() const {
    std::vector<int64_t> ends{0};
    for (const Committed& step : metastore.history()) {
      if (!step.event_ids.empty()) ends.push_back(step.event_ids.back());
    }
    return ends;
  }

  MemoryMetastore metastore;

 private:
  void change() {
    const std::string database = "d" + std::to_string(below(3));
    const std::string table = "t" + std::to_string(below(4));
    const auto& objects = metastore.objects();
    Change made = ddl::CreateDatabase{database};
    if (objects.databases.contains({"hive", database})) {
      made = objects.tables.contains({"hive", database, table}) ? of_table(database, table)
                                                                : new_table(database, table);
    }
    if (!metastore.refusal(made)) metastore.run(made);
  }
  Change new_table(const std::string& database, const std::string& table) {
    if (below(12) == 0) return ddl::DropDatabase{database, true};
    return ddl::CreateTable{database, table, {"p"}};
  }
  Change of_table(const std::string& database, const std::string& table) {
    const std::string value = std::to_string(below(3));
    switch (below(6)) {
      case 0:
        return ddl::DropTable{database, table};
      case 1:
      case 2: {
        ddl::AlterTable rename{database, table};
        rename.new_database = "d" + std::to_string(below(3));
        rename.new_table = "t" + std::to_string(below(4));
        return rename;
      }
      case 3:
        return ddl::DropPartitions{database, table, {{value}}};
      default:
        return ddl::AddPartitions{database, table, {{{value}, std::nullopt}}};
    }
  }

  std::mt19937 random_;
};

void apply_events(MemoryStore& store, std::span<const Event> events) {
  if (events.empty()) return;
  const auto planned = follower::plan_events(events, false);
  const follower::Batch batch = follower::make_batch(planned, events.back().id).batch;
  store.apply({store.follower.token, store.follower.commit_number}, batch);
}

/// One for each table that is stored, to a role of its own.
void grant_on_all(MemoryStore& store) {
  for (const auto& [name, table] : store.live.tables) {
    MemoryGrant grant;
    grant.id = store.next_grant_id();
    grant.role = "of " + table.table.identity;
    grant.action = "SELECT";
    grant.database = name.database;
    grant.table = name.table;
    grant.identity = table.table.identity;
    grant.as_of_event = store.follower.cursor.value_or(0);
    store.grants.push_back(grant);
  }
}

std::vector<std::string> grants_of(const MemoryStore& store) {
  std::vector<std::string> lines;
  for (const MemoryGrant& grant : store.grants) {
    lines.push_back(grant.role + " on " + grant.database + "." + grant.table + " as of " +
                    std::to_string(grant.as_of_event) + (grant.suspended ? " suspended" : ""));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Properties, ABatchLeavesWhatItsEventsLeaveOneByOne) {
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomHistory history(seed);
    const std::vector<Event> events = history.events();
    const size_t before = history.below(events.size());
    MemoryStore together;
    apply_events(together, std::span(events).first(before));
    grant_on_all(together);
    MemoryStore apart = together;
    apply_events(together, std::span(events).subspan(before));
    for (size_t i = before; i < events.size(); ++i)
      apply_events(apart, std::span(events).subspan(i, 1));
    ASSERT_EQ(together.live, apart.live);
    ASSERT_EQ(together.live, history.metastore.objects());
    ASSERT_EQ(grants_of(together), grants_of(apart));
    ASSERT_EQ(together.follower.cursor, apart.follower.cursor);
    ASSERT_TRUE(together.re_reads.empty());
  }
}

TEST(Properties, ReadingAnOverlapAgainChangesNothing) {
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    World world;
    world.metastore = RandomHistory(seed).metastore;
    ASSERT_TRUE(world.catch_up());
    world.metastore.create_database("last");
    ASSERT_TRUE(world.catch_up());
    const MemoryStore before = world.store;
    const int64_t asked = world.store.ask_poll();
    ASSERT_TRUE(world.run_until([&] { return world.store.polls_answered >= asked; }));
    ASSERT_EQ(world.store.live, before.live);
    ASSERT_EQ(world.store.follower.commit_number, before.follower.commit_number);
    ASSERT_EQ(world.store.audit.size(), before.audit.size());
    ASSERT_EQ(world.store.path_changes.size(), before.path_changes.size());
  }
}

TEST(Properties, ReplayOverASnapshotOfAnyMomentEqualsTheStateWithoutIt) {
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomHistory history(seed);
    const std::vector<Event> events = history.events();
    const std::vector<int64_t> ends = history.ends();
    const int64_t read_at = ends[history.below(ends.size())];
    MemoryStore store;
    const std::string snapshot = store.begin({});
    follower::SnapshotPage page;
    for (const auto& [name, database] : history.objects_at(read_at).databases) {
      page.databases.push_back(database);
    }
    for (const auto& [name, stored] : history.objects_at(read_at).tables) {
      page.tables.push_back(stored.table);
      follower::TablePartitions partitions{name, {}};
      for (const auto& [values, location] : stored.partitions) {
        partitions.partitions.push_back({values, location});
      }
      page.partitions.push_back(std::move(partitions));
    }
    store.add(snapshot, page);
    const auto first = std::find_if(events.begin(), events.end(),
                                    [&](const Event& event) { return event.id > read_at; });
    for (const auto& planned : follower::plan_events({first, events.end()}, false)) {
      store.replay(snapshot, planned.mutations);
    }
    follower::Publication publication;
    publication.cursor = history.metastore.now();
    store.publish({store.follower.token, store.follower.commit_number}, snapshot, publication);
    ASSERT_EQ(store.live, history.metastore.objects()) << "read at event " << read_at;
    ASSERT_TRUE(store.re_reads.empty());
  }
}

TEST(Properties, RenamesKeepEachGrantOnTheObjectThatItWasGivenTo) {
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    MemoryMetastore metastore;
    metastore.create_database("d0");
    metastore.create_database("d1");
    for (int i = 0; i < 5; ++i) metastore.create_table("d0", "t" + std::to_string(i));
    MemoryStore store;
    apply_events(store, metastore.events({0}).events);
    grant_on_all(store);
    const auto some = [&](const char* prefix, size_t n) {
      return prefix + std::to_string(random() % n);
    };
    for (int i = 0; i < 60; ++i) {
      ddl::AlterTable rename{some("d", 2), some("t", 6)};
      rename.new_database = some("d", 2);
      rename.new_table = some("t", 6);
      if (!metastore.refusal(rename)) metastore.run(rename);
    }
    const std::vector<Event> events = metastore.events({*store.follower.cursor}).events;
    for (std::span<const Event> rest(events); !rest.empty();) {
      const size_t taken = std::min<size_t>(1 + random() % 8, rest.size());
      apply_events(store, rest.first(taken));
      rest = rest.subspan(taken);
    }
    std::map<std::string, TableName> names;
    for (const auto& [name, table] : metastore.objects().tables) {
      names[table.table.identity] = name;
    }
    ASSERT_EQ(store.grants.size(), 5u);
    for (const MemoryGrant& grant : store.grants) {
      ASSERT_FALSE(grant.suspended);
      ASSERT_EQ(grant.name(), names.at(grant.identity)) << grant.role;
    }
  }
}

}  // namespace
}  // namespace hmsync::doubles
