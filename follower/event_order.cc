#include "follower/event_order.h"

namespace hmsync::follower {

Judgement judge(int64_t cursor, int64_t head, std::span<const processor::Event> events) {
  if (events.empty()) {
    if (head > cursor) return {0, cursor + 1};
    return {};
  }
  int64_t last = cursor;
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t id = events[i].id;
    const bool shares_last = i > 0 && id == last;
    if (!shares_last && id != last + 1) return {i, last + 1};
    last = id;
  }
  return {events.size(), std::nullopt};
}

}  // namespace hmsync::follower
