#include "store/suspended.h"

#include <unordered_set>

#include "store/grant_changes.h"
#include "store/grant_log.h"

namespace hmsync::store {

namespace {

/// Of the suspended grants that are asked for: which may be restored (''), and why not. Of equal
/// ones only one may: that of the object which is there, else the latest.
std::string judged() {
  return std::string(R"(WITH asked AS (
  SELECT g.*, o.object_id, o.identity AS there,
         EXISTS (SELECT FROM grants a
                 WHERE NOT a.suspended AND a.role_id = g.role_id AND a.server = g.server
                   AND a.catalog = g.catalog AND a.database_name = g.database_name
                   AND a.table_name = g.table_name AND a.column_name = g.column_name
                   AND a.uri = g.uri AND a.action = g.action) AS held
  FROM grants g
  LEFT JOIN objects o ON o.server = g.server AND o.catalog = g.catalog
    AND o.database_name = g.database_name AND o.table_name = g.table_name
  WHERE g.server = $1 AND g.suspended
    AND ($2::bigint[] IS NULL OR g.grant_id = ANY($2::bigint[]))),
judged AS (
  SELECT a.*, CASE
    WHEN database_name <> '' AND object_id IS NULL THEN 'nothing has that name now'
    WHEN held THEN 'an equal grant authorises already'
    WHEN $3::boolean THEN ''
    WHEN identity <> '' AND there <> '' AND identity <> there
      THEN 'another object has that name now (--force gives the grant to it)'
    WHEN suspended_reason = ')") +
         kOtherObject + R"(' AND (identity = '' OR there = '')
      THEN 'another object may have that name now (--force gives the grant to it)'
    WHEN suspended_reason = ')" +
         kColumnGone + R"('
      THEN 'its column was gone, and the store does not know whether it is back (--force restores)'
    WHEN suspended_reason = ')" +
         kRevokeUnfinished + R"('
      THEN 'a revoke may have meant it under a name that it had for a moment (--force restores)'
    ELSE '' END AS refusal
  FROM asked a),
ranked AS (
  SELECT grant_id, refusal, row_number() OVER (
    PARTITION BY refusal, role_id, catalog, database_name, table_name, column_name, uri, action
    ORDER BY identity = there DESC, as_of_event DESC, grant_id DESC) AS place
  FROM judged)
SELECT grant_id,
       CASE WHEN refusal = '' AND place > 1 THEN 'an equal one is restored' ELSE refusal END
FROM ranked ORDER BY grant_id)";
}

const GrantChange kRestore{
    R"(UPDATE grants g SET suspended = false, suspended_at = NULL, suspended_reason = '',
  identity = CASE WHEN $4::boolean
    THEN coalesce((SELECT o.identity FROM objects o
                   WHERE o.server = g.server AND o.catalog = g.catalog
                     AND o.database_name = g.database_name AND o.table_name = g.table_name),
                  g.identity)
    ELSE g.identity END,
  as_of_event = CASE WHEN $4::boolean
    THEN (SELECT coalesce(f.cursor, 0) FROM followers f WHERE f.server = g.server)
    ELSE g.as_of_event END
WHERE g.grant_id = ANY($3::bigint[]))",
    "restored", "restore", R"(((line || '{"suspended": true}') - 'as_of_event'))",
    "line || jsonb_build_object('forced', $4::boolean)"};

const GrantChange kPurge{"DELETE FROM grants g WHERE g.grant_id = ANY($3::bigint[])", "removed",
                         "purge", "line", "NULL"};

Parameter array_of(const GrantIds& ids) { return ids ? Parameter{text_array(*ids)} : Parameter{}; }

void lock_follower(Connection& connection, const std::string& server) {
  connection.query("SELECT FROM followers WHERE server = $1 FOR UPDATE", {server});
}

/// Rows of grant_id and, where it stays as it is, the reason.
SettledGrants settle(const Result& rows, const GrantIds& asked, std::vector<int64_t>& chosen) {
  SettledGrants settled;
  std::unordered_set<int64_t> found;
  for (int row = 0; row < rows.rows(); ++row) {
    const int64_t id = rows.integer(row, 0);
    found.insert(id);
    if (rows.text(row, 1).empty()) {
      chosen.push_back(id);
    } else {
      settled.refused.push_back({id, std::string(rows.text(row, 1))});
    }
  }
  if (!asked) return settled;
  for (const int64_t id : *asked) {
    // Once, however often it is named.
    if (!found.insert(id).second) continue;
    settled.refused.push_back({id, "there is no such suspended grant"});
  }
  return settled;
}

void audit_refusals(Connection& connection, const std::string& server, const std::string& who,
                    const std::string& action, const SettledGrants& settled) {
  if (settled.refused.empty()) return;
  std::vector<int64_t> ids;
  std::vector<std::string> reasons;
  for (const auto& [id, reason] : settled.refused) {
    ids.push_back(id);
    reasons.push_back(reason);
  }
  connection.query(R"(INSERT INTO audit (time, server, who, action, object, before, outcome)
SELECT clock_timestamp(), $1, $2, $3,
       concat_ws('.', nullif(g.database_name, ''), nullif(g.table_name, ''),
                 nullif(g.column_name, ''), nullif(g.uri, '')),
       jsonb_build_object('id', i.id), 'refused: ' || i.reason
FROM unnest($4::bigint[], $5::text[]) i(id, reason)
LEFT JOIN grants g ON g.grant_id = i.id AND g.server = $1)",
                   {server, who, action, text_array(ids), text_array(reasons)});
}

}  // namespace

SettledGrants restore_suspended(Connection& connection, const std::string& server,
                                const GrantIds& ids, bool force, const std::string& who) {
  Transaction transaction(connection);
  lock_follower(connection, server);
  const Parameter forced = force ? "true" : "false";
  std::vector<int64_t> chosen;
  SettledGrants settled =
      settle(connection.query(judged(), {server, array_of(ids), forced}), ids, chosen);
  settled.count =
      connection.query(logged(kRestore), {who, std::nullopt, text_array(chosen), forced})
          .integer(0, 0);
  audit_refusals(connection, server, who, "restore", settled);
  transaction.commit();
  return settled;
}

SettledGrants purge_suspended(Connection& connection, const std::string& server,
                              const GrantIds& ids, const std::string& who) {
  Transaction transaction(connection);
  lock_follower(connection, server);
  std::vector<int64_t> chosen;
  SettledGrants settled =
      settle(connection.query("SELECT grant_id, '' FROM grants WHERE server = $1 AND suspended "
                              "AND ($2::bigint[] IS NULL OR grant_id = ANY($2::bigint[]))",
                              {server, array_of(ids)}),
             ids, chosen);
  settled.count =
      connection.query(logged(kPurge), {who, std::nullopt, text_array(chosen)}).integer(0, 0);
  audit_refusals(connection, server, who, "purge", settled);
  transaction.commit();
  return settled;
}

}  // namespace hmsync::store
