// Grants in a test's store, without the checks that people's grants go through.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/objects.h"
#include "tests/store/postgres_under_test.h"

namespace hmsync::store {

struct TestGrant {
  std::string on;  ///< "db", "db.table" or "db.table.column"
  int64_t as_of = 0;
  std::string identity = "";
  std::string action = "SELECT";
  bool grant_option = false;
  std::string suspended_reason = "";  ///< empty: it authorises
};

class GrantsFixture : public testing::Test {
 protected:
  GrantsFixture() {
    store_.elect(token_);
    store_.side().execute("INSERT INTO roles (role) VALUES ('analyst')");
  }

  follower::Fence fence() { return {token_, store_.events().state().commit_number}; }

  void apply(int64_t cursor, std::vector<processor::Mutation> mutations) {
    follower::Batch batch;
    batch.cursor = cursor;
    batch.mutations = std::move(mutations);
    store_.events().apply(fence(), batch);
  }

  void grant(const TestGrant& grant) {
    store_.side().query(R"(
INSERT INTO grants (role_id, server, database_name, table_name, column_name, action, grant_option,
                    identity, as_of_event, suspended, suspended_reason)
SELECT role_id, 'server1', split_part($1, '.', 1), split_part($1, '.', 2), split_part($1, '.', 3),
       $2, $3, $4, $5, $6 <> '', $6 FROM roles WHERE role = 'analyst')",
                        {grant.on, grant.action, grant.grant_option ? "true" : "false",
                         grant.identity, std::to_string(grant.as_of), grant.suspended_reason});
  }

  /// "db.table.column SELECT 5 identity", with " option" and " (reason)" behind.
  std::vector<std::string> grants() {
    return store_.lines(R"(
SELECT concat_ws('.', database_name, nullif(table_name, ''), nullif(column_name, '')) || ' ' ||
       action || ' ' || as_of_event || ' ' || identity ||
       CASE WHEN grant_option THEN ' option' ELSE '' END ||
       CASE WHEN suspended THEN ' (' || suspended_reason || ')' ELSE '' END
FROM grants)");
  }

  /// "action object event" of the audit.
  std::vector<std::string> audit() {
    return store_.lines(
        "SELECT concat_ws(' ', who, action, object, event) FROM audit WHERE action <> 'snapshot'");
  }

  std::vector<std::string> permission_changes() {
    return store_.lines(R"(
SELECT concat_ws(' ', event_id, change, role, database_name, table_name, column_name, action,
                 new_database_name, new_table_name) FROM permission_changes)");
  }

  PostgresUnderTest store_;
  const follower::Token token_{7, "nonce"};
};

}  // namespace hmsync::store
