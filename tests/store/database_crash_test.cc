#include <gtest/gtest.h>

#include "store/event_store.h"
#include "store/migrations.h"
#include "store/snapshot_store.h"
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

}  // namespace

}  // namespace hmsync::store
