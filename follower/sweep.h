// What no event tells: which objects are due to be looked at although nothing was said of them.
#pragma once

#include <optional>
#include <vector>

#include "follower/term.h"

namespace hmsync::follower {

/// Databases are few: all of them at once, again and again. Tables go round slowly, at a set rate.
class Sweep {
 public:
  explicit Sweep(Term& term);

  /// What is to be read now; empty: nothing is due. Asks the store for the tables' names.
  std::vector<Scope> due();
  /// What was due has been read: from now on others have their time, however long it took.
  void looked();

 private:
  std::vector<Scope> next_tables();
  [[nodiscard]] std::chrono::milliseconds pause_between_tables() const;

  Term& term_;
  std::chrono::steady_clock::time_point next_databases_;
  std::chrono::steady_clock::time_point next_tables_;
  bool at_databases_ = false;              ///< what was due last
  processor::TableName last_{"", "", ""};  ///< tables up to this one were looked at in this round
};

}  // namespace hmsync::follower
