// The progress of a snapshot on standard error: a bar drawn over itself on a terminal, else a plain
// line now and then.
#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "cli/output.h"

namespace hmsync::cli {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Progress(const Output& output) : output_(output) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `snapshot` is null or has phase, done and total.
  void show(const boost::json::value& snapshot, Time now);
  /// Takes the bar off the terminal.
  void clear();

 private:
  [[nodiscard]] std::string text(int64_t done, int64_t total, Time now) const;

  const Output& output_;
  std::string phase_;
  Time phase_began_;
  int64_t done_at_begin_ = 0;
  Time last_line_;
  bool drawn_ = false;
};

}  // namespace hmsync::cli
