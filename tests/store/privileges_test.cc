#include "store/privileges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <string>

#include "processor/error.h"
#include "tests/fixtures/eventually.h"
#include "tests/store/own_database.h"
#include "tests/store/privilege_objects.h"

namespace hmsync::store {
namespace {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeObject;
using follower::PrivilegeOutcome;
using testing::HasSubstr;

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
  EXPECT_EQ(fresh.look_up(kOrders).generation, 0);
  ASSERT_TRUE(fresh.grant(command("SELECT", kOrders), {0, 5, "created:1"}));
  EXPECT_EQ(rows("SELECT server, as_of_event FROM grants", 2), "server2|5\n");
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
