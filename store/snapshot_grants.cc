#include "store/snapshot_grants.h"

#include <map>
#include <unordered_set>

#include "store/grant_changes.h"
#include "store/revoke.h"
#include "store/snapshot_grant_changes.h"
#include "store/snapshot_verdicts.h"

namespace hmsync::store {

namespace {

/// Grants whose object is not in the staging, or whose name is another object's there (an identity
/// that is not known is no other). $3: the cursor; $4: the grants within the scopes; null: all, but
/// for those whose object is not stored either.
const std::string kVanished = R"(
  SELECT g.grant_id, s.object_id IS NOT NULL AS there
  FROM grants g
  LEFT JOIN objects o ON o.server = $1 AND o.catalog = g.catalog
    AND o.database_name = g.database_name AND o.table_name = g.table_name
  LEFT JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = g.catalog
    AND s.database_name = g.database_name AND s.table_name = g.table_name
  WHERE g.server = $1 AND ($4::bigint[] IS NULL OR g.grant_id = ANY ($4::bigint[]))
    AND g.database_name <> '' AND NOT g.suspended AND g.as_of_event <= $3::bigint
    AND NOT (g.grant_id = ANY ($5::bigint[]))
    AND CASE WHEN s.object_id IS NULL THEN $4::bigint[] IS NOT NULL OR o.object_id IS NOT NULL
      ELSE s.identity <> ''
        AND coalesce(nullif(g.identity, ''), o.identity, '') NOT IN ('', s.identity) END)";

/// One row a grant that does not stay as it is: grant_id, reason and, where exactly one table of
/// its identity turned up elsewhere, that table's name. $4: whether all grants are looked at.
/// A database has no identity before 4.0: it is the same while one of its tables is still in it
/// with its identity or, having none, while owner and location are the same.
const std::string kJudged = R"(
WITH live AS MATERIALIZED (
  SELECT o.*, p.scheme, p.authority, p.path
  FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
  WHERE o.server = $1),
staged AS MATERIALIZED (
  SELECT o.*, p.scheme, p.authority, p.path
  FROM staging_objects o
  LEFT JOIN staging_paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
  WHERE o.snapshot = $2),
kept_tables AS (
  SELECT catalog, database_name
  FROM live l JOIN staged s USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND l.identity = s.identity
  GROUP BY catalog, database_name),
filled_databases AS (
  SELECT catalog, database_name FROM live WHERE table_name <> '' GROUP BY catalog, database_name),
vanished AS (
  SELECT l.identity FROM live l LEFT JOIN staged s USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND l.identity <> '' AND s.identity IS DISTINCT FROM l.identity
  GROUP BY l.identity HAVING count(*) > 1),
appeared AS (
  SELECT s.identity, min(catalog) AS catalog, min(database_name) AS database_name,
         min(table_name) AS table_name
  FROM staged s LEFT JOIN live l USING (catalog, database_name, table_name)
  WHERE table_name <> '' AND s.identity <> '' AND l.identity IS DISTINCT FROM s.identity
  GROUP BY s.identity HAVING count(*) = 1),
judged AS (
  SELECT g.grant_id, g.table_name, coalesce(nullif(g.identity, ''), l.identity, '') AS identity,
         s.object_id IS NOT NULL AS there, s.identity AS there_identity,
         l.object_id IS NULL OR k.catalog IS NOT NULL
           OR (f.catalog IS NULL AND (l.owner, l.owner_type, l.scheme, l.authority, l.path)
               IS NOT DISTINCT FROM (s.owner, s.owner_type, s.scheme, s.authority, s.path))
           AS same_database
  FROM grants g
  LEFT JOIN live l ON l.catalog = g.catalog AND l.database_name = g.database_name
    AND l.table_name = g.table_name
  LEFT JOIN staged s ON s.catalog = g.catalog AND s.database_name = g.database_name
    AND s.table_name = g.table_name
  LEFT JOIN kept_tables k ON k.catalog = g.catalog AND k.database_name = g.database_name
  LEFT JOIN filled_databases f ON f.catalog = g.catalog AND f.database_name = g.database_name
  WHERE g.server = $1 AND g.database_name <> '' AND NOT g.suspended
    AND ($4::boolean OR g.as_of_event <= $3::bigint))
SELECT j.grant_id, j.there, a.catalog, a.database_name, a.table_name, g.role_id, g.column_name,
       g.action, )" + may_be_revoked("g") +
                            R"(
FROM judged j
JOIN grants g USING (grant_id)
LEFT JOIN appeared a ON j.table_name <> '' AND j.identity <> '' AND a.identity = j.identity
  AND NOT EXISTS (SELECT FROM vanished v WHERE v.identity = j.identity)
WHERE NOT (j.there AND CASE
  WHEN j.identity <> '' AND j.there_identity <> '' THEN j.identity = j.there_identity
  ELSE j.table_name <> '' OR j.same_database END)
ORDER BY j.grant_id)";

/// Suspended since their object was gone or another's, and it is there now. $3: which are looked
/// at; $4: the cursor; $5: those that a rename moved, whose event is their as_of_event.
const std::string kFoundAgain = R"(WITH chosen AS MATERIALIZED (
  SELECT DISTINCT ON (g.role_id, g.catalog, g.database_name, g.table_name, g.column_name, g.action)
         g.grant_id,
         CASE WHEN g.grant_id = ANY ($5::bigint[]) THEN g.as_of_event ELSE $4::bigint END
           AS event_id
  FROM grants g
  JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = g.catalog
    AND s.database_name = g.database_name AND s.table_name = g.table_name
  WHERE g.server = $1 AND g.grant_id = ANY ($3::bigint[]) AND g.suspended
    AND NOT (g.grant_id = ANY ($6::bigint[]))
    AND g.suspended_reason IN (')" +
                                std::string(kObjectGone) + "', '" + kOtherObject + R"(')
    AND g.identity <> '' AND g.identity = s.identity
    AND NOT EXISTS (
      SELECT FROM grants a
      WHERE a.server = $1 AND a.catalog = g.catalog AND a.database_name = g.database_name
        AND a.table_name = g.table_name AND a.role_id = g.role_id
        AND a.column_name = g.column_name AND a.action = g.action AND NOT a.suspended)
  ORDER BY g.role_id, g.catalog, g.database_name, g.table_name, g.column_name, g.action,
           g.grant_id))";

/// Whatever has the name of a renamed table now is not whose grants these are.
void suspend_at_targets(const std::vector<ClaimedGrant>& grants,
                        const std::vector<Verdict>& verdicts, GrantChanges& changes) {
  std::map<processor::TableName, const Verdict*> targets;
  for (const Verdict& verdict : verdicts) {
    if (verdict.kind == Verdict::Kind::move) targets.emplace(verdict.to, &verdict);
  }
  for (size_t i = 0; i < grants.size(); ++i) {
    const ClaimedGrant& grant = grants[i];
    const auto target = targets.find(grant.name);
    if (target == targets.end() || verdicts[i].kind != Verdict::Kind::keep) continue;
    const std::string owner = owner_of(grant);
    const bool of_other = !owner.empty() && owner != target->second->identity;
    if (grant.suspended || !of_other || grant.as_of_event >= target->second->event) continue;
    changes.suspend(grant.id, kOtherObject, target->second->event);
  }
}

GrantChanges by_claims(Connection& connection, const Sides& sides, const Claims& claims,
                       const Sources& sources) {
  GrantChanges changes(kEvent);
  if (claims.all.empty()) return changes;
  std::vector<ClaimedGrant> grants =
      read_claimed_grants(connection, sides, claims, sources.renames);
  const std::vector<std::string> ids = parse_text_array(sides.untouched);
  const std::unordered_set<std::string> untouched(ids.begin(), ids.end());
  std::erase_if(grants, [&](const ClaimedGrant& grant) { return untouched.contains(grant.id); });
  if (grants.empty()) return changes;
  const Renames renames(claims, sources.renames);
  const std::vector<processor::Claim> refuted = refuted_claims(claims);
  std::vector<Verdict> verdicts;
  for (const ClaimedGrant& grant : grants) {
    const Verdict verdict = judge(grant, claims, renames, refuted);
    verdicts.push_back(verdict);
    if (verdict.kind == Verdict::Kind::remove) changes.remove(grant.id, verdict.event);
    if (verdict.kind == Verdict::Kind::returned) changes.returned(grant.id, verdict.event);
    if (verdict.kind == Verdict::Kind::suspend && !grant.suspended) {
      changes.suspend(grant.id, kOtherObject, verdict.event);
    }
    if (verdict.kind == Verdict::Kind::move &&
        !changes.move(grant.id, grant.key, verdict.to, verdict.identity, verdict.event,
                      !grant.suspended && !grant.perhaps_revoked)) {
      changes.suspend(grant.id, kObjectGone, verdict.event);
    }
  }
  suspend_at_targets(grants, verdicts, changes);
  changes.write(connection);
  return changes;
}

GrantChanges by_absence(Connection& connection, const Sides& sides, int64_t cursor) {
  GrantChanges changes(kSnapshot);
  const Result gone = connection.query(
      kVanished,
      {sides.server, sides.snapshot, std::to_string(cursor), sides.grants, sides.untouched});
  for (int row = 0; row < gone.rows(); ++row) {
    changes.suspend(std::string(gone.text(row, 0)),
                    gone.boolean(row, 1) ? kOtherObject : kObjectGone, cursor);
  }
  changes.write(connection);
  return changes;
}

/// Two grants that would become one keep the first; that happens only where identities lie.
GrantChanges by_identity(Connection& connection, const Sides& sides,
                         const follower::Publication& publication) {
  const Result rows =
      connection.query(kJudged, {sides.server, sides.snapshot, std::to_string(publication.cursor),
                                 publication.raise_generation ? "true" : "false"});
  GrantChanges changes(kSnapshot);
  for (int row = 0; row < rows.rows(); ++row) {
    const auto text = [&](int column) { return std::string(rows.text(row, column)); };
    const std::string key = text(5) + ' ' + text(7) + ' ' + text(6);
    if (rows.is_null(row, 2) || !changes.move(text(0), key, {text(2), text(3), text(4)}, "",
                                              publication.cursor, !rows.boolean(row, 8))) {
      changes.suspend(text(0), rows.boolean(row, 1) ? kOtherObject : kObjectGone,
                      publication.cursor);
    }
  }
  changes.write(connection);
  return changes;
}

/// Of a snapshot of some objects, all within the scopes; of a whole one, those that were moved.
bool restore_found(Connection& connection, const Sides& sides, int64_t cursor,
                   const std::vector<std::string>& moved) {
  if (!sides.grants && moved.empty()) return false;
  const std::string ids = text_array(moved);
  return connection
             .query(restore_chosen(kFoundAgain, kSnapshot),
                    {sides.server, sides.snapshot, sides.grants.value_or(ids),
                     std::to_string(cursor), ids, sides.untouched})
             .integer(0, 0) > 0;
}

}  // namespace

int64_t count_vanished_grants(Connection& connection, const Sides& sides, int64_t cursor) {
  return connection
      .query("SELECT count(*) FROM (" + kVanished + ") g",
             {sides.server, sides.snapshot, std::to_string(cursor), sides.grants, sides.untouched})
      .integer(0, 0);
}

GrantsOfSnapshot settle_grants(Connection& connection, const Sides& sides,
                               const follower::Publication& publication, const Claims& claims,
                               const Sources& sources) {
  // Events of a history that was lost tell nothing of this one.
  const GrantChanges told = publication.raise_generation
                                ? GrantChanges(kEvent)
                                : by_claims(connection, sides, claims, sources);
  const GrantChanges found = publication.unbroken || !sides.whole
                                 ? by_absence(connection, sides, publication.cursor)
                                 : by_identity(connection, sides, publication);
  const bool restored = restore_found(connection, sides, publication.cursor, told.moved());
  if (publication.raise_generation) {
    connection.query("UPDATE grants SET as_of_event = 0 WHERE server = $1 AND as_of_event <> 0",
                     {sides.server});
  }
  return {told.suspended() + found.suspended(), restored || !told.empty() || !found.empty()};
}

}  // namespace hmsync::store
