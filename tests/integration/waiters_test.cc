// 2,000 that wait at a leader and a standby while the metastore is changed: each is released only
// when it can read what it waits for, and none is left behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "store/connection.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"
#include "tests/integration/wait_crowd.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using fixtures::MiniHmsync;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int kWaiters = 2000;
constexpr int kTables = 100;
constexpr milliseconds kLong = std::chrono::minutes(10);

/// Asks the metastore for its head, on a connection of its own.
class Head {
 public:
  explicit Head(const std::string& uri) : client_(options(uri)), log_(client_) {}
  int64_t now() { return log_.head(); }

 private:
  static hmsclient::Options options(const std::string& uri) {
    hmsclient::Options options;
    options.uris = {uri};
    return options;
  }

  hmsclient::Client client_;
  hmsclient::NotificationReader log_;
};

class Waiting : public testing::TestWithParam<const char*> {
 protected:
  Waiting()
      : deployment_({.version = GetParam(), .backend = fixtures::MiniHms::Backend::postgres}),
        workload_(deployment_.hms().uri(), folder_.path(), 4, 11),
        head_(deployment_.hms().uri()),
        store_(reader_options(deployment_.dsn())) {
    for (auto& daemon : daemons_) {
      auto options = deployment_.daemon_options();
      // Small batches: the releases come one after the other.
      options.settings = {"metastore.batch_events=25", "metastore.gap_grace=1s",
                          "metastore.settle=2s"};
      daemon = std::make_unique<MiniHmsync>(options);
      daemon->await_ready();
    }
    deployment_.ddl().create_database({"seen"});
  }

  static store::ConnectionOptions reader_options(const std::string& dsn) {
    store::ConnectionOptions options;
    options.dsn = dsn;
    return options;
  }

  /// What the two together say in their metric.
  int64_t waiters() {
    double sum = 0;
    for (const auto& daemon : daemons_) sum += daemon->metric("hmsync_waiters");
    return static_cast<int64_t>(sum);
  }
  /// Until the two count so many, and as many are left; answers that come meanwhile are passed to
  /// `answered`.
  template <typename Answered>
  void run_until(int64_t count, const Answered& answered) {
    const auto end = Clock::now() + seconds(60);
    int64_t counted = -1;
    while (((counted = waiters()) != count || static_cast<int64_t>(crowd_.waiting()) != count) &&
           Clock::now() < end) {
      for (const size_t waiter : crowd_.run(milliseconds(50))) answered(waiter);
    }
    ASSERT_EQ(counted, count);
    ASSERT_EQ(crowd_.waiting(), static_cast<size_t>(count));
  }

  static std::string table(int number) { return fmt::format("t{}", number % kTables); }

  /// Makes the tables; the head after each.
  std::vector<int64_t> create_tables() {
    std::vector<int64_t> heads;
    for (int i = 0; i < kTables; ++i) {
      hmsclient::TableSpec spec;
      spec.database = "seen";
      spec.table = table(i);
      deployment_.ddl().create_table(spec);
      heads.push_back(head_.now());
    }
    return heads;
  }

  /// Whoever was just released must be able to read its table now.
  void expect_readable(const std::vector<size_t>& released) {
    std::set<std::string> tables;
    for (const size_t waiter : released) {
      const WaitCrowd::Answer& answer = crowd_.answer(waiter);
      EXPECT_EQ(answer.status, 200) << answer.body;
      EXPECT_THAT(answer.body, HasSubstr(R"("reached":true)"));
      tables.insert(table(static_cast<int>(waiter) / 2));
    }
    const std::vector<std::string> wanted(tables.begin(), tables.end());
    const auto rows = store_.query(
        "SELECT count(*) FROM v1_tables WHERE database = 'seen' AND \"table\" = ANY($1)",
        {store::text_array(wanted)});
    EXPECT_EQ(rows.integer(0, 0), static_cast<int64_t>(wanted.size()));
  }

  const fixtures::PrivateFolder folder_{"waiters"};
  Deployment deployment_;
  DdlWorkload workload_;
  Head head_;
  store::Connection store_;
  std::array<std::unique_ptr<MiniHmsync>, 2> daemons_;
  WaitCrowd crowd_;
};

// 2.3.10 tells no identity of its database and gives several events one id.
INSTANTIATE_TEST_SUITE_P(, Waiting, testing::Values("3.1.3", "2.3.10"), [](const auto& instance) {
  return std::string(instance.param) == "3.1.3" ? "OnUniqueIds" : "OnSharedIds";
});

TEST_P(Waiting, ThousandsAreReleasedWhenTheirEffectsAreReadableAndNoneIsLeftBehind) {
  workload_.start();
  ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(*daemons_[0]).cursor > 30; }));
  // While nothing is applied all of them wait at the same time.
  ASSERT_EQ(daemons_[0]->ctl({"pause"}).exit, 0);
  ASSERT_TRUE(eventually(seconds(30), [&] {
    return status_of(*daemons_[0]).phase == "paused" || status_of(*daemons_[1]).phase == "paused";
  }));
  const std::vector<int64_t> heads = create_tables();
  // Of ten one goes away, and one has little time.
  const auto leaves = [](int i) { return i % 10 == 8; };
  const auto hurries = [](int i) { return i % 10 == 9; };
  for (int i = 0; i < kWaiters; ++i) {
    crowd_.wait(daemons_[static_cast<size_t>(i % 2)]->admin_port(),
                heads[static_cast<size_t>(i / 2 % kTables)], hurries(i) ? seconds(5) : kLong);
  }
  int hurried = 0;
  const auto timed_out = [&](size_t waiter) {
    EXPECT_TRUE(hurries(static_cast<int>(waiter))) << crowd_.answer(waiter).body;
    EXPECT_THAT(crowd_.answer(waiter).body, HasSubstr(R"("reached":false)"));
    ++hurried;
  };
  ASSERT_NO_FATAL_FAILURE(run_until(kWaiters * 9 / 10, timed_out));
  EXPECT_EQ(hurried, kWaiters / 10);
  for (int i = 0; i < kWaiters; ++i) {
    if (leaves(i)) crowd_.leave(static_cast<size_t>(i));
  }
  ASSERT_NO_FATAL_FAILURE(run_until(kWaiters * 8 / 10, timed_out));

  const int64_t statements = workload_.statements();
  ASSERT_EQ(daemons_[1]->ctl({"resume"}).exit, 0);
  size_t bursts = 0;
  const auto resumed = Clock::now();
  const auto end = resumed + seconds(180);
  while (crowd_.waiting() > 0 && Clock::now() < end) {
    const std::vector<size_t> released = crowd_.run(milliseconds(200));
    if (released.empty()) continue;
    expect_readable(released);
    ++bursts;
  }
  EXPECT_EQ(crowd_.waiting(), 0U);
  fmt::print("all were released {:.1f} s after the pause of {} events\n",
             std::chrono::duration<double>(Clock::now() - resumed).count(),
             heads.back() - heads.front());
  // Where ids may be shared they wait for one and the same look at the log, and are released by it.
  if (std::string(GetParam()) == "3.1.3") {
    EXPECT_GT(bursts, 5U) << "all at once shows little";
  }
  EXPECT_TRUE(eventually(seconds(30), [&] { return waiters() == 0; }));
  EXPECT_GT(workload_.statements(), statements) << "there was no load";
  workload_.stop();
}

TEST_P(Waiting, WhoWaitsInAHistoryThatIsResetIsToldSo) {
  for (const auto& daemon : daemons_) ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon));
  const int64_t far = head_.now() + 1'000'000;
  for (int i = 0; i < 200; ++i) {
    crowd_.wait(daemons_[static_cast<size_t>(i % 2)]->admin_port(), far, kLong);
  }
  const auto nobody = [&](size_t waiter) { ADD_FAILURE() << crowd_.answer(waiter).body; };
  ASSERT_NO_FATAL_FAILURE(run_until(200, nobody));
  (void)deployment_.pg().query(
      "DELETE FROM \"NOTIFICATION_LOG\"; UPDATE \"NOTIFICATION_SEQUENCE\" SET \"NEXT_EVENT_ID\" = "
      "1",
      "hms");
  hmsclient::TableSpec spec;
  spec.database = "seen";
  spec.table = "first";
  deployment_.ddl().create_table(spec);
  int told = 0;
  const auto end = Clock::now() + seconds(60);
  while (crowd_.waiting() > 0 && Clock::now() < end) {
    for (const size_t waiter : crowd_.run(milliseconds(200))) {
      EXPECT_EQ(crowd_.answer(waiter).status, 409) << crowd_.answer(waiter).body;
      EXPECT_THAT(crowd_.answer(waiter).body, HasSubstr("reset"));
      ++told;
    }
  }
  EXPECT_EQ(told, 200);
  EXPECT_TRUE(eventually(seconds(30), [&] { return waiters() == 0; }));
}

}  // namespace
}  // namespace hmsync::integration
