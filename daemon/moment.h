// A moment as people write it.
#pragma once

#include <optional>
#include <string_view>

namespace hmsync::daemon {

/// Seconds since 1970 of "2026-11-30", "2026-11-30T08:00", "2026-11-30T08:00:00.5Z" (a blank for
/// the T; "+01:00" for the Z; without a zone UTC), or of how long before `now` it was: "30s", "5m",
/// "1h", "7d". Nothing for anything else, and for what the calendar does not have.
std::optional<double> parse_moment(std::string_view text, double now);

}  // namespace hmsync::daemon
