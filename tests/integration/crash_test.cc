// kill -9, twenty times under load, ten of them at named points inside the daemon: nothing is lost
// and nothing is doubled.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using fixtures::MiniHmsync;
using std::chrono::seconds;

/// Whichever daemon runs now, for clients that grant while it is killed under them.
class CurrentDaemon {
 public:
  void set(std::shared_ptr<MiniHmsync> daemon) {
    const std::lock_guard lock(mutex_);
    daemon_ = std::move(daemon);
  }
  std::shared_ptr<MiniHmsync> get() {
    const std::lock_guard lock(mutex_);
    return daemon_;
  }
  /// Again and again, as a person would who got no answer.
  void grant(const std::string& table) {
    std::string reason;
    const bool granted = eventually(seconds(90), [&] {
      const auto daemon = get();
      if (!daemon) return false;
      const auto result = daemon->ctl({"grant", "reader", "SELECT", table});
      reason = result.err;
      return result.exit == 0;
    });
    if (!granted) throw std::runtime_error("grant on " + table + ": " + reason);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<MiniHmsync> daemon_;
};

TEST(Crash, TwentyKillsUnderLoadLoseAndDoubleNothing) {
  const fixtures::PrivateFolder folder("crash");
  Deployment deployment;
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  CurrentDaemon current;
  current.set(deployment.start_daemon());
  ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(*current.get()).cursor >= 0; }));
  ASSERT_EQ(current.get()->ctl({"role", "create", "reader"}).exit, 0);
  const Status begin = status_of(*current.get());

  DdlWorkload workload(deployment.hms().uri(), folder.path(), 4, seed);
  workload.give_grants([&](const std::string& table) { current.grant(table); });
  workload.start();

  const auto kill_at_random = [&] {
    const auto daemon = current.get();
    const int64_t from = status_of(*daemon).cursor;
    const auto some = static_cast<int64_t>(random() % 20 + 1);
    ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(*daemon).cursor >= from + some; }));
    daemon->kill();
    current.set(deployment.start_daemon());
  };
  const auto kill_at = [&](const std::string& point, int count) {
    SCOPED_TRACE(point);
    current.get()->kill();
    auto options = deployment.daemon_options();
    options.program = fixtures::build_folder() / "tests/integration/crashing_hmsyncd";
    options.environment["HMSYNC_CRASH_AT"] = fmt::format("{}:{}", point, count);
    const auto daemon = std::make_shared<MiniHmsync>(options);
    current.set(daemon);
    if (point.find("snapshot") != std::string::npos || point.find("staging") != std::string::npos) {
      daemon->await_ready();
      EXPECT_EQ(daemon->ctl({"resync", "--no-wait"}).exit, 0);
    }
    ASSERT_EQ(daemon->wait_for_exit(seconds(60)), -SIGKILL) << daemon->log();
    current.set(deployment.start_daemon());
  };

  const std::pair<const char*, int> points[] = {
      {"read_orders", 12},        {"read_events", 3},       {"apply_batch", 2},
      {"commit_sent", 3},         {"commit_sent", 6},       {"batch_applied", 4},
      {"stage_snapshot_page", 2}, {"replay_on_staging", 1}, {"publish_snapshot", 1},
      {"snapshot_published", 1},
  };
  for (const auto& [point, count] : points) {
    ASSERT_NO_FATAL_FAILURE(kill_at(point, count));
    ASSERT_NO_FATAL_FAILURE(kill_at_random());
  }

  workload.stop();
  EXPECT_TRUE(workload.failures().empty()) << testing::PrintToString(workload.failures());
  const auto daemon = current.get();
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon));
  expect_export_equals_metastore(*daemon, deployment.ddl());
  EXPECT_EQ(granted_tables(deployment), workload.granted());
  EXPECT_GT(workload.granted().size(), 0u);
  const Status end = status_of(*daemon);
  EXPECT_EQ(end.applied + end.ignored - begin.applied - begin.ignored, end.cursor - begin.cursor)
      << "each event counts once";
  EXPECT_EQ(end.quarantined, 0);
  expect_no_difference(*daemon);
}

}  // namespace
}  // namespace hmsync::integration
