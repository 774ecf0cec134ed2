// What the messages of the event types that are read mean: which JSON key holds what.
#pragma once

#include <string>

#include "processor/change.h"

namespace hmsync::processor {

/// Whether events of this type change an object or a path; only their messages are ever looked at.
bool is_read(const std::string& type);

/// The change of an event whose type is read; `json` is its message, unpacked. Throws Error(poison)
/// with the reason alone.
Change decode_message(const Event& event, const std::string& json);

}  // namespace hmsync::processor
