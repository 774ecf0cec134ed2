#include <fmt/format.h>

#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"
#include "tests/fixtures/process_figures.h"

namespace hmsync::bench {

namespace {

processor::Table partitioned(const std::string& name) {
  processor::Table table = table_named(name, 1);
  table.partition_keys = {"day"};
  return table;
}

std::vector<processor::Partition> partitions_of(const processor::Table& table, int64_t from,
                                                int64_t to) {
  std::vector<processor::Partition> made;
  for (int64_t i = from; i < to; ++i) {
    const std::string value = day(i);
    made.push_back({{value}, at("/sales.db/" + table.name.table + "/day=" + value)});
  }
  return made;
}

/// Follows `log` on from the end of what the daemon has, and counts what that took.
class Run {
 public:
  Run(Report& report, MemoryDeployment& deployment, const fixtures::MiniHmsync& daemon)
      : report_(report), deployment_(deployment), daemon_(daemon) {}

  void operator()(const std::string& what, const EventLog& log, int64_t rows) {
    const double trips = daemon_.metric("hmsync_store_round_trips_total");
    const double applied = daemon_.metric("hmsync_batch_apply_duration_seconds_count");
    run_verb(daemon_, {"pause"});
    deployment_.hms().set_events(log.events());
    const double seconds = seconds_to_catch_up(daemon_, log.last());
    report_.add({"3", what, "rows/s", {static_cast<double>(rows) / seconds}});
    report_.add({"3", what + ": seconds", "s", {seconds}});
    // Each call's answer is at most a batch, and each batch a few round trips.
    const double batches = daemon_.metric("hmsync_batch_apply_duration_seconds_count") - applied;
    report_.expect_at_most({"3",
                            what + ": round trips of a batch, orders and waiting included",
                            "",
                            {(daemon_.metric("hmsync_store_round_trips_total") - trips) / batches}},
                           20);
    report_.expect_at_most({"3",
                            what + ": peak memory of the daemon",
                            "MiB",
                            {static_cast<double>(fixtures::peak_kilobytes(daemon_.pid())) / 1024}},
                           400);
  }

 private:
  Report& report_;
  MemoryDeployment& deployment_;
  const fixtures::MiniHmsync& daemon_;
};

}  // namespace

void measure_partitions(Report& report, const Size& size) {
  MemoryDeployment deployment;
  EventLog log;
  const processor::Table wide = partitioned("wide");
  const processor::Table narrow = partitioned("narrow");
  const processor::Table huge = partitioned("huge");
  for (const auto& table : {wide, narrow, huge}) {
    deployment.hms().put(table);
    log.create_table(table);
  }
  const int64_t many = size.of(1'000'000);
  deployment.hms().generate(huge.name, many, day);
  deployment.hms().set_events(log.events());
  const auto daemon = deployment.start_daemon("partitions");
  await_event(*daemon, log.last());

  Run run(report, deployment, *daemon);
  const int64_t ten_thousand = size.of(10'000);
  log.add_partitions(wide, partitions_of(wide, 0, ten_thousand));
  run("an event with 10,000 partitions", log, ten_thousand);
  log.add_partitions(wide, partitions_of(wide, ten_thousand, 5 * ten_thousand));
  run("an event with 40,000 partitions", log, 4 * ten_thousand);
  const int64_t single = size.of(100'000);
  for (const auto& partition : partitions_of(narrow, 0, single)) {
    log.add_partitions(narrow, {partition});
  }
  run("100,000 events with a partition each", log, single);
  log.drop_table(huge);
  run("a drop of a table with 1,000,000 partitions", log, many);
}

}  // namespace hmsync::bench
