#include "follower/waiters.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hmsync::follower {

uint64_t Waiters::add(int64_t generation, int64_t event, Time deadline, Done done) {
  const uint64_t ticket = next_ticket_++;
  waiting_.emplace(ticket, Waiter{generation, event, deadline, std::move(done)});
  return ticket;
}

void Waiters::forget(uint64_t ticket) { waiting_.erase(ticket); }

// A Done may call back into this object, so whoever ended is taken out before any of them is told.
template <typename Ended>
void Waiters::end_where(const Ended& ended) {
  std::vector<std::pair<Done, WaitEnd>> told;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (const std::optional<WaitEnd> end = ended(it->second)) {
      told.emplace_back(std::move(it->second.done), *end);
      it = waiting_.erase(it);
    } else {
      ++it;
    }
  }
  for (auto& [done, end] : told) done(end, position_);
}

void Waiters::advance(ReadablePosition position) {
  position_ = position;
  end_where([&](const Waiter& waiter) -> std::optional<WaitEnd> {
    if (waiter.generation < position.generation) return WaitEnd::reset;
    if (waiter.generation == position.generation && waiter.event <= position.cursor) {
      return WaitEnd::reached;
    }
    return std::nullopt;
  });
}

void Waiters::expire(Time now) {
  end_where([&](const Waiter& waiter) -> std::optional<WaitEnd> {
    if (waiter.deadline <= now) return WaitEnd::timed_out;
    return std::nullopt;
  });
}

void Waiters::abandon_all() {
  end_where([](const Waiter&) -> std::optional<WaitEnd> { return WaitEnd::abandoned; });
}

std::optional<Waiters::Time> Waiters::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [ticket, waiter] : waiting_) {
    next = next ? std::min(*next, waiter.deadline) : waiter.deadline;
  }
  return next;
}

}  // namespace hmsync::follower
