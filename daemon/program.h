// The command line of hmsyncd.
#pragma once

#include "daemon/daemon.h"

namespace hmsync::daemon {

/// The exit status: 0 done, 1 wrong configuration or impossible start, 2 wrong usage.
int run_program(int argc, char** argv, const DaemonHooks& hooks = {});

}  // namespace hmsync::daemon
