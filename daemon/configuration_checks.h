// What must hold of values beyond the bounds of each: their syntax, and how they relate.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/configuration.h"

namespace hmsync::daemon {

/// `key` is where the sentence points; the others take part in the relation.
struct Violation {
  std::string_view key;
  std::vector<std::string_view> others;
  std::string text;  ///< a sentence that begins with the key
};

std::vector<Violation> check_values(const Configuration& configuration);

}  // namespace hmsync::daemon
