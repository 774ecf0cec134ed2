// What an event says about an object that is read again from the metastore rather than changed by
// the event itself: because its id is shared or late, so that nothing is known of its place among
// others; because the metastore logs operations that it then refuses; or because only the event's
// header could be read. What is found at the next reading decides about the object; what the event
// said decides whether grants go with a rename or end with a drop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "processor/change.h"
#include "processor/object.h"

namespace hmsync::processor {

struct Claim {
  enum class Kind { changed, created, dropped, renamed };

  int64_t event_id = 0;
  Kind kind = Kind::changed;
  TableName name;  ///< no table: the database and all that is in it; no database: everything
  /// A rename's name before; no table: it could not be read.
  TableName from;
  std::string identity;  ///< created, renamed, dropped: the object's, where the event tells it
  /// Nothing is known of its place among others: the id is shared or late.
  bool unordered = false;
  /// It happened: its metastore logs within the operation's own transaction.
  bool certain = false;

  auto operator<=>(const Claim&) const = default;
};

const char* to_string(Claim::Kind kind);

/// Pure. None for Ignored; one for everything else, also where the plan has no mutation.
std::vector<Claim> claims(int64_t event_id, const Change& change);

/// Of an event that cannot be read: what its header names, everything where it names nothing.
/// ALTER_TABLE may be a rename from a name that only the message tells.
Claim header_claim(const Event& event);

}  // namespace hmsync::processor
