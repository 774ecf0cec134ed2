#include "store/grant_changes.h"

#include "store/grant_log.h"
#include "store/revoke.h"

namespace hmsync::store {

namespace {

struct Logged {
  std::string change;  ///< permission_changes.change
  std::string action;  ///< audit.action
  /// SQL for the audit, where `line` is the row as the statement left or removed it.
  std::string before;
  std::string after;
  bool moved = false;  ///< the changed rows have from_catalog, from_database, from_table too
};

/// What is written of `changed`, the CTE of this name: rows of grants with event_id.
std::string log_of(const std::string& changed, const std::string& who, const Logged& log) {
  const std::string prefix = log.moved ? "from_" : "";
  const std::string suffix = log.moved ? "" : "_name";
  const std::string names =
      prefix + "catalog, " + prefix + "database" + suffix + ", " + prefix + "table" + suffix;
  return R"(,
lines_of_)" +
         changed + R"( AS (
  SELECT c.*, r.role, )" +
         grant_json("c", "r") + R"( AS line
  FROM )" +
         changed + R"( c JOIN roles r USING (role_id) ORDER BY grant_id),
told_of_)" +
         changed + R"( AS (
  INSERT INTO permission_changes (server, event_id, change, role, catalog, database_name,
                                  table_name, column_name, uri, action, grant_option)" +
         (log.moved ? ", new_catalog, new_database_name, new_table_name" : "") + R"()
  SELECT server, event_id, ')" +
         log.change + "', role, " + names + ", column_name, uri, action, grant_option" +
         (log.moved ? ", catalog, database_name, table_name" : "") + R"(
  FROM lines_of_)" +
         changed + R"(),
audited_of_)" +
         changed + R"( AS (
  INSERT INTO audit (time, server, who, action, object, event, before, after)
  SELECT clock_timestamp(), server, ')" +
         who + "', '" + log.action + R"(',
         concat_ws('.', database_name, nullif(table_name, ''), nullif(column_name, '')), event_id,
         )" +
         log.before + "::jsonb, " + log.after + R"(::jsonb
  FROM lines_of_)" +
         changed + ")";
}

/// Completes a statement that ends in `changed`: rows of grants with event_id.
std::string with_log(const std::string& with, const std::string& who, const Logged& log) {
  return with + log_of("changed", who, log) + "\nSELECT count(*) AS rows_written FROM changed";
}

}  // namespace

std::string suspend_chosen(const std::string& with, const std::string& who) {
  return with_log(with + R"(,
changed AS (
  UPDATE grants g
  SET suspended = true, suspended_at = clock_timestamp(), suspended_reason = c.reason
  FROM chosen c WHERE g.grant_id = c.grant_id AND NOT g.suspended
  RETURNING g.*, c.event_id))",
                  who,
                  {"suspended", "suspend", R"(line || '{"suspended": false}')",
                   "line || jsonb_build_object('reason', suspended_reason)"});
}

std::string remove_chosen(const std::string& with, const std::string& who) {
  return with_log(with + R"(,
changed AS (
  DELETE FROM grants g USING chosen c WHERE g.grant_id = c.grant_id RETURNING g.*, c.event_id))",
                  who, {"removed", "remove", "line", "NULL"});
}

std::string restore_chosen(const std::string& with, const std::string& who) {
  return with_log(with + R"(,
changed AS (
  UPDATE grants g SET suspended = false, suspended_at = NULL, suspended_reason = ''
  FROM chosen c WHERE g.grant_id = c.grant_id
  RETURNING g.*, c.event_id))",
                  who, {"restored", "restore", R"(line || '{"suspended": true}')", "line"});
}

std::string merge_chosen(const std::string& with, const std::string& who) {
  return with_log(
      with + R"(,
met AS MATERIALIZED (
  SELECT c.event_id, g.grant_id AS mover, t.grant_id AS there, t.as_of_event >= c.as_of AS stays,
         g.identity = t.identity AND g.identity <> '' AS same,
         g.grant_option AND NOT )" +
          is_to_be_revoked("t", "g.granted_at") + R"( AS mover_option,
         t.grant_option AND NOT )" +
          is_to_be_revoked("t", "t.granted_at") + R"( AS there_option
  FROM chosen c
  JOIN grants g USING (grant_id)
  JOIN grants t ON t.server = g.server AND t.catalog = c.to_catalog
    AND t.database_name = c.to_database AND t.table_name = c.to_table AND t.role_id = g.role_id
    AND t.column_name = g.column_name AND t.action = g.action
  WHERE NOT t.suspended AND (NOT g.suspended OR g.suspended_reason = ')" +
          kParked + R"(')
    AND t.grant_id NOT IN (SELECT grant_id FROM chosen)),
widened AS (
  UPDATE grants g SET grant_option = true
  FROM met m
  WHERE g.grant_id = CASE WHEN m.stays THEN m.there ELSE m.mover END AND m.same
    AND NOT g.grant_option AND CASE WHEN m.stays THEN m.mover_option ELSE m.there_option END
  RETURNING g.*, m.event_id))" +
          log_of("widened", who,
                 {"granted", "merge", R"(line || '{"grant_option": false, "suspended": false}')",
                  R"(line || '{"suspended": false}')"}) +
          R"(,
changed AS (
  DELETE FROM grants g USING met m
  WHERE g.grant_id = CASE WHEN m.stays THEN m.mover ELSE m.there END
  RETURNING g.*, m.event_id, CASE WHEN m.stays THEN m.there ELSE m.mover END AS merged_into))",
      who,
      {"removed", "merge", R"(line || '{"suspended": false}')",
       "jsonb_build_object('merged_into', merged_into)"});
}

std::string move_chosen(const std::string& with, const std::string& who) {
  const std::string parked = std::string("g.suspended_reason = '") + kParked + "'";
  return with_log(with + R"(,
changed AS (
  UPDATE grants g
  SET catalog = c.to_catalog, database_name = c.to_database, table_name = c.to_table,
      as_of_event = c.as_of, suspended = g.suspended AND NOT )" +
                      parked + R"(,
      suspended_at = CASE WHEN )" +
                      parked + R"( THEN NULL ELSE g.suspended_at END,
      suspended_reason = CASE WHEN )" +
                      parked + R"( THEN '' ELSE g.suspended_reason END
  FROM chosen c JOIN grants o ON o.grant_id = c.grant_id
  WHERE g.grant_id = c.grant_id
  RETURNING g.*, c.event_id, o.catalog AS from_catalog, o.database_name AS from_database,
            o.table_name AS from_table, o.as_of_event AS from_as_of))",
                  who,
                  {"moved", "move", R"(line || jsonb_build_object('catalog', from_catalog,
           'database', from_database, 'table', from_table, 'as_of_event', from_as_of))",
                   "line", true});
}

}  // namespace hmsync::store
