#include "daemon/caught.h"

#include <fmt/format.h>

namespace hmsync::daemon {

Error caught() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return {ErrorKind::transient, fmt::format("unexpected failure: {}", error.what())};
  }
}

}  // namespace hmsync::daemon
