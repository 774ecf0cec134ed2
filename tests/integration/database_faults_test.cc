// The store's database and the way to it fail in all ways: one daemon writes at any time, the
// successor is not held up, and nothing is lost that the database has not lost.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/integration/store_under_faults.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using fixtures::Gate;
using fixtures::MiniHmsync;
using fixtures::MiniPg;
using std::chrono::seconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// Beyond the lease of 3 s, below what a session without a successor keeps its locks for (30 s).
constexpr seconds kNotBlocked{20};

constexpr const char* kToken = "SELECT epoch || ' ' || nonce FROM hmsync.leases";

class DatabaseFaults : public testing::Test {
 protected:
  /// One metastore for all.
  static void SetUpTestSuite() { metastore() = std::make_unique<Deployment>(); }
  static void TearDownTestSuite() { metastore().reset(); }
  static std::unique_ptr<Deployment>& metastore() {
    static std::unique_ptr<Deployment> deployment;
    return deployment;
  }

  /// The clients of each test make the same databases.
  void SetUp() override {
    auto& ddl = metastore()->ddl();
    for (const std::string& database : ddl.databases()) {
      if (database != "default") ddl.drop_database(database, true);
    }
  }

  void start_both_under_load() {
    ASSERT_NO_FATAL_FAILURE(store_.start_both(store_.daemon_options(), store_.daemon_options()));
    ASSERT_NO_FATAL_FAILURE(store_.start_workload());
    ASSERT_TRUE(store_.takes_over(0));
  }

  [[nodiscard]] std::string epoch() const { return store_.sql("SELECT epoch FROM hmsync.leases"); }

  StoreUnderFaults store_{*metastore()};
};

TEST_F(DatabaseFaults, SwallowedHeldBackAndResetConnectionsMoveTheLeaseAndNothingElse) {
  ASSERT_NO_FATAL_FAILURE(start_both_under_load());
  size_t leader = 0;
  const auto partition = [&](const char* what, const auto& fault) {
    SCOPED_TRACE(what);
    fault(store_.gate(leader));
    const auto begin = Clock::now();
    ASSERT_TRUE(store_.takes_over(1 - leader)) << store_.daemon(1 - leader).log();
    EXPECT_LT(Clock::now() - begin, kNotBlocked);
    ASSERT_TRUE(eventually(seconds(30), [&] { return !store_.leads(leader); }));
    store_.gate(leader).forward();
    leader = 1 - leader;
  };
  ASSERT_NO_FATAL_FAILURE(
      partition("questions vanish", [](Gate& gate) { gate.swallow(Gate::Way::to_server); }));
  ASSERT_NO_FATAL_FAILURE(
      partition("answers vanish", [](Gate& gate) { gate.swallow(Gate::Way::to_client); }));
  ASSERT_NO_FATAL_FAILURE(
      partition("both come late", [](Gate& gate) { gate.hold(Gate::Way::both); }));
  ASSERT_NO_FATAL_FAILURE(partition("cut in the middle of a batch", [](Gate& gate) {
    gate.cut("advance_follower", "COMMIT");
    ASSERT_TRUE(eventually(seconds(30), [&] { return gate.has_cut(); }));
    gate.swallow(Gate::Way::both);
  }));

  const std::string before = epoch();
  for (int i = 0; i < 5; ++i) {
    store_.gate(0).reset();
    store_.gate(1).reset();
    ASSERT_TRUE(store_.follows(store_.leader()));
  }
  EXPECT_EQ(epoch(), before) << "a reset alone costs nobody the lease";
  store_.expect_right_at_the_end();
  for (size_t i : {0, 1}) {
    EXPECT_EQ(store_.daemon(i).metric("hmsync_store_rewinds_total"), 0) << store_.daemon(i).log();
  }
}

TEST_F(DatabaseFaults, EndedSessionsAndACrashedDatabaseAreSurvived) {
  ASSERT_NO_FATAL_FAILURE(start_both_under_load());
  const std::string before = epoch();
  const std::string sessions = " FROM pg_stat_activity WHERE application_name LIKE 'hmsyncd%'";
  for (int i = 0; i < 10; ++i) {
    // The rounds are fast: sessions that the last one ended may not all be back.
    ASSERT_TRUE(eventually(seconds(30), [&] {
      return std::stoi(store_.sql("SELECT count(*)" + sessions)) >= 5;
    })) << "lease, loop, watcher and head of the leader, and more";
    EXPECT_NE(store_.sql("SELECT count(pg_terminate_backend(pid))" + sessions), "0");
    ASSERT_TRUE(store_.follows(0));
  }
  EXPECT_EQ(epoch(), before);
  for (int i = 0; i < 2; ++i) {
    store_.pg().stop("immediate");
    ASSERT_TRUE(eventually(seconds(30), [&] {
      return has_problem(store_.daemon(0), "store_unreachable") &&
             has_problem(store_.daemon(1), "store_unreachable");
    }));
    store_.pg().start();
    ASSERT_TRUE(store_.takes_over(store_.leader()));
  }
  store_.expect_right_at_the_end();
  for (size_t i : {0, 1}) {
    EXPECT_EQ(store_.daemon(i).metric("hmsync_store_rewinds_total"), 0) << store_.daemon(i).log();
    EXPECT_TRUE(eventually(seconds(30),
                           [&] { return !has_problem(store_.daemon(i), "store_unreachable"); }));
  }
}

TEST_F(DatabaseFaults, AReadOnlyDatabaseIsToldClearlyAndSurvived) {
  ASSERT_NO_FATAL_FAILURE(start_both_under_load());
  const auto make_read_only = [&](const char* value) {
    static_cast<void>(store_.pg().query(
        fmt::format("ALTER DATABASE privileges SET default_transaction_read_only = {}", value)));
    static_cast<void>(store_.pg().query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'privileges'"));
  };
  make_read_only("on");
  EXPECT_TRUE(eventually(seconds(30), [&] {
    const Status status = status_of(store_.daemon(0));
    return has_problem(store_.daemon(0), "store_unreachable") &&
           status.last_error.find("the database is read-only") != std::string::npos;
  })) << store_.daemon(0).log();
  const auto grant = store_.daemon(0).ctl({"role", "create", "refused"});
  EXPECT_EQ(grant.exit, 1);
  EXPECT_THAT(grant.err, HasSubstr("read-only"));
  make_read_only("off");
  ASSERT_TRUE(store_.takes_over(store_.leader()));
  store_.expect_right_at_the_end();
}

TEST_F(DatabaseFaults, AFailOverThatLosesNothingIsNoRewind) {
  auto replica = MiniPg::replica(store_.pg(), store_.pg().port());
  static_cast<void>(store_.pg().query("ALTER SYSTEM SET synchronous_standby_names = '*'"));
  static_cast<void>(store_.pg().query("SELECT pg_reload_conf()"));
  ASSERT_TRUE(eventually(seconds(30), [&] {
    return store_.pg().query("SELECT sync_state FROM pg_stat_replication") == "sync\n";
  }));
  auto options = store_.daemon_options();
  options.dsn = fmt::format("host=127.0.0.1,127.0.0.1 port={},{} user=hmsync dbname=privileges",
                            store_.pg().port(), replica->port());
  ASSERT_NO_FATAL_FAILURE(store_.start_both(options, options));
  ASSERT_NO_FATAL_FAILURE(store_.start_workload());
  ASSERT_TRUE(store_.takes_over(0));

  store_.pg().stop("immediate");
  replica->promote();
  store_.use(std::move(replica));
  ASSERT_TRUE(store_.takes_over(store_.leader())) << store_.daemon(0).log();
  store_.expect_right_at_the_end();
  for (size_t i : {0, 1}) {
    EXPECT_EQ(store_.daemon(i).metric("hmsync_store_rewinds_total"), 0) << store_.daemon(i).log();
  }
}

TEST_F(DatabaseFaults, AFailOverThatLostCommitsIsFollowedFromThereAndToldEverywhere) {
  Gate replication(store_.pg().port());
  auto replica = MiniPg::replica(store_.pg(), replication.port());
  auto options = store_.daemon_options();
  options.dsn = fmt::format("host=127.0.0.1,127.0.0.1 port={},{} user=hmsync dbname=privileges",
                            store_.pg().port(), replica->port());
  ASSERT_NO_FATAL_FAILURE(store_.start_both(options, options));
  auto& ddl = metastore()->ddl();
  ddl.create_database({"rewound"});
  hmsclient::TableSpec table;
  table.database = "rewound";
  table.table = "kept";
  ddl.create_table(table);
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(0)));
  ASSERT_EQ(store_.daemon(0).ctl({"role", "create", "reader"}).exit, 0);
  ASSERT_EQ(store_.daemon(0).ctl({"grant", "reader", "SELECT", "rewound.kept"}).exit, 0);
  const std::string grants =
      "SELECT string_agg(\"table\", ',' ORDER BY \"table\") FROM hmsync.v1_grants";
  ASSERT_TRUE(eventually(seconds(30),
                         [&] { return StoreUnderFaults::sql_at(*replica, grants) == "kept"; }));

  replication.swallow(Gate::Way::both);
  table.table = "lost";
  ddl.create_table(table);
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(0)));
  ASSERT_EQ(store_.daemon(0).ctl({"grant", "reader", "SELECT", "rewound.lost"}).exit, 0);
  ASSERT_EQ(store_.sql(grants), "kept,lost");
  // An acquisition is lost too.
  EXPECT_EQ(store_.daemon(0).terminate(), 0);
  ASSERT_TRUE(eventually(seconds(30), [&] { return store_.leads(1); }));
  store_.daemon(0).start();
  const std::string token = store_.sql(kToken);
  ASSERT_NO_FATAL_FAILURE(store_.daemon(0).await_ready());
  ddl.create_database({"rewound_later"});
  for (size_t i : {0, 1}) ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(i)));
  const std::string commit = "SELECT commit_number FROM hmsync.followers";
  const std::string seen = store_.sql(commit);
  // Both look about once a second, with a few questions each time.
  for (size_t i : {0, 1}) {
    const double from = store_.daemon(i).metric("hmsync_store_round_trips_total");
    ASSERT_TRUE(eventually(seconds(30), [&] {
      return store_.daemon(i).metric("hmsync_store_round_trips_total") > from + 20;
    }));
  }

  store_.pg().stop("immediate");
  replica->promote();
  ASSERT_LT(std::stoll(StoreUnderFaults::sql_at(*replica, commit)), std::stoll(seen));
  store_.use(std::move(replica));
  for (size_t i : {0, 1}) {
    ASSERT_TRUE(eventually(seconds(60), [&] {
      return has_problem(store_.daemon(i), "store_rewound");
    })) << store_.daemon(i).log();
    EXPECT_EQ(store_.daemon(i).metric("hmsync_store_rewinds_total"), 1) << store_.daemon(i).log();
    EXPECT_THAT(store_.daemon(i).log(), HasSubstr("the store's database went back"));
    EXPECT_THAT(store_.daemon(i).get("/v1/status").body,
                HasSubstr("grants and revokes that were acknowledged then may be undone"));
  }
  const size_t leader = store_.leader();
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(leader)));
  EXPECT_NE(store_.sql(kToken), token) << "no token is given out twice";
  for (size_t i : {0, 1}) {
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(i)));
    expect_export_equals_metastore(store_.daemon(i), ddl);
  }
  EXPECT_EQ(store_.sql(grants), "kept") << "what the database lost is lost, and nothing more";
  EXPECT_TRUE(eventually(seconds(30), [&] {
    return store_.sql("SELECT count(*) FROM hmsync.audit WHERE action = 'rewind'") == "1";
  }));
  EXPECT_EQ(store_.daemon(leader).ctl({"grant", "reader", "SELECT", "rewound.lost"}).exit, 0);
  EXPECT_EQ(store_.sql(grants), "kept,lost");
  expect_no_difference(store_.daemon(leader));
  store_.expect_one_writer_at_any_time();
}

TEST_F(DatabaseFaults, ALeaderStoppedInsideATransactionDoesNotHoldUpItsSuccessor) {
  auto stopping = store_.daemon_options();
  stopping.program = fixtures::build_folder() / "tests/integration/crashing_hmsyncd";
  stopping.environment["HMSYNC_STOP_AT"] = "publish_snapshot.commit_due:2";
  ASSERT_NO_FATAL_FAILURE(store_.start_both(stopping, store_.daemon_options()));
  const std::string old_token = store_.sql(kToken);
  ASSERT_EQ(store_.daemon(1).ctl({"resync", "--no-wait"}).exit, 0);
  store_.daemon(1).pause();  // until what it has to overcome has been looked at
  ASSERT_TRUE(eventually(seconds(60), [&] {
    return store_.sql(
               "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' "
               "AND state_change < clock_timestamp() - interval '1 second' "
               "AND application_name = 'hmsyncd loop'") == "1";
  }));
  EXPECT_THROW(store_.sql("SELECT FROM hmsync.followers FOR UPDATE NOWAIT"), std::runtime_error)
      << "it has the lock";
  store_.daemon(1).resume();

  const auto begin = Clock::now();
  ASSERT_TRUE(eventually(seconds(40), [&] { return store_.leads(1); })) << store_.daemon(1).log();
  EXPECT_LT(Clock::now() - begin, kNotBlocked);
  metastore()->ddl().create_database({"after_the_stop"});
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(store_.daemon(1)));
  const std::string token = store_.sql(kToken);
  EXPECT_NE(token, old_token);

  store_.daemon(0).resume();
  ASSERT_TRUE(eventually(seconds(30), [&] {
    return status_of(store_.daemon(0)).role == "standby";
  })) << store_.daemon(0).log();
  EXPECT_TRUE(store_.leads(1));
  ASSERT_NO_FATAL_FAILURE(store_.start_workload());
  ASSERT_TRUE(store_.takes_over(1));
  store_.expect_right_at_the_end();
  EXPECT_EQ(store_.sql(kToken), token);
}

TEST_F(DatabaseFaults, WallClocksThatJumpDecideNothing) {
  const fixtures::PrivateFolder folder("clock");
  const auto file = folder.path() / "seconds";
  auto options = store_.daemon_options();
  options.program = fixtures::build_folder() / "tests/integration/crashing_hmsyncd";
  options.environment["HMSYNC_WALL_CLOCK"] = file;
  ASSERT_NO_FATAL_FAILURE(store_.start_both(options, options));
  ASSERT_NO_FATAL_FAILURE(store_.start_workload());
  const std::string before = epoch();
  constexpr long kTenYears = 315'576'000;
  for (const long error : {kTenYears, -kTenYears, 3600L}) {
    std::ofstream(file) << error << std::flush;
    const std::string renewal = "SELECT renewal FROM hmsync.leases";
    const int from = std::stoi(store_.sql(renewal));
    // A lease has three renewals.
    ASSERT_TRUE(
        eventually(seconds(30), [&] { return std::stoi(store_.sql(renewal)) >= from + 4; }));
    EXPECT_EQ(epoch(), before);
  }
  std::ofstream(file) << -kTenYears << std::flush;
  const std::time_t wrong = std::time(nullptr) - kTenYears;
  store_.daemon(0).kill();
  const auto begin = Clock::now();
  ASSERT_TRUE(store_.takes_over(1));
  EXPECT_LT(Clock::now() - begin, kNotBlocked);
  EXPECT_THAT(store_.daemon(1).log(), HasSubstr(fmt::format("{:%Y-%m-}", fmt::gmtime(wrong))))
      << "its clock did not jump";
  store_.daemon(0).start();
  store_.expect_right_at_the_end();
}

}  // namespace
}  // namespace hmsync::integration
