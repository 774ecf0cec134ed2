#include "store/snapshot_renames.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::TableName;

/// More tables of one identity are not read for one rename.
constexpr size_t kMostCandidates = 200;

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

/// Renames that made a staged table what it was not before, by its identity.
std::map<std::string, std::vector<const Claim*>> without_source(const Claims& claims) {
  std::map<std::string, std::vector<const Claim*>> found;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (claim.kind != Claim::Kind::renamed || !claim.from.table.empty()) continue;
    if (claim.name.table.empty() || !stored.name_within) continue;
    const Standing now = claims.at(claim.name);
    if (!now.staged || now.staged->empty() || now.kept()) continue;
    found[*now.staged].push_back(&claim);
  }
  return found;
}

struct Candidate {
  TableName name;
  bool within = false;
  bool vanished = false;
};

/// A rename that tells another table's identity left this one behind.
bool may_carry(const Claim& claim, const std::string& identity) {
  return claim.kind == Claim::Kind::renamed &&
         (claim.identity.empty() || claim.identity == identity);
}

}  // namespace

Renames::Renames(const Claims& claims, const std::vector<Claim>& unreadable) : claims_(claims) {
  const auto add = [&](const Claim& rename) {
    renames_.emplace(rename.from, rename);
    arrivals_.emplace(rename.name, rename);
  };
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (claim.kind == Claim::Kind::created) arrivals_.emplace(claim.name, claim);
    if (claim.kind == Claim::Kind::renamed && !claim.from.table.empty()) add(claim);
  }
  for (const Claim& rename : unreadable) add(rename);
}

Fate Renames::fate(const TableName& from, const std::string& identity) const {
  struct Place {
    TableName name;
    const Claim* by;
    bool in_order;
  };
  if (claims_.at(from).staged_is(identity)) return fate_of_kept(from, identity);
  Fate dropped;
  std::map<TableName, int64_t> reached;  // names that have its identity now, and the event
  bool moved_away = false;
  std::set<const Claim*> used;
  for (std::deque<Place> places{{from, nullptr, true}}; !places.empty(); places.pop_front()) {
    const Place place = places.front();
    const auto [begin, end] = renames_.equal_range(place.name);
    for (auto rename = begin; rename != end; ++rename) {
      const Claim& claim = rename->second;
      if (place.by != nullptr && !may_follow(claim, *place.by)) continue;
      if (!may_carry(claim, identity) || !used.insert(&claim).second) continue;
      moved_away = moved_away || (claim.certain && claim.identity == identity);
      places.push_back({claim.name, &claim, place.in_order && !claim.unordered});
      if (claims_.at(claim.name).staged_is(identity)) reached[claim.name] = claim.event_id;
    }
    if (place.by == nullptr) continue;
    for (const Claim* drop : drops_of(claims_, place.name)) {
      if (!may_follow(*drop, *place.by) || went_on(*place.by, *drop, identity)) continue;
      dropped = {Fate::Kind::dropped, {}, drop->event_id, place.in_order && !drop->unordered};
    }
  }
  if (reached.empty()) {
    // What was dropped under the name that it had is another one.
    const bool lost = moved_away && dropped.kind == Fate::Kind::unknown;
    return lost ? Fate{Fate::Kind::unclear, {}, 0, true} : dropped;
  }
  Fate found{Fate::Kind::unclear, {}, 0, true};
  for (const auto& [name, event] : reached) {
    // Stored under both names they may be two; under the new one only, it was read there before.
    const bool two = claims_.at(name).live == identity && claims_.at(from).live == identity;
    if (two || !came_only_from(from, name, identity)) continue;
    if (found.kind == Fate::Kind::moved) return {Fate::Kind::unclear, {}, 0, true};
    found = {Fate::Kind::moved, name, event, true};
  }
  return found;
}

Fate Renames::fate_of_kept(const TableName& name, const std::string& identity) const {
  Fate fate;
  const auto [begin, end] = arrivals_.equal_range(name);
  for (auto arrival = begin; arrival != end; ++arrival) {
    const Claim& back = arrival->second;
    const auto [first, last] = renames_.equal_range(name);
    const bool went = std::any_of(first, last, [&](const auto& departure) {
      return may_carry(departure.second, identity) && may_follow(back, departure.second);
    });
    if (!went || !may_carry(back, identity) || back.event_id < fate.event) continue;
    fate = {Fate::Kind::returned, {}, back.event_id, true};
  }
  return fate;
}

bool Renames::went_on(const Claim& arrival, const Claim& before,
                      const std::string& identity) const {
  if (arrival.unordered || before.unordered) return false;
  const auto [begin, end] = renames_.equal_range(arrival.name);
  return std::any_of(begin, end, [&](const auto& departure) {
    const Claim& claim = departure.second;
    return is_known(claim) && claim.identity == identity && claim.event_id > arrival.event_id &&
           claim.event_id < before.event_id;
  });
}

bool Renames::left_again(const Claim& arrival, const Claim* before) const {
  if (arrival.unordered || (before != nullptr && before->unordered)) return false;
  const auto is_between = [&](const Claim& departure) {
    return is_known(departure) && departure.event_id > arrival.event_id &&
           (before == nullptr || departure.event_id < before->event_id);
  };
  const auto [begin, end] = renames_.equal_range(arrival.name);
  const std::vector<const Claim*> drops = drops_of(claims_, arrival.name);
  return std::any_of(begin, end, [&](const auto& rename) { return is_between(rename.second); }) ||
         std::any_of(drops.begin(), drops.end(),
                     [&](const Claim* drop) { return is_between(*drop); });
}

std::vector<const Claim*> Renames::arrivals(const TableName& name, const Claim* before,
                                            const std::string& identity) const {
  std::vector<const Claim*> found;
  const auto [begin, end] = arrivals_.equal_range(name);
  for (auto arrival = begin; arrival != end; ++arrival) {
    const Claim& claim = arrival->second;
    // A header does not tell the identity of what was made: it is not taken for a twin.
    if (!may_carry(claim, identity) && claim.identity != identity) continue;
    if (left_again(claim, before)) continue;
    if (before == nullptr || may_follow(*before, claim)) found.push_back(&claim);
  }
  return found;
}

bool Renames::came_only_from(const TableName& from, const TableName& name,
                             const std::string& identity) const {
  std::set<const Claim*> seen;
  bool from_there = false;
  std::vector<const Claim*> ways = arrivals(name, nullptr, identity);
  while (!ways.empty()) {
    const Claim* way = ways.back();
    ways.pop_back();
    if (!seen.insert(way).second) continue;
    if (way->kind == Claim::Kind::created) return false;
    if (way->from == from) {
      from_there = true;
      continue;
    }
    const std::optional<std::string> live = claims_.at(way->from).live;
    const std::vector<const Claim*> earlier = arrivals(way->from, way, identity);
    const bool known_other = way->identity.empty() && live && !live->empty();
    // What came to the name in its place found it free: what is stored there had left, or is it.
    const bool live_left = std::any_of(earlier.begin(), earlier.end(), [&](const Claim* arrival) {
      return is_known(*arrival) && !way->unordered && arrival->event_id < way->event_id;
    });
    if ((live == identity && !live_left) || (earlier.empty() && !known_other)) return false;
    ways.insert(ways.end(), earlier.begin(), earlier.end());
  }
  return from_there;
}

Sources find_sources(Connection& connection, const Sides& sides, const Claims& claims) {
  const auto wanted = without_source(claims);
  if (wanted.empty()) return {};
  std::vector<std::string> identities;
  for (const auto& [identity, renames] : wanted) identities.push_back(identity);
  const Result rows = connection.query(
      kCandidates, {sides.server, sides.snapshot, text_array(identities), sides.staged});
  std::map<std::string, std::vector<Candidate>> candidates;
  std::map<std::string, int64_t> came;
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string identity(rows.text(row, 0));
    candidates[identity].push_back({{std::string(rows.text(row, 1)), std::string(rows.text(row, 2)),
                                     std::string(rows.text(row, 3))},
                                    rows.boolean(row, 4),
                                    rows.boolean(row, 5)});
    came[identity] = rows.integer(row, 6);
  }
  Sources sources;
  for (const auto& [identity, found] : candidates) {
    if (found.size() > kMostCandidates) continue;
    std::vector<const Candidate*> vanished;
    bool all_within = true;
    for (const Candidate& candidate : found) {
      if (candidate.within && candidate.vanished) vanished.push_back(&candidate);
      if (candidate.within) continue;
      all_within = false;
      sources.missing.push_back({candidate.name.in_database(), candidate.name.table, false});
    }
    if (!all_within || vanished.size() != 1 || came[identity] != 1) continue;
    for (const Claim* rename : wanted.at(identity)) {
      Claim known = *rename;
      known.from = vanished.front()->name;
      sources.renames.push_back(std::move(known));
    }
  }
  return sources;
}

}  // namespace hmsync::store
