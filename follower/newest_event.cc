#include "follower/newest_event.h"

namespace hmsync::follower {
namespace {

constexpr int32_t kMostEvents = 1000;

}  // namespace

int64_t newest_event(NotificationLog& log) {
  int64_t newest = log.head();
  for (bool more = true; more;) {
    const EventPage page = log.events({newest, kMostEvents});
    if (!page.events.empty()) newest = page.events.back().id;
    more = page.cut;
  }
  return newest;
}

}  // namespace hmsync::follower
