#include <fmt/format.h>

#include <functional>

#include "hmsclient/snapshot_reader.h"
#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"
#include "tests/fixtures/process_figures.h"

namespace hmsync::bench {

namespace {

/// A hundred databases; in each, tables, of which ten hold partitions.
void fill(MemoryDeployment& deployment, int64_t tables, int64_t partitions) {
  constexpr int64_t kDatabases = 100;
  constexpr int64_t kPartitioned = 10;
  for (int64_t i = 0; i < kDatabases; ++i) {
    processor::Database database;
    database.name.database = fmt::format("db{}", i);
    database.location = at("/" + database.name.database + ".db");
    deployment.hms().put(database);
    for (int64_t j = 0; j < tables / kDatabases; ++j) {
      processor::Table table = table_named(fmt::format("table_{}", j), 1'000 + j);
      table.name.database = database.name.database;
      table.location = at(fmt::format("/db{}.db/table_{}", i, j));
      if (j < kPartitioned) table.partition_keys = {"day"};
      deployment.hms().put(table);
      if (j < kPartitioned) {
        deployment.hms().generate(table.name, partitions / kDatabases / kPartitioned, day);
      }
    }
  }
}

/// By the daemon's own reader, with nothing stored.
double bare_read(MemoryDeployment& deployment) {
  hmsclient::Options options;
  options.uris = {deployment.hms().uri()};
  const auto begun = std::chrono::steady_clock::now();
  hmsclient::SnapshotReader reader(options, {});
  const auto stream = reader.snapshot({});
  while (stream->next()) {
  }
  return seconds_since(begun);
}

/// How many rows of objects and paths `change` makes, rewrites or removes: by their transactions,
/// for a session tells the statistics of its own only some seconds later.
double rows_written(MemoryDeployment& deployment, const std::string& database,
                    const std::function<void()>& change) {
  const auto number = [&](const std::string& query) {
    return std::stoll(deployment.sql(database, query));
  };
  const std::string rows =
      "SELECT count(*) FROM (SELECT xmin FROM hmsync.objects UNION ALL"
      " SELECT xmin FROM hmsync.paths UNION ALL SELECT xmin FROM hmsync.path_changes) rows";
  const int64_t next = number("SELECT pg_snapshot_xmax(pg_current_snapshot())");
  const int64_t before = number(rows);
  change();
  const int64_t made = number(rows + fmt::format(" WHERE xmin::text::bigint >= {}", next));
  const int64_t kept = number(rows) - made;
  return static_cast<double>(made + before - kept);
}

}  // namespace

void measure_snapshot(Report& report, const Size& size) {
  MemoryDeployment deployment;
  fill(deployment, size.of(100'000), size.of(1'000'000));
  const EventLog log = log_of_one_table(deployment);
  Figure bare{"4", "bare read of 100,000 tables and 1,000,000 partitions", "s", {}};
  Figure first{"4", "first snapshot of them", "s", {}};
  Figure again{"5", "snapshot with no difference", "s", {}};
  Figure memory{"4", "peak memory of the daemon", "MiB", {}};
  Figure rows{"5", "rows written by the snapshot with no difference", "", {}};
  for (int i = 0; i < size.rounds; ++i) {
    bare.values.push_back(bare_read(deployment));
    const std::string database = fmt::format("snapshot_{}", i);
    deployment.pg().create_database(database);
    auto begun = std::chrono::steady_clock::now();
    const auto daemon = deployment.start_daemon(database);
    await_event(*daemon, log.last());
    first.values.push_back(seconds_since(begun));
    memory.values.push_back(static_cast<double>(fixtures::peak_kilobytes(daemon->pid())) / 1024);
    rows.values.push_back(rows_written(deployment, database, [&] {
      begun = std::chrono::steady_clock::now();
      run_verb(*daemon, {"resync"});
      again.values.push_back(seconds_since(begun));
    }));
    daemon->terminate();
    deployment.drop_database(database);
  }
  for (const Figure& figure : {bare, first, again}) report.add(figure);
  report.expect_at_most(memory, 200);
  report.expect_at_most(rows, 0);
  report.compare("4", "first snapshot against the bare read", first, bare);
  report.compare("5", "snapshot with no difference against the first", again, first);
}

}  // namespace hmsync::bench
