// Names without case, as the metastore keeps and compares them.
#pragma once

#include <string>

namespace hmsync::processor {

/// ASCII letters only; everything else stays, whatever its encoding.
std::string lower_case(std::string text);

}  // namespace hmsync::processor
