// --check-config --connect: what stands in the way outside.
#pragma once

#include <iosfwd>

#include "daemon/configuration.h"

namespace hmsync::daemon {

/// Looks at each metastore address and at the database, and prints a line for what is fine and a
/// sentence with its cure for what is not. 0 where nothing is wrong, else 1.
int check_connections(const Configuration& configuration, std::ostream& out);

}  // namespace hmsync::daemon
