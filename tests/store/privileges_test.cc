#include "store/privileges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "processor/error.h"
#include "store/revoke.h"
#include "tests/fixtures/eventually.h"
#include "tests/store/own_database.h"

namespace hmsync::store {
namespace {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeObject;
using follower::PrivilegeOutcome;
using testing::HasSubstr;
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

const PrivilegeObject kServer{};
const PrivilegeObject kSales{"hive", "sales", std::nullopt, std::nullopt, std::nullopt};
const PrivilegeObject kOrders{"hive", "sales", "orders", std::nullopt, std::nullopt};
const PrivilegeObject kAmount{"hive", "sales", "orders", "amount", std::nullopt};
const PrivilegeObject kUri{"hive", std::nullopt, std::nullopt, std::nullopt, "hdfs://nn/Data"};

PrivilegeCommand command(const std::string& action, const PrivilegeObject& object,
                         bool grant_option = false) {
  return {"analyst", action, object, grant_option, "alice"};
}

class Privileges : public testing::Test {
 protected:
  Privileges() : sql_(database_.options()), store_(database_.options(), "server1") {
    sql_.query("INSERT INTO followers (server, cursor, generation) VALUES ('server1', 10, 2)");
    store_.create_role("analyst", "alice");
  }

  /// On an object of identity "created:1", the store having read all events.
  PrivilegeOutcome grant(const std::string& action, const PrivilegeObject& object,
                         bool grant_option = false,
                         const GrantBasis& basis = {2, 10, "created:1"}) {
    const auto outcome = store_.grant(command(action, object, grant_option), basis);
    if (!outcome) throw std::runtime_error("the store asks again");
    return *outcome;
  }
  PrivilegeOutcome revoke(const std::string& action, const PrivilegeObject& object,
                          std::optional<int64_t> head = 10) {
    return store_.revoke(command(action, object), head);
  }

  std::string rows(const std::string& sql, int columns) {
    return text_of(sql_.query(sql), columns);
  }
  /// action, grant option, and the object where it is not sales.orders; by object and action.
  std::string held() {
    return rows(R"(SELECT g.action || CASE WHEN grant_option THEN '+' ELSE '' END ||
      CASE WHEN suspended THEN ' suspended' ELSE '' END ||
      CASE WHEN (database_name, table_name, column_name) = ('sales', 'orders', '') THEN ''
        ELSE ' on ' || concat_ws('.', nullif(database_name, ''), nullif(table_name, ''),
                                 nullif(column_name, ''), nullif(uri, '')) END
      FROM grants g ORDER BY database_name, table_name, column_name, uri, action COLLATE "C",
                             suspended)",
                1);
  }
  /// What a leader does between two batches.
  void repeat() {
    Transaction transaction(sql_);
    repeat_due_revokes(sql_, "server1");
    transaction.commit();
  }
  bool due() { return sql_.query(std::string("SELECT ") + kRevokesDue, {"server1"}).boolean(0, 0); }

  OwnDatabase database_;
  Connection sql_;
  PostgresPrivilegeStore store_;
};

TEST_F(Privileges, AGrantIsStoredWithItsBasis) {
  const PrivilegeOutcome outcome = grant("SELECT", kOrders, true, {2, 12, "created:7"});
  EXPECT_EQ(outcome.outcome, "done");
  EXPECT_TRUE(outcome.changed);
  EXPECT_EQ(rows(R"(SELECT r.role, server, catalog, database_name, table_name, column_name, uri,
    action, grant_option, grantor, identity, as_of_event, suspended FROM grants JOIN roles r
    USING (role_id))",
                 13),
            "analyst|server1|hive|sales|orders|||SELECT|t|alice|created:7|12|f\n");
}

TEST_F(Privileges, AGrantOnTheServerOrAUriIsAsOfTheCursor) {
  grant("SELECT", kServer, false, {2, kAny, ""});
  grant("INSERT", kUri, false, {2, kAny, ""});
  EXPECT_EQ(
      rows("SELECT catalog, database_name, uri, action, as_of_event FROM grants ORDER BY uri", 5),
      "hive|||SELECT|10\nhive||hdfs://nn/Data|INSERT|10\n");
}

TEST_F(Privileges, NamesAreLoweredAtTheDoorButNotRolesAndUris) {
  store_.create_role("Boss", "alice");
  PrivilegeCommand odd = command("select", {"HIVE", "Sales", "ORDERS", "Amount", std::nullopt});
  odd.role = "Boss";
  ASSERT_TRUE(store_.grant(odd, {2, 10, ""}));
  EXPECT_EQ(rows("SELECT role, catalog, database_name, table_name, column_name, action FROM grants "
                 "JOIN roles USING (role_id)",
                 6),
            "Boss|hive|sales|orders|amount|SELECT\n");
  EXPECT_EQ(rows("SELECT role FROM roles ORDER BY role", 1), "Boss\nanalyst\n");
}

TEST_F(Privileges, AGrantTwiceChangesNothing) {
  grant("SELECT", kOrders);
  EXPECT_FALSE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "SELECT\n");
  EXPECT_EQ(rows("SELECT count(*) FROM audit WHERE action = 'grant'", 1), "1\n");
}

TEST_F(Privileges, TheGrantOptionIsAddedToAGrantAndNotTakenBackByOneWithout) {
  grant("SELECT", kOrders);
  EXPECT_TRUE(grant("SELECT", kOrders, true).changed);
  EXPECT_EQ(held(), "SELECT+\n");
  EXPECT_FALSE(grant("SELECT", kOrders, false).changed);
  EXPECT_EQ(held(), "SELECT+\n");
}

TEST_F(Privileges, AnActionIsNotGrantedAgainWhereAllIsHeld) {
  grant("ALL", kOrders);
  EXPECT_FALSE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "ALL\n");
  EXPECT_TRUE(grant("SELECT", kOrders, true).changed);
  EXPECT_EQ(held(), "ALL\nSELECT+\n");
}

TEST_F(Privileges, AllOnTheDatabaseDoesNotKeepATableFromHavingItsOwn) {
  grant("ALL", kSales);
  EXPECT_TRUE(grant("SELECT", kOrders).changed);
  EXPECT_EQ(held(), "ALL on sales\nSELECT\n");
}

TEST_F(Privileges, AllTakesThePlaceOfWhatItContains) {
  grant("SELECT", kOrders);
  grant("INSERT", kOrders, true);
  grant("SELECT", kAmount);
  EXPECT_TRUE(grant("ALL", kOrders).changed);
  EXPECT_EQ(held(), "ALL\nINSERT+\nSELECT on sales.orders.amount\n");
  grant("ALL", kOrders, true);
  EXPECT_EQ(held(), "ALL+\nSELECT on sales.orders.amount\n");
}

TEST_F(Privileges, RevokingOneActionFromAllLeavesTheSevenOthers) {
  grant("ALL", kOrders, true, {2, 12, "created:7"});
  EXPECT_TRUE(revoke("LOCK", kOrders).changed);
  EXPECT_EQ(held(), "ALTER+\nCREATE+\nDROP+\nINDEX+\nINSERT+\nREFRESH+\nSELECT+\n");
  EXPECT_EQ(rows("SELECT DISTINCT grantor, as_of_event, identity FROM grants", 3),
            "alice|12|created:7\n");
}

TEST_F(Privileges, RevokingOneActionFromAllKeepsANarrowerGrantWithOption) {
  grant("ALL", kOrders);
  grant("SELECT", kOrders, true);
  revoke("INSERT", kOrders);
  EXPECT_EQ(held(), "ALTER\nCREATE\nDROP\nINDEX\nLOCK\nREFRESH\nSELECT+\n");
}

TEST_F(Privileges, RevokingAllLeavesNothing) {
  grant("SELECT", kOrders);
  grant("INSERT", kOrders, true);
  EXPECT_TRUE(revoke("ALL", kOrders).changed);
  EXPECT_EQ(held(), "");
}

TEST_F(Privileges, RevokingWhatIsNotGrantedChangesNothing) {
  grant("SELECT", kOrders);
  const PrivilegeOutcome outcome = revoke("INSERT", kOrders);
  EXPECT_EQ(outcome.outcome, "done");
  EXPECT_FALSE(outcome.changed);
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(Privileges, ARevokeReachesWhatIsBelowAndNotWhatIsAboveOrBeside) {
  const PrivilegeObject returns{"hive", "sales", "returns", std::nullopt, std::nullopt};
  const PrivilegeObject elsewhere{"other", "sales", "orders", std::nullopt, std::nullopt};
  grant("SELECT", kServer, false, {2, kAny, ""});
  grant("SELECT", kUri, false, {2, kAny, ""});
  for (const auto& object : {kSales, kOrders, kAmount, returns, elsewhere}) grant("SELECT", object);
  revoke("SELECT", kOrders);
  EXPECT_EQ(rows("SELECT catalog, database_name, table_name, column_name, uri FROM grants "
                 "ORDER BY 1, 2, 3, 4, 5",
                 5),
            "hive||||\nhive||||hdfs://nn/Data\nhive|sales|||\nhive|sales|returns||\n"
            "other|sales|orders||\n");
  revoke("SELECT", kSales);
  EXPECT_EQ(rows("SELECT catalog, database_name, table_name, uri FROM grants ORDER BY 1, 2, 4", 4),
            "hive|||\nhive|||hdfs://nn/Data\nother|sales|orders|\n");
}

TEST_F(Privileges, ARevokeOnTheServerReachesEverythingOfThisServer) {
  PostgresPrivilegeStore other(database_.options(), "server2");
  ASSERT_TRUE(other.grant(command("SELECT", kSales), {0, 5, ""}));
  grant("SELECT", kServer, false, {2, kAny, ""});
  grant("ALL", kUri, false, {2, kAny, ""});
  grant("SELECT", kAmount);
  const PrivilegeOutcome outcome = revoke("ALL", kServer, std::nullopt);
  EXPECT_TRUE(outcome.changed);
  EXPECT_EQ(outcome.repeat_at_event, std::nullopt);
  EXPECT_EQ(rows("SELECT server FROM grants", 1), "server2\n");
}

TEST_F(Privileges, ARevokeFromTheDatabaseSplitsAllOnItsTables) {
  grant("ALL", kOrders);
  revoke("SELECT", kSales);
  EXPECT_EQ(held(), "ALTER\nCREATE\nDROP\nINDEX\nINSERT\nLOCK\nREFRESH\n");
}

TEST_F(Privileges, ARevokeOnlyMeansItsRole) {
  store_.create_role("clerk", "alice");
  PrivilegeCommand other = command("SELECT", kOrders);
  other.role = "clerk";
  ASSERT_TRUE(store_.grant(other, {2, 10, ""}));
  grant("SELECT", kOrders);
  revoke("ALL", kSales);
  EXPECT_EQ(rows("SELECT role FROM grants JOIN roles USING (role_id)", 1), "clerk\n");
}

TEST_F(Privileges, ARevokeRemovesSuspendedGrantsToo) {
  grant("ALL", kOrders);
  sql_.query("UPDATE grants SET suspended = true");
  revoke("SELECT", kOrders);
  EXPECT_EQ(rows("SELECT count(*), bool_and(suspended) FROM grants", 2), "7|t\n");
  revoke("ALL", kOrders);
  EXPECT_EQ(held(), "");
}

TEST_F(Privileges, AGrantIsNotMadeOnABasisThatTheCursorHasPassed) {
  EXPECT_EQ(store_.grant(command("SELECT", kOrders), {2, 9, ""}), std::nullopt);
  EXPECT_EQ(store_.grant(command("SELECT", kOrders), {1, 10, ""}), std::nullopt);
  EXPECT_EQ(held(), "");
  EXPECT_TRUE(store_.grant(command("SELECT", kOrders), {2, 10, ""}));
}

TEST_F(Privileges, AGrantWaitsForTheBatchThatIsBeingApplied) {
  Connection leader(database_.options());
  auto batch = std::make_unique<Transaction>(leader);
  leader.query("UPDATE followers SET cursor = 11 WHERE server = 'server1'");
  auto granted = std::async(std::launch::async, [&] {
    return store_.grant(command("SELECT", kOrders), {2, 10, "created:1"});
  });
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(20), [&] {
    return sql_.query(
                   "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                   "query LIKE '%FROM followers%'")
               .rows() > 0;
  }));
  batch->commit();
  batch.reset();
  EXPECT_EQ(granted.get(), std::nullopt);
  EXPECT_EQ(held(), "");
}

TEST_F(Privileges, AGrantBeforeTheFirstSnapshotIsPossible) {
  PostgresPrivilegeStore fresh(database_.options(), "server2");
  EXPECT_EQ(fresh.generation(), 0);
  ASSERT_TRUE(fresh.grant(command("SELECT", kOrders), {0, 5, "created:1"}));
  EXPECT_EQ(rows("SELECT server, as_of_event FROM grants", 2), "server2|5\n");
}

TEST_F(Privileges, AnEqualGrantTakesTheNewerEventSoThatAnUnreadDropDoesNotUndoIt) {
  grant("SELECT", kSales, false, {2, 10, ""});
  EXPECT_FALSE(grant("SELECT", kSales, false, {2, 15, ""}).changed);
  EXPECT_EQ(rows("SELECT as_of_event FROM grants", 1), "15\n");
}

TEST_F(Privileges, AGrantOfAFormerObjectDoesNotSwallowOneOnItsSuccessor) {
  grant("SELECT", kOrders, true, {2, 10, "created:1"});
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 15, "created:2"}).changed);
  EXPECT_EQ(rows("SELECT action, grant_option, identity, as_of_event, suspended FROM grants "
                 "ORDER BY identity",
                 5),
            "SELECT|t|created:1|10|t\nSELECT|f|created:2|15|f\n");
}

TEST_F(Privileges, AllOfAFormerObjectDoesNotSwallowAnActionOnItsSuccessor) {
  grant("ALL", kOrders, false, {2, 10, "created:1"});
  grant("SELECT", kOrders, false, {2, 15, "created:2"});
  EXPECT_EQ(held(), "ALL suspended\nSELECT\n");
}

TEST_F(Privileges, AllOnAnObjectWithoutIdentityDoesNotSwallowAnActionWhileEventsAreUnread) {
  grant("ALL", kSales, false, {2, 10, ""});
  EXPECT_TRUE(grant("SELECT", kSales, false, {2, 15, ""}).changed);
  EXPECT_EQ(held(), "ALL on sales\nSELECT on sales\n");
}

TEST_F(Privileges, UnknownRolesAreRefusedAndAudited) {
  PrivilegeCommand unknown = command("SELECT", kOrders);
  unknown.role = "nobody";
  const auto granted = store_.grant(unknown, {2, 10, ""});
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->outcome, "refused");
  EXPECT_THAT(granted->reason, HasSubstr("no role nobody"));
  EXPECT_EQ(store_.revoke(unknown, 10).outcome, "refused");
  EXPECT_EQ(rows("SELECT who, action, object, outcome FROM audit WHERE outcome <> 'done' "
                 "ORDER BY audit_id",
                 4),
            "alice|grant|sales.orders|refused: there is no role nobody\n"
            "alice|revoke|sales.orders|refused: there is no role nobody\n");
}

TEST_F(Privileges, WhatPostgresCannotHoldIsAnAnswer) {
  PrivilegeCommand odd = command("SELECT", {"hive", "sa\xff", std::nullopt, {}, {}});
  try {
    store_.grant(odd, {2, 10, ""});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::poison);
  }
  EXPECT_TRUE(grant("SELECT", kOrders).changed);
}

TEST_F(Privileges, EveryChangeIsAuditedAndTold) {
  grant("ALL", kOrders);
  revoke("SELECT", kOrders);
  EXPECT_EQ(
      rows("SELECT server, who, action, object, before->>'action', after->>'action' FROM audit "
           "WHERE action IN ('grant', 'revoke') AND (before->>'action' = 'ALL' OR "
           "after->>'action' IN ('ALL', 'DROP')) ORDER BY audit_id",
           6),
      "server1|alice|grant|sales.orders|null|ALL\n"
      "server1|alice|revoke|sales.orders|null|DROP\n"
      "server1|alice|revoke|sales.orders|ALL|null\n");
  EXPECT_EQ(rows("SELECT change, count(*), min(role), min(table_name), count(event_id) FROM "
                 "permission_changes GROUP BY change ORDER BY min(change_id)",
                 5),
            "granted|8|analyst|orders|0\nrevoked|1|analyst|orders|0\n");
}

TEST_F(Privileges, TheAuditShowsAGrantAsItWasBeforeItGotTheOption) {
  grant("SELECT", kOrders);
  PrivilegeCommand wider = command("SELECT", kOrders, true);
  wider.who = "bob";
  ASSERT_TRUE(store_.grant(wider, {2, 10, "created:1"}));
  EXPECT_EQ(rows("SELECT who, before->>'grantor', before->>'grant_option', after->>'grantor', "
                 "after->>'grant_option' FROM audit WHERE before IS NOT NULL",
                 5),
            "bob|alice|false|bob|true\n");
}

TEST_F(Privileges, ARevokeIsFinalWhereAllEventsAreApplied) {
  grant("SELECT", kOrders);
  EXPECT_EQ(revoke("SELECT", kOrders, 10).repeat_at_event, std::nullopt);
  EXPECT_EQ(rows("SELECT count(*) FROM requests", 1), "0\n");
}

TEST_F(Privileges, ARevokeWithUnreadEventsIsRepeatedWhenTheyAreApplied) {
  const PrivilegeObject old_name{"hive", "sales", "drafts", std::nullopt, std::nullopt};
  grant("SELECT", old_name);
  EXPECT_EQ(revoke("SELECT", kOrders, 12).repeat_at_event, 12);
  EXPECT_FALSE(due());
  repeat();
  EXPECT_EQ(held(), "SELECT on sales.drafts\n");
  // The rename that was unread.
  sql_.query("UPDATE grants SET table_name = 'orders', as_of_event = 11");
  sql_.query("UPDATE followers SET cursor = 12");
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(held(), "");
  EXPECT_FALSE(due());
  EXPECT_EQ(rows("SELECT kind, state, requested_by, outcome->>'changed', finished_at IS NOT NULL "
                 "FROM requests",
                 5),
            "revoke|finished|alice|true|t\n");
  EXPECT_EQ(rows("SELECT who, event, before->>'table' FROM audit WHERE action = 'revoke'", 3),
            "alice|12|orders\n");
}

TEST_F(Privileges, ARepeatedRevokeSparesGrantsMadeAfterIt) {
  grant("SELECT", kOrders);
  revoke("SELECT", kOrders, 12);
  grant("SELECT", kOrders, false, {2, 12, "created:1"});
  sql_.query("UPDATE followers SET cursor = 12");
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(Privileges, AnEqualGrantMadeAfterARevokeOutlivesItsRepetition) {
  const PrivilegeObject old_name{"hive", "sales", "drafts", std::nullopt, std::nullopt};
  grant("SELECT", old_name);
  revoke("SELECT", kOrders, 12);
  sql_.query("UPDATE grants SET table_name = 'orders', as_of_event = 11");
  EXPECT_FALSE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  sql_.query("UPDATE followers SET cursor = 12");
  repeat();
  EXPECT_EQ(held(), "SELECT\n");
}

TEST_F(Privileges, AnActionGrantedUnderAnOlderAllOutlivesTheRepetitionOfItsRevoke) {
  const PrivilegeObject old_name{"hive", "sales", "drafts", std::nullopt, std::nullopt};
  grant("ALL", old_name);
  revoke("SELECT", kOrders, 12);
  sql_.query("UPDATE grants SET table_name = 'orders', as_of_event = 11");
  EXPECT_TRUE(grant("SELECT", kOrders, false, {2, 12, "created:1"}).changed);
  sql_.query("UPDATE followers SET cursor = 12");
  repeat();
  EXPECT_THAT(held(), HasSubstr("SELECT\n"));
  EXPECT_EQ(rows("SELECT count(*) FROM grants", 1), "8\n");
}

TEST_F(Privileges, ARevokeWithoutAHeadWaitsForOneThatWasSurelyReadAfterIt) {
  grant("SELECT", kOrders);
  EXPECT_EQ(revoke("SELECT", kOrders, std::nullopt).repeat_at_event, -1);
  EXPECT_FALSE(due());
  const auto record_head = [&](const std::string& head) {
    sql_.query("INSERT INTO follower_progress (server, head, head_read_at) VALUES ('server1', " +
               head +
               ", clock_timestamp()) ON CONFLICT (server) DO UPDATE SET "
               "head = excluded.head, head_read_at = excluded.head_read_at");
  };
  record_head("10");  // perhaps asked for before the revoke
  EXPECT_TRUE(due());
  repeat();
  EXPECT_FALSE(due());
  EXPECT_EQ(rows("SELECT at_event, state FROM requests", 2), "-1|pending\n");
  record_head("13");
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(rows("SELECT at_event, state FROM requests", 2), "13|pending\n");
  sql_.query("UPDATE followers SET cursor = 13");
  repeat();
  EXPECT_EQ(rows("SELECT at_event, state FROM requests", 2), "13|finished\n");
}

TEST_F(Privileges, ARevokeWithAHeadBelowTheCursorWaitsForTheResetOrAHigherHead) {
  EXPECT_EQ(revoke("SELECT", kOrders, 4).repeat_at_event, -1);
  for (int i = 0; i < 3; ++i) {
    sql_.query(
        "INSERT INTO follower_progress (server, head, head_read_at) VALUES ('server1', 4, "
        "clock_timestamp()) ON CONFLICT (server) DO UPDATE SET head_read_at = clock_timestamp()");
    EXPECT_FALSE(due());
    repeat();
  }
  EXPECT_EQ(rows("SELECT state FROM requests", 1), "pending\n");
  sql_.query("UPDATE followers SET generation = 3, cursor = 4");
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(rows("SELECT state FROM requests", 1), "finished\n");
}

TEST_F(Privileges, AResetRepeatsWhateverRevokeIsWaiting) {
  revoke("SELECT", kOrders, 99);
  revoke("SELECT", kSales, std::nullopt);
  sql_.query("UPDATE followers SET generation = 3, cursor = 4");
  EXPECT_TRUE(due());
  repeat();
  EXPECT_EQ(rows("SELECT DISTINCT state FROM requests", 1), "finished\n");
}

/// What a role may do, as sets of actions an object: the plain meaning that rows must keep.
class Meaning {
 public:
  static constexpr std::array kEach = {"SELECT", "INSERT", "CREATE", "ALTER",
                                       "DROP",   "INDEX",  "LOCK",   "REFRESH"};

  void grant(const std::string& object, const std::string& action, bool option) {
    for (const auto& each : meant(action)) {
      allowed_.insert(object + " " + each);
      if (option) allowed_.insert(object + " " + each + "+");
    }
  }
  void revoke(const std::string& object, const std::string& action) {
    for (const auto& each : meant(action)) {
      std::erase_if(allowed_, [&](const std::string& entry) {
        const bool reached = object == "server" || entry.starts_with(object + " ") ||
                             entry.starts_with(object + ".");
        return reached && (entry.ends_with(" " + each) || entry.ends_with(" " + each + "+"));
      });
    }
  }
  [[nodiscard]] const std::set<std::string>& allowed() const { return allowed_; }

 private:
  static std::vector<std::string> meant(const std::string& action) {
    if (action == "ALL") return {kEach.begin(), kEach.end()};
    return {action};
  }

  std::set<std::string> allowed_;
};

TEST_F(Privileges, RandomGrantsAndRevokesMeanWhatTheyMeanAsSets) {
  const std::vector<std::pair<std::string, PrivilegeObject>> objects = {
      {"server", kServer},
      {"sales", kSales},
      {"sales.orders", kOrders},
      {"sales.orders.amount", kAmount}};
  const std::vector<std::string> actions = {"ALL", "ALL", "SELECT", "INSERT", "DROP", "REFRESH"};
  std::minstd_rand random(20261130);
  Meaning meaning;
  for (int step = 0; step < 400; ++step) {
    const auto& [name, object] = objects[random() % objects.size()];
    const std::string& action = actions[random() % actions.size()];
    const bool option = random() % 3 == 0;
    const std::set<std::string> before = meaning.allowed();
    const bool revoking = random() % 2 == 0;
    if (revoking) {
      meaning.revoke(name, action);
    } else {
      meaning.grant(name, action, option);
    }
    const PrivilegeOutcome outcome =
        revoking ? revoke(action, object) : grant(action, object, option);
    if (before != meaning.allowed()) {
      EXPECT_TRUE(outcome.changed) << "step " << step;
    }
    Meaning stored;
    const Result held = sql_.query(R"(SELECT coalesce(nullif(concat_ws('.',
        nullif(database_name, ''), nullif(table_name, ''), nullif(column_name, '')), ''), 'server'),
      action, grant_option FROM grants)");
    for (int row = 0; row < held.rows(); ++row) {
      stored.grant(std::string(held.text(row, 0)), std::string(held.text(row, 1)),
                   held.boolean(row, 2));
    }
    ASSERT_EQ(stored.allowed(), meaning.allowed())
        << "step " << step << ": " << (revoking ? "revoke " : "grant ") << action << " on " << name
        << (option ? " with grant option" : "");
  }
}

TEST_F(Privileges, ARoleIsCreatedOnce) {
  const PrivilegeOutcome again = store_.create_role("analyst", "bob");
  EXPECT_EQ(again.outcome, "refused");
  EXPECT_THAT(again.reason, HasSubstr("there is a role analyst already"));
  EXPECT_EQ(rows("SELECT role, created_by FROM roles", 2), "analyst|alice\n");
  EXPECT_EQ(rows("SELECT who, action, object, outcome FROM audit ORDER BY audit_id", 4),
            "alice|create role|analyst|done\n"
            "bob|create role|analyst|refused: there is a role analyst already\n");
}

TEST_F(Privileges, MembersAreAddedAndRemovedOnce) {
  EXPECT_TRUE(store_.add_member("analyst", MemberKind::group, "staff", "alice").changed);
  EXPECT_TRUE(store_.add_member("analyst", MemberKind::user, "staff", "alice").changed);
  EXPECT_FALSE(store_.add_member("analyst", MemberKind::group, "staff", "bob").changed);
  EXPECT_EQ(rows("SELECT member_kind, member, added_by FROM role_members ORDER BY 1", 3),
            "group|staff|alice\nuser|staff|alice\n");
  EXPECT_TRUE(store_.remove_member("analyst", MemberKind::group, "staff", "bob").changed);
  EXPECT_FALSE(store_.remove_member("analyst", MemberKind::group, "staff", "bob").changed);
  EXPECT_EQ(rows("SELECT member_kind FROM role_members", 1), "user\n");
  EXPECT_EQ(store_.add_member("nobody", MemberKind::user, "x", "bob").outcome, "refused");
  EXPECT_EQ(store_.remove_member("nobody", MemberKind::user, "x", "bob").outcome, "refused");
  EXPECT_EQ(rows("SELECT who, action, object, before, after FROM audit WHERE action LIKE '%member' "
                 "AND outcome = 'done' ORDER BY audit_id",
                 5),
            R"(alice|add member|analyst|null|{"role": "analyst", "group": "staff"}
alice|add member|analyst|null|{"role": "analyst", "user": "staff"}
bob|remove member|analyst|{"role": "analyst", "group": "staff"}|null
)");
}

TEST_F(Privileges, DroppingARoleWaitsForNoServerWhereItHasNoGrants) {
  grant("SELECT", kOrders);
  sql_.query("INSERT INTO followers (server) VALUES ('server2')");
  ConnectionOptions options = database_.options();
  options.statement_timeout = std::chrono::seconds(5);
  PostgresPrivilegeStore hasty(options, "server1");
  const Transaction batch(sql_);
  sql_.query("SELECT FROM followers WHERE server = 'server2' FOR UPDATE");
  EXPECT_TRUE(hasty.drop_role("analyst", "bob").changed);
  sql_.query("SELECT FROM followers WHERE server = 'server1' FOR UPDATE");
  EXPECT_EQ(held(), "");
}

TEST_F(Privileges, ADroppedRoleTakesMembersAndGrantsWithIt) {
  PostgresPrivilegeStore other(database_.options(), "server2");
  ASSERT_TRUE(other.grant(command("INSERT", kSales), {0, 5, ""}));
  store_.add_member("analyst", MemberKind::group, "staff", "alice");
  grant("SELECT", kOrders);
  EXPECT_TRUE(store_.drop_role("analyst", "bob").changed);
  EXPECT_EQ(rows("SELECT (SELECT count(*) FROM roles), (SELECT count(*) FROM role_members), "
                 "(SELECT count(*) FROM grants)",
                 3),
            "0|0|0\n");
  EXPECT_EQ(rows("SELECT server, change, action FROM permission_changes WHERE change = 'revoked' "
                 "ORDER BY server",
                 3),
            "server1|revoked|SELECT\nserver2|revoked|INSERT\n");
  EXPECT_EQ(rows("SELECT who, object, before->'groups' FROM audit WHERE action = 'drop role' AND "
                 "object = 'analyst'",
                 3),
            "bob|analyst|[\"staff\"]\n");
  EXPECT_EQ(store_.drop_role("analyst", "bob").outcome, "refused");
}

}  // namespace
}  // namespace hmsync::store
