// A metastore that is empty, another one, or shows less than it has: nothing of what is stored is
// removed or suspended for that, unless somebody says --force.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "processor/error.h"
#include "tests/fixtures/eventually.h"
#include "tests/integration/oddities.h"

namespace hmsync::integration {
namespace {

using fixtures::eventually;
using fixtures::MiniHms;
using fixtures::MiniHmsync;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr int kTables = 5;  ///< of each database

/// One metastore, with the databases sales and hr; a store and a daemon for each test.
class Guard : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    deployment_ = std::make_unique<Deployment>();
    for (const char* database : {"sales", "hr"}) {
      ddl().create_database({database});
      for (int i = 0; i < kTables; ++i) create(database, fmt::format("t{}", i));
    }
  }
  static void TearDownTestSuite() { deployment_.reset(); }

  void SetUp() override {
    (void)deployment_->sql("DROP SCHEMA IF EXISTS hmsync CASCADE");
    start({deployment_->hms().uri()});
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    done(*daemon_, {"role", "create", "analyst"});
    for (const char* object : {"sales.t0", "hr", "hr.t0", "hr.t0.id"}) {
      done(*daemon_, {"grant", "analyst", "SELECT", object});
    }
    objects_ = exported(*daemon_, {"database", "table"});
    ASSERT_EQ(objects_.size(), 3 + 2 * kTables);
  }

  /// For the next test, whatever became of this one.
  void TearDown() override {
    daemon_.reset();
    if (deployment_->pg().query("SELECT 1 FROM pg_database WHERE datname = 'kept'") == "1\n") {
      put_right_metastore();
    }
    if (!hms().running()) start_metastore();
    if (deployment_->pg().query("SELECT to_regclass('\"DBS_ALL\"') IS NULL", "hms") == "f\n") {
      show_hr();
    }
  }

  void start(const std::vector<std::string>& metastores,
             const std::vector<std::string>& settings = {"metastore.gap_grace=2s"}) {
    daemon_.reset();
    auto options = deployment_->daemon_options();
    options.metastores = metastores;
    options.settings = settings;
    options.settings.emplace_back("metastore.settle=1s");
    daemon_ = std::make_unique<MiniHmsync>(options);
    daemon_->await_ready();
  }

  static hmsclient::DdlClient& ddl() { return deployment_->ddl(); }

  static void create(const std::string& database, const std::string& table) {
    ddl().create_table({.database = database, .table = table});
  }

  static MiniHms& hms() { return deployment_->hms(); }

  /// Under the same address, from now on, a metastore without a past.
  static void put_fresh_metastore() {
    hms().stop();
    (void)deployment_->pg().query("ALTER DATABASE hms RENAME TO kept");
    deployment_->pg().create_database("hms");
    start_metastore();
  }
  static void put_right_metastore() {
    hms().stop();
    (void)deployment_->pg().query("DROP DATABASE hms");
    (void)deployment_->pg().query("ALTER DATABASE kept RENAME TO hms");
    start_metastore();
  }
  static void start_metastore() {
    hms().start();
    // The first call of a client whose connection is gone fails.
    ASSERT_TRUE(eventually(seconds(10), [] {
      try {
        return !ddl().databases().empty();
      } catch (const Error&) {
        return false;
      }
    }));
  }

  /// From the metastore's own sight.
  static void hide_hr() {
    (void)deployment_->pg().query(
        R"(BEGIN; ALTER TABLE "DBS" RENAME TO "DBS_ALL";
           CREATE VIEW "DBS" AS SELECT * FROM "DBS_ALL" WHERE "NAME" <> 'hr'; COMMIT)",
        "hms");
    ASSERT_THAT(ddl().databases(), ElementsAre("default", "sales"));
  }
  static void show_hr() {
    (void)deployment_->pg().query(
        R"(BEGIN; DROP VIEW "DBS"; ALTER TABLE "DBS_ALL" RENAME TO "DBS"; COMMIT)", "hms");
  }

  void expect_nothing_lost() const {
    EXPECT_EQ(exported(*daemon_, {"database", "table"}), objects_);
    expect_all_granted();
  }
  static void expect_all_granted() {
    EXPECT_THAT(grants_in(*deployment_),
                ElementsAre("hr SELECT", "hr.t0 SELECT", "hr.t0.id SELECT", "sales.t0 SELECT"));
    EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  }

  void await_phase(const std::string& phase, seconds deadline = seconds(60)) const {
    ASSERT_TRUE(eventually(deadline, [&] { return status_of(*daemon_).phase == phase; }))
        << status_of(*daemon_).phase << '\n'
        << daemon_->log().substr(std::max<size_t>(daemon_->log().size(), 3000) - 3000);
  }

  void expect_waiting_after_a_reset() const {
    await_phase("waiting");
    EXPECT_TRUE(eventually(seconds(20), [&] { return has_problem(*daemon_, "snapshot_refused"); }));
    EXPECT_THAT(status_of(*daemon_).problems, IsSupersetOf({"snapshot_refused", "history_lost"}));
    EXPECT_EQ(daemon_->metric("hmsync_problem", R"(code="snapshot_refused")"), 1);
    EXPECT_EQ(daemon_->metric("hmsync_event_resets_total"), 1);
    EXPECT_EQ(refusals("reset"), 1);
    EXPECT_THAT(daemon_->log(), AllOf(HasSubstr(" oddity=reset\n"),
                                      HasSubstr("a snapshot was refused reason=reset")));
    expect_audited_once("reset");
    expect_audited_once("refused");
    expect_nothing_lost();
  }

  [[nodiscard]] double refusals(const std::string& reason) const {
    return snapshots(reason, "refused");
  }
  [[nodiscard]] double snapshots(const std::string& reason, const std::string& outcome) const {
    return daemon_->metric("hmsync_snapshots_total",
                           fmt::format(R"(outcome="{}",reason="{}")", outcome, reason)) +
           daemon_->metric("hmsync_snapshots_total",
                           fmt::format(R"(reason="{}",outcome="{}")", reason, outcome));
  }

  static std::string audits(const std::string& action) {
    return deployment_->sql(
        "SELECT count(*) FROM hmsync.v1_audit WHERE server = 'server1' AND"
        " action = '" +
        action + "'");
  }
  /// What the loop notices is written with its next step, just after status and log have told it.
  static void expect_audited_once(const std::string& action) {
    EXPECT_TRUE(eventually(seconds(10), [&] { return audits(action) == "1"; }))
        << action << ": " << audits(action);
  }

  void expect_resync_refused(const std::string& why) const {
    const auto result = daemon_->ctl({"resync"});
    EXPECT_EQ(result.exit, 1) << result.out;
    EXPECT_THAT(result.err, HasSubstr(why));
  }

  /// Back from a trouble: by the events alone.
  void expect_followed_on(const std::vector<std::string>& problems = {}) const {
    EXPECT_EQ(audits("snapshot"), "1") << "the first one alone";
    EXPECT_EQ(deployment_->sql("SELECT generation FROM hmsync.v1_follower"
                               " WHERE server = 'server1'"),
              "0");
    create("sales", "back_again");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
    expect_all_granted();
    ddl().drop_table("sales", "back_again");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    EXPECT_EQ(status_of(*daemon_).problems, problems);
  }

  static std::unique_ptr<Deployment> deployment_;
  std::unique_ptr<MiniHmsync> daemon_;
  std::vector<std::string> objects_;  ///< as exported at the begin
};

std::unique_ptr<Deployment> Guard::deployment_;

TEST_F(Guard, AnEmptyMetastoreRemovesNothingAndTheRightOneIsFollowedOn) {
  put_fresh_metastore();
  expect_waiting_after_a_reset();
  expect_resync_refused("10 of 10 stored tables");
  EXPECT_EQ(daemon_->ctl({"grant", "analyst", "INSERT", "sales.t0"}).exit, 1)
      << "what the metastore does not have is not granted";
  expect_nothing_lost();
  {
    auto options = deployment_->daemon_options();
    options.server = "server2";
    MiniHmsync first_start(options);
    first_start.await_ready();
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(first_start));
    EXPECT_EQ(status_of(first_start).phase, "following") << "at first start an empty one is valid";
    EXPECT_THAT(exported(first_start, {"database", "table"}),
                ElementsAre(HasSubstr(R"("database":"default")")));
  }
  put_right_metastore();
  await_phase("following");
  expect_audited_once("recovered");
  EXPECT_THAT(daemon_->log(), HasSubstr(" oddity=recovered\n"));
  expect_followed_on();
}

TEST_F(Guard, AMuchSmallerMetastoreIsTakenOnlyByForce) {
  daemon_->pause();
  put_fresh_metastore();
  ddl().create_database({"sales"});
  create("sales", "t0");
  daemon_->resume();
  expect_waiting_after_a_reset();
  expect_resync_refused("10 of 10 stored tables");
  EXPECT_EQ(daemon_->ctl({"grant", "analyst", "INSERT", "sales.t0"}).exit, 1)
      << "the table of that name is another one's";
  expect_nothing_lost();
  const auto look = daemon_->ctl({"resync", "--dry-run", "--json"});
  EXPECT_EQ(look.exit, 0) << look.err;
  EXPECT_THAT(look.out, HasSubstr(R"("removed":{"databases":1,"tables":9,)"));
  expect_nothing_lost();

  done(*daemon_, {"resync", "--force"});
  await_phase("following");
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  expect_export_equals_metastore(*daemon_, ddl());
  EXPECT_THAT(grants_in(*deployment_), IsEmpty());
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"),
              ElementsAre("hr SELECT", "hr.t0 SELECT", "hr.t0.id SELECT", "sales.t0 SELECT"));
  EXPECT_TRUE(eventually(seconds(30), [&] { return has_problem(*daemon_, "suspended_grants"); }));
  EXPECT_EQ(daemon_->metric("hmsync_suspended_grants"), 4);
  EXPECT_FALSE(has_problem(*daemon_, "snapshot_refused"));
  EXPECT_EQ(deployment_->sql("SELECT count(*) FROM hmsync.v1_audit WHERE action = 'suspend'"), "4");

  put_right_metastore();
  await_phase("waiting");
  expect_resync_refused("1 of 1 stored tables");
  done(*daemon_, {"resync", "--force"});
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  expect_export_equals_metastore(*daemon_, ddl());
  done(*daemon_, {"suspended", "restore", "--all"});
  expect_all_granted();
}

TEST_F(Guard, OneOfTwoAddressesThatLeadsElsewhereIsNeverUsed) {
  MiniHms other;
  hmsclient::DdlClient elsewhere(other.uri());
  elsewhere.create_database({"sales"});
  elsewhere.create_table({.database = "sales", .table = "t0"});
  elsewhere.create_table({.database = "sales", .table = "alien"});
  for (const auto& addresses :
       {std::vector{other.uri(), hms().uri()}, std::vector{hms().uri(), other.uri()}}) {
    start(addresses, {"metastore.gap_grace=1h"});
    create("sales", "here");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
    EXPECT_THAT(done(*daemon_, {"status", "--json"}), HasSubstr(hms().uri()));
    EXPECT_EQ(has_problem(*daemon_, "another_metastore"), addresses.front() == other.uri())
        << "only an address that was tried is known to lead elsewhere";
    ddl().drop_table("sales", "here");
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_nothing_lost();
  }
  hms().stop();
  EXPECT_TRUE(eventually(seconds(60), [&] { return has_problem(*daemon_, "another_metastore"); }));
  EXPECT_EQ(daemon_->metric("hmsync_problem", R"(code="another_metastore")"), 1);
  EXPECT_THAT(daemon_->log(), HasSubstr("problem=another_metastore"));
  elsewhere.create_table({.database = "sales", .table = "alien2"});
  EXPECT_EQ(daemon_->ctl({"grant", "analyst", "SELECT", "sales.alien"}).exit, 1);
  expect_nothing_lost();
  start_metastore();
  EXPECT_TRUE(eventually(seconds(60), [&] { return daemon_->ctl({"wait"}).exit == 0; }));
  expect_followed_on({"another_metastore"});  // as long as an address leads elsewhere
}

TEST_F(Guard, TheRightOneOfTwoAddressesIsFoundAgainAfterAReset) {
  MiniHms other;
  start({hms().uri(), other.uri()});
  hms().stop();
  expect_waiting_after_a_reset();
  start_metastore();
  await_phase("following");
  expect_audited_once("recovered");
  expect_followed_on({"another_metastore"});
}

TEST_F(Guard, AListingThatHidesHalfTheDatabasesRemovesNothing) {
  ASSERT_NO_FATAL_FAILURE(hide_hr());
  expect_resync_refused("5 of 10 stored tables");
  EXPECT_TRUE(has_problem(*daemon_, "snapshot_refused"));
  EXPECT_EQ(daemon_->metric("hmsync_problem", R"(code="snapshot_refused")"), 1);
  EXPECT_EQ(refusals("resync"), 1);
  EXPECT_THAT(daemon_->log(), HasSubstr("a snapshot was refused reason=resync"));
  expect_audited_once("refused");
  EXPECT_EQ(status_of(*daemon_).phase, "following");
  const auto scoped = daemon_->ctl({"resync", "--database", "hr"});
  EXPECT_EQ(scoped.exit, 1) << scoped.out;
  expect_nothing_lost();
  create("sales", "meanwhile");
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  EXPECT_THAT(exported(*daemon_, {"table"}), Contains(HasSubstr(R"("table":"meanwhile")")));
  ddl().drop_table("sales", "meanwhile");

  show_hr();
  done(*daemon_, {"resync"});
  EXPECT_FALSE(has_problem(*daemon_, "snapshot_refused"));
  expect_nothing_lost();

  ASSERT_NO_FATAL_FAILURE(hide_hr());
  done(*daemon_, {"resync", "--force"});
  EXPECT_THAT(exported(*daemon_, {"database", "table"}),
              testing::Each(testing::Not(HasSubstr(R"("database":"hr")"))));
  EXPECT_THAT(grants_in(*deployment_), ElementsAre("sales.t0 SELECT"));
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"),
              ElementsAre("hr SELECT", "hr.t0 SELECT", "hr.t0.id SELECT"));
  show_hr();
  done(*daemon_, {"resync"});
  done(*daemon_, {"suspended", "restore", "--all"});
  expect_nothing_lost();
}

TEST_F(Guard, WhatASweepDoesNotFindAnyMoreStaysAndHoldsUpNothing) {
  start({hms().uri()}, {"metastore.sweep_interval=1s", "metastore.sweep_tables_per_second=20"});
  ASSERT_NO_FATAL_FAILURE(hide_hr());
  EXPECT_TRUE(eventually(seconds(30), [&] { return refusals("sweep") > 0; }));
  EXPECT_TRUE(has_problem(*daemon_, "snapshot_refused"));
  EXPECT_THAT(daemon_->log(), HasSubstr("a snapshot was refused reason=sweep"));
  EXPECT_EQ(audits("refused"), deployment_->sql("SELECT count(*) FROM hmsync.v1_audit"
                                                " WHERE action = 'refused' AND"
                                                " after::text LIKE '%sweep%'"));
  expect_nothing_lost();
  while_paused(*daemon_, [&] {
    create("sales", "unreadable");
    (void)deployment_->pg().query(
        R"(UPDATE "NOTIFICATION_LOG" SET "MESSAGE" = 'spoilt' WHERE "TBL_NAME" = 'unreadable')",
        "hms");
  });
  wait_until_readable(*daemon_, seconds(20));  // what it names is read again at once
  EXPECT_THAT(exported(*daemon_, {"table"}), Contains(HasSubstr(R"("table":"unreadable")")));
  ddl().drop_table("sales", "unreadable");
  wait_until_readable(*daemon_, seconds(20));
  expect_nothing_lost();
  show_hr();
  done(*daemon_, {"resync"});
  EXPECT_FALSE(has_problem(*daemon_, "snapshot_refused"));
  expect_nothing_lost();
}

TEST_F(Guard, LostHistoryBesideAListingThatHidesHalfWaits) {
  while_paused(*daemon_, [&] {
    create("sales", "unseen");
    ASSERT_NO_FATAL_FAILURE(hide_hr());
    (void)deployment_->pg().query(R"(DELETE FROM "NOTIFICATION_LOG" WHERE "EVENT_ID" =
      (SELECT max("EVENT_ID") FROM "NOTIFICATION_LOG"))",
                                  "hms");
  });
  await_phase("waiting");
  EXPECT_TRUE(eventually(seconds(20), [&] { return has_problem(*daemon_, "snapshot_refused"); }));
  EXPECT_TRUE(has_problem(*daemon_, "history_lost"));
  EXPECT_EQ(refusals("gap"), 1);
  expect_audited_once("refused");
  expect_audited_once("gap");
  EXPECT_EQ(daemon_->metric("hmsync_event_gaps_total"), 1);
  expect_nothing_lost();
  expect_resync_refused("5 of 10 stored tables");
  show_hr();
  done(*daemon_, {"resync", "--force"});
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  expect_export_equals_metastore(*daemon_, ddl());
  expect_all_granted();
  EXPECT_THAT(status_of(*daemon_).problems, IsEmpty());
  ddl().drop_table("sales", "unseen");
}

}  // namespace
}  // namespace hmsync::integration
