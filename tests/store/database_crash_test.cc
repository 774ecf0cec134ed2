#include <gtest/gtest.h>

#include "store/event_store.h"
#include "store/migrations.h"
#include "store/snapshot_store.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/mini_pg.h"
#include "tests/store/objects.h"

namespace hmsync::store {

namespace {

/// On a server of its own, since it crashes.
TEST(DatabaseCrash, LosesTheSnapshotInTheMakingAndNothingThatWasCommitted) {
  fixtures::MiniPg postgres;
  ConnectionOptions options;
  options.dsn = postgres.dsn();
  Connection connection(options);
  migrate(connection);
  PostgresEventStore events(connection, "server1");
  PostgresSnapshotStore snapshots(connection, "server1");
  follower::Batch batch;
  batch.cursor = 1;
  batch.mutations = {{1, processor::PutDatabase{database("sales")}}};
  events.apply({{}, events.state().commit_number}, batch);
  const std::string id = snapshots.begin({});
  snapshots.add(id, {{database("new")}, {}, {}});

  postgres.stop("immediate");
  const auto publish = [&] { snapshots.publish({{}, 1}, id, {5, true, false, ""}); };
  const auto kind_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(to_string(error.kind())) + ": " + error.what();
    }
    return std::string("nothing");
  };
  EXPECT_TRUE(kind_of(publish).starts_with("transient: ")) << kind_of(publish);
  postgres.start();
  const std::string refused = kind_of(publish);
  EXPECT_TRUE(refused.starts_with("transient: ")) << refused;
  EXPECT_NE(refused.find("snapshot " + id + " is lost"), std::string::npos) << refused;
  EXPECT_EQ(events.state().cursor, 1);
  EXPECT_EQ(connection.query("SELECT string_agg(database, ',') FROM v1_databases").text(0, 0),
            "sales");
}

// What is unlogged is not sent to a replica: promoted, it has to do without.
TEST(DatabaseFailOver, LeavesAReplicaThatSnapshotsCanBeStagedIn) {
  fixtures::MiniPg primary;
  const auto replica = fixtures::MiniPg::replica(primary, primary.port());
  ConnectionOptions options;
  options.dsn = primary.dsn();
  Connection connection(options);
  migrate(connection);
  const std::string written = primary.query("SELECT pg_current_wal_lsn()");
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30), [&] {
    return replica->query("SELECT pg_last_wal_replay_lsn() >= '" +
                          written.substr(0, written.size() - 1) + "'") == "t\n";
  }));
  primary.stop("immediate");
  replica->promote();

  options.dsn = replica->dsn();
  Connection promoted(options);
  PostgresEventStore(promoted, "server1").state();
  PostgresSnapshotStore snapshots(promoted, "server1");
  const std::string id = snapshots.begin({});
  snapshots.add(id, {{database("new")}, {}, {}});
  EXPECT_EQ(promoted.query("SELECT string_agg(database_name, ',') FROM staging_objects").text(0, 0),
            "new");
}

}  // namespace

}  // namespace hmsync::store
