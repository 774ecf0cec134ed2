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

std::vector<processor::Mutation> header_drop(const Claim& claim) {
  if (claim.kind != Claim::Kind::dropped) return {};
  if (claim.name.table.empty()) {
    return {{claim.event_id, processor::RemoveDatabase{claim.name.in_database()}}};
  }
  return {{claim.event_id, processor::RemoveTable{claim.name}}};
}

void set_aside(PlannedEvent& planned, std::string reason, bool apply_header) {
  planned.outcome = PlannedEvent::Outcome::quarantined;
  planned.reason = std::move(reason);
  planned.mutations.clear();
  Claim claim = processor::header_claim(*planned.event);
  claim.unordered = planned.standing.unordered();
  if (apply_header && planned.standing.believed()) planned.mutations = header_drop(claim);
  planned.claims = {std::move(claim)};
}

}  // namespace

PlannedEvent plan_event(const processor::Event& event, const Standing& standing) {
  PlannedEvent planned;
  planned.event = &event;
  planned.standing = standing;
  try {
    const processor::Change change = read(event);
    if (std::holds_alternative<processor::Ignored>(change)) {
      planned.outcome = PlannedEvent::Outcome::ignored;
    } else if (standing.believed()) {
      planned.mutations = processor::plan(event.id, change);
    } else {
      planned.claims = processor::claims(event.id, change);
      for (Claim& claim : planned.claims) claim.unordered = standing.unordered();
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::poison) throw;
    set_aside(planned, error.what(), true);
  }
  return planned;
}

void quarantine(PlannedEvent& planned, const std::string& reason) {
  set_aside(planned, reason, false);
}

std::vector<PlannedEvent> plan_events(std::span<const processor::Event> events, bool plain) {
  std::vector<PlannedEvent> planned;
  planned.reserve(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Standing standing;
    standing.plain = plain;
    standing.shared = (i > 0 && events[i - 1].id == events[i].id) ||
                      (i + 1 < events.size() && events[i + 1].id == events[i].id);
    planned.push_back(plan_event(events[i], standing));
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
