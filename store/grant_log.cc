#include "store/grant_log.h"

#include <fmt/format.h>

namespace hmsync::store {

std::string grant_json(std::string_view g, std::string_view r) {
  return fmt::format(
      "jsonb_build_object('role', {1}.role, 'server', {0}.server, 'catalog', {0}.catalog,"
      " 'database', nullif({0}.database_name, ''), 'table', nullif({0}.table_name, ''),"
      " 'column', nullif({0}.column_name, ''), 'uri', nullif({0}.uri, ''), 'action', {0}.action,"
      " 'grant_option', {0}.grant_option, 'suspended', {0}.suspended, 'grantor', {0}.grantor,"
      " 'as_of_event', {0}.as_of_event)",
      g, r);
}

std::string logged(const GrantChange& change) {
  return fmt::format(
      R"(WITH changed AS ({0} RETURNING g.*),
lines AS (
  SELECT c.*, r.role, {1} AS line FROM changed c JOIN roles r USING (role_id) ORDER BY grant_id),
told AS (
  INSERT INTO permission_changes (server, change, role, catalog, database_name, table_name,
                                  column_name, uri, action, grant_option)
  SELECT server, '{2}', role, catalog, database_name, table_name, column_name, uri, action,
         grant_option
  FROM lines),
audited AS (
  INSERT INTO audit (time, server, who, action, object, event, before, after)
  SELECT clock_timestamp(), server, $1, '{3}',
         coalesce(nullif(uri, ''),
                  nullif(concat_ws('.', nullif(database_name, ''), nullif(table_name, ''),
                                   nullif(column_name, '')), ''),
                  'server'),
         $2::bigint, {4}::jsonb, {5}::jsonb
  FROM lines)
SELECT count(*) AS rows_written FROM changed)",
      change.statement, grant_json("c", "r"), change.change, change.action, change.before,
      change.after);
}

}  // namespace hmsync::store
