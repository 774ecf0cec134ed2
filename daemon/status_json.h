// The JSON of /v1/status and of a pause.
#pragma once

#include <optional>
#include <string>

#include "daemon/status_board.h"

namespace hmsync::daemon {

/// UTC, ISO 8601, to the millisecond: 2026-11-30T08:00:00.000Z.
std::string iso_time(double seconds_since_1970);

std::string status_json(const Status& status);
/// `by`, `since`, `until`, `reason`; null where there is none.
std::string pause_json(const std::optional<follower::Pause>& pause);

}  // namespace hmsync::daemon
