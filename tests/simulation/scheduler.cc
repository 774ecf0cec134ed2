#include "tests/simulation/scheduler.h"

#include <algorithm>
#include <utility>

namespace hmsync::simulation {

Scheduler::Scheduler(uint64_t seed) : random_(seed) {}

Scheduler::~Scheduler() { end_all(); }

void Scheduler::end_all() {
  for (const FiberId fiber : std::vector(living_)) kill(fiber);
  for (const FiberId fiber : std::vector(living_)) give_turn(fiber);
}

Scheduler::FiberId Scheduler::spawn(std::function<void()> body) {
  const FiberId id = fibers_.size();
  auto guarded = [this, id, run = std::move(body)] {
    if (fibers_[id].killed) return;
    try {
      run();
    } catch (const Killed&) {
    }
  };
  fibers_.push_back({std::make_unique<Fiber>(std::move(guarded)), now_, false});
  living_.push_back(id);
  return id;
}

void Scheduler::kill(FiberId fiber) {
  if (!alive(fiber)) return;
  fibers_[fiber].killed = true;
  fibers_[fiber].due = now_;
}

bool Scheduler::alive(FiberId fiber) const { return fibers_[fiber].fiber != nullptr; }

bool Scheduler::run_until(const std::function<bool()>& done, Time end) {
  while (!done()) {
    const FiberId next = choose(end);
    if (next == kNobody) return done();
    give_turn(next);
  }
  return true;
}

// Of those who are due, or the first that will be.
Scheduler::FiberId Scheduler::choose(Time end) {
  Time first = Time::max();
  size_t due = 0;
  for (const FiberId fiber : living_) {
    first = std::min(first, fibers_[fiber].due);
    if (fibers_[fiber].due <= now_) ++due;
  }
  if (due == 0) {
    if (first >= end) return kNobody;
    now_ = first;
    for (const FiberId fiber : living_) due += fibers_[fiber].due <= now_ ? 1 : 0;
  }
  uint64_t chosen = random(due);
  for (const FiberId fiber : living_) {
    if (fibers_[fiber].due <= now_ && chosen-- == 0) return fiber;
  }
  return kNobody;
}

void Scheduler::give_turn(FiberId fiber) {
  ++turns_;
  const FiberId before = std::exchange(current_, fiber);
  // The vector may grow meanwhile.
  Fiber& entered = *fibers_[fiber].fiber;
  entered.enter();
  current_ = before;
  if (!entered.ended()) return;
  const std::exception_ptr thrown = entered.thrown();
  fibers_[fiber].fiber.reset();
  living_.erase(std::find(living_.begin(), living_.end(), fiber));
  if (thrown) std::rethrow_exception(thrown);
}

void Scheduler::pass(Duration most) {
  sleep(Duration(static_cast<Duration::rep>(random(static_cast<uint64_t>(most.count()) + 1))));
}

void Scheduler::sleep(Duration duration) {
  Turn& turn = fibers_[current_];
  turn.due = now_ + duration;
  if (!turn.killed) turn.fiber->leave();
  if (fibers_[current_].killed) throw Killed{};
}

void Scheduler::wake(FiberId fiber) {
  if (alive(fiber)) fibers_[fiber].due = std::min(fibers_[fiber].due, now_);
}

}  // namespace hmsync::simulation
