// The daemon's own health.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Thread-safe.
class DaemonProbe {
 public:
  /// `problem_codes`: the fixed list of codes that `status` may show.
  DaemonProbe(Exposition& exposition, const std::vector<std::string>& problem_codes);

  void config_reloaded(bool successful);
  /// `level`: debug, info, warn or error.
  void logged(const std::string& level);
  /// A code that is not in the list counts as `other`.
  void set_problem(const std::string& code, bool present);
  void set_waiters(int64_t waiters);

 private:
  prometheus::Gauge& reloaded_;
  prometheus::Gauge& waiters_;
  CounterFamily log_messages_;
  std::map<std::string, prometheus::Gauge*> problems_;
};

}  // namespace hmsync::metrics
