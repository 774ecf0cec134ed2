#include "follower/batch.h"

#include "processor/error.h"

namespace hmsync::follower {

namespace {

PlannedEvent plan_event(const processor::Event& event) {
  PlannedEvent planned;
  planned.event = &event;
  try {
    const processor::Change change = processor::decode(event);
    if (std::holds_alternative<processor::Ignored>(change)) {
      planned.outcome = PlannedEvent::Outcome::ignored;
    } else {
      planned.mutations = processor::plan(event.id, change);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::poison) throw;
    planned.outcome = PlannedEvent::Outcome::quarantined;
    planned.reason = error.what();
  }
  return planned;
}

}  // namespace

std::vector<PlannedEvent> plan_events(std::span<const processor::Event> events) {
  std::vector<PlannedEvent> planned;
  planned.reserve(events.size());
  for (const processor::Event& event : events) planned.push_back(plan_event(event));
  return planned;
}

PlannedBatch make_batch(std::span<const PlannedEvent> events) {
  PlannedBatch result;
  Batch& batch = result.batch;
  batch.cursor = events.back().event->id;
  int64_t previous_id = 0;
  for (const PlannedEvent& planned : events) {
    const processor::Event& event = *planned.event;
    if (event.id == previous_id) ++batch.counts.shared_id;
    previous_id = event.id;
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
  }
  return result;
}

}  // namespace hmsync::follower
