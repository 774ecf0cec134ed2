#include "store/snapshot_re_reads.h"

#include "store/claim_sql.h"

namespace hmsync::store {

namespace {

/// $3: the last request that was read.
const std::string kEnd = R"(WITH read AS (
  DELETE FROM pending_re_reads r
  WHERE r.server = $1 AND r.request_id <= $3::bigint AND )" +
                         is_within_scopes("r") + R"(
  RETURNING r.catalog, r.database_name, r.table_name, r.event_id),
settled AS (
  DELETE FROM event_claims c
  WHERE c.server = $1 AND c.claim_id <= $3::bigint AND )" +
                         is_within_scopes("c") + R"(
  RETURNING 1),
kept AS (
  INSERT INTO staging_re_reads AS t (snapshot, catalog, database_name, table_name, event_id)
  SELECT h.snapshot, r.catalog, r.database_name, r.table_name, r.event_id
  FROM read r
  CROSS JOIN staging_snapshots h
  WHERE h.server = $1 AND h.whole AND h.snapshot <> $2
  ON CONFLICT (snapshot, catalog, database_name, table_name)
  DO UPDATE SET event_id = least(t.event_id, excluded.event_id))
SELECT (SELECT count(*) FROM read) + (SELECT count(*) FROM settled))";

const std::string kAsked = std::string(R"(INSERT INTO pending_re_reads AS r
  (server, catalog, database_name, table_name, event_id, generation)
SELECT $1, catalog, database_name, table_name, event_id,
       (SELECT generation FROM followers WHERE server = $1)
FROM staging_re_reads WHERE snapshot = $2
ON CONFLICT (server, catalog, database_name, table_name) DO UPDATE )") +
                           kAskAgain;

}  // namespace

int64_t end_re_reads(Connection& connection, const Sides& sides, bool reset) {
  const int64_t through = reset ? INT64_MAX : sides.re_reads_through;
  const int64_t ended =
      connection.query(kEnd, {sides.server, sides.snapshot, std::to_string(through)}).integer(0, 0);
  connection.query(kAsked, {sides.server, sides.snapshot});
  return ended;
}

}  // namespace hmsync::store
