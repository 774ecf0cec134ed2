// One hmsyncd: from a checked configuration to its exit status.
#pragma once

#include <functional>

#include "daemon/configuration.h"
#include "follower/observer.h"

namespace hmsync::daemon {

/// Where another main() may look in; all empty in hmsyncd itself.
struct DaemonHooks {
  std::function<void(follower::Step)> entered;  ///< the loop, each step
  std::function<void()> commit_due;             ///< by the loop's connection, which holds its locks
  std::function<void()> commit_sent;            ///< by the loop's connection, unanswered yet
};

/// Runs until SIGTERM or SIGINT (0), or until the start turns out to be impossible (1, with one
/// sentence on standard error): a wrong address, a schema newer than this binary, rights that are
/// missing. A database or metastore that does not answer is waited for, at the start as later.
/// `sources` is read again by SIGHUP.
int run_daemon(const Configuration& configuration, const ConfigurationSources& sources,
               const DaemonHooks& hooks);

}  // namespace hmsync::daemon
