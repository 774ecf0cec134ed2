#include "follower/newest_event.h"

namespace hmsync::follower {
int64_t newest_event(NotificationLog& log) {
  int64_t newest = log.head();
  for (bool more = true; more;) {
    const EventPage page = log.events({newest});
    if (!page.events.empty()) newest = page.events.back().id;
    more = page.cut;
  }
  return newest;
}

}  // namespace hmsync::follower
