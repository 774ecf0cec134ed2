#include "store/snapshot_verdicts.h"

#include <algorithm>
#include <set>

#include "store/rename_sources.h"
#include "store/revoke.h"

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::TableName;

/// '' as table: the database and all that is in it.
const std::string kGrants = R"(
WITH names AS MATERIALIZED (
  SELECT * FROM unnest($3::text[], $4::text[], $5::text[])
    AS n(catalog, database_name, table_name)),
found AS (
  SELECT g.* FROM names n CROSS JOIN LATERAL (
    SELECT * FROM grants g
    WHERE g.server = $1 AND g.catalog = n.catalog AND g.database_name = n.database_name
      AND g.table_name = n.table_name OFFSET 0) g
  WHERE n.table_name <> ''
  UNION
  SELECT g.* FROM names n CROSS JOIN LATERAL (
    SELECT * FROM grants g
    WHERE g.server = $1 AND g.catalog = n.catalog AND g.database_name = n.database_name
    OFFSET 0) g
  WHERE n.table_name = '')
SELECT g.grant_id, g.catalog, g.database_name, g.table_name, g.identity, g.as_of_event,
       g.suspended, o.identity, s.identity, concat_ws(' ', g.role_id, g.action, g.column_name), )" +
                            may_be_revoked("g") + R"(
FROM found g
LEFT JOIN objects o ON o.server = $1 AND o.catalog = g.catalog
  AND o.database_name = g.database_name AND o.table_name = g.table_name
LEFT JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = g.catalog
  AND s.database_name = g.database_name AND s.table_name = g.table_name
ORDER BY g.grant_id)";

/// A table that is not stored under its name may have left its database by what cannot be read.
bool may_live_elsewhere(const ClaimedGrant& grant) {
  if (!grant.suspended || grant.identity.empty() || grant.name.table.empty()) return false;
  const std::optional<std::string>& live = grant.at.live;
  return !live || (!live->empty() && live != grant.identity);
}

/// One claim of a drop on one grant; the object's identity is not what is there now, or not known.
Verdict::Kind dropped(const ClaimedGrant& grant, const Claim& claim, const Claims& claims) {
  const bool older = grant.as_of_event < claim.event_id;
  const auto if_older = [&](Verdict::Kind kind) { return older ? kind : Verdict::Kind::keep; };
  if (grant.at.staged_is(owner_of(grant)) || is_of_other(claim, grant.identity)) {
    return Verdict::Kind::keep;
  }
  if (claim.name.table.empty() && may_live_elsewhere(grant)) return Verdict::Kind::keep;
  // Where ids are shared or late, the identity alone tells; else a younger grant is not for what
  // was dropped.
  const bool whatever_its_event = claim.unordered && !grant.identity.empty();
  if (!grant.at.staged || (!grant.identity.empty() && !grant.at.staged->empty())) {
    return whatever_its_event ? Verdict::Kind::remove : if_older(Verdict::Kind::remove);
  }
  if (!grant.name.table.empty() || is_known(claim)) return if_older(Verdict::Kind::remove);
  const auto database = claims.databases.find(grant.name.in_database());
  if (database != claims.databases.end() && database->second.keeps_table) {
    return Verdict::Kind::keep;
  }
  if (claim.unordered) return if_older(Verdict::Kind::suspend);
  return is_same_database(claims, grant.name.in_database()) ? Verdict::Kind::keep
                                                            : if_older(Verdict::Kind::remove);
}

bool is_untrue(const Claim& claim, const std::vector<Claim>& refuted) {
  return std::find(refuted.begin(), refuted.end(), claim) != refuted.end();
}

Verdict by_drops(const ClaimedGrant& grant, const Claims& claims,
                 const std::vector<Claim>& refuted) {
  Verdict verdict;
  for (const Claim* drop : drops_of(claims, grant.name)) {
    const Claim& claim = *drop;
    if (is_untrue(claim, refuted)) continue;
    const Verdict::Kind kind = dropped(grant, claim, claims);
    if (kind == Verdict::Kind::keep || kind < verdict.kind) continue;
    verdict.kind = kind;
    verdict.event = claim.event_id;
  }
  return verdict;
}

}  // namespace

std::string owner_of(const ClaimedGrant& grant) {
  return grant.identity.empty() ? grant.at.live.value_or("") : grant.identity;
}

Verdict judge(const ClaimedGrant& grant, const Claims& claims, const Renames& renames,
              const std::vector<Claim>& refuted) {
  const std::string owner = owner_of(grant);
  if (!owner.empty() && !grant.name.table.empty()) {
    const Fate fate = renames.fate(grant.name, owner);
    if (fate.kind == Fate::Kind::moved) {
      return {Verdict::Kind::move, fate.event, fate.to, owner};
    }
    if (fate.kind == Fate::Kind::unclear) return {};
    if (fate.kind == Fate::Kind::returned && grant.as_of_event < fate.event) {
      return {Verdict::Kind::returned, fate.event, {}, ""};
    }
    const bool goes = grant.as_of_event < fate.event || (!fate.in_order && !grant.identity.empty());
    if (fate.kind == Fate::Kind::dropped && goes) {
      return {Verdict::Kind::remove, fate.event, {}, ""};
    }
  }
  return by_drops(grant, claims, refuted);
}

std::set<TableName> names_to_judge(const Claims& claims, const std::vector<Claim>& found_sources) {
  std::set<TableName> names;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (claim.kind == Claim::Kind::dropped || is_without_source(claim)) names.insert(claim.name);
    if (claim.kind == Claim::Kind::renamed && !claim.from.table.empty()) {
      names.insert({claim.from, claim.name});
    }
  }
  for (const Claim& rename : found_sources) names.insert(rename.from);
  return names;
}

std::vector<ClaimedGrant> read_claimed_grants(Connection& connection, const Sides& sides,
                                              const Claims& claims,
                                              const std::vector<Claim>& found_sources) {
  const std::set<TableName> names = names_to_judge(claims, found_sources);
  if (names.empty()) return {};
  std::vector<std::string> catalogs, databases, tables;
  for (const TableName& name : names) {
    catalogs.push_back(name.catalog);
    databases.push_back(name.database);
    tables.push_back(name.table);
  }
  const Result rows = connection.query(kGrants, {sides.server, sides.snapshot, text_array(catalogs),
                                                 text_array(databases), text_array(tables)});
  std::vector<ClaimedGrant> grants;
  for (int row = 0; row < rows.rows(); ++row) {
    const auto text = [&](int column) { return std::string(rows.text(row, column)); };
    grants.push_back({text(0),
                      {text(1), text(2), text(3)},
                      text(4),
                      rows.integer(row, 5),
                      rows.boolean(row, 6),
                      {rows.optional_text(row, 7), rows.optional_text(row, 8)},
                      text(9),
                      rows.boolean(row, 10)});
  }
  return grants;
}

}  // namespace hmsync::store
