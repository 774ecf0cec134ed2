#include "store/revoke.h"

#include "store/grant_log.h"

namespace hmsync::store {

namespace {

/// Grants at or below an object. '' stands for "whatever".
constexpr const char* kReached = R"(g.server = $3
  AND g.role_id = (SELECT role_id FROM roles WHERE role = $4)
  AND ($5 = '' OR (g.database_name = $5 AND g.catalog = $6))
  AND ($7 = '' OR g.table_name = $7) AND ($8 = '' OR g.column_name = $8)
  AND ($9 = '' OR g.uri = $9)
  AND ($10::timestamptz IS NULL OR g.granted_at <= $10::timestamptz))";

/// The arguments of a request q.
constexpr const char* kArguments =
    R"(jsonb_to_record(q.arguments) AS a(role text, action text, catalog text, database text,
                                    "table" text, "column" text, uri text))";

std::vector<Parameter> parameters_of(const std::string& server, const Revocation& revocation) {
  const follower::PrivilegeCommand& command = revocation.command;
  const follower::PrivilegeObject& object = command.object;
  Parameter event;
  if (revocation.event) event = std::to_string(*revocation.event);
  return {command.who,
          event,
          server,
          command.role,
          object.database.value_or(""),
          object.catalog,
          object.table.value_or(""),
          object.column.value_or(""),
          object.uri.value_or(""),
          revocation.granted_until,
          command.action};
}

/// What is left of ALL: the other actions, each as a grant of its own, made when ALL was. One that
/// is there already keeps its row, and gets no option that another revoke is to take away.
std::string split_all() {
  const std::string statement = std::string(R"(INSERT INTO grants AS g
  (role_id, server, catalog, database_name, table_name, column_name, uri, action, grant_option,
   grantor, granted_at, identity, as_of_event, suspended, suspended_reason, suspended_at)
SELECT role_id, server, catalog, database_name, table_name, column_name, uri, other, grant_option,
       grantor, granted_at, identity, as_of_event, suspended, suspended_reason, suspended_at
FROM grants g, unnest('{SELECT,INSERT,CREATE,ALTER,DROP,INDEX,LOCK,REFRESH}'::text[]) other
WHERE g.action = 'ALL' AND other <> $11 AND )") +
                                kReached + R"(
ON CONFLICT (role_id, server, catalog, database_name, table_name, column_name, md5(uri), action)
  WHERE NOT suspended
DO UPDATE SET grant_option = true
  WHERE excluded.grant_option AND NOT g.grant_option AND NOT )" +
                                may_be_revoked("excluded");
  return logged({statement, "granted", "revoke"});
}

/// Open: of the role of `g` and its action, asked for after `granted_at`.
std::string unfinished_revoke(const std::string& g, const std::string& granted_at) {
  return "EXISTS (SELECT FROM requests q JOIN " + std::string(kArguments) +
         " ON true JOIN roles w ON w.role = a.role WHERE q.server = " + g +
         ".server AND q.kind = 'revoke' AND q.state = 'pending' AND q.requested_at >= " +
         granted_at + " AND w.role_id = " + g + ".role_id AND (a.action = 'ALL' OR " + g +
         ".action IN (a.action, 'ALL'))";
}

std::string is_or_any(const std::string& argument, const std::string& column) {
  return "coalesce(a." + argument + ", '') IN ('', " + column + ")";
}

/// The revoke's database and table are those of `g`.
std::string is_named(const std::string& g) {
  return "((coalesce(a.database, '') = '' OR a.catalog = " + g + ".catalog) AND " +
         is_or_any("database", g + ".database_name") + " AND " +
         is_or_any("\"table\"", g + ".table_name") + ")";
}

/// What no rename changes.
std::string is_part(const std::string& g) {
  return is_or_any("\"column\"", g + ".column_name") + " AND " + is_or_any("uri", g + ".uri");
}

std::string remove_rows() {
  const std::string statement =
      std::string("DELETE FROM grants g WHERE ($11 = 'ALL' OR g.action IN ($11, 'ALL')) AND ") +
      kReached;
  return logged({statement, "revoked", "revoke", "line", "NULL"});
}

}  // namespace

const char* const kRevokesDue = R"(EXISTS (
  SELECT FROM requests q JOIN followers f USING (server) LEFT JOIN follower_progress p USING (server)
  WHERE q.server = $1 AND q.state = 'pending' AND q.kind = 'revoke'
    AND (q.generation <> f.generation
         OR (q.at_event >= 0 AND q.at_event <= f.cursor
             AND (NOT q.arguments ? 'repeated' OR NOT EXISTS (
               SELECT FROM pending_re_reads r WHERE r.server = f.server
                 AND r.generation = f.generation AND r.event_id <= q.at_event)))
         OR (q.at_event = -1 AND p.head >= coalesce(f.cursor, p.head)
             AND p.head_read_at > coalesce((q.arguments->>'head_read_at')::timestamptz,
                                           q.requested_at)))))";

const char* const kRevokeAhead = R"((
  SELECT min(CASE q.at_event WHEN -1 THEN f.cursor ELSE q.at_event END)
  FROM requests q JOIN followers f USING (server, generation)
  WHERE q.server = $1 AND q.state = 'pending' AND q.kind = 'revoke'
    AND NOT q.arguments ? 'repeated'))";

std::string is_to_be_revoked(const std::string& g, const std::string& granted_at) {
  return unfinished_revoke(g, granted_at) + " AND " + is_named(g) + " AND " + is_part(g) + ")";
}

std::string may_be_revoked(const std::string& g) {
  return unfinished_revoke(g, g + ".granted_at") + " AND (" + g + ".table_name <> '' OR " +
         is_named(g) + ") AND " + is_part(g) + ")";
}

bool revoke_waits(Connection& connection, const std::string& server) {
  return connection
             .query(
                 "SELECT FROM requests WHERE server = $1 AND kind = 'revoke' AND state = 'pending' "
                 "LIMIT 1",
                 {server})
             .rows() > 0;
}

bool take_away(Connection& connection, const std::string& server, const Revocation& revocation) {
  const std::vector<Parameter> parameters = parameters_of(server, revocation);
  if (revocation.command.action != "ALL") connection.query(split_all(), parameters);
  return connection.query(remove_rows(), parameters).integer(0, 0) > 0;
}

void ask_to_repeat(Connection& connection, const std::string& server,
                   const follower::PrivilegeCommand& command, int64_t at_event,
                   int64_t generation) {
  const follower::PrivilegeObject& object = command.object;
  connection.query(R"(INSERT INTO requests
  (server, kind, arguments, at_event, generation, requested_by, requested_at)
VALUES ($1, 'revoke', jsonb_build_object('role', $2::text, 'action', $3::text, 'catalog', $4::text,
                                         'database', $5::text, 'table', $6::text,
                                         'column', $7::text, 'uri', $8::text),
        $9, $10, $11, clock_timestamp()))",
                   {server, command.role, command.action, object.catalog, object.database,
                    object.table, object.column, object.uri, std::to_string(at_event),
                    std::to_string(generation), command.who});
}

void repeat_due_revokes(Connection& connection, const std::string& server) {
  // A head below the cursor is no head of this history: a reset is near, or a 2.3 went back.
  connection.query(R"(UPDATE requests q
SET at_event = greatest(p.head, (q.arguments->>'head')::bigint)
FROM follower_progress p JOIN followers f USING (server)
WHERE q.server = $1 AND p.server = $1 AND q.state = 'pending' AND q.kind = 'revoke'
  AND q.at_event = -1 AND p.head >= coalesce(f.cursor, p.head)
  AND p.head_read_at > (q.arguments->>'head_read_at')::timestamptz)",
                   {server});
  connection.query(R"(UPDATE requests q
SET arguments = q.arguments || jsonb_build_object('head', p.head, 'head_read_at', p.head_read_at)
FROM follower_progress p JOIN followers f USING (server)
WHERE q.server = $1 AND p.server = $1 AND q.state = 'pending' AND q.kind = 'revoke'
  AND q.at_event = -1 AND q.arguments->'head_read_at' IS NULL
  AND p.head >= coalesce(f.cursor, p.head) AND p.head_read_at > q.requested_at)",
                   {server});
  const Result due = connection.query(std::string(R"(SELECT q.request_id, q.requested_at, f.cursor,
  q.requested_by, a.role, a.action, a.catalog, a.database, a."table", a."column", a.uri,
  q.generation <> f.generation OR NOT EXISTS (
    SELECT FROM pending_re_reads r WHERE r.server = f.server AND r.generation = f.generation
      AND r.event_id <= q.at_event)
FROM requests q JOIN followers f USING (server), )") +
                                          kArguments +
                                          R"(
WHERE q.server = $1 AND q.state = 'pending' AND q.kind = 'revoke'
  AND (q.generation <> f.generation OR (q.at_event >= 0 AND q.at_event <= f.cursor))
ORDER BY q.request_id)",
                                      {server});
  for (int row = 0; row < due.rows(); ++row) {
    Revocation revocation;
    revocation.granted_until = due.optional_text(row, 1);
    if (!due.is_null(row, 2)) revocation.event = due.integer(row, 2);
    revocation.command.who = due.text(row, 3);
    revocation.command.role = due.text(row, 4);
    revocation.command.action = due.text(row, 5);
    revocation.command.object = {std::string(due.text(row, 6)), due.optional_text(row, 7),
                                 due.optional_text(row, 8), due.optional_text(row, 9),
                                 due.optional_text(row, 10)};
    const bool changed = take_away(connection, server, revocation);
    if (!due.boolean(row, 11)) {  // what is still to be read again may be a rename
      connection.query(
          "UPDATE requests SET arguments = arguments || '{\"repeated\": true}' WHERE request_id = "
          "$1",
          {std::string(due.text(row, 0))});
      continue;
    }
    connection.query(R"(UPDATE requests SET state = 'finished', finished_at = clock_timestamp(),
  outcome = jsonb_build_object('outcome', 'done', 'changed', $2::boolean) WHERE request_id = $1)",
                     {std::string(due.text(row, 0)), changed ? "true" : "false"});
  }
}

}  // namespace hmsync::store
