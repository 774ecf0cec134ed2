#include "daemon/wait_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/json_writer.h"

namespace hmsync::daemon {
namespace {

constexpr const char* kStopping = "the daemon is stopping; ask again";

HttpResponse answer(std::optional<int64_t> event, bool reached, follower::ReadablePosition position,
                    WaitDesk::Time arrived) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - arrived;
  JsonWriter json;
  json.begin_object().member("event", event).member("reached", reached).key("cursor");
  if (position.cursor < 0) {
    json.null();
  } else {
    json.value(position.cursor);
  }
  json.member("generation", position.generation).member("seconds", took.count()).end_object();
  return {200, "application/json", json.text()};
}

}  // namespace

WaitDesk::WaitDesk(size_t max_waiters, std::function<void()> kick)
    : max_waiters_(max_waiters), kick_(std::move(kick)) {}

void WaitDesk::arrive(const std::shared_ptr<Exchange>& exchange, int64_t event, Time arrived,
                      Time deadline) {
  take({exchange, {event}, arrived, deadline});
}

void WaitDesk::arrive_below(const std::shared_ptr<Exchange>& exchange, int64_t head,
                            follower::ReadablePosition known, Time arrived, Time deadline) {
  take({exchange, {head, known}, arrived, deadline});
}

uint64_t WaitDesk::expect(const std::shared_ptr<Exchange>& exchange, Time arrived, Time deadline) {
  uint64_t ticket = 0;
  const char* refusal = nullptr;
  {
    const std::lock_guard lock(mutex_);
    refusal = refusal_now();
    if (refusal == nullptr) {
      ticket = waiters_.expect(deadline, [exchange, arrived](follower::WaitEnd end,
                                                             follower::ReadablePosition position) {
        exchange->reply(end == follower::WaitEnd::abandoned
                            ? problem(503, kStopping)
                            : answer(std::nullopt, false, position, arrived));
      });
    }
  }
  if (refusal != nullptr) {
    exchange->reply(problem(503, refusal));
    return ticket;
  }
  exchange->on_gone([this, ticket] { forget(ticket); });
  kick_();
  return ticket;
}

bool WaitDesk::forget(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  return waiters_.forget(ticket);
}

// Under the mutex.
const char* WaitDesk::refusal_now() const {
  if (stopping_) return kStopping;
  if (waiters_.size() + arrivals_.size() < max_waiters_) return nullptr;
  return "too many waiters (admin.max_waiters)";
}

void WaitDesk::take(Arrival arrival) {
  const auto exchange = arrival.exchange;
  const char* refusal = nullptr;
  {
    const std::lock_guard lock(mutex_);
    refusal = refusal_now();
    if (refusal == nullptr) arrivals_.push_back(std::move(arrival));
  }
  if (refusal != nullptr) return exchange->reply(problem(503, refusal));
  kick_();
}

std::vector<WaitDesk::Arrival> WaitDesk::take_arrivals() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrivals_, {});
}

// Under the mutex.
uint64_t WaitDesk::add(const Arrival& arrival, int64_t generation) {
  return waiters_.add(
      arrival.awaited, generation, arrival.deadline,
      [exchange = arrival.exchange, event = arrival.awaited.event, arrived = arrival.arrived](
          follower::WaitEnd end, follower::ReadablePosition position) {
        switch (end) {
          case follower::WaitEnd::reached:
            return exchange->reply(answer(event, true, position, arrived));
          case follower::WaitEnd::timed_out:
            return exchange->reply(answer(event, false, position, arrived));
          case follower::WaitEnd::reset:
            return exchange->reply(
                problem(409, fmt::format("the metastore's log was reset meanwhile (generation {}): "
                                         "event {} means nothing any more",
                                         position.generation, event)));
          case follower::WaitEnd::abandoned:
            return exchange->reply(problem(503, kStopping));
        }
      });
}

bool WaitDesk::needs_poll(const std::vector<Arrival>& arrivals,
                          const follower::ReadablePosition& position) const {
  const std::lock_guard lock(mutex_);
  return waiters_.need_poll(position.polls_needed) ||
         std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& arrival) {
           return follower::needs_poll(arrival.awaited, position);
         });
}

void WaitDesk::forget_polls() {
  const std::lock_guard lock(mutex_);
  waiters_.forget_polls();
}

void WaitDesk::admit(std::vector<Arrival> arrivals, follower::ReadablePosition position,
                     std::optional<int64_t> poll) {
  std::vector<std::pair<std::shared_ptr<Exchange>, uint64_t>> admitted;
  {
    const std::lock_guard lock(mutex_);
    for (Arrival& arrival : arrivals) {
      if (stopping_) {
        arrival.exchange->reply(problem(503, kStopping));
      } else {
        const uint64_t ticket = add(arrival, position.generation);
        admitted.emplace_back(std::move(arrival.exchange), ticket);
      }
    }
    if (poll) waiters_.await_poll(*poll, position.polls_needed);
    waiters_.advance(position);
  }
  // Not under the lock: who has left already is forgotten within this very call.
  for (const auto& [exchange, ticket] : admitted) {
    exchange->on_gone([this, number = ticket] { forget(number); });
  }
}

void WaitDesk::refuse(const std::vector<Arrival>& arrivals, const std::string& why) {
  for (const Arrival& arrival : arrivals) arrival.exchange->reply(problem(503, why));
}

void WaitDesk::expire(Time now) {
  const std::lock_guard lock(mutex_);
  waiters_.expire(now);
}

void WaitDesk::abandon_all() {
  std::vector<Arrival> arrivals;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    arrivals.swap(arrivals_);
    waiters_.abandon_all();
  }
  refuse(arrivals, kStopping);
}

size_t WaitDesk::size() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size() + arrivals_.size();
}

std::optional<WaitDesk::Time> WaitDesk::next_deadline() const {
  const std::lock_guard lock(mutex_);
  return waiters_.next_deadline();
}

}  // namespace hmsync::daemon
