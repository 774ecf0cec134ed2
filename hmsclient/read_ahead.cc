#include "hmsclient/read_ahead.h"

#include <algorithm>
#include <utility>

namespace hmsync::hmsclient {

using follower::EventPage;
using follower::EventRequest;

namespace {

bool is_full(const EventPage& page, const EventRequest& request) {
  return page.cut ||
         (request.max_events > 0 && page.events.size() >= static_cast<size_t>(request.max_events));
}

}  // namespace

EventPage ReadAhead::events(const EventRequest& request) {
  if (!request.goes_on) return log_.events(request);
  EventRequest half = request;
  half.max_bytes = std::max<int64_t>(1, request.max_bytes / 2);
  std::optional<EventPage> page = take(half);
  if (!page) page = log_.events(half);
  if (is_full(*page, half) && page->events.size() >= large_) read_on(*page, half);
  return *std::move(page);
}

// Fewer events than are asked for now, and full, are a page that was cut. More would not be.
std::optional<EventPage> ReadAhead::take(const EventRequest& request) {
  if (!reading_) return std::nullopt;
  Reading reading = *std::exchange(reading_, std::nullopt);
  if (reading.request.after != request.after || reading.request.max_bytes > request.max_bytes) {
    return std::nullopt;
  }
  EventPage page = reading.page.get();
  const bool fits = page.events.size() <= static_cast<size_t>(request.max_events);
  if (!fits || !is_full(page, reading.request)) return std::nullopt;
  page.cut = true;
  return page;
}

// The request that goes on begins with the last event itself: it proves that history is the same.
void ReadAhead::read_on(const EventPage& page, EventRequest request) {
  request.after = page.events.back().id - 1;
  reading_ = {request,
              std::async(std::launch::async, [this, request] { return ahead_.events(request); })};
}

}  // namespace hmsync::hmsclient
