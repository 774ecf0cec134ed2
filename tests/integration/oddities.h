// What users see of an oddity: a metric, a line of the log with its event, a row of the audit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/integration/deployment.h"

namespace hmsync::integration {

/// True when the log has a line of this oddity with this event.
bool log_tells(const fixtures::MiniHmsync& daemon, const std::string& oddity, int64_t event);

/// The audit's rows of this action and event.
int64_t audited(const Deployment& deployment, const std::string& action, int64_t event);

/// The lines that a verb prints with --json; fails the test unless it exits with 0.
std::vector<std::string> lines_of(const fixtures::MiniHmsync& daemon,
                                  std::vector<std::string> verb);

/// Runs a verb that must exit with 0; what it printed.
std::string done(const fixtures::MiniHmsync& daemon, const std::vector<std::string>& verb);

/// Keeps the daemon paused while `change` runs, so that it meets all at once what was changed.
void while_paused(const fixtures::MiniHmsync& daemon, const std::function<void()>& change);

/// The newest event of this type about this table (empty: of a database itself) in the log of a
/// metastore on PostgreSQL.
int64_t newest_event(Deployment& deployment, const std::string& type, const std::string& database,
                     const std::string& table);

/// "database.table.column action" of each grant, those of v1_grants or of another view; sorted.
std::vector<std::string> grants_in(const Deployment& deployment,
                                   const std::string& view = "v1_grants");

}  // namespace hmsync::integration
