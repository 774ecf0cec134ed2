// From events to what one transaction applies. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "follower/store.h"
#include "processor/change.h"
#include "processor/event.h"
#include "processor/mutation.h"

namespace hmsync::follower {

/// An event with what it does.
struct PlannedEvent {
  const processor::Event* event = nullptr;  ///< owned by the page that it came with
  enum class Outcome { applied, ignored, quarantined } outcome = Outcome::applied;
  std::vector<processor::Mutation> mutations;
  std::string reason;  ///< why it is quarantined
};

/// Never throws for what an event holds: what cannot be read is planned as quarantined.
std::vector<PlannedEvent> plan_events(std::span<const processor::Event> events);

struct PlannedBatch {
  Batch batch;
  std::map<std::string, int64_t> applied_by_type;
  std::map<std::string, int64_t> ignored_by_type;
  std::map<std::string, int64_t> quarantined_by_type;
};

/// The events must not be empty; the cursor goes to the last one's id.
PlannedBatch make_batch(std::span<const PlannedEvent> events);

}  // namespace hmsync::follower
