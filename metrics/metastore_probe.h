// Calls to the metastore.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Thread-safe. Methods that are not in `known_methods` count as `other`.
class MetastoreProbe {
 public:
  MetastoreProbe(Exposition& exposition, const std::vector<std::string>& known_methods);

  /// One call on the wire, a repeated one counts again. `outcome`: ok or error.
  void called(const std::string& method, const std::string& outcome, double took_seconds);

 private:
  struct Method {
    CounterFamily calls;
    prometheus::Histogram& duration;
  };

  std::map<std::string, Method> methods_;
};

}  // namespace hmsync::metrics
