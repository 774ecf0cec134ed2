#include "store/rename_sources.h"

#include <algorithm>
#include <set>

#include "store/revoke.h"

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::TableName;

/// Stored tables of the identities in $3, and how many staged tables of the identity are new under
/// their names. $4: the staged ids.
const std::string kCandidates = R"(
WITH came AS MATERIALIZED (
  SELECT n.identity, count(*) AS tables FROM staging_objects n
  LEFT JOIN objects l ON l.server = $1 AND l.catalog = n.catalog
    AND l.database_name = n.database_name AND l.table_name = n.table_name
  WHERE n.snapshot = $2 AND ($4::bigint[] IS NULL OR n.object_id = ANY ($4::bigint[]))
    AND n.table_name <> '' AND n.identity = ANY ($3::text[])
    AND l.identity IS DISTINCT FROM n.identity
  GROUP BY n.identity)
SELECT o.identity, o.catalog, o.database_name, o.table_name, )" +
                                is_within_scopes("o") + R"(,
       s.identity IS DISTINCT FROM o.identity, coalesce(n.tables, 0)
FROM unnest($3::text[]) AS i(identity)
LEFT JOIN came n USING (identity)
CROSS JOIN LATERAL (
  SELECT * FROM objects o
  WHERE o.server = $1 AND o.identity = i.identity AND o.table_name <> '' AND o.identity <> ''
  LIMIT 201) o
LEFT JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = o.catalog
  AND s.database_name = o.database_name AND s.table_name = o.table_name)";

/// The first rename after this one that leads away from its name and tells the table's identity.
const Claim* next_departure(const Claims& claims, const Claim& arrival) {
  const Claim* departure = nullptr;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    const bool leaves = claim.kind == Claim::Kind::renamed && claim.from == arrival.name;
    if (!leaves || claim.identity.empty() || !may_follow(claim, arrival)) continue;
    if (departure == nullptr || claim.event_id < departure->event_id) departure = &claim;
  }
  return departure;
}

}  // namespace

bool is_without_source(const Claim& claim) {
  return claim.kind == Claim::Kind::renamed && claim.from.table.empty() &&
         !claim.name.table.empty();
}

std::map<std::string, std::vector<const Claim*>> renames_without_source(const Claims& claims) {
  std::map<std::string, std::vector<const Claim*>> found;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (!is_without_source(claim) || !stored.name_within) continue;
    const Claim* const next = next_departure(claims, claim);
    const Standing now = claims.at(claim.name);
    const bool is_new = now.staged && !now.staged->empty() && !now.kept();
    if (next != nullptr && (!is_new || !(next->unordered || claim.unordered))) {
      found[next->identity].push_back(&claim);
    } else if (is_new) {
      found[*now.staged].push_back(&claim);
    }
  }
  return found;
}

std::optional<TableName> choose_source(const std::vector<SourceCandidate>& candidates,
                                       int64_t came) {
  std::vector<const SourceCandidate*> vanished;
  for (const SourceCandidate& candidate : candidates) {
    if (candidate.vanished) vanished.push_back(&candidate);
  }
  if (vanished.size() == 1 && came == 1) return vanished.front()->name;
  if (candidates.size() == 1 && vanished.empty() && came == 0) return candidates.front().name;
  return std::nullopt;
}

void add_sources(Sources& sources, const std::vector<const Claim*>& renames,
                 const std::vector<SourceCandidate>& candidates, int64_t came) {
  if (candidates.size() > kMostCandidates) return;
  for (const SourceCandidate& candidate : candidates) {
    if (candidate.within) continue;
    sources.missing.push_back({candidate.name.in_database(), candidate.name.table, false});
  }
  const std::optional<TableName> source = choose_source(candidates, came);
  if (!source) return;
  for (const Claim* rename : renames) {
    sources.renames.push_back(*rename);
    sources.renames.back().from = *source;
  }
}

std::vector<follower::Scope> names_to_look_on(const Claims& claims, const Sources& sources) {
  const auto is_found = [&](const Claim& claim) {
    return std::any_of(sources.renames.begin(), sources.renames.end(), [&](const Claim& found) {
      return found.event_id == claim.event_id && found.name == claim.name;
    });
  };
  std::set<TableName> beyond;
  bool unexplained = false;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (!is_without_source(claim)) continue;
    if (!stored.name_within) {
      beyond.insert(claim.name);
    } else if (!claims.at(claim.name).kept() && !is_found(claim)) {
      unexplained = true;
    }
  }
  std::vector<follower::Scope> scopes;
  if (!unexplained || beyond.size() > kMostCandidates) return scopes;
  for (const TableName& name : beyond) scopes.push_back({name.in_database(), name.table, false});
  return scopes;
}

namespace {

void find_by_identity(Connection& connection, const Sides& sides, const Claims& claims,
                      Sources& sources) {
  const auto wanted = renames_without_source(claims);
  if (wanted.empty()) return;
  std::vector<std::string> identities;
  for (const auto& [identity, renames] : wanted) identities.push_back(identity);
  const Result rows = connection.query(
      kCandidates, {sides.server, sides.snapshot, text_array(identities), sides.staged});
  std::map<std::string, std::vector<SourceCandidate>> candidates;
  std::map<std::string, int64_t> came;
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string identity(rows.text(row, 0));
    candidates[identity].push_back({{std::string(rows.text(row, 1)), std::string(rows.text(row, 2)),
                                     std::string(rows.text(row, 3))},
                                    rows.boolean(row, 4),
                                    rows.boolean(row, 5)});
    came[identity] = rows.integer(row, 6);
  }
  for (const auto& [identity, found] : candidates) {
    add_sources(sources, wanted.at(identity), found, came[identity]);
  }
}

}  // namespace

Sources find_sources(Connection& connection, const Sides& sides, const Claims& claims) {
  Sources sources;
  find_by_identity(connection, sides, claims, sources);
  const std::vector<follower::Scope> names = names_to_look_on(claims, sources);
  if (names.empty() || !revoke_waits(connection, sides.server)) return sources;
  sources.missing.insert(sources.missing.end(), names.begin(), names.end());
  return sources;
}

}  // namespace hmsync::store
