// Who did what.
#pragma once

#include <optional>
#include <string>

#include "store/connection.h"
#include "store/reader.h"

namespace hmsync::store {

/// Rows of the audit in the order of their time, as lines {"time", "who", "action", "object",
/// "event", "before", "after", "outcome"}. `since`: seconds since 1970; nothing: all that is kept.
void audit_lines(Connection& connection, const std::string& server, std::optional<double> since,
                 const Reader::Line& line);

}  // namespace hmsync::store
