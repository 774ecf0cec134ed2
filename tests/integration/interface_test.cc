// What programs outside rely on, held against a real deployment: the verbs' JSON and exit
// statuses, the admin endpoint's paths, the metrics' names, the views.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fixtures/eventually.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using Names = std::vector<std::string>;

/// One JSON object that a verb printed.
class Printed {
 public:
  explicit Printed(const std::string& text) : root_(parser_.parse(text)) {}

  /// Their names, in the order printed; of a member, by JSON pointer, or of the whole.
  [[nodiscard]] Names fields(const std::string& at = "") const {
    Names names;
    for (const auto& field : root_.at_pointer(at).get_object()) names.emplace_back(field.key);
    return names;
  }
  [[nodiscard]] std::string text(const std::string& at) const {
    return std::string(std::string_view(root_.at_pointer(at)));
  }
  [[nodiscard]] int64_t number(const std::string& at) const { return root_.at_pointer(at); }
  [[nodiscard]] bool flag(const std::string& at) const { return root_.at_pointer(at); }
  [[nodiscard]] bool is_null(const std::string& at = "") const {
    return root_.at_pointer(at).is_null();
  }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

class Interface : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    deployment_ = std::make_unique<Deployment>();
    daemon_ = deployment_->start_daemon();
    hmsclient::DdlClient& ddl = deployment_->ddl();
    ddl.create_database({"sales"});
    hmsclient::TableSpec orders{.database = "sales", .table = "orders"};
    orders.partition_keys = {{"dt", "string"}};
    ddl.create_table(orders);
    ddl.add_partitions("sales", "orders", {{{"2026-11-30"}}});
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    ASSERT_EQ(daemon_->ctl({"role", "create", "analyst"}).exit, 0);
  }
  static void TearDownTestSuite() {
    daemon_.reset();
    deployment_.reset();
  }

  /// What the verb prints with --json; it must exit so, with a reason on standard error where that
  /// is not 0.
  static std::string ctl(std::vector<std::string> verb, int exit = 0) {
    SCOPED_TRACE(testing::PrintToString(verb));
    verb.emplace_back("--json");
    const auto result = daemon_->ctl(verb);
    EXPECT_EQ(result.exit, exit) << result.out << result.err;
    EXPECT_EQ(result.err.empty(), exit == 0) << result.err;
    return result.out;
  }

  static Names lines(const std::vector<std::string>& verb) {
    std::istringstream text(ctl(verb));
    Names lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  static std::unique_ptr<Deployment> deployment_;
  static std::unique_ptr<fixtures::MiniHmsync> daemon_;
};

std::unique_ptr<Deployment> Interface::deployment_;
std::unique_ptr<fixtures::MiniHmsync> Interface::daemon_;

TEST_F(Interface, StatusHasItsFields) {
  const Printed status(ctl({"status"}));
  EXPECT_THAT(status.fields(),
              IsSupersetOf({"server", "role", "epoch", "cursor", "head", "lag_events",
                            "lag_seconds", "phase", "snapshot", "quarantined", "suspended_grants",
                            "metastore", "last_error", "version", "instance", "leader", "paused",
                            "problems", "totals"}));
  EXPECT_THAT(status.fields("/metastore"), IsSupersetOf({"uri", "uuid", "version"}));
  EXPECT_THAT(status.fields("/leader"), IsSupersetOf({"instance", "since"}));
  EXPECT_THAT(status.fields("/totals"),
              IsSupersetOf({"applied", "ignored", "quarantined", "late", "shared_id", "refuted"}));
  EXPECT_EQ(status.text("/server"), "server1");
  EXPECT_EQ(status.text("/role"), "leader");
  EXPECT_EQ(status.text("/phase"), "following");
  EXPECT_TRUE(status.is_null("/paused"));
}

TEST_F(Interface, WaitTellsWhatWasReachedAndWhatWasNot) {
  const Printed reached(ctl({"wait", "--timeout", "30s"}));
  EXPECT_THAT(reached.fields(),
              IsSupersetOf({"event", "reached", "cursor", "generation", "seconds"}));
  EXPECT_TRUE(reached.flag("/reached"));
  const std::string above = std::to_string(reached.number("/cursor") + 1000000);
  const Printed timed_out(ctl({"wait", above, "--timeout", "1s"}, 3));
  EXPECT_FALSE(timed_out.flag("/reached"));
  ctl({"wait", "x"}, 2);
  ctl({"no-such-verb"}, 2);
}

TEST_F(Interface, AResyncTellsItsDifference) {
  const Printed end(ctl({"resync", "--dry-run"}));
  EXPECT_THAT(end.fields(), IsSupersetOf({"id", "scope", "dry_run", "outcome", "reason", "event",
                                          "seconds", "difference"}));
  EXPECT_TRUE(end.flag("/dry_run"));
  EXPECT_EQ(end.text("/outcome"), "done");
  EXPECT_THAT(end.fields("/difference"),
              IsSupersetOf({"added", "changed", "removed", "suspended_grants"}));
  for (const char* change : {"added", "changed", "removed"}) {
    const std::string counts = std::string("/difference/") + change;
    EXPECT_THAT(end.fields(counts), IsSupersetOf({"databases", "tables", "partitions"}));
    EXPECT_EQ(end.number(counts + "/tables"), 0);
  }
}

TEST_F(Interface, AResyncOfOneTableTellsItsScope) {
  const Printed end(ctl({"resync", "--database", "SALES", "--table", "orders"}));
  EXPECT_EQ(end.text("/outcome"), "done");
  EXPECT_EQ(end.text("/scope/database"), "sales");
  EXPECT_EQ(end.text("/scope/table"), "orders");
  EXPECT_EQ(end.number("/difference/changed/tables"), 0);
  ctl({"resync", "--table", "orders"}, 2);
}

TEST_F(Interface, QuarantinedEventsAreListedShownRetriedAndSkipped) {
  const auto log = [&](const std::string& change) {
    std::string answer = deployment_->pg().query(
        change + " WHERE \"EVENT_ID\" = (SELECT max(\"EVENT_ID\") FROM \"NOTIFICATION_LOG\")",
        "hms");
    while (!answer.empty() && answer.back() == '\n') answer.pop_back();
    return answer;
  };
  ctl({"pause"});
  deployment_->ddl().create_table({.database = "sales", .table = "spoilt"});
  const std::string event = log("SELECT \"EVENT_ID\" FROM \"NOTIFICATION_LOG\"");
  const std::string message = log("SELECT \"MESSAGE\" FROM \"NOTIFICATION_LOG\"");
  log("UPDATE \"NOTIFICATION_LOG\" SET \"MESSAGE\" = 'no JSON'");
  ctl({"resume"});
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  EXPECT_EQ(lines({"objects", "--database", "sales", "--table", "spoilt"}).size(), 1U)
      << "it is read from the metastore all the same";

  const Names list = lines({"quarantine", "list"});
  ASSERT_EQ(list.size(), 1U);
  const Printed listed(list[0]);
  EXPECT_THAT(listed.fields(), ElementsAre("event", "type", "database", "table", "reason",
                                           "attempts", "first_seen", "state"));
  EXPECT_EQ(listed.number("/event"), std::stoll(event));
  EXPECT_EQ(listed.text("/state"), "quarantined");
  const Printed shown(ctl({"quarantine", "show", event}));
  EXPECT_EQ(shown.text("/message"), "no JSON");
  EXPECT_EQ(shown.text("/encoding"), "text");
  EXPECT_EQ(shown.text("/message_format"), "json-0.2");
  EXPECT_EQ(shown.text("/table"), "spoilt");

  const Printed failed(ctl({"quarantine", "retry", event}, 1));
  EXPECT_EQ(failed.text("/outcome"), "failed");
  EXPECT_EQ(Printed(lines({"quarantine"})[0]).number("/attempts"), 2);
  // A later version may read what this one cannot: here the message becomes readable instead.
  (void)deployment_->pg().query(
      "UPDATE hmsync.quarantine SET message = convert_to($m$" + message + "$m$, 'UTF8')",
      "privileges");
  const Printed retried(ctl({"quarantine", "retry", event}));
  EXPECT_EQ(retried.text("/outcome"), "done");
  EXPECT_TRUE(retried.is_null("/reason"));
  EXPECT_EQ(Printed(lines({"quarantine"})[0]).text("/state"), "applied");
  ctl({"quarantine", "retry", event}, 1);

  (void)deployment_->pg().query("UPDATE hmsync.quarantine SET state = 'quarantined'", "privileges");
  EXPECT_TRUE(Printed(ctl({"quarantine", "skip", event})).flag("/changed"));
  EXPECT_FALSE(Printed(ctl({"quarantine", "skip", event})).flag("/changed"));
  EXPECT_EQ(Printed(lines({"quarantine"})[0]).text("/state"), "skipped");
  ctl({"quarantine", "show", "1000000"}, 1);
  deployment_->ddl().drop_table("sales", "spoilt");
}

TEST_F(Interface, SuspendedGrantsAreListedRestoredAndPurged) {
  ctl({"grant", "analyst", "INSERT", "sales.orders"});
  const auto suspend = [&] {
    (void)deployment_->pg().query(
        "UPDATE hmsync.grants SET suspended = true, suspended_reason = 'object gone'",
        "privileges");
  };
  suspend();
  const Names list = lines({"suspended", "list"});
  ASSERT_EQ(list.size(), 1U);
  const Printed grant(list[0]);
  EXPECT_THAT(grant.fields(),
              IsSupersetOf({"kind", "role", "server", "catalog", "database", "table", "column",
                            "uri", "action", "grant_option", "suspended", "id", "grantor", "time",
                            "as_of_event", "reason"}));
  EXPECT_TRUE(grant.flag("/suspended"));
  EXPECT_EQ(grant.text("/reason"), "object gone");
  const std::string id = std::to_string(grant.number("/id"));
  EXPECT_EQ(Printed(ctl({"suspended", "restore", id})).number("/count"), 1);
  EXPECT_EQ(lines({"grants", "--role", "analyst"}).size(), 1U);
  const Printed refused(ctl({"suspended", "restore", id}, 1));
  EXPECT_EQ(refused.text("/refused/0/reason"), "there is no such suspended grant");
  suspend();
  EXPECT_EQ(Printed(ctl({"suspended", "purge", "--all"})).number("/count"), 1);
  EXPECT_TRUE(lines({"suspended", "list"}).empty());
  ctl({"suspended", "purge"}, 2);
}

TEST_F(Interface, TheAuditTellsWhoDidWhat) {
  ctl({"role", "create", "audited"});
  const Names audit = lines({"audit", "--since", "1h"});
  ASSERT_FALSE(audit.empty());
  const Printed last(audit.back());
  EXPECT_THAT(last.fields(), ElementsAre("time", "who", "action", "object", "event", "before",
                                         "after", "outcome"));
  EXPECT_EQ(last.text("/who"), "local");
  EXPECT_EQ(last.text("/object"), "audited");
  EXPECT_TRUE(lines({"audit", "--since", "2100-01-01"}).empty());
  ctl({"audit", "--since", "yesterday"}, 2);
  ctl({"role", "drop", "audited"});
}

TEST_F(Interface, RolesAreMadeOnce) {
  const Printed made(ctl({"role", "create", "twice"}));
  EXPECT_THAT(made.fields(), IsSupersetOf({"outcome", "changed"}));
  EXPECT_EQ(made.text("/outcome"), "done");
  ctl({"role", "create", "twice"}, 1);
  EXPECT_TRUE(Printed(ctl({"role", "add", "twice", "--group", "g"})).flag("/changed"));
  EXPECT_TRUE(Printed(ctl({"role", "add", "twice", "--user", "u"})).flag("/changed"));
  EXPECT_THAT(exported(*daemon_, {"role"}),
              testing::Contains(R"({"kind":"role","role":"twice","groups":["g"],"users":["u"]})"));
  EXPECT_TRUE(Printed(ctl({"role", "drop", "twice"})).flag("/changed"));
}

TEST_F(Interface, AGrantIsMadeShownAndRevoked) {
  EXPECT_THAT(Printed(ctl({"grant", "analyst", "SELECT", "sales.orders"})).fields(),
              IsSupersetOf({"outcome", "changed"}));
  const Names grants = lines({"grants", "--role", "analyst"});
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_THAT(Printed(grants[0]).fields(),
              IsSupersetOf({"kind", "role", "server", "catalog", "database", "table", "column",
                            "uri", "action", "grant_option", "suspended", "id", "grantor", "time",
                            "as_of_event", "reason"}));
  EXPECT_THAT(exported(*daemon_, {"grant"}),
              ElementsAre(R"({"kind":"grant","role":"analyst","server":"server1","catalog":"hive",)"
                          R"("database":"sales","table":"orders","column":null,"uri":null,)"
                          R"("action":"SELECT","grant_option":false,"suspended":false})"));
  const Printed revoked(
      ctl({"revoke", "analyst", "SELECT", "--database", "sales", "--table", "orders"}));
  EXPECT_THAT(revoked.fields(), IsSupersetOf({"outcome", "changed", "repeat_at_event"}));
  EXPECT_TRUE(revoked.flag("/changed"));
  EXPECT_TRUE(lines({"grants", "--role", "analyst"}).empty());
  ctl({"grant", "analyst", "SELECT", "sales.no_such_table"}, 1);
  ctl({"grant", "analyst", "NO_SUCH_ACTION", "sales.orders"}, 2);
}

TEST_F(Interface, TheExportHasItsFieldsInTheirOrder) {
  const std::string folder = deployment_->ddl().database("sales").location;
  const Names all = lines({"export"});
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return Printed(a).text("/kind") < Printed(b).text("/kind");
  }));
  EXPECT_THAT(exported(*daemon_, {"table"}),
              ElementsAre(R"({"kind":"table","server":"server1","catalog":"hive",)"
                          R"("database":"sales","table":"orders","type":"MANAGED_TABLE",)"
                          R"("owner":null,"owner_type":"USER","location":")" +
                          folder + R"(/orders"})"));
  EXPECT_THAT(exported(*daemon_, {"partition"}),
              ElementsAre(R"({"kind":"partition","server":"server1","catalog":"hive",)"
                          R"("database":"sales","table":"orders","values":["2026-11-30"],)"
                          R"("location":")" +
                          folder + R"(/orders/dt=2026-11-30"})"));
  for (const std::string& line : exported(*daemon_, {"database"})) {
    EXPECT_THAT(Printed(line).fields(), ElementsAre("kind", "server", "catalog", "database",
                                                    "owner", "owner_type", "location"));
  }
}

TEST_F(Interface, OwnerObjectsAndPathsTellWhatTheStoreHolds) {
  const std::string folder = deployment_->ddl().database("sales").location;
  const Printed owner(ctl({"owner", folder + "/orders/dt=2026-11-30/part-0"}));
  EXPECT_EQ(owner.fields().front(), "path");
  EXPECT_THAT(owner.fields(), IsSupersetOf({"kind", "server", "catalog", "database", "table",
                                            "values", "location"}));
  EXPECT_EQ(owner.text("/kind"), "partition");
  EXPECT_TRUE(Printed(ctl({"owner", "hdfs://nobody:1/owns/this"}, 1)).is_null());
  EXPECT_EQ(lines({"objects", "--database", "sales", "--table", "orders"}).size(), 1U);
  EXPECT_FALSE(lines({"paths", "--prefix", folder}).empty());
}

TEST_F(Interface, APauseIsToldAndEnded) {
  const Printed paused(ctl({"pause", "--for", "1h", "--reason", "a look"}));
  EXPECT_THAT(paused.fields(), ElementsAre("by", "since", "until", "reason"));
  EXPECT_EQ(paused.text("/reason"), "a look");
  // Told from memory, so once the daemon has looked at its store again.
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30), [] {
    return ctl({"status"}).find(R"("reason":"a look")") != std::string::npos;
  }));
  EXPECT_EQ(Printed(ctl({"status"})).text("/paused/reason"), "a look");
  EXPECT_THAT(Printed(ctl({"resume"})).fields(), ElementsAre("by", "since", "until", "reason"));
  EXPECT_TRUE(Printed(ctl({"resume"})).is_null());
}

TEST_F(Interface, TheAdminEndpointHasItsPaths) {
  for (const char* path : {"/livez", "/readyz", "/leader", "/v1/status", "/metrics"}) {
    EXPECT_EQ(daemon_->get(path).status, 200) << path;
  }
  const auto missing = daemon_->get("/no/such/path");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.at("content-type"), "application/problem+json");
}

TEST_F(Interface, TheMetricsHaveTheirNames) {
  const std::string metrics = daemon_->get("/metrics").body;
  for (const std::string name :
       {"events_applied_total", "events_ignored_total", "events_quarantined_total",
        "cursor_event_id", "head_event_id", "lag_events", "lag_seconds",
        "last_progress_timestamp_seconds", "caught_up_timestamp_seconds", "is_leader",
        "lease_epoch", "poll_duration_seconds_count", "batch_apply_duration_seconds_count",
        "store_round_trips_total", "metastore_calls_total", "build_info"}) {
    const size_t at = metrics.find("\nhmsync_" + name + "{");
    ASSERT_NE(at, std::string::npos) << name;
    const std::string line = metrics.substr(at + 1, metrics.find('\n', at + 1) - at - 1);
    EXPECT_THAT(line, testing::HasSubstr("server=\"server1\""));
  }
}

TEST_F(Interface, TheViewsCanBeRead) {
  const auto count = [&](const std::string& view) {
    return deployment_->sql("SELECT count(*) FROM hmsync." + view);
  };
  EXPECT_EQ(count("v1_tables"), "1");
  EXPECT_EQ(count("v1_partitions"), "1");
  EXPECT_EQ(count("v1_databases"), "2") << "default and sales";
  EXPECT_EQ(count("v1_follower"), "1");
  for (const char* view :
       {"v1_roles", "v1_role_members", "v1_grants", "v1_suspended_grants", "v1_audit"}) {
    EXPECT_FALSE(count(view).empty()) << view;
  }
}

}  // namespace
}  // namespace hmsync::integration
