#include "follower/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "processor/error.h"

namespace hmsync::follower {

namespace {

using processor::Claim;

bool is_listed(const std::string& type) {
  const std::vector<std::string>& listed = processor::known_event_types();
  return std::find(listed.begin(), listed.end(), type) != listed.end();
}

processor::Change read(const processor::Event& event) {
  if (!is_listed(event.type)) {
    throw Error(ErrorKind::poison, fmt::format("event {}: its type is not known", event.id));
  }
  return processor::decode(event);
}

/// Nobody has grants on partitions.
bool is_of_partitions(const processor::Change& change) {
  return std::holds_alternative<processor::AddPartitions>(change) ||
         std::holds_alternative<processor::DropPartitions>(change) ||
         std::holds_alternative<processor::AlterPartition>(change) ||
         std::holds_alternative<processor::AlterPartitions>(change);
}

std::vector<processor::Mutation> header_drop(const Claim& claim) {
  if (claim.kind != Claim::Kind::dropped) return {};
  if (claim.name.table.empty()) {
    return {{claim.event_id, processor::RemoveDatabase{claim.name.in_database()}}};
  }
  return {{claim.event_id, processor::RemoveTable{claim.name}}};
}

void place(Claim& claim, const Standing& standing) {
  claim.unordered = standing.unordered();
  claim.certain = !standing.plain;
}

void set_aside(PlannedEvent& planned, std::string reason, bool apply_header) {
  planned.outcome = PlannedEvent::Outcome::quarantined;
  planned.reason = std::move(reason);
  planned.mutations.clear();
  Claim claim = processor::header_claim(*planned.event);
  place(claim, planned.standing);
  // Of an alteration the header does not tell whether it was a rename.
  if (claim.kind == Claim::Kind::renamed) claim.certain = false;
  if (apply_header && planned.standing.believed()) planned.mutations = header_drop(claim);
  // Done in its place, and not once more to what is there at the reading.
  if (!planned.mutations.empty()) claim.kind = Claim::Kind::changed;
  planned.claims = {std::move(claim)};
}

}  // namespace

void DoubtfulNames::add(const processor::TableName& name) {
  if (name.database.empty()) {
    everything_ = true;
    return;
  }
  names_.insert(name);
  databases_.insert(name.in_database());
}

void DoubtfulNames::add(const Scope& scope) {
  if (!scope.database) return add(processor::TableName{"", "", ""});
  add(processor::TableName{scope.database->catalog, scope.database->database,
                           scope.table.value_or("")});
}

void DoubtfulNames::add(const Claim& claim) {
  add(claim.name);
  if (!claim.from.database.empty()) add(claim.from);
}

bool DoubtfulNames::contains(const processor::TableName& name) const {
  if (everything_) return true;
  if (name.table.empty()) return databases_.contains(name.in_database());
  return names_.contains(name) || names_.contains({name.catalog, name.database, ""});
}

bool DoubtfulNames::contains(const Claim& claim) const {
  return contains(claim.name) || (!claim.from.database.empty() && contains(claim.from));
}

PlannedEvent plan_event(const processor::Event& event, const Standing& standing,
                        const DoubtfulNames& doubtful) {
  PlannedEvent planned;
  planned.event = &event;
  planned.standing = standing;
  try {
    const processor::Change change = read(event);
    std::vector<Claim> claims = processor::claims(event.id, change);
    planned.standing.doubtful =
        !is_of_partitions(change) && !claims.empty() && doubtful.contains(claims.front());
    if (claims.empty()) {
      planned.outcome = PlannedEvent::Outcome::ignored;
    } else if (planned.standing.believed()) {
      planned.mutations = processor::plan(event.id, change);
    } else {
      for (Claim& claim : claims) place(claim, planned.standing);
      planned.claims = std::move(claims);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::poison) throw;
    planned.standing.doubtful = doubtful.contains(processor::header_claim(event));
    set_aside(planned, error.what(), true);
  }
  return planned;
}

PlannedEvent plan_retry(const processor::Event& event, bool plain) {
  Standing standing;
  standing.late = true;
  standing.plain = plain;
  PlannedEvent planned = plan_event(event, standing);
  const Claim header = processor::header_claim(event);
  for (Claim& claim : planned.claims) {
    const bool was_told = claim.kind == header.kind && claim.name == header.name;
    if (claim.kind == Claim::Kind::dropped && was_told) claim.kind = Claim::Kind::changed;
  }
  return planned;
}

void quarantine(PlannedEvent& planned, const std::string& reason) {
  set_aside(planned, reason, false);
}

std::vector<PlannedEvent> plan_events(std::span<const processor::Event> events, bool plain,
                                      DoubtfulNames doubtful) {
  std::vector<PlannedEvent> planned;
  planned.reserve(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Standing standing;
    standing.plain = plain;
    standing.shared = (i > 0 && events[i - 1].id == events[i].id) ||
                      (i + 1 < events.size() && events[i + 1].id == events[i].id);
    planned.push_back(plan_event(events[i], standing, doubtful));
    for (const Claim& claim : planned.back().claims) doubtful.add(claim);
  }
  return planned;
}

PlannedBatch make_batch(std::span<const PlannedEvent> events, int64_t cursor) {
  PlannedBatch result;
  Batch& batch = result.batch;
  batch.cursor = cursor;
  for (const PlannedEvent& planned : events) {
    const processor::Event& event = *planned.event;
    batch.cursor = std::max(batch.cursor, event.id);
    if (planned.standing.late) ++batch.counts.late;
    if (planned.standing.shared) ++batch.counts.shared_id;
    switch (planned.outcome) {
      case PlannedEvent::Outcome::applied:
        ++batch.counts.applied;
        ++result.applied_by_type[event.type];
        break;
      case PlannedEvent::Outcome::ignored:
        ++batch.counts.ignored;
        ++result.ignored_by_type[event.type];
        break;
      case PlannedEvent::Outcome::quarantined:
        ++batch.counts.quarantined;
        ++result.quarantined_by_type[event.type];
        batch.quarantined.push_back({event, planned.reason});
        break;
    }
    batch.mutations.insert(batch.mutations.end(), planned.mutations.begin(),
                           planned.mutations.end());
    batch.claims.insert(batch.claims.end(), planned.claims.begin(), planned.claims.end());
  }
  return result;
}

}  // namespace hmsync::follower
