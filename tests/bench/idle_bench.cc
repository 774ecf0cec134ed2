#include <fmt/format.h>

#include <thread>

#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"
#include "tests/fixtures/process_figures.h"

namespace hmsync::bench {

// What a daemon costs that has nothing to do. The first fifteen seconds are not idle: what has just
// been seen is looked at again.
void measure_idle(Report& report, const Size& size) {
  MemoryDeployment deployment;
  const EventLog log = log_of_one_table(deployment);
  const auto daemon = deployment.start_daemon("idle");
  await_event(*daemon, log.last());
  std::this_thread::sleep_for(std::chrono::seconds(15));

  const std::string polls = "hmsync_poll_duration_seconds_count";
  const std::string trips = "hmsync_store_round_trips_total";
  const std::string calls = "hmsync_metastore_calls_total";
  const double polls_before = daemon->metric(polls);
  const double trips_before = daemon->metric(trips);
  const double calls_before = daemon->metric(calls);
  const double processor = fixtures::processor_seconds(daemon->pid());
  const auto begun = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(size.quick ? 5 : 60));
  const double used = fixtures::processor_seconds(daemon->pid()) - processor;
  const double polled = daemon->metric(polls) - polls_before;
  if (polled == 0) throw std::runtime_error("the daemon does not poll: " + daemon->log());
  report.add({"9", "idle: of one core", "%", {100 * used / seconds_since(begun)}});
  report.expect_at_most({"9",
                         "idle: resident memory",
                         "MiB",
                         {static_cast<double>(fixtures::resident_kilobytes(daemon->pid())) / 1024}},
                        40);
  // At either end one may have been under way.
  const double calls_made = daemon->metric(calls) - calls_before;
  report.expect_at_most({"9", "idle: calls of a poll", "", {(calls_made - 2) / polled}}, 1);
  const double trips_made = daemon->metric(trips) - trips_before;
  report.expect_at_most(
      {"9", "idle: round trips of a poll, its lease included", "", {(trips_made - 2) / polled}},
      2.5);
}

}  // namespace hmsync::bench
