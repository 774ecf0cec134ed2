// Real metastores: how close the daemon comes to the bare cost of reading the same events.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::bench {

namespace {

using fixtures::MiniHmsync;
using integration::Deployment;

/// A daemon that has followed the metastore so far, and is paused.
std::unique_ptr<MiniHmsync> paused_daemon(Deployment& deployment, int number) {
  auto options = deployment.daemon_options();
  const std::string database = "bench" + std::to_string(number);
  deployment.pg().create_database(database);
  options.dsn = deployment.pg().dsn(database);
  auto daemon = std::make_unique<MiniHmsync>(options);
  daemon->await_ready();
  run_verb(*daemon, {"wait"});
  run_verb(*daemon, {"pause"});
  return daemon;
}

double bare_read(const std::string& uri, int64_t after, int64_t head, int32_t batch) {
  hmsclient::Options options;
  options.uris = {uri};
  hmsclient::Client client(options);
  hmsclient::NotificationReader reader(client);
  const auto begun = std::chrono::steady_clock::now();
  while (after < head) {
    const auto page = reader.events({after, batch, int64_t{1} << 30});
    if (page.events.empty()) throw std::runtime_error("the log has a hole");
    after = page.events.back().id;
  }
  return seconds_since(begun);
}

void measure_version(Report& report, const Size& size, const std::string& version) {
  Deployment deployment({.version = version, .backend = fixtures::MiniHms::Backend::postgres});
  std::vector<std::unique_ptr<MiniHmsync>> daemons;
  for (int i = 0; i < size.rounds; ++i) daemons.push_back(paused_daemon(deployment, i));
  const int64_t from = integration::status_of(*daemons.front()).cursor;
  const fixtures::PrivateFolder folder("bench");
  integration::DdlWorkload workload(deployment.hms().uri(), folder.path(), 8, 1);
  if (version.starts_with("4.")) workload.make_insert_only_tables();
  hmsclient::Options options;
  options.uris = {deployment.hms().uri()};
  hmsclient::Client client(options);
  hmsclient::NotificationReader log(client);
  workload.start();
  const auto made = [&] { return log.head() >= from + size.of(100'000) || workload.has_failed(); };
  if (!fixtures::eventually(std::chrono::hours(1), made) || workload.has_failed()) {
    throw std::runtime_error("the workload did not make its events");
  }
  workload.stop();
  const int64_t head = log.head();
  const auto events = static_cast<double>(head - from);

  Figure bare{"1", "bare read of a " + version, "events/s", {}};
  Figure followed{"1", "followed, a " + version, "events/s", {}};
  int32_t best = 0;
  for (const int32_t batch : {1'000, 10'000, 100'000}) {
    const double rate = events / bare_read(deployment.hms().uri(), from, head, batch);
    report.add(
        {"1", fmt::format("bare read of a {}, {} at a time", version, batch), "events/s", {rate}});
    if (bare.values.empty() || rate > bare.values.front()) {
      bare.values = {rate};
      best = batch;
    }
  }
  bare.values.clear();
  for (const auto& daemon : daemons) {
    bare.values.push_back(events / bare_read(deployment.hms().uri(), from, head, best));
    followed.values.push_back(events / seconds_to_catch_up(*daemon, head));
    daemon->terminate();
  }
  report.add(bare);
  report.add(followed);
  report.compare("1", "time against the bare read, a " + version, bare, followed);
}

}  // namespace

void measure_follow(Report& report, const Size& size) {
  for (const char* version : {"3.1.3", "4.0.1"}) measure_version(report, size, version);
}

}  // namespace hmsync::bench
