// What a snapshot of some objects writes into PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/postgres_fixture.h"

namespace hmsync::store {

namespace {

using namespace processor;
using follower::Published;
using follower::Scope;
using follower::SnapshotPage;
using testing::ElementsAre;
using testing::IsEmpty;

Scope scope(const std::string& database, const std::string& table) {
  return {DatabaseName{kDefaultCatalog, database}, table, false};
}

const Scope kOwnRows{std::nullopt, std::nullopt, true};

class SnapshotScope : public PostgresFixture {
 protected:
  /// So many tables, each with a partition and a grant; at event 5.
  void start(int tables) {
    SnapshotPage page;
    page.databases = {database("sales")};
    for (int i = 0; i < tables; ++i) {
      const std::string name = "t" + std::to_string(i);
      page.tables.push_back(table("sales", name, "created:" + std::to_string(i)));
      page.partitions.push_back({named("sales", name), {partition({"a"}, "/" + name)}});
      grant({"sales." + name, 5, "created:" + std::to_string(i)});
    }
    all_ = page;
    publish({}, page, "initial");
    postgres_.side().execute("DELETE FROM audit; DELETE FROM path_changes");
  }

  Published publish(const std::vector<Scope>& scopes, const SnapshotPage& page,
                    const std::string& reason) {
    const std::string id = store_.snapshots().begin(scopes);
    store_.snapshots().add(id, page);
    follower::Publication publication;
    publication.cursor = 5;
    publication.unbroken = true;
    publication.reason = reason;
    publication.guard = follower::Guard{};
    const follower::Fence now = fence();
    const int before = postgres_.observer().round_trips;
    Published published = store_.snapshots().publish(now, id, publication);
    round_trips_ = postgres_.observer().round_trips - before;
    return published;
  }

  /// As it is read, unchanged.
  SnapshotPage first(size_t tables) {
    SnapshotPage page;
    page.tables.assign(all_.tables.begin(), all_.tables.begin() + static_cast<ptrdiff_t>(tables));
    page.partitions.assign(all_.partitions.begin(),
                           all_.partitions.begin() + static_cast<ptrdiff_t>(tables));
    return page;
  }

  std::vector<Scope> scopes_of(const SnapshotPage& page) {
    std::vector<Scope> scopes;
    for (const Table& table : page.tables) scopes.push_back(scope("sales", table.name.table));
    return scopes;
  }

  SnapshotPage all_;
  int round_trips_ = 0;
};

TEST_F(SnapshotScope, AnUnchangedSweepWritesNoRowOfObjectsGrantsAuditAndLogs) {
  start(20);
  const std::string versions =
      "SELECT 'o' || object_id || ' ' || xmin FROM objects UNION ALL "
      "SELECT 'p' || object_id || partition_values::text || ' ' || xmin FROM paths UNION ALL "
      "SELECT 'g' || grant_id || ' ' || xmin FROM grants UNION ALL "
      "SELECT 'f' || coalesce(last_progress_at::text, '') FROM follower_progress";
  const std::vector<std::string> before = postgres_.lines(versions);
  ASSERT_EQ(before.size(), 83u);
  publish(scopes_of(first(20)), first(20), "sweep");
  publish({kOwnRows}, {{database("sales")}, {}, {}}, "sweep");
  EXPECT_EQ(postgres_.lines(versions), before);
  EXPECT_THAT(postgres_.lines("SELECT action FROM audit"), IsEmpty());
  EXPECT_THAT(postgres_.lines("SELECT change FROM path_changes"), IsEmpty());
}

TEST_F(SnapshotScope, AnUnchangedSweepIsAsManyRoundTripsHoweverMuchItReads) {
  start(50);
  publish(scopes_of(first(1)), first(1), "sweep");
  const int for_one = round_trips_;
  publish(scopes_of(first(50)), first(50), "sweep");
  EXPECT_EQ(round_trips_, for_one);
  EXPECT_LE(for_one, 20);
}

TEST_F(SnapshotScope, AResyncThatWasAskedForIsInTheAuditAlsoWhereNothingDiffered) {
  start(1);
  publish(scopes_of(first(1)), first(1), "resync");
  EXPECT_THAT(postgres_.lines("SELECT action || ' ' || object FROM audit"),
              ElementsAre("snapshot resync"));
}

TEST_F(SnapshotScope, WhatASweepRepairsIsInTheChangeLogAndTheAudit) {
  start(3);
  SnapshotPage page = first(2);
  page.tables[1].location = at("/moved");
  page.partitions[0].partitions[0] = partition({"b"}, "/b");
  const Published published = publish(scopes_of(page), page, "sweep");
  EXPECT_EQ(published.difference.changed.tables, 1);
  EXPECT_THAT(postgres_.lines("SELECT concat_ws(' ', change, table_name, partition_values, path) "
                              "FROM path_changes"),
              ElementsAre("added t0 {b} /b", "added t1 {} /moved", "removed t0 {a} /t0",
                          "removed t1 {} /w/sales.db/t1"));
  EXPECT_THAT(postgres_.lines("SELECT action || ' ' || object FROM audit"),
              ElementsAre("snapshot sweep"));
}

TEST_F(SnapshotScope, AReReadThatFindsNothingElseWakesWaitersAndIsNotAudited) {
  start(1);
  follower::Batch batch;
  batch.cursor = 5;
  batch.claims.resize(1);
  batch.claims[0].event_id = 5;
  batch.claims[0].name = named("sales", "t0");
  store_.events().apply(fence(), batch);
  Connection waiter(postgres_.options());
  waiter.listen("hmsync_cursor");
  publish(scopes_of(first(1)), first(1), "re_read");
  EXPECT_TRUE(waiter.wait_for_notification("server1", -1, std::chrono::seconds(10)));
  EXPECT_THAT(store_.re_reads(), IsEmpty());
  EXPECT_THAT(postgres_.lines("SELECT action FROM audit"), IsEmpty());
}

TEST_F(SnapshotScope, OtherServersOfTheDatabaseAreLeftAlone) {
  start(1);
  postgres_.side().execute(
      "INSERT INTO followers (server) VALUES ('server2');"
      "INSERT INTO objects (server, catalog, database_name, table_name) "
      "VALUES ('server2', 'hive', 'sales', 't0'), ('server2', 'hive', 'gone', '');"
      "INSERT INTO pending_re_reads (server, catalog, database_name, table_name, event_id, "
      "generation) VALUES ('server2', 'hive', 'sales', 't0', 1, 0);"
      "INSERT INTO event_claims (server, generation, event_id, kind, catalog, database_name, "
      "table_name) VALUES ('server2', 0, 1, 'dropped', 'hive', 'sales', 't0')");
  publish({scope("sales", "t0"), kOwnRows}, {{database("sales")}, {}, {}}, "resync");
  EXPECT_THAT(postgres_.lines("SELECT server || ' ' || database_name || '.' || table_name "
                              "FROM objects WHERE server = 'server2'"),
              ElementsAre("server2 gone.", "server2 sales.t0"));
  EXPECT_THAT(postgres_.lines("SELECT server FROM pending_re_reads"), ElementsAre("server2"));
  EXPECT_THAT(postgres_.lines("SELECT server FROM event_claims"), ElementsAre("server2"));
}

}  // namespace

}  // namespace hmsync::store
