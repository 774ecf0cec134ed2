#include "store/privileges.h"

#include <vector>

#include "store/grant_changes.h"
#include "store/grant_log.h"
#include "store/held_grants.h"
#include "store/revoke.h"

namespace hmsync::store {

namespace {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeOutcome;

const std::string kHeld =
    "SELECT grant_id, action, grant_option, identity, as_of_event, grantor, " +
    may_be_revoked("g") + R"(
FROM grants g
WHERE role_id = (SELECT role_id FROM roles WHERE role = $1) AND server = $2 AND catalog = $3
  AND database_name = $4 AND table_name = $5 AND column_name = $6 AND uri = $7 AND NOT suspended)";

/// $1 who, $2 no event, then the object: what every statement here begins with.
std::vector<Parameter> begin_parameters(const std::string& server,
                                        const PrivilegeCommand& command) {
  const follower::PrivilegeObject& object = command.object;
  return {command.who,
          std::nullopt,
          command.role,
          server,
          object.catalog,
          object.database.value_or(""),
          object.table.value_or(""),
          object.column.value_or(""),
          object.uri.value_or("")};
}

std::string object_text(const PrivilegeCommand& command) {
  const follower::PrivilegeObject& object = command.object;
  if (object.uri) return *object.uri;
  if (!object.database) return "server";
  std::string text = *object.database;
  if (object.table) text += "." + *object.table;
  if (object.column) text += "." + *object.column;
  return text;
}

std::vector<HeldGrant> held_grants(Connection& connection,
                                   const std::vector<Parameter>& parameters) {
  const Result rows = connection.query(kHeld, std::span(parameters).subspan(2));
  std::vector<HeldGrant> held;
  held.reserve(static_cast<size_t>(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) {
    held.push_back({rows.integer(row, 0), std::string(rows.text(row, 1)), rows.boolean(row, 2),
                    std::string(rows.text(row, 3)), rows.integer(row, 4),
                    std::string(rows.text(row, 5)), rows.boolean(row, 6)});
  }
  return held;
}

void suspend(Connection& connection, const std::string& who, const std::vector<int64_t>& grants) {
  if (grants.empty()) return;
  const GrantChange change{
      R"(UPDATE grants g SET suspended = true, suspended_at = clock_timestamp(), suspended_reason = $4
WHERE g.grant_id = ANY($3::bigint[]))",
      "suspended", "suspend", "line || '{\"suspended\": false}'",
      "line || jsonb_build_object('reason', $4::text)"};
  connection.query(logged(change), {who, std::nullopt, text_array(grants), kOtherObject});
}

void absorb(Connection& connection, const std::string& who, const std::vector<int64_t>& grants) {
  if (grants.empty()) return;
  const GrantChange change{"DELETE FROM grants g WHERE g.grant_id = ANY($3::bigint[])", "revoked",
                           "grant", "line", "NULL"};
  connection.query(logged(change), {who, std::nullopt, text_array(grants)});
}

/// The grant stays as it is, and stands on the newer basis. A revoke that is to be repeated must
/// find it younger.
void confirm(Connection& connection, const HeldGrant& grant, const GrantBasis& basis,
             const Unsettled& unsettled) {
  connection.query(R"(UPDATE grants SET as_of_event = greatest(as_of_event, $2::bigint),
  identity = CASE WHEN $3 = '' THEN identity ELSE $3 END,
  granted_at = CASE WHEN $4::boolean THEN clock_timestamp() ELSE granted_at END
WHERE grant_id = $1)",
                   {std::to_string(grant.id), std::to_string(basis.as_of_event), basis.identity,
                    unsettled.revokes ? "true" : "false"});
}

void add_grant_option(Connection& connection, const std::string& who, const HeldGrant& grant) {
  const GrantChange change{
      R"(UPDATE grants g SET grant_option = true, grantor = $1, granted_at = clock_timestamp()
WHERE g.grant_id = $3)",
      "granted", "grant", "line || jsonb_build_object('grant_option', false, 'grantor', $4::text)",
      "line"};
  connection.query(logged(change), {who, std::nullopt, std::to_string(grant.id), grant.grantor});
}

void insert(Connection& connection, std::vector<Parameter> parameters,
            const PrivilegeCommand& command, const GrantBasis& basis) {
  const GrantChange change{R"(INSERT INTO grants AS g
  (role_id, server, catalog, database_name, table_name, column_name, uri, action, grant_option,
   grantor, granted_at, identity, as_of_event)
SELECT role_id, $4, $5, $6, $7, $8, $9, $10, $11::boolean, $1, clock_timestamp(), $12, $13::bigint
FROM roles WHERE role = $3)",
                           "granted", "grant", "NULL", "line"};
  parameters.insert(parameters.end(), {command.action, command.grant_option ? "true" : "false",
                                       basis.identity, std::to_string(basis.as_of_event)});
  connection.query(logged(change), parameters);
}

}  // namespace

PostgresPrivilegeStore::PostgresPrivilegeStore(ConnectionOptions options, std::string server,
                                               ConnectionObserver* observer)
    : connection_(std::move(options), observer), server_(std::move(server)) {}

follower::LookedUp PostgresPrivilegeStore::look_up(const follower::PrivilegeObject& object) {
  const Result row = connection_.query(
      "SELECT coalesce(f.generation, 0), o.identity FROM (SELECT $1::text AS server) s "
      "LEFT JOIN followers f USING (server) "
      "LEFT JOIN objects o ON o.server = s.server AND o.catalog = $2 AND o.database_name = $3 "
      "AND o.table_name = $4",
      {server_, object.catalog, object.database.value_or(""), object.table.value_or("")});
  return {row.integer(0, 0), row.optional_text(0, 1)};
}

bool PostgresPrivilegeStore::is_gone(const PrivilegeCommand& command, const GrantBasis& basis) {
  return basis.stored && look_up(command.object).identity != basis.identity;
}

PostgresPrivilegeStore::FollowerRow PostgresPrivilegeStore::lock_follower() {
  constexpr const char* kLock =
      "SELECT generation, cursor FROM followers WHERE server = $1 FOR UPDATE";
  // By a statement of its own, which sees what was committed while the lock was waited for.
  constexpr const char* kReReads =
      "SELECT FROM pending_re_reads WHERE server = $1 AND generation = $2 LIMIT 1";
  Result row = connection_.query(kLock, {server_});
  if (row.rows() == 0) {  // nobody has followed this metastore yet
    connection_.query("INSERT INTO followers (server) VALUES ($1) ON CONFLICT DO NOTHING",
                      {server_});
    row = connection_.query(kLock, {server_});
  }
  FollowerRow follower;
  follower.generation = row.integer(0, 0);
  if (!row.is_null(0, 1)) follower.cursor = row.integer(0, 1);
  follower.re_reads =
      connection_.query(kReReads, {server_, std::to_string(follower.generation)}).rows() > 0;
  return follower;
}

bool PostgresPrivilegeStore::role_exists(const std::string& role) {
  return connection_.query("SELECT FROM roles WHERE role = $1 FOR KEY SHARE", {role}).rows() > 0;
}

PrivilegeOutcome PostgresPrivilegeStore::refuse(const std::string& who, const std::string& action,
                                                const std::string& object,
                                                const std::string& reason) {
  audit_refusal(who, action, object, reason);
  return {"refused", reason, false, std::nullopt};
}

void PostgresPrivilegeStore::audit_refusal(const std::string& who, const std::string& action,
                                           const std::string& object, const std::string& reason) {
  connection_.query(R"(INSERT INTO audit (time, server, who, action, object, outcome)
VALUES (clock_timestamp(), $1, $2, $3, $4, 'refused: ' || $5::text))",
                    {server_, who, action, object, reason});
}

std::optional<PrivilegeOutcome> PostgresPrivilegeStore::grant(const PrivilegeCommand& asked,
                                                              const GrantBasis& basis) {
  const PrivilegeCommand command = follower::normalized(asked);
  if (const std::string wrong = follower::fault(command); !wrong.empty()) {
    return refuse(command.who, "grant", object_text(command), wrong);
  }
  Transaction transaction(connection_);
  const FollowerRow follower = lock_follower();
  if (follower.generation != basis.generation || follower.cursor > basis.as_of_event ||
      is_gone(command, basis)) {
    return std::nullopt;
  }
  PrivilegeOutcome outcome{"done", "", false, std::nullopt};
  if (role_exists(command.role)) {
    outcome.changed = put_grant(command, basis, follower);
  } else {
    outcome =
        refuse(command.who, "grant", object_text(command), "there is no role " + command.role);
  }
  transaction.commit();
  return outcome;
}

/// True if what authorises changed.
bool PostgresPrivilegeStore::put_grant(const PrivilegeCommand& command, const GrantBasis& asked,
                                       const FollowerRow& follower) {
  GrantBasis basis = asked;
  // No event acts on such a grant; its number only says when it was made.
  if (!command.object.database) basis.as_of_event = follower.cursor.value_or(0);
  Unsettled unsettled;
  unsettled.events = !follower.cursor || *follower.cursor < basis.as_of_event || follower.re_reads;
  unsettled.revokes = revoke_waits(connection_, server_);
  const std::vector<Parameter> parameters = begin_parameters(server_, command);
  const std::vector<HeldGrant> held = held_grants(connection_, parameters);
  const GrantPlan plan = plan_grant(held, command, basis, unsettled);
  suspend(connection_, command.who, plan.suspended);
  absorb(connection_, command.who, plan.absorbed);
  bool changed = !plan.suspended.empty() || !plan.absorbed.empty();
  if (plan.equal != nullptr) {
    confirm(connection_, *plan.equal, basis, unsettled);
    if (command.grant_option && !plan.equal->grant_option) {
      add_grant_option(connection_, command.who, *plan.equal);
      changed = true;
    }
  } else if (!plan.contained) {
    insert(connection_, parameters, command, basis);
    changed = true;
  }
  return changed;
}

bool PostgresPrivilegeStore::revoke_at_once(const PrivilegeCommand& asked) {
  const PrivilegeCommand command = follower::normalized(asked);
  if (!follower::fault(command).empty()) return false;
  Transaction transaction(connection_);
  lock_follower();
  const bool changed = take_away(connection_, server_, {command, std::nullopt, std::nullopt});
  transaction.commit();
  return changed;
}

PrivilegeOutcome PostgresPrivilegeStore::revoke(const PrivilegeCommand& asked,
                                                std::optional<int64_t> head) {
  const PrivilegeCommand command = follower::normalized(asked);
  if (const std::string wrong = follower::fault(command); !wrong.empty()) {
    return refuse(command.who, "revoke", object_text(command), wrong);
  }
  Transaction transaction(connection_);
  const FollowerRow follower = lock_follower();
  PrivilegeOutcome outcome{"done", "", false, std::nullopt};
  if (role_exists(command.role)) {
    outcome.changed = take_away(connection_, server_, {command, std::nullopt, std::nullopt});
    // Below the cursor it is no head of this history.
    if (head < follower.cursor) head.reset();
    if (command.object.database && (!head || head != follower.cursor || follower.re_reads)) {
      outcome.repeat_at_event = head.value_or(-1);
      ask_to_repeat(connection_, server_, command, *outcome.repeat_at_event, follower.generation);
    }
  } else {
    outcome =
        refuse(command.who, "revoke", object_text(command), "there is no role " + command.role);
  }
  transaction.commit();
  return outcome;
}

}  // namespace hmsync::store
