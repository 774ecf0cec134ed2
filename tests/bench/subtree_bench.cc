#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "tests/bench/bare_session.h"
#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"

namespace hmsync::bench {

namespace {

/// Reads what readers read, over and over: one that had to wait would show it.
class Reader {
 public:
  explicit Reader(const std::string& dsn) : session_(dsn), thread_([this] { run(); }) {}
  ~Reader() { stop(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The longest that a read took, in milliseconds.
  double stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    return longest_;
  }

 private:
  void run() {
    while (!stopping_) {
      const auto begun = std::chrono::steady_clock::now();
      session_.run("SELECT * FROM v1_tables WHERE database = 'sales' AND \"table\" = 'huge'");
      session_.run(
          "SELECT * FROM v1_grants WHERE database = 'sales' AND \"table\" = 'huge' LIMIT 9");
      longest_ = std::max(longest_, 1000 * seconds_since(begun));
    }
  }

  BareSession session_;
  std::atomic<bool> stopping_ = false;
  double longest_ = 0;
  std::thread thread_;
};

}  // namespace

void measure_subtrees(Report& report, const Size& size) {
  MemoryDeployment deployment;
  EventLog log;
  processor::Table huge = table_named("huge", 1);
  huge.partition_keys = {"day"};
  deployment.hms().put(huge);
  deployment.hms().generate(huge.name, size.of(100'000), day);
  processor::Database wide;
  wide.name.database = "wide";
  wide.location = at("/wide.db");
  deployment.hms().put(wide);
  for (int64_t i = 0; i < size.of(10'000); ++i) {
    processor::Table table = table_named(fmt::format("table_{}", i), 2 + i);
    table.name.database = "wide";
    table.location = at("/wide.db/" + table.name.table);
    deployment.hms().put(table);
  }
  log.create_table(huge);
  deployment.hms().set_events(log.events());
  const std::string database = "subtrees";
  const auto daemon = deployment.start_daemon(database);
  await_event(*daemon, log.last());
  static_cast<void>(deployment.sql(database, fmt::format(R"(
SET search_path = hmsync;
INSERT INTO roles (role) SELECT 'role_' || i FROM generate_series(1, {0}) i;
INSERT INTO grants (role_id, server, catalog, database_name, table_name, action, identity,
                    as_of_event)
SELECT role_id, 'server1', 'hive', 'sales', 'huge', 'SELECT', 'created:1', 0 FROM roles)",
                                                         size.of(10'000))));

  const auto run = [&](const std::string& what) {
    run_verb(*daemon, {"pause"});
    deployment.hms().set_events(log.events());
    const std::string commits = "SELECT commit_number FROM hmsync.followers";
    const double trips = daemon->metric("hmsync_store_round_trips_total");
    const int64_t before = std::stoll(deployment.sql(database, commits));
    Reader reader(deployment.pg().dsn(database));
    const double seconds = seconds_to_catch_up(*daemon, log.last());
    report.add({"6", what, "s", {seconds}});
    report.add({"6", what + ": longest read meanwhile", "ms", {reader.stop()}});
    report.expect_at_most(
        {"6",
         what + ": transactions",
         "",
         {static_cast<double>(std::stoll(deployment.sql(database, commits)) - before)}},
        1);
    report.expect_at_most({"6",
                           what + ": round trips, orders and waiting included",
                           "",
                           {daemon->metric("hmsync_store_round_trips_total") - trips}},
                          40);
  };
  processor::Table renamed = huge;
  renamed.name.table = "renamed";
  renamed.location = at("/sales.db/renamed");
  log.alter_table(huge, renamed);
  run("rename of a table with 100,000 partitions and 10,000 grants");
  log.drop_database("wide");
  run("drop of a database with 10,000 tables");
}

}  // namespace hmsync::bench
