// How close the daemon comes to the bare cost of reading the same events from the same metastore,
// and how long a change takes until it can be read. Printed, never asserted: machines are noisy, so
// only figures of one run are to be compared.
//
//   follow_bench [STATEMENTS [RUNS [SAMPLES]]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::bench {
namespace {

using Clock = std::chrono::steady_clock;
using fixtures::MiniHmsync;
using integration::Deployment;
using integration::status_of;
using std::chrono::seconds;

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

double at_share(std::vector<double> figures, double share) {
  std::sort(figures.begin(), figures.end());
  const auto last = static_cast<double>(figures.size() - 1);
  return figures[static_cast<size_t>(share * last + 0.5)];
}

void print_rate(const std::string& what, const std::vector<double>& took, int64_t events) {
  const auto count = static_cast<double>(events);
  fmt::print("{:<34} {:>9.0f} {:>9.0f} {:>9.0f}  events/s (minimum, median, maximum of {})\n", what,
             count / at_share(took, 1), count / at_share(took, 0.5), count / at_share(took, 0),
             took.size());
}

/// A daemon that has followed the metastore so far, and is paused.
std::unique_ptr<MiniHmsync> paused_daemon(Deployment& deployment, int number) {
  auto options = deployment.daemon_options();
  const std::string database = "bench" + std::to_string(number);
  deployment.pg().create_database(database);
  options.dsn = deployment.pg().dsn(database);
  options.poll_interval = "10ms";
  auto daemon = std::make_unique<MiniHmsync>(options);
  if (!fixtures::eventually(seconds(60), [&] { return status_of(*daemon).cursor >= 0; }) ||
      daemon->ctl({"pause"}).exit != 0) {
    throw std::runtime_error("a daemon did not follow: " + daemon->log());
  }
  return daemon;
}

double bare_read(const std::string& uri, int64_t after, int64_t head) {
  hmsclient::Options options;
  options.uris = {uri};
  hmsclient::Client client(options);
  hmsclient::NotificationReader reader(client);
  const auto begun = Clock::now();
  while (after < head) {
    const auto page = reader.events({after, 10000, int64_t{32} << 20});
    if (page.events.empty()) throw std::runtime_error("the log has a hole");
    after = page.events.back().id;
  }
  return seconds_since(begun);
}

double catch_up(const MiniHmsync& daemon, int64_t head) {
  const auto begun = Clock::now();
  if (daemon.ctl({"resume"}).exit != 0 || daemon.ctl({"wait", std::to_string(head)}).exit != 0) {
    throw std::runtime_error("the daemon did not catch up: " + daemon.log());
  }
  return seconds_since(begun);
}

void measure_rate(Deployment& deployment, int64_t statements, int runs) {
  std::vector<std::unique_ptr<MiniHmsync>> daemons;
  for (int i = 0; i < runs; ++i) daemons.push_back(paused_daemon(deployment, i));
  const int64_t from = status_of(*daemons.front()).cursor;
  const fixtures::PrivateFolder folder("bench");
  integration::DdlWorkload workload(deployment.hms().uri(), folder.path(), 8, 1);
  workload.start(statements);
  workload.join();
  hmsclient::Options options;
  options.uris = {deployment.hms().uri()};
  hmsclient::Client client(options);
  const int64_t head = hmsclient::NotificationReader(client).head();

  std::vector<double> bare;
  std::vector<double> followed;
  for (const auto& daemon : daemons) {
    bare.push_back(bare_read(deployment.hms().uri(), from, head));
    followed.push_back(catch_up(*daemon, head));
    daemon->terminate();
  }
  fmt::print("{} events of a real 3.1.3 on PostgreSQL\n", head - from);
  print_rate("bare read", bare, head - from);
  print_rate("read, decoded, stored, acknowledged", followed, head - from);
  fmt::print("{:<34} {:>9.2f}  (median)\n", "time against the bare read",
             at_share(followed, 0.5) / at_share(bare, 0.5));
}

void measure_latency(Deployment& deployment, int samples) {
  auto options = deployment.daemon_options();
  options.poll_interval = "500ms";
  MiniHmsync daemon(options);
  if (daemon.ctl({"wait"}).exit != 0) throw std::runtime_error(daemon.log());
  std::vector<double> took;
  deployment.ddl().create_database({"latency"});
  std::mt19937 random(1);
  int tables = 0;
  const auto create_table = [&] {
    hmsclient::TableSpec table;
    table.database = "latency";
    table.table = "t" + std::to_string(tables++);
    deployment.ddl().create_table(table);
  };
  for (int i = 0; i < samples; ++i) {
    // Each wait ends just after a poll; a random number of statements before the one that is
    // measured puts it anywhere between two.
    for (uint32_t before = random() % 20; before > 0; --before) create_table();
    create_table();
    const auto begun = Clock::now();
    const auto answer = daemon.get("/v1/wait?timeout_ms=10000");
    if (answer.status != 200 || answer.body.find("\"reached\":true") == std::string::npos) {
      throw std::runtime_error("wait: " + answer.body);
    }
    took.push_back(seconds_since(begun) * 1000);
  }
  fmt::print("DDL answered to readable, 500 ms poll: p50 {:.0f} ms, p99 {:.0f} ms, {} samples\n",
             at_share(took, 0.5), at_share(took, 0.99), samples);
}

}  // namespace
}  // namespace hmsync::bench

int main(int argc, char** argv) {
  const auto argument = [&](int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
  };
  try {
    hmsync::integration::Deployment deployment;
    hmsync::bench::measure_rate(deployment, argument(1, 2000), argument(2, 5));
    hmsync::bench::measure_latency(deployment, argument(3, 40));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
