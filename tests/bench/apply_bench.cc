#include <fmt/format.h>

#include <chrono>

#include "tests/bench/bare_session.h"
#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"

namespace hmsync::bench {

namespace {

/// The rows that a run wrote beside those of its origin, in the shape of COPY. What was made and
/// dropped again is there as it was made.
std::vector<CopiedRows> rows_of(BareSession& run) {
  const std::string made = R"(
  (SELECT commit_number AS made_by, table_name,
          1000000000 + row_number() OVER (ORDER BY change_id) AS object_id
   FROM path_changes WHERE change = 'added' AND partition_values = '{}'
     AND event_id > 1 AND table_name IS NOT NULL) made)";
  return {
      run.read(
          "objects (object_id, server, catalog, database_name, table_name, type, owner, identity)",
          "SELECT made_by, object_id, 'server1', 'hive', 'sales', table_name, 'MANAGED_TABLE',"
          " 'bob', 'created:' || object_id FROM" +
              made + " ORDER BY object_id"),
      run.read("paths (object_id, partition_values, scheme, authority, path)",
               "SELECT c.commit_number, made.object_id, c.partition_values, c.scheme, c.authority,"
               " c.path FROM path_changes c JOIN" +
                   made +
                   " USING (table_name) WHERE change = 'added' AND event_id > 1"
                   " ORDER BY change_id"),
      run.read("path_changes (change_id, server, commit_number, event_id, change, catalog,"
               " database_name, table_name, partition_values, scheme, authority, path)",
               "SELECT commit_number, change_id, server, commit_number, event_id, change, catalog,"
               " database_name, table_name, partition_values, scheme, authority, path"
               " FROM path_changes WHERE event_id > 1 ORDER BY change_id")};
}

double follow(MemoryDeployment& deployment, const std::string& database, const EventLog& log) {
  const auto daemon = deployment.start_daemon(database);
  const double seconds = seconds_to_catch_up(*daemon, log.last());
  daemon->terminate();
  return seconds;
}

double copy(MemoryDeployment& deployment, const std::string& database, const std::string& run) {
  BareSession source(deployment.pg().dsn(run));
  source.run("ANALYZE path_changes; SET enable_nestloop = off");
  const std::vector<CopiedRows> rows = rows_of(source);
  BareSession session(deployment.pg().dsn(database));
  const std::string each = "UPDATE event_digests SET digests = E'" +
                           source.read_value("SELECT digests FROM event_digests") +
                           "'; UPDATE followers SET commit_number = commit_number + 1";
  const auto begun = std::chrono::steady_clock::now();
  session.write(rows, each);
  return seconds_since(begun);
}

}  // namespace

void measure_apply(Report& report, const Size& size) {
  const int64_t events = size.of(100'000);
  for (const int64_t objects : {10'000, 100'000, 1'000'000}) {
    MemoryDeployment deployment;
    EventLog log = log_of_one_table(deployment);
    make_origin(deployment, log, "origin", size.of(objects));
    add_mixed_events(log, "t", events);
    deployment.hms().set_events(log.events());
    Figure followed{"2", fmt::format("events followed, {} objects", objects), "events/s", {}};
    Figure copied{"2", fmt::format("the same rows by COPY, {} objects", objects), "events/s", {}};
    for (int i = 0; i < size.rounds; ++i) {
      deployment.copy_database("origin", "followed");
      deployment.copy_database("origin", "copied");
      static_cast<void>(deployment.sql("origin", "CHECKPOINT"));
      followed.values.push_back(static_cast<double>(events) / follow(deployment, "followed", log));
      static_cast<void>(deployment.sql("origin", "CHECKPOINT"));
      copied.values.push_back(static_cast<double>(events) / copy(deployment, "copied", "followed"));
      deployment.drop_database("followed");
      deployment.drop_database("copied");
    }
    report.add(followed);
    report.add(copied);
    report.compare("2", fmt::format("of COPY, {} objects", objects), followed, copied);
  }
}

}  // namespace hmsync::bench
