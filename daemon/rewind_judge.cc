#include "daemon/rewind_judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace hmsync::daemon {
namespace {

using store::StoreProgress;

struct Number {
  const char* name;
  int64_t StoreProgress::*value;
};

constexpr Number kNumbers[] = {{"commit", &StoreProgress::commit_number},
                               {"generation", &StoreProgress::generation},
                               {"epoch", &StoreProgress::epoch},
                               {"audit row", &StoreProgress::audit_id}};

bool went_back(const StoreProgress& seen, const StoreProgress& found) {
  return std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](const Number& number) {
    // No audit row is left where retention removed them all.
    if (number.value == &StoreProgress::audit_id && found.audit_id == 0) return false;
    return found.*number.value < seen.*number.value;
  });
}

}  // namespace

std::string text_of(const Rewind& rewind) {
  std::string numbers;
  for (const Number& number : kNumbers) {
    const int64_t seen = rewind.seen.*number.value;
    const int64_t found = rewind.found.*number.value;
    if (found >= seen) continue;
    numbers += fmt::format("{}{} was the last and is now {}", numbers.empty() ? "" : ", ",
                           fmt::format("{} {}", number.name, seen), found);
  }
  return fmt::format(
      "the store's database went back ({}): it failed over or was restored, and lost its last "
      "commits; grants and revokes that were acknowledged then may be undone; synchronous "
      "replication keeps this from happening",
      numbers);
}

RewindJudge::Mark RewindJudge::mark() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

std::optional<Rewind> RewindJudge::judge(const Mark& mark, const StoreProgress& found, Time now) {
  const std::lock_guard lock(mutex_);
  // Somebody else found it meanwhile.
  if (mark.rewinds != known_.rewinds) return std::nullopt;
  if (!went_back(mark.seen, found)) {
    for (const Number& number : kNumbers) {
      int64_t& known = known_.seen.*number.value;
      known = std::max(known, found.*number.value);
    }
    return std::nullopt;
  }
  last_ = Last{{known_.seen, found}, now, false};
  known_ = {found, known_.rewinds + 1};
  return last_->rewind;
}

void RewindJudge::committed(const Mark& mark, int64_t commit_number, int64_t generation) {
  const std::lock_guard lock(mutex_);
  if (mark.rewinds != known_.rewinds) return;
  known_.seen.commit_number = std::max(known_.seen.commit_number, commit_number);
  known_.seen.generation = std::max(known_.seen.generation, generation);
}

std::optional<RewindJudge::Last> RewindJudge::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void RewindJudge::audited() {
  const std::lock_guard lock(mutex_);
  if (last_) last_->audited = true;
}

}  // namespace hmsync::daemon
