#include "store/snapshot_re_reads.h"

#include "store/claim_sql.h"

namespace hmsync::store {

namespace {

/// What the staging took over from the live state. $1 the server, $2 the snapshot. No table: the
/// database and all that is in it.
const std::string kDoubtful = R"(WITH doubtful AS MATERIALIZED (
  SELECT catalog, database_name, table_name FROM staging_re_reads WHERE snapshot = $2
  UNION
  SELECT catalog, database_name, table_name FROM staging_claims
  WHERE snapshot = $2
    AND (NOT unordered OR (SELECT whole FROM staging_snapshots WHERE snapshot = $2))))";

/// Whose reading was thrown away waits for its first event still, though the database that it is
/// in, or everything, was read, or more was asked for meanwhile.
const std::string kOwed = kDoubtful + R"(
INSERT INTO staging_re_reads AS t
  (snapshot, catalog, database_name, table_name, event_id, without_claim)
SELECT $2, d.catalog, d.database_name, d.table_name, min(r.event_id),
       bool_or(r.without_claim OR r.database_name = '' OR r.table_name <> d.table_name)
FROM doubtful d
CROSS JOIN LATERAL (
  SELECT * FROM pending_re_reads r
  WHERE r.server = $1 AND r.catalog = d.catalog AND r.database_name = d.database_name
    AND r.table_name IN ('', d.table_name)
  UNION ALL
  SELECT * FROM pending_re_reads r
  WHERE d.table_name = '' AND r.server = $1 AND r.catalog = d.catalog
    AND r.database_name = d.database_name AND r.table_name <> ''
  UNION ALL
  SELECT * FROM pending_re_reads r WHERE r.server = $1 AND r.database_name = '') r
WHERE d.database_name <> ''
  AND r.generation = (SELECT generation FROM followers WHERE server = $1) AND )" +
                          is_within_scopes("r") + R"(
GROUP BY d.catalog, d.database_name, d.table_name
ON CONFLICT (snapshot, catalog, database_name, table_name)
DO UPDATE SET event_id = least(t.event_id, excluded.event_id),
              without_claim = t.without_claim OR excluded.without_claim)";

/// $3: the last request that was read.
const std::string kEnd = R"(WITH read AS (
  DELETE FROM pending_re_reads r
  WHERE r.server = $1 AND r.request_id <= $3::bigint AND )" +
                         is_within_scopes("r") + " AND ($4::boolean OR NOT " + is_doubtful("r") +
                         R"()
  RETURNING r.catalog, r.database_name, r.table_name, r.event_id),
settled AS (
  DELETE FROM event_claims c
  WHERE c.server = $1 AND c.claim_id <= $3::bigint AND )" +
                         is_within_scopes("c") + " AND ($4::boolean OR NOT " + is_doubtful("c") +
                         R"()
    AND ($4::boolean OR c.from_table IS NULL OR NOT EXISTS (
      SELECT FROM (SELECT c.from_catalog AS catalog, c.from_database AS database_name,
                          c.from_table AS table_name) f WHERE )" +
                         is_doubtful("f") + R"())
  RETURNING 1),
kept AS (
  INSERT INTO staging_re_reads AS t (snapshot, catalog, database_name, table_name, event_id)
  SELECT h.snapshot, r.catalog, r.database_name, r.table_name, r.event_id
  FROM read r
  CROSS JOIN staging_snapshots h
  WHERE h.server = $1 AND h.whole AND h.snapshot <> $2
  ON CONFLICT (snapshot, catalog, database_name, table_name)
  DO UPDATE SET event_id = least(t.event_id, excluded.event_id), without_claim = true)
SELECT (SELECT count(*) FROM read) + (SELECT count(*) FROM settled))";

/// What was asked for again meanwhile is due since the events that asked then: on a table that is
/// always busy nobody would else ever be told that an event is readable.
const std::string kRaise = R"(WITH later AS (
  SELECT catalog, database_name, table_name, min(event_id) AS event_id
  FROM (
    SELECT catalog, database_name, table_name, event_id FROM event_claims
    WHERE server = $1 AND claim_id > $3::bigint
    UNION ALL
    SELECT from_catalog, from_database, from_table, event_id FROM event_claims
    WHERE server = $1 AND claim_id > $3::bigint AND from_table IS NOT NULL) c
  GROUP BY catalog, database_name, table_name)
UPDATE pending_re_reads r SET event_id = later.event_id
FROM later
WHERE r.server = $1 AND r.request_id > $3::bigint AND NOT r.without_claim
  AND r.catalog = later.catalog AND r.database_name = later.database_name
  AND r.table_name = later.table_name AND r.event_id < later.event_id AND )" +
                           is_within_scopes("r");

/// What replays on the staging left to be read again, with what events said of it.
const std::string kAsked = std::string(R"(WITH claimed AS (
  INSERT INTO event_claims (server, generation, event_id, kind, catalog, database_name, table_name,
                            from_catalog, from_database, from_table, identity, unordered, certain)
  SELECT $1, (SELECT generation FROM followers WHERE server = $1), event_id, kind, catalog,
         database_name, table_name, from_catalog, from_database, from_table, identity, unordered,
         certain
  FROM staging_claims WHERE snapshot = $2 ORDER BY claim_number)
INSERT INTO pending_re_reads AS r
  (server, catalog, database_name, table_name, event_id, generation, without_claim)
SELECT $1, catalog, database_name, table_name, min(event_id),
       (SELECT generation FROM followers WHERE server = $1), bool_or(without_claim)
FROM (
  SELECT catalog, database_name, table_name, event_id, without_claim FROM staging_re_reads
  WHERE snapshot = $2
  UNION ALL
  SELECT catalog, database_name, table_name, event_id, false FROM staging_claims
  WHERE snapshot = $2
  UNION ALL
  SELECT from_catalog, from_database, from_table, event_id, false FROM staging_claims
  WHERE snapshot = $2 AND from_table IS NOT NULL) asked
GROUP BY catalog, database_name, table_name ORDER BY min(event_id)
ON CONFLICT (server, catalog, database_name, table_name) DO UPDATE )") +
                           kAskAgain;

/// Names that renames connect with what is doubtful; one step.
const std::string kConnect = R"(
INSERT INTO staging_claims (snapshot, event_id, kind, catalog, database_name, table_name, identity,
                            unordered)
SELECT DISTINCT ON (n.catalog, n.database_name, n.table_name)
       $2, c.event_id, 'changed', n.catalog, n.database_name, n.table_name, '', false
FROM event_claims c
CROSS JOIN LATERAL (SELECT c.from_catalog AS catalog, c.from_database AS database_name,
                           c.from_table AS table_name) f
CROSS JOIN LATERAL (
  VALUES (c.catalog, c.database_name, c.table_name), (f.catalog, f.database_name, f.table_name))
  AS n(catalog, database_name, table_name)
WHERE c.server = $1 AND c.kind = 'renamed' AND c.from_table IS NOT NULL
  AND ()" + is_doubtful("c") +
                             " OR " + is_doubtful("f") + R"()
  AND NOT EXISTS (
    SELECT FROM staging_claims t
    WHERE t.snapshot = $2 AND t.catalog = n.catalog AND t.database_name = n.database_name
      AND t.table_name = n.table_name AND NOT t.unordered)
ORDER BY n.catalog, n.database_name, n.table_name)";

std::string with_doubtful(const std::string& of) {
  return kDoubtful + R"(,
chosen AS MATERIALIZED (
  SELECT DISTINCT o.object_id FROM doubtful d CROSS JOIN LATERAL (
    SELECT o.object_id FROM )" +
         of + R"( AND o.catalog = d.catalog AND o.database_name = d.database_name
      AND (d.table_name = '' OR o.table_name = d.table_name) OFFSET 0) o
  WHERE d.database_name <> ''))";
}

/// What is read again by itself is no business of a whole snapshot: it would be taken for drift.
const std::string kPending = R"(
INSERT INTO staging_re_reads
  (snapshot, catalog, database_name, table_name, event_id, without_claim)
SELECT $2, catalog, database_name, table_name, event_id, without_claim
FROM pending_re_reads
WHERE server = $1 AND database_name <> ''
ON CONFLICT DO NOTHING)";

/// A listing may hide a database whose tables events tell of: then it is as doubtful as they are.
const std::string kUnlisted = R"(
INSERT INTO staging_re_reads
  (snapshot, catalog, database_name, table_name, event_id, without_claim)
SELECT $2, o.catalog, o.database_name, '', min(d.event_id), true
FROM (
  SELECT catalog, database_name, event_id FROM staging_re_reads
  WHERE snapshot = $2 AND table_name <> ''
  UNION ALL
  SELECT catalog, database_name, event_id FROM staging_claims
  WHERE snapshot = $2 AND table_name <> '') d
JOIN objects o ON o.server = $1 AND o.catalog = d.catalog AND o.database_name = d.database_name
  AND o.table_name = ''
WHERE NOT EXISTS (
  SELECT FROM staging_objects s
  WHERE s.snapshot = $2 AND s.catalog = o.catalog AND s.database_name = o.database_name
    AND s.table_name = '')
GROUP BY o.catalog, o.database_name
ON CONFLICT DO NOTHING)";

const std::string kNotToJudge = R"(
SELECT coalesce(array_agg(g.grant_id), '{}')
FROM grants g
WHERE g.server = $1 AND g.database_name <> ''
  AND ($3::bigint[] IS NULL OR g.grant_id = ANY ($3::bigint[]))
  AND (g.granted_at > (SELECT begun_at FROM staging_snapshots WHERE snapshot = $2) OR )" +
                                is_doubtful("g") + ")";

const std::string kStaged = "staging_objects o WHERE $1 <> '' AND o.snapshot = $2";
const std::string kLive = "objects o WHERE o.server = $1";

const std::string kTakeOver[] = {with_doubtful(kStaged) + R"(
DELETE FROM staging_paths WHERE object_id = ANY (ARRAY(SELECT object_id FROM chosen)))",
                                 with_doubtful(kStaged) + R"(
DELETE FROM staging_objects WHERE object_id = ANY (ARRAY(SELECT object_id FROM chosen)))",
                                 with_doubtful(kLive) + R"(
INSERT INTO staging_objects (snapshot, catalog, database_name, table_name, type, owner, owner_type,
                             identity)
SELECT $2, catalog, database_name, table_name, type, owner, owner_type, identity
FROM objects WHERE object_id = ANY (ARRAY(SELECT object_id FROM chosen)))",
                                 with_doubtful(kLive) + R"(
INSERT INTO staging_paths (object_id, partition_values, scheme, authority, path)
SELECT s.object_id, p.partition_values, p.scheme, p.authority, p.path
FROM chosen c JOIN objects o USING (object_id) JOIN paths p USING (object_id)
JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = o.catalog
  AND s.database_name = o.database_name AND s.table_name = o.table_name)"};

}  // namespace

bool settle_doubtful(Connection& connection, const std::string& server, const std::string& snapshot,
                     bool whole) {
  if (whole) connection.query(kPending, {server, snapshot});
  const Result any = connection.query(
      "SELECT EXISTS (SELECT FROM staging_claims WHERE snapshot = $1) OR EXISTS (SELECT FROM "
      "staging_re_reads WHERE snapshot = $1)",
      {snapshot});
  if (!any.boolean(0, 0)) return false;
  while (connection.query(kConnect, {server, snapshot}).affected() > 0) {
  }
  if (whole) connection.query(kUnlisted, {server, snapshot});
  for (const std::string& step : kTakeOver) connection.query(step, {server, snapshot});
  return true;
}

void keep_owed(Connection& connection, const std::string& server, const std::string& snapshot) {
  connection.query(kOwed, {server, snapshot});
}

std::string grants_not_to_judge(Connection& connection, const Sides& sides) {
  const Result row = connection.query(kNotToJudge, {sides.server, sides.snapshot, sides.grants});
  return std::string(row.text(0, 0));
}

int64_t end_re_reads(Connection& connection, const Sides& sides,
                     const follower::Publication& publication) {
  const bool reset = publication.raise_generation;
  const int64_t through = reset ? INT64_MAX : sides.re_reads_through;
  const int64_t ended = connection
                            .query(kEnd, {sides.server, sides.snapshot, std::to_string(through),
                                          publication.unbroken ? "false" : "true"})
                            .integer(0, 0);
  connection.query(kRaise, {sides.server, sides.snapshot, std::to_string(through)});
  connection.query(kAsked, {sides.server, sides.snapshot});
  return ended;
}

}  // namespace hmsync::store
