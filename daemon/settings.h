// What each part is told of the configuration.
#pragma once

#include <string>

#include "daemon/configuration.h"
#include "daemon/http_server.h"
#include "daemon/loop_observer.h"
#include "follower/follower.h"
#include "hmsclient/options.h"
#include "hmsclient/snapshot_reader.h"
#include "store/connection.h"

namespace hmsync::daemon {

/// For the loop: patient, since a snapshot may ask for much in one call.
hmsclient::Options metastore_options(const Configuration& configuration);
/// For those that somebody waits for: one try, and at most ten seconds for an answer.
hmsclient::Options quick_metastore_options(const Configuration& configuration);
hmsclient::SnapshotOptions snapshot_options(const Configuration& configuration);
follower::Options loop_options(const Configuration& configuration);
/// `purpose` is seen in pg_stat_activity, after `hmsyncd `.
store::ConnectionOptions store_options(const Configuration& configuration,
                                       const std::string& purpose,
                                       std::chrono::milliseconds statement_timeout);
StepLimits step_limits(const hmsclient::Options& metastore, const store::ConnectionOptions& store);
/// Keys that are set to other than their default, but that this version does nothing with yet.
std::vector<std::string> keys_without_effect(const Configuration& configuration);
/// Throws Error(fatal) where the daemon cannot listen there.
HttpOptions http_options(const Configuration& configuration);

}  // namespace hmsync::daemon
