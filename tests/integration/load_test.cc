// 1,000 random statements or more from 8 clients, grants on a fifth of the tables, the first
// snapshot taken under that load: in the end the store equals the metastore, and the grants equal
// the model. Where the metastore gives several events one id it goes on until many did.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using std::chrono::seconds;

struct Snapshot {
  int64_t begun_at = 0;
  int64_t event = 0;
};

/// The first one, as the log tells.
std::optional<Snapshot> first_snapshot(const fixtures::MiniHmsync& daemon) {
  const std::regex line(R"(snapshot was published.*begun_at=(\d+).*event=(\d+))");
  std::smatch match;
  const std::string log = daemon.log();
  if (!std::regex_search(log, match, line)) return std::nullopt;
  return Snapshot{std::stoll(match[1]), std::stoll(match[2])};
}

/// How many of the metastore's events have an id that another one has too.
int64_t events_that_share_ids(const std::string& uri) {
  hmsclient::Options options;
  options.uris = {uri};
  hmsclient::Client client(options);
  hmsclient::NotificationReader log(client);
  std::map<int64_t, int64_t> events;
  // In one page: the next would begin after the last id, whose other events it would not have.
  const auto page = log.events({.max_events = 1'000'000, .max_bytes = int64_t{1} << 30});
  for (const processor::Event& event : page.events) ++events[event.id];
  int64_t sharing = 0;
  for (const auto& [id, count] : events) sharing += count > 1 ? count : 0;
  return sharing;
}

struct Variant {
  const char* name;
  fixtures::MiniHms::Options metastore;
  bool shares_ids = false;
};

std::vector<Variant> variants() {
  const auto derby = fixtures::MiniHms::Backend::derby;
  const auto postgres = fixtures::MiniHms::Backend::postgres;
  return {{"Hive2_3_10OnPostgres", {.version = "2.3.10", .backend = postgres}, true},
          {"Hive3_1_3OnDerby", {.version = "3.1.3", .backend = derby}, true},
          {"Hive3_1_3OnPostgres", {.version = "3.1.3", .backend = postgres}},
          {"Hive4_0_1WithGzipOnPostgres",
           {.version = "4.0.1", .backend = postgres, .gzip_messages = true}}};
}

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Load : public testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(, Load, testing::ValuesIn(variants()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Load, ASnapshotUnderLoadAndAThousandStatementsAreFollowedExactly) {
  const fixtures::PrivateFolder folder("load");
  Deployment deployment(GetParam().metastore);
  const std::string uri = deployment.hms().uri();
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  // 2.3 makes the row of its counter with its first event. Several first events at once make
  // several rows, and its head then jumps between them for ever.
  deployment.ddl().create_database({"first"});
  DdlWorkload workload(uri, folder.path(), 8, seed);
  if (GetParam().metastore.version == "4.0.1") workload.make_insert_only_tables();
  workload.start();
  ASSERT_TRUE(eventually(seconds(60), [&] { return workload.statements() > 150; }));

  auto options = deployment.daemon_options();
  options.lease = "30s";  // it is stopped for a while below, and must still lead
  options.settings = {"metastore.snapshot_connections=1"};
  fixtures::MiniHmsync daemon(options);
  ASSERT_TRUE(eventually(seconds(30), [&] { return status_of(daemon).phase == "snapshot"; }));
  daemon.pause();
  const int64_t then = workload.statements();
  EXPECT_TRUE(eventually(seconds(30), [&] { return workload.statements() > then + 60; }));
  daemon.resume();
  ASSERT_TRUE(eventually(seconds(240), [&] { return status_of(daemon).cursor >= 0; }));
  const auto snapshot = first_snapshot(daemon);
  ASSERT_TRUE(snapshot);
  EXPECT_GT(snapshot->event - snapshot->begun_at, 30);

  ASSERT_EQ(daemon.ctl({"role", "create", "reader"}).exit, 0);
  workload.give_grants([&](const std::string& table) {
    const auto result = daemon.ctl({"grant", "reader", "SELECT", table});
    if (result.exit != 0) throw std::runtime_error(table + ": " + result.err);
  });
  const auto enough = [&] {
    return workload.statements() >= 1000 && workload.grants() > 20 &&
           (!GetParam().shares_ids || events_that_share_ids(uri) > 200);
  };
  EXPECT_TRUE(eventually(seconds(300), [&] { return enough() || workload.has_failed(); }));
  workload.stop();
  ASSERT_TRUE(workload.failures().empty()) << testing::PrintToString(workload.failures());
  EXPECT_TRUE(enough()) << workload.statements() << " statements";
  if (!GetParam().shares_ids) {
    EXPECT_EQ(events_that_share_ids(uri), 0);
  }

  ASSERT_NO_FATAL_FAILURE(wait_until_readable(daemon));
  expect_export_equals_metastore(daemon, deployment.ddl());
  const std::set<std::string> granted = workload.granted();
  EXPECT_GT(granted.size(), 3u);
  EXPECT_EQ(granted_tables(deployment), granted);
  const Status status = status_of(daemon);
  EXPECT_EQ(status.quarantined, 0);
  if (!GetParam().shares_ids) {
    EXPECT_EQ(status.applied + status.ignored + status.quarantined,
              status.cursor - snapshot->event);
  }
  expect_no_difference(daemon);
}

}  // namespace
}  // namespace hmsync::integration
