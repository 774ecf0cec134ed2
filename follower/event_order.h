// Judging event ids: which of the events that came may be applied next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "processor/event.h"

namespace hmsync::follower {

struct Judgement {
  size_t usable = 0;  ///< so many from the front may be applied
  /// The id that a hole begins with: after the usable ones an id is missing, or nothing came
  /// although the head is above the cursor.
  std::optional<int64_t> missing;
};

/// Pure, for a head that is not below the cursor. `head` was read before the events were asked for,
/// so that an event that comes between the two calls is never taken for a hole. Several events of
/// one id follow on each other: metastores hand out one id to concurrent clients (2.3.10
/// everywhere, 3.1.3 on Derby).
Judgement judge(int64_t cursor, int64_t head, std::span<const processor::Event> events);

}  // namespace hmsync::follower
