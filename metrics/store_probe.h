// What is exchanged with the database.
#pragma once

#include <cstdint>
#include <string>

#include "metrics/exposition.h"

namespace hmsync::metrics {

/// Thread-safe.
class StoreProbe {
 public:
  explicit StoreProbe(Exposition& exposition);

  void round_trip();
  void rows_written(int64_t rows);
  /// `kind`: transient, poison, fenced or fatal. A fenced one also counts as a fenced commit.
  void failed(const std::string& kind);

 private:
  prometheus::Counter& round_trips_;
  prometheus::Counter& rows_written_;
  prometheus::Counter& fenced_;
  CounterFamily errors_;
};

}  // namespace hmsync::metrics
