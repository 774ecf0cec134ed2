// The part of PostgresPrivilegeStore that is about roles and their members.
#include "store/grant_log.h"
#include "store/privileges.h"

namespace hmsync::store {

namespace {

using follower::PrivilegeOutcome;

PrivilegeOutcome done(bool changed) { return {"done", "", changed, std::nullopt}; }

/// Servers where the role has grants: their writers wait, always in this order, so that the numbers
/// of permission_changes grow with the commits. Others go on.
std::vector<std::string> lock_followers_of(Connection& connection, const std::string& role) {
  const Result rows = connection.query(R"(SELECT server FROM followers WHERE server IN (
  SELECT g.server FROM grants g JOIN roles USING (role_id) WHERE role = $1)
ORDER BY server FOR UPDATE)",
                                       {role});
  std::vector<std::string> servers;
  for (int row = 0; row < rows.rows(); ++row) servers.emplace_back(rows.text(row, 0));
  return servers;
}

bool has_grants_elsewhere(Connection& connection, const std::string& role,
                          const std::vector<std::string>& servers) {
  return connection
             .query(R"(SELECT FROM followers f WHERE server <> ALL ($2::text[]) AND EXISTS (
  SELECT FROM grants g JOIN roles USING (role_id) WHERE role = $1 AND g.server = f.server))",
                    {role, text_array(servers)})
             .rows() > 0;
}

const char* to_string(MemberKind kind) { return kind == MemberKind::group ? "group" : "user"; }

}  // namespace

PrivilegeOutcome PostgresPrivilegeStore::create_role(const std::string& role,
                                                     const std::string& who) {
  if (role.empty()) return refuse(who, "create role", role, "a role's name is needed");
  const Result made = connection_.query(R"(WITH made AS (
  INSERT INTO roles (role, created_by) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING role),
audited AS (
  INSERT INTO audit (server, who, action, object, after)
  SELECT $3, $2, 'create role', role, jsonb_build_object('role', role) FROM made)
SELECT FROM made)",
                                        {role, who, server_});
  if (made.rows() > 0) return done(true);
  return refuse(who, "create role", role, "there is a role " + role + " already");
}

PrivilegeOutcome PostgresPrivilegeStore::drop_role(const std::string& role,
                                                   const std::string& who) {
  for (;;) {
    Transaction transaction(connection_);
    const std::vector<std::string> locked = lock_followers_of(connection_, role);
    if (connection_.query("SELECT FROM roles WHERE role = $1 FOR UPDATE", {role}).rows() == 0) {
      PrivilegeOutcome refused = refuse(who, "drop role", role, "there is no role " + role);
      transaction.commit();
      return refused;
    }
    // A grant came on one more server before the role was locked: with that one, again.
    if (has_grants_elsewhere(connection_, role, locked)) continue;
    remove_role(role, who);
    transaction.commit();
    return done(true);
  }
}

/// With its grants and members, within a transaction that holds the locks.
void PostgresPrivilegeStore::remove_role(const std::string& role, const std::string& who) {
  const GrantChange grants{
      "DELETE FROM grants g WHERE g.role_id = (SELECT role_id FROM roles WHERE role = $3)",
      "revoked", "drop role", "line", "NULL"};
  connection_.query(logged(grants), {who, std::nullopt, role});
  connection_.query(R"(INSERT INTO audit (time, server, who, action, object, before)
SELECT clock_timestamp(), $1, $2, 'drop role', role,
       jsonb_build_object('role', role, 'groups', groups, 'users', users)
FROM v1_roles WHERE role = $3)",
                    {server_, who, role});
  connection_.query("DELETE FROM roles WHERE role = $1", {role});
}

PrivilegeOutcome PostgresPrivilegeStore::add_member(const std::string& role, MemberKind kind,
                                                    const std::string& member,
                                                    const std::string& who) {
  return change_member(role, kind, member, who, true);
}

PrivilegeOutcome PostgresPrivilegeStore::remove_member(const std::string& role, MemberKind kind,
                                                       const std::string& member,
                                                       const std::string& who) {
  return change_member(role, kind, member, who, false);
}

PrivilegeOutcome PostgresPrivilegeStore::change_member(const std::string& role, MemberKind kind,
                                                       const std::string& member,
                                                       const std::string& who, bool add) {
  const std::string action = add ? "add member" : "remove member";
  if (member.empty()) return refuse(who, action, role, "a group's or user's name is needed");
  Transaction transaction(connection_);
  if (!role_exists(role)) {
    PrivilegeOutcome refused = refuse(who, action, role, "there is no role " + role);
    transaction.commit();
    return refused;
  }
  const std::string change =
      add ? R"(INSERT INTO role_members (role_id, member_kind, member, added_by)
  SELECT role_id, $2, $3, $4 FROM roles WHERE role = $1 ON CONFLICT DO NOTHING RETURNING member)"
          : R"(DELETE FROM role_members WHERE role_id = (SELECT role_id FROM roles WHERE role = $1)
  AND member_kind = $2 AND member = $3 RETURNING member)";
  const Result changed = connection_.query("WITH changed AS (" + change + R"(), audited AS (
  INSERT INTO audit (time, server, who, action, object, )" +
                                               (add ? "after" : "before") + R"()
  SELECT clock_timestamp(), $5, $4, $6, $1, jsonb_build_object('role', $1::text, $2::text, member)
  FROM changed)
SELECT FROM changed)",
                                           {role, to_string(kind), member, who, server_, action});
  transaction.commit();
  return done(changed.rows() > 0);
}

}  // namespace hmsync::store
