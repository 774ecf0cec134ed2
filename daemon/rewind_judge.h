// Whether the store's database went back behind what this process has seen of it.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "store/store_progress.h"

namespace hmsync::daemon {

struct Rewind {
  store::StoreProgress seen;
  store::StoreProgress found;
};

/// For people: which numbers went back, and what that means.
std::string text_of(const Rewind& rewind);

/// Thread-safe. Several connections look; an answer counts against what was known before its
/// question was sent, since others may have gone on meanwhile.
class RewindJudge {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Mark {
    store::StoreProgress seen;
    int64_t rewinds = 0;  ///< found until then
  };

  /// To be taken before the store is asked.
  [[nodiscard]] Mark mark() const;
  /// What was asked for after `mark`. Each rewind is told once, to whoever finds it first.
  std::optional<Rewind> judge(const Mark& mark, const store::StoreProgress& found, Time now);
  /// A commit of this process, on a session whose store was judged by `mark` when it began.
  void committed(const Mark& mark, int64_t commit_number, int64_t generation);

  struct Last {
    Rewind rewind;
    Time at;
    bool audited = false;
  };
  [[nodiscard]] std::optional<Last> last() const;
  /// The last one is in the audit.
  void audited();

 private:
  mutable std::mutex mutex_;
  Mark known_;
  std::optional<Last> last_;
};

}  // namespace hmsync::daemon
