#include "metrics/daemon_probe.h"

#include <prometheus/gauge.h>

namespace hmsync::metrics {

namespace {

constexpr const char* kOtherProblem = "other";

}  // namespace

DaemonProbe::DaemonProbe(Exposition& exposition, const std::vector<std::string>& problem_codes)
    : reloaded_(exposition.gauge("hmsync_config_last_reload_successful",
                                 "1 if the configuration in use is the one that was last read.")),
      waiters_(exposition.gauge("hmsync_waiters", "Clients that wait for an event here.")),
      log_messages_(exposition, "hmsync_log_messages_total", "Lines logged, by level.", "level",
                    {"debug", "info", "warn", "error"}) {
  reloaded_.Set(1);  // a process that did not read its configuration does not run
  auto codes = problem_codes;
  codes.emplace_back(kOtherProblem);
  for (const auto& code : codes) {
    problems_[code] = &exposition.gauge(
        "hmsync_problem", "1 while status shows the problem of this code.", {{"code", code}});
  }
}

void DaemonProbe::config_reloaded(bool successful) { reloaded_.Set(successful ? 1 : 0); }

void DaemonProbe::logged(const std::string& level) { log_messages_.add(level); }

void DaemonProbe::set_problem(const std::string& code, bool present) {
  const auto known = problems_.find(code);
  (known == problems_.end() ? problems_.at(kOtherProblem) : known->second)->Set(present ? 1 : 0);
}

void DaemonProbe::set_waiters(int64_t waiters) { waiters_.Set(static_cast<double>(waiters)); }

}  // namespace hmsync::metrics
