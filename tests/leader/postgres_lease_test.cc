#include "leader/postgres_lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <list>
#include <memory>
#include <sstream>

#include "leader/election.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/mini_pg.h"
#include "tests/leader/lease_store_contract.h"

namespace hmsync::leader {
namespace {

using fixtures::MiniPg;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string migration(const std::string& name) {
  std::ifstream file(std::string(HMSYNC_MIGRATIONS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

store::ConnectionOptions options_for(const MiniPg& postgres) {
  store::ConnectionOptions options;
  options.dsn = postgres.dsn();
  return options;
}

/// Started once: a server costs seconds, and each test has a lease of its own in it.
MiniPg& shared_postgres() {
  static MiniPg postgres;
  static const bool migrated = [] {
    store::Connection connection(options_for(postgres));
    connection.execute("CREATE SCHEMA hmsync");
    connection.execute(migration("0001_tables.sql"));
    return true;
  }();
  EXPECT_TRUE(migrated);
  return postgres;
}

class PostgresWorld {
 public:
  LeaseStore& first() { return first_; }
  LeaseStore& second() { return second_; }

  Token follower_token() {
    const auto row = observer_.query(
        "SELECT token_epoch, token_nonce FROM followers WHERE server = $1", {server_});
    EXPECT_EQ(row.rows(), 1);
    return {row.integer(0, 0), std::string(row.text(0, 1))};
  }

  /// Within a transaction that has the follower-state row locked, if it is there.
  WriterSession start_session() {
    auto& connection = sessions_.emplace_back(options_for(postgres_));
    const WriterSession session = writer_session(connection);
    connection.execute("BEGIN");
    return session;
  }

  void lock_follower_state() {
    sessions_.back().query("UPDATE followers SET applied = applied + 1 WHERE server = $1",
                           {server_});
  }

  bool runs(const WriterSession& session) {
    const auto is_there = [&] {
      return observer_
                 .query("SELECT FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2",
                        {std::to_string(session.pid), session.backend_start})
                 .rows() == 1;
    };
    // One that was told to end needs a moment; the contract asks for such ones first.
    return !fixtures::eventually(milliseconds(300), [&] { return !is_there(); });
  }

  const std::string& server() const { return server_; }

 private:
  static std::string next_server() {
    static int count = 0;
    return "server" + std::to_string(++count);
  }

  MiniPg& postgres_ = shared_postgres();
  const std::string server_ = next_server();
  PostgresLease first_{options_for(postgres_), lease_times(seconds(10)), server_};
  PostgresLease second_{options_for(postgres_), lease_times(seconds(10)), server_};
  store::Connection observer_{options_for(postgres_)};
  std::list<store::Connection> sessions_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, LeaseStoreContract, PostgresWorld);

ErrorKind kind_of_failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing failed";
  return ErrorKind::poison;
}

TEST(PostgresLease, SuccessorIsNotBlockedByAHolderThatStoppedInMidTransaction) {
  PostgresWorld world;
  ASSERT_TRUE(world.first().acquire(world.first().read(), {1, "first"}, "host-1", {}));
  const WriterSession stopped = world.start_session();
  world.lock_follower_state();
  ASSERT_TRUE(world.first().renew({1, "first"}, {stopped}));
  EXPECT_TRUE(world.second().acquire(world.second().read(), {2, "second"}, "host-2", {}));
  EXPECT_EQ(world.follower_token(), (Token{2, "second"}));
  EXPECT_FALSE(world.runs(stopped));
}

TEST(PostgresLease, LockedFollowerStateMakesAcquisitionFailInTimeAndWhole) {
  PostgresWorld world;
  ASSERT_TRUE(world.first().acquire(world.first().read(), {1, "first"}, "host-1", {}));
  world.start_session();
  world.lock_follower_state();
  const LeaseRow before = world.second().read();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(kind_of_failure([&] {
              world.second().acquire(before, {2, "second"}, "host-2", {});
            }),
            ErrorKind::transient);
  EXPECT_LT(std::chrono::steady_clock::now() - start, lease_times(seconds(10)).renewal);
  EXPECT_TRUE(world.second().read().same_version(before));
  EXPECT_EQ(world.follower_token(), (Token{1, "first"}));
}

TEST(PostgresLease, ServersHaveLeasesOfTheirOwn) {
  PostgresWorld one;
  PostgresWorld other;
  ASSERT_TRUE(one.first().acquire(one.first().read(), {5, "one"}, "host-1", {}));
  EXPECT_TRUE(other.first().read().released);
  EXPECT_TRUE(other.first().acquire(other.first().read(), {1, "other"}, "host-1", {}));
  EXPECT_EQ(one.first().read().token, (Token{5, "one"}));
}

TEST(PostgresLease, AcquisitionLeavesTheRestOfTheFollowerStateAlone) {
  PostgresWorld world;
  ASSERT_TRUE(world.first().acquire(world.first().read(), {1, "first"}, "host-1", {}));
  store::Connection connection(options_for(shared_postgres()));
  connection.query("UPDATE followers SET cursor = 41, commit_number = 7 WHERE server = $1",
                   {world.server()});
  ASSERT_TRUE(world.second().acquire(world.second().read(), {2, "second"}, "host-2", {}));
  const auto row = connection.query("SELECT cursor, commit_number FROM followers WHERE server = $1",
                                    {world.server()});
  EXPECT_EQ(row.integer(0, 0), 41);
  EXPECT_EQ(row.integer(0, 1), 7);
}

TEST(PostgresLease, WorksAgainAfterTheDatabaseWasAway) {
  PostgresWorld world;
  ASSERT_TRUE(world.first().acquire(world.first().read(), {1, "first"}, "host-1", {}));
  shared_postgres().stop();
  EXPECT_EQ(kind_of_failure([&] { world.first().renew({1, "first"}, {}); }), ErrorKind::transient);
  EXPECT_EQ(kind_of_failure([&] { world.first().renew({1, "first"}, {}); }), ErrorKind::transient);
  shared_postgres().start();
  EXPECT_TRUE(fixtures::eventually(seconds(10), [&] {
    try {
      return world.first().renew({1, "first"}, {});
    } catch (const Error&) {
      return false;
    }
  }));
}

std::unique_ptr<Election> candidate(const PostgresWorld& world, const LeaseTimes& times,
                                    const std::string& instance, std::atomic<int>& elected) {
  auto election = std::make_unique<Election>(
      std::make_unique<PostgresLease>(options_for(shared_postgres()), times, world.server()), times,
      instance,
      ElectionCallbacks{.elected = [&elected](const Token&) { ++elected; },
                        .deposed = [](const std::string&) {},
                        .failed = [](const Error&) {}});
  election->start();
  return election;
}

TEST(PostgresLease, ALeaderThatStopsHandsOverLongBeforeItsLeaseIsOver) {
  const LeaseTimes times = lease_times(std::chrono::minutes(5));
  const PostgresWorld world;
  std::atomic<int> first_elected = 0;
  std::atomic<int> second_elected = 0;
  const auto first = candidate(world, times, "host-1", first_elected);
  ASSERT_TRUE(fixtures::eventually(seconds(20), [&] { return first->status().leads; }));
  const auto second = candidate(world, times, "host-2", second_elected);
  ASSERT_TRUE(fixtures::eventually(seconds(20), [&] { return second->status().row.has_value(); }));
  EXPECT_EQ(second->status().row->instance, "host-1");
  first->stop();
  EXPECT_TRUE(fixtures::eventually(seconds(20), [&] { return second->status().leads; }));
  second->stop();
  EXPECT_EQ(first_elected, 1);
  EXPECT_EQ(second_elected, 1);
}

TEST(PostgresLease, AnElectionOutlivesARestartOfTheDatabase) {
  const PostgresWorld world;
  std::atomic<int> elected = 0;
  const auto election = candidate(world, lease_times(seconds(3)), "host-1", elected);
  ASSERT_TRUE(fixtures::eventually(seconds(20), [&] { return election->status().leads; }));
  shared_postgres().stop("immediate");
  ASSERT_TRUE(fixtures::eventually(seconds(20), [&] { return !election->status().leads; }));
  shared_postgres().start();
  EXPECT_TRUE(fixtures::eventually(seconds(20), [&] { return election->status().leads; }));
  election->stop();
  EXPECT_EQ(elected, 2);
}

TEST(PostgresLease, MissingTablesAreForAnOperatorToMake) {
  auto options = options_for(shared_postgres());
  options.schema = "elsewhere";
  PostgresLease lease(options, lease_times(seconds(10)), "server1");
  EXPECT_EQ(kind_of_failure([&] { lease.read(); }), ErrorKind::fatal);
}

}  // namespace
}  // namespace hmsync::leader
