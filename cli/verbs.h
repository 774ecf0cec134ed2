// The verbs. Each asks the daemon, prints the answer and returns how the program ends; a Failure
// ends it with its own status. Whoever returns something else than done has said why on
// standard error.
#pragma once

#include "cli/arguments.h"
#include "cli/daemon_client.h"
#include "cli/output.h"

namespace hmsync::cli {

Exit run(const StatusCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const WaitCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const PauseCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const ResumeCommand& command, const DaemonClient& daemon, const Output& output);

Exit run(const ResyncCommand& command, const DaemonClient& daemon, const Output& output);

Exit run(const QuarantineCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const SuspendedCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const AuditCommand& command, const DaemonClient& daemon, const Output& output);

Exit run(const OwnerCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const ObjectsCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const PathsCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const ExportCommand& command, const DaemonClient& daemon, const Output& output);

Exit run(const RoleListCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const RoleCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const PrivilegeCommand& command, const DaemonClient& daemon, const Output& output);
Exit run(const GrantsCommand& command, const DaemonClient& daemon, const Output& output);

/// A list of the daemon: JSON lines as they come, or a table.
Exit print_list(const std::string& path, const Query& query, const DaemonClient& daemon,
                const Output& output);

}  // namespace hmsync::cli
