// The recordings in samples/, as events.
#pragma once

#include <string>
#include <vector>

#include "processor/event.h"

namespace hmsync::processor {

inline const std::vector<std::string> kRecordings = {"2.3.10-json", "3.1.3-json", "4.0.1-json",
                                                     "4.0.1-gzip"};

/// In the order of the file. Throws std::runtime_error where it cannot be read.
std::vector<Event> recorded_events(const std::string& recording);

}  // namespace hmsync::processor
