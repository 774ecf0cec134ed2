// What is on its way as an exception, as an Error: for the bodies of threads, where anything else
// would end the process.
#pragma once

#include "processor/error.h"

namespace hmsync::daemon {

/// Only within a catch clause for std::exception. What is no Error (memory that ran out, an error
/// in this program) is told as transient: whoever met it begins anew.
Error caught();

}  // namespace hmsync::daemon
