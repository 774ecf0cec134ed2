// What a simulation ends with where a truth does not hold.
#pragma once

#include <stdexcept>

namespace hmsync::simulation {

/// The store, or what somebody was told, is not what the model says.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hmsync::simulation
