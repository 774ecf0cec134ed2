// The head of a metastore's log, whatever the metastore says of it.
#pragma once

#include <cstdint>

#include "follower/metastore.h"

namespace hmsync::follower {

/// The highest id there is. Where ids are shared the head itself may be lower: written back for a
/// moment (2.3.10 under concurrent writers) or until the next event (2.3.10 and 3.1.3 on Derby, at
/// rest one to five ids below their last). Two calls, and one more for each 1,000 events that come
/// meanwhile; throws Error as they do.
int64_t newest_event(NotificationLog& log);

}  // namespace hmsync::follower
