// 1,000 random statements from 8 clients, grants on a fifth of the tables, the first snapshot taken
// under that load: in the end the store equals the metastore, and the grants equal the model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using std::chrono::seconds;

/// "Begun at event B ..., published at event P" of the first snapshot, as the log tells.
int64_t events_within_first_snapshot(const fixtures::MiniHmsync& daemon) {
  const std::regex line(R"(snapshot was published.*begun_at=(\d+).*event=(\d+))");
  std::smatch match;
  const std::string log = daemon.log();
  if (!std::regex_search(log, match, line)) return -1;
  return std::stoll(match[2]) - std::stoll(match[1]);
}

TEST(Load, ASnapshotUnderLoadAndAThousandStatementsAreFollowedExactly) {
  const fixtures::PrivateFolder folder("load");
  Deployment deployment;
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  DdlWorkload workload(deployment.hms().uri(), folder.path(), 8, seed);
  workload.start(1000);
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
  ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(daemon).cursor >= 0; }));
  EXPECT_GT(events_within_first_snapshot(daemon), 30);

  ASSERT_EQ(daemon.ctl({"role", "create", "reader"}).exit, 0);
  workload.give_grants([&](const std::string& table) {
    const auto result = daemon.ctl({"grant", "reader", "SELECT", table});
    if (result.exit != 0) throw std::runtime_error(table + ": " + result.err);
  });
  workload.join();
  EXPECT_TRUE(workload.failures().empty()) << testing::PrintToString(workload.failures());
  ASSERT_GE(workload.statements(), 1000);

  ASSERT_NO_FATAL_FAILURE(wait_until_readable(daemon));
  expect_export_equals_metastore(daemon, deployment.ddl());
  const std::set<std::string> granted = workload.granted();
  EXPECT_GT(granted.size(), 3u);
  EXPECT_EQ(granted_tables(deployment), granted);
  const Status status = status_of(daemon);
  EXPECT_EQ(status.quarantined, 0);
  expect_no_difference(daemon);
}

}  // namespace
}  // namespace hmsync::integration
