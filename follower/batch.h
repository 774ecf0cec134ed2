// From events to what one transaction applies. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "follower/store.h"
#include "processor/change.h"
#include "processor/claim.h"
#include "processor/event.h"
#include "processor/mutation.h"

namespace hmsync::follower {

/// Why an event is not applied as it is: what it names is read again instead.
struct Standing {
  bool late = false;      ///< came under an id that was passed already
  bool shared = false;    ///< its id has other events too
  bool plain = false;     ///< its metastore logs operations before it knows that they succeed
  bool doubtful = false;  ///< what it names is to be read again: earlier events may not have acted

  [[nodiscard]] bool unordered() const { return late || shared; }
  [[nodiscard]] bool believed() const { return !late && !shared && !plain && !doubtful; }
};

/// Names that are to be read again. A drop of what a rename that is not settled took away, acting
/// at once, would take that object's grants.
class DoubtfulNames {
 public:
  void add(const Scope& scope);
  void add(const processor::Claim& claim);
  [[nodiscard]] bool contains(const processor::Claim& claim) const;

 private:
  void add(const processor::TableName& name);
  [[nodiscard]] bool contains(const processor::TableName& name) const;

  bool everything_ = false;
  std::set<processor::TableName> names_;         ///< no table: the database and all that is in it
  std::set<processor::DatabaseName> databases_;  ///< of all of them
};

/// An event with what it does: it changes the store, or it claims something about what is read.
struct PlannedEvent {
  const processor::Event* event = nullptr;  ///< owned by the page that it came with
  Standing standing;
  enum class Outcome { applied, ignored, quarantined } outcome = Outcome::applied;
  std::vector<processor::Mutation> mutations;
  std::vector<processor::Claim> claims;
  std::string reason;  ///< why it is quarantined
};

/// Never throws for what an event holds: what cannot be read, or is of a type that nobody listed,
/// is planned as quarantined. Of that the header still counts: a drop is applied from it.
PlannedEvent plan_event(const processor::Event& event, const Standing& standing,
                        const DoubtfulNames& doubtful = {});

/// Of an event that was set aside: its place in the order is gone. What its header said of a drop
/// has ended the grants of what was dropped; those under its name now may be of something else.
PlannedEvent plan_retry(const processor::Event& event, bool plain);

/// Sets aside what the store cannot take.
void quarantine(PlannedEvent& planned, const std::string& reason);

/// Events whose ids are above the cursor, in their order: several of one id are shared. What they
/// claim becomes doubtful for those that follow.
std::vector<PlannedEvent> plan_events(std::span<const processor::Event> events, bool plain,
                                      DoubtfulNames doubtful = {});

struct PlannedBatch {
  Batch batch;
  std::map<std::string, int64_t> applied_by_type;
  std::map<std::string, int64_t> ignored_by_type;
  std::map<std::string, int64_t> quarantined_by_type;
};

/// The cursor goes to the last event's id, but never below the one given.
PlannedBatch make_batch(std::span<const PlannedEvent> events, int64_t cursor);

}  // namespace hmsync::follower
