#include "leader/postgres_lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>

#include "leader/election.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/gate.h"
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
    connection.execute(migration("0005_lease_length.sql"));
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

  store::ConnectionOptions options() const { return options_for(postgres_); }

  void lock_follower_state(store::Connection& session) {
    session.execute("BEGIN");
    session.query("UPDATE followers SET applied = applied + 1 WHERE server = $1", {server_});
  }

  LeaseRow take(LeaseStore& store, const Token& token) {
    const auto row = acquire(store, store.read(), token);
    EXPECT_TRUE(row.has_value());
    return row.value_or(LeaseRow{});
  }

  static std::optional<LeaseRow> acquire(LeaseStore& store, const LeaseRow& expected,
                                         const Token& token) {
    return store.acquire(expected, {.token = token, .released = false, .instance = "host-1"});
  }

  bool ended(int pid) {
    return fixtures::eventually(seconds(20), [&] { return !runs(pid); });
  }

  bool runs(int pid) {
    return observer_.query("SELECT FROM pg_stat_activity WHERE pid = $1", {std::to_string(pid)})
               .rows() == 1;
  }

  store::Connection& observer() { return observer_; }
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

TEST(PostgresLease, EachChangeOfLeaderIsAuditedOnce) {
  PostgresWorld world;
  const LeaseRow free = world.first().read();
  world.take(world.first(), {1, "first"});
  EXPECT_EQ(PostgresWorld::acquire(world.second(), free, {1, "late"}), std::nullopt);
  world.first().release({1, "first"});
  world.take(world.second(), {2, "second"});
  const auto rows = world.observer().query(
      "SELECT concat_ws(' ', who, action, object, before->>'epoch', before->>'instance', "
      "after->>'epoch', after->>'instance') FROM audit WHERE server = $1 ORDER BY audit_id",
      {world.server()});
  ASSERT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows.text(0, 0), "hmsyncd lead host-1 1 host-1");
  EXPECT_EQ(rows.text(1, 0), "hmsyncd lead host-1 1 host-1 2 host-1");
}

TEST(PostgresLease, SuccessorIsNotBlockedByAHolderThatStoppedInMidTransaction) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection stopped(world.options());
  name_writer(stopped, world.server(), {1, "first"});
  world.lock_follower_state(stopped);
  const int pid = stopped.backend_pid();
  world.take(world.second(), {2, "second"});
  EXPECT_EQ(world.follower_token(), (Token{2, "second"}));
  EXPECT_TRUE(world.ended(pid));
}

TEST(PostgresLease, SuccessorIsNotBlockedByAPipelineWhoseEndNeverCame) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  fixtures::Gate gate(shared_postgres().port());
  auto options = world.options();
  options.dsn = "host=127.0.0.1 user=hmsync dbname=postgres port=" + std::to_string(gate.port());
  // Such a session is not idle for PostgreSQL: no time-out of the server ends it.
  options.writes = true;
  options.idle_in_transaction = milliseconds(1);
  options.statement_timeout = milliseconds(500);
  store::Connection partitioned(options);
  name_writer(partitioned, world.server(), {1, "first"});
  const int pid = partitioned.backend_pid();
  gate.cut("UPDATE followers", "COMMIT");
  const store::Statement write[] = {
      {"UPDATE followers SET applied = applied + 1 WHERE server = $1", {world.server()}}};
  EXPECT_EQ(kind_of_failure([&] { partitioned.transaction(write); }), ErrorKind::transient);
  ASSERT_TRUE(world.runs(pid));
  world.take(world.second(), {2, "second"});
  EXPECT_TRUE(world.ended(pid));
}

TEST(PostgresLease, ANewSessionOfTheHolderEndsTheOneThatWasLost) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection lost(world.options());
  name_writer(lost, world.server(), {1, "first"});
  world.lock_follower_state(lost);
  const int pid = lost.backend_pid();
  store::Connection next(world.options());
  name_writer(next, world.server(), {1, "first"});
  EXPECT_TRUE(world.ended(pid));
  world.lock_follower_state(next);
  world.take(world.second(), {2, "second"});
  EXPECT_TRUE(world.ended(next.backend_pid()));
}

TEST(PostgresLease, ASessionCannotBeNamedUnderALeaseThatIsNotHeldAnyMore) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection session(world.options());
  const auto name = [&](const Token& token) {
    return kind_of_failure([&] { name_writer(session, world.server(), token); });
  };
  EXPECT_EQ(name({1, "other"}), ErrorKind::fenced);
  EXPECT_EQ(name({2, "first"}), ErrorKind::fenced);
  world.first().release({1, "first"});
  EXPECT_EQ(name({1, "first"}), ErrorKind::fenced);
}

TEST(PostgresLease, SessionThatOnlyHasTheSameProcessIdIsLeftAlone) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection session(world.options());
  name_writer(session, world.server(), {1, "first"});
  world.observer().query(
      "UPDATE leases SET writer_backend_starts = '{2001-01-01}' WHERE server = $1",
      {world.server()});
  world.take(world.second(), {2, "second"});
  EXPECT_EQ(session.query("SELECT 1").integer(0, 0), 1);
  EXPECT_TRUE(world.runs(session.backend_pid()));
}

TEST(PostgresLease, RefusedAcquisitionEndsNoSession) {
  PostgresWorld world;
  const LeaseRow old = world.take(world.first(), {1, "first"});
  store::Connection session(world.options());
  name_writer(session, world.server(), {1, "first"});
  ASSERT_TRUE(world.first().renew({1, "first"}, 1));
  const int pid = session.backend_pid();
  EXPECT_FALSE(PostgresWorld::acquire(world.second(), old, {2, "second"}));
  EXPECT_EQ(session.query("SELECT 1").integer(0, 0), 1);
  EXPECT_EQ(session.backend_pid(), pid);
}

TEST(PostgresLease, SessionsOfAReleasedLeaseAreLeftAlone) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection session(world.options());
  name_writer(session, world.server(), {1, "first"});
  const int pid = session.backend_pid();
  world.first().release({1, "first"});
  world.take(world.second(), {2, "second"});
  EXPECT_EQ(session.query("SELECT 1").integer(0, 0), 1);
  EXPECT_EQ(session.backend_pid(), pid);
}

TEST(PostgresLease, LockedFollowerStateMakesAcquisitionFailInTimeAndWhole) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection unnamed(world.options());
  world.lock_follower_state(unnamed);
  const LeaseRow before = world.second().read();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(kind_of_failure([&] {
              world.acquire(world.second(), before, {2, "second"});
            }),
            ErrorKind::transient);
  EXPECT_LT(std::chrono::steady_clock::now() - start, lease_times(seconds(10)).renewal);
  EXPECT_TRUE(world.second().read().same_version(before));
  EXPECT_EQ(world.follower_token(), (Token{1, "first"}));
}

TEST(PostgresLease, ACallToASilentDatabaseEndsWithinARenewalInterval) {
  PostgresWorld world;
  fixtures::Gate gate(shared_postgres().port());
  const LeaseTimes times = lease_times(seconds(3));
  auto options = world.options();
  options.dsn = "host=127.0.0.1 user=hmsync dbname=postgres port=" + std::to_string(gate.port());
  PostgresLease lease(options, times, world.server());
  lease.read();
  for (const auto way : {fixtures::Gate::Way::to_client, fixtures::Gate::Way::to_server}) {
    gate.swallow(way);
    // The first on a session that falls silent, the second while connecting.
    for (int call = 0; call < 2; ++call) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(kind_of_failure([&] { lease.renew({1, "first"}, 1); }), ErrorKind::transient);
      EXPECT_LT(std::chrono::steady_clock::now() - start, times.renewal);
    }
    gate.forward();
    EXPECT_TRUE(fixtures::eventually(seconds(20), [&] {
      try {
        return lease.read().released;
      } catch (const Error&) {
        return false;  // a busy machine: the calls' time-outs are short
      }
    }));
  }
}

TEST(PostgresLease, ServersHaveLeasesOfTheirOwn) {
  PostgresWorld one;
  PostgresWorld other;
  one.take(one.first(), {5, "one"});
  EXPECT_TRUE(other.first().read().released);
  other.take(other.first(), {1, "other"});
  EXPECT_EQ(one.first().read().token, (Token{5, "one"}));
}

TEST(PostgresLease, AcquisitionLeavesTheRestOfTheFollowerStateAlone) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  store::Connection connection(options_for(shared_postgres()));
  connection.query("UPDATE followers SET cursor = 41, commit_number = 7 WHERE server = $1",
                   {world.server()});
  world.take(world.second(), {2, "second"});
  const auto row = connection.query("SELECT cursor, commit_number FROM followers WHERE server = $1",
                                    {world.server()});
  EXPECT_EQ(row.integer(0, 0), 41);
  EXPECT_EQ(row.integer(0, 1), 7);
}

TEST(PostgresLease, WorksAgainAfterTheDatabaseWasAway) {
  PostgresWorld world;
  world.take(world.first(), {1, "first"});
  shared_postgres().stop();
  EXPECT_EQ(kind_of_failure([&] { world.first().renew({1, "first"}, 1); }), ErrorKind::transient);
  EXPECT_EQ(kind_of_failure([&] { world.first().renew({1, "first"}, 1); }), ErrorKind::transient);
  shared_postgres().start();
  EXPECT_TRUE(fixtures::eventually(seconds(10), [&] {
    try {
      return world.first().renew({1, "first"}, 1);
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
