#include "follower/waiters.h"

#include <limits>

namespace hmsync::follower {
namespace {

constexpr uint64_t kLastTicket = std::numeric_limits<uint64_t>::max();
/// The poll of those who need one that is not asked for yet.
constexpr int64_t kNotAsked = std::numeric_limits<int64_t>::max();

}  // namespace

uint64_t Waiters::add(const Awaited& awaited, int64_t generation, Time deadline, Done done) {
  const uint64_t ticket = next_ticket_++;
  const auto& below = awaited.below;
  Waiter waiter{below ? below->generation : generation, below ? below->cursor : awaited.event,
                deadline, std::move(done), below.has_value()};
  const auto [added, is_new] = waiting_.emplace(ticket, std::move(waiter));
  by_deadline_.emplace(deadline, ticket);
  put_without_poll(ticket, added->second);
  return ticket;
}

uint64_t Waiters::expect(Time deadline, Done done) {
  const uint64_t ticket = next_ticket_++;
  waiting_.emplace(ticket, Waiter{0, 0, deadline, std::move(done), false});
  by_deadline_.emplace(deadline, ticket);
  return ticket;
}

void Waiters::put_without_poll(uint64_t ticket, Waiter& waiter) {
  without_poll_.insert(ticket);
  if (waiter.unproven) {
    waiter.poll = kNotAsked;
    by_poll_.emplace(waiter.generation, kNotAsked, ticket);
    unproven_.insert(ticket);
  } else {
    waiter.poll.reset();
    by_event_.emplace(waiter.generation, waiter.event, ticket);
  }
}

// By what it waits for now.
void Waiters::take_out(uint64_t ticket, const Waiter& waiter) {
  if (waiter.poll) {
    by_poll_.erase({waiter.generation, *waiter.poll, ticket});
  } else {
    by_event_.erase({waiter.generation, waiter.event, ticket});
  }
  without_poll_.erase(ticket);
  unproven_.erase(ticket);
}

void Waiters::remove(uint64_t ticket, const Waiter& waiter) {
  take_out(ticket, waiter);
  by_deadline_.erase({waiter.deadline, ticket});
}

bool Waiters::forget(uint64_t ticket) {
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return false;
  remove(ticket, found->second);
  waiting_.erase(found);
  return true;
}

void Waiters::end(uint64_t ticket, WaitEnd how, Told& told) {
  const auto found = waiting_.find(ticket);
  remove(ticket, found->second);
  told.emplace_back(std::move(found->second.done), how);
  waiting_.erase(found);
}

// A Done may call back into this object, so whoever ended is taken out before any of them is told.
void Waiters::tell(const Told& told) {
  const ReadablePosition position = position_;
  for (const auto& [done, how] : told) done(how, position);
}

void Waiters::await_poll(int64_t number, bool polls_needed) {
  for (const uint64_t ticket : std::unordered_set(polls_needed ? without_poll_ : unproven_)) {
    Waiter& waiter = waiting_.at(ticket);
    take_out(ticket, waiter);
    by_poll_.emplace(waiter.generation, number, ticket);
    waiter.poll = number;
  }
}

void Waiters::forget_polls() {
  for (const auto& [generation, poll, ticket] : std::exchange(by_poll_, {})) {
    put_without_poll(ticket, waiting_.at(ticket));
  }
}

void Waiters::advance(ReadablePosition position) {
  position_ = position;
  Told told;
  for (std::set<Key>* waiting : {&by_poll_, &by_event_}) {
    while (!waiting->empty() && std::get<0>(*waiting->begin()) < position.generation) {
      end(std::get<2>(*waiting->begin()), WaitEnd::reset, told);
    }
  }
  const auto answered =
      by_poll_.upper_bound({position.generation, position.polls_answered, kLastTicket});
  for (auto it = by_poll_.begin(); it != answered; it = by_poll_.erase(it)) {
    Waiter& waiter = waiting_.at(std::get<2>(*it));
    waiter.poll.reset();
    by_event_.emplace(waiter.generation, waiter.event, std::get<2>(*it));
  }
  while (!by_event_.empty() &&
         *by_event_.begin() <= Key{position.generation, position.cursor, kLastTicket}) {
    end(std::get<2>(*by_event_.begin()), WaitEnd::reached, told);
  }
  tell(told);
}

void Waiters::expire(Time now) {
  Told told;
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now) {
    end(by_deadline_.begin()->second, WaitEnd::timed_out, told);
  }
  tell(told);
}

void Waiters::abandon_all() {
  Told told;
  while (!waiting_.empty()) end(waiting_.begin()->first, WaitEnd::abandoned, told);
  tell(told);
}

std::optional<Waiters::Time> Waiters::next_deadline() const {
  if (by_deadline_.empty()) return std::nullopt;
  return by_deadline_.begin()->first;
}

}  // namespace hmsync::follower
