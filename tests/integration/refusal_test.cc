// What cannot work is said in one clear sentence: with a non-zero exit where only a person can
// help, with another try where time may.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "tests/fixtures/child_process.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/free_port.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using fixtures::CommandResult;
using fixtures::eventually;
using fixtures::MiniHmsync;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;

CommandResult run_daemon(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{fixtures::build_folder() / "daemon/hmsyncd"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return fixtures::run({command}, seconds(30));
}

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Refusal, AWrongConfigurationNamesFileLineKeyAndTheNearestKey) {
  fixtures::PrivateFolder folder("refusal");
  const std::string file = folder.path() / "hmsync.toml";
  std::ofstream(file) << "[metastore]\npoll_intervall = \"500ms\"\n";
  for (const char* option : {"--check-config", "--print-config"}) {
    const auto result = run_daemon({"--config", file, option});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr(file + ":2"), HasSubstr("metastore.poll_intervall"),
                                  HasSubstr("poll_interval")));
    EXPECT_EQ(lines(result.err), 1u) << result.err;
  }
  const auto started = run_daemon({"--config", file});
  EXPECT_EQ(started.exit, 1);
  EXPECT_THAT(started.err, HasSubstr("metastore.poll_intervall"));
}

TEST(Refusal, AMissingConfigurationFileIsOneSentence) {
  const auto result = run_daemon({"--config", "/nowhere/hmsync.toml"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.err, HasSubstr("/nowhere/hmsync.toml"));
  EXPECT_EQ(lines(result.err), 1u) << result.err;
}

class RefusalByService : public testing::Test {
 protected:
  static void SetUpTestSuite() { deployment_ = std::make_unique<Deployment>(); }
  static void TearDownTestSuite() { deployment_.reset(); }

  static std::unique_ptr<Deployment> deployment_;
};

std::unique_ptr<Deployment> RefusalByService::deployment_;

TEST_F(RefusalByService, ASchemaNewerThanTheBinaryEndsIt) {
  deployment_->pg().create_database("newer");
  auto options = deployment_->daemon_options();
  options.dsn = deployment_->pg().dsn("newer");
  {
    MiniHmsync first(options);
    first.await_ready();
  }
  const std::string newest =
      deployment_->pg().query("SELECT max(version) FROM hmsync.schema_migrations", "newer");
  (void)deployment_->pg().query(
      "INSERT INTO hmsync.schema_migrations (version, name) VALUES (9999, 'of_the_future')",
      "newer");
  options.start = false;
  MiniHmsync daemon(options);
  daemon.launch();
  EXPECT_EQ(daemon.wait_for_exit(seconds(30)), 1);
  EXPECT_THAT(daemon.log(), AllOf(HasSubstr("9999"), HasSubstr(std::to_string(std::stoi(newest)))));
}

TEST_F(RefusalByService, ADatabaseThatDoesNotExistOrRefusesUsIsSaid) {
  auto options = deployment_->daemon_options();
  options.dsn = deployment_->pg().dsn("no_such_database");
  options.start = false;
  MiniHmsync daemon(options);
  daemon.launch();
  EXPECT_EQ(daemon.wait_for_exit(seconds(30)), 1);
  EXPECT_THAT(daemon.log(), HasSubstr("no_such_database"));
}

TEST_F(RefusalByService, ARoleThatMayNotEnterOrMayNotMakeTheSchemaEndsIt) {
  (void)deployment_->pg().query("CREATE ROLE powerless LOGIN");
  deployment_->pg().create_database("guarded");
  for (const std::string role : {"stranger", "powerless"}) {
    SCOPED_TRACE(role);
    auto options = deployment_->daemon_options();
    options.dsn = "host=127.0.0.1 port=" + std::to_string(deployment_->pg().port()) +
                  " dbname=guarded user=" + role;
    options.start = false;
    MiniHmsync daemon(options);
    daemon.launch();
    EXPECT_EQ(daemon.wait_for_exit(seconds(30)), 1) << daemon.log();
    EXPECT_THAT(daemon.log(), HasSubstr(role == "stranger" ? role : "permission denied"));
  }
}

TEST_F(RefusalByService, ADatabaseOutOfReachIsTriedAgainUntilItIsThere) {
  deployment_->pg().create_database("late");
  auto options = deployment_->daemon_options();
  options.dsn = deployment_->pg().dsn("late");
  deployment_->pg().stop();
  MiniHmsync daemon(options);
  ASSERT_TRUE(eventually(seconds(30), [&] { return !status_of(daemon).last_error.empty(); }))
      << daemon.log();
  EXPECT_THAT(status_of(daemon).problems, testing::Contains("store_unreachable"));
  EXPECT_EQ(daemon.get("/readyz").status, 503);
  deployment_->pg().start();
  ASSERT_TRUE(eventually(seconds(60), [&] { return status_of(daemon).cursor >= 0; }))
      << daemon.log();
}

TEST_F(RefusalByService, AMetastoreOutOfReachIsTriedAgain) {
  deployment_->pg().create_database("alone");
  auto options = deployment_->daemon_options();
  options.dsn = deployment_->pg().dsn("alone");
  options.metastores = {"thrift://127.0.0.1:" + std::to_string(fixtures::free_port())};
  MiniHmsync daemon(options);
  ASSERT_TRUE(eventually(seconds(30), [&] {
    const Status status = status_of(daemon);
    return std::find(status.problems.begin(), status.problems.end(), "metastore_unreachable") !=
           status.problems.end();
  })) << daemon.log();
  EXPECT_EQ(daemon.get("/livez").status, 200);
}

TEST_F(RefusalByService, AMetastoreThatForbidsItsLogIsSaidWithTheCure) {
  fixtures::MiniHms::Options forbidding;
  forbidding.backend = fixtures::MiniHms::Backend::postgres;
  forbidding.pg = &deployment_->pg();
  forbidding.database = "forbidding";
  forbidding.settings = {{"hive.metastore.event.db.notification.api.auth", "true"}};
  fixtures::MiniHms hms(forbidding);
  deployment_->pg().create_database("forbidden");
  auto options = deployment_->daemon_options();
  options.dsn = deployment_->pg().dsn("forbidden");
  options.metastores = {hms.uri()};
  MiniHmsync daemon(options);
  ASSERT_TRUE(eventually(seconds(30), [&] {
    const Status status = status_of(daemon);
    return std::find(status.problems.begin(), status.problems.end(), "metastore_not_authorised") !=
           status.problems.end();
  })) << daemon.log();
  EXPECT_THAT(status_of(daemon).last_error,
              HasSubstr("hive.metastore.event.db.notification.api.auth"));
}

}  // namespace
}  // namespace hmsync::integration
