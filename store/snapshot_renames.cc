#include "store/snapshot_renames.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "store/rename_sources.h"

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::TableName;

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
      if (is_of_other(*drop, identity)) continue;
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
  // By what cannot be read it may have come back, too, if it can have left.
  for (const StoredClaim& stored : claims_.all) {
    const Claim& back = stored.claim;
    if (!is_without_source(back) || back.name != name || back.event_id < fate.event) continue;
    const bool may_have_left =
        std::any_of(claims_.all.begin(), claims_.all.end(), [&](const StoredClaim& other) {
          const Claim& claim = other.claim;
          const bool leaves = claim.kind == Claim::Kind::renamed && claim.from == name &&
                              may_carry(claim, identity);
          const bool elsewhere = is_without_source(claim) && claim.name != name;
          return (leaves || elsewhere) && may_follow(back, claim);
        });
    if (may_have_left) fate = {Fate::Kind::returned, {}, back.event_id, true};
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

}  // namespace hmsync::store
