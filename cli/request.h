// A request that the leader does: followed to its end at whatever replica was asked.
#pragma once

#include <string>

#include "cli/daemon_client.h"
#include "cli/output.h"

namespace hmsync::cli {

/// The request's id in the answer that accepted it, as text. Throws Failure where there is none.
std::string request_id(const boost::json::value& accepted);

/// Asks until the request is finished, showing progress, and passes over a daemon that restarts.
Answer wait_for_end(const std::string& id, const DaemonClient& daemon, const Output& output);

}  // namespace hmsync::cli
