#include "tests/simulation/daemon.h"

#include <algorithm>
#include <utility>

#include "follower/newest_event.h"
#include "tests/simulation/simulated_lease.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWatch{1000};
constexpr milliseconds kRetry{1000};

class SharedExpectation : public follower::Expected {
 public:
  void set(follower::Expectation expectation) override { kept_ = std::move(expectation); }
  [[nodiscard]] follower::Expectation get() const override { return kept_; }

 private:
  follower::Expectation kept_;
};

class SimulatedClock : public follower::Clock {
 public:
  explicit SimulatedClock(const Scheduler& scheduler) : scheduler_(scheduler) {}
  [[nodiscard]] Scheduler::Time now() const override { return scheduler_.now(); }
  [[nodiscard]] double wall_seconds() const override { return 0; }

 private:
  const Scheduler& scheduler_;
};

class SimulatedObjects : public follower::StoredObjects {
 public:
  explicit SimulatedObjects(World& world) : world_(world) {}

  int64_t count_tables() override {
    world_.on_call("store:count_tables", false);
    return world_.database.store.count_tables();
  }
  std::vector<processor::TableName> tables_after(const processor::TableName& name,
                                                 int count) override {
    world_.on_call("store:tables_after", false);
    return world_.database.store.tables_after(name, count);
  }
  std::vector<follower::KnownTable> some_tables(int count) override {
    world_.on_call("store:some_tables", false);
    return world_.database.store.some_tables(count);
  }

 private:
  World& world_;
};

}  // namespace

class Daemon::LoopObserver : public follower::Observer {
 public:
  explicit LoopObserver(Daemon& daemon) : daemon_(daemon) {}
  void entered(follower::Step) override {}
  void polled(const follower::PollReport& report) override { daemon_.last_poll_ = report; }
  void applied(const follower::BatchReport&) override {}
  void snapshot(const follower::SnapshotReport& report) override {
    if (report.state == follower::SnapshotReport::State::running) return;
    daemon_.world_.tell(daemon_.name_ + " snapshot " + report.reason + " ended " +
                        std::to_string(static_cast<int>(report.state)) + " " + report.failure);
  }
  void noticed(const follower::Notice& notice) override {
    daemon_.world_.tell(daemon_.name_ + " notices " + to_string(notice.kind) + " " +
                        std::to_string(notice.event) + " " + notice.text);
  }
  void failed(const Error& error) override {
    daemon_.world_.tell(daemon_.name_ + " failed: " + error.what());
  }

 private:
  Daemon& daemon_;
};

Daemon::Daemon(World& world, int number)
    : world_(world), name_("daemon" + std::to_string(number)) {}

void Daemon::start() {
  up_ = true;
  ++life_;
  stopped_until_ = Scheduler::Time::min();
  resign_ = false;
  terminating_ = false;
  term_.reset();
  ending_term_ = false;
  last_poll_.reset();
  notified_ = true;
  lease_store_ = std::make_unique<SimulatedLease>(
      world_.database, name_,
      [this](std::string_view call, bool after) { world_.on_call(call, after); });
  lease_ = std::make_unique<leader::Lease>(*lease_store_,
                                           leader::lease_times(world_.profile.lease_length), name_,
                                           [this] { return world_.scheduler.now(); });
  expected_ = std::make_unique<SharedExpectation>();
  loop_metastore_ = std::make_unique<SimulatedMetastore>(world_.metastore, *expected_);
  people_metastore_ = std::make_unique<SimulatedMetastore>(world_.metastore, *expected_);
  privileges_ = std::make_unique<doubles::MemoryPrivileges>(world_.database.store);
  fibers_.clear();
  keeper_ = run([this] { keep_lease(); });
  loop_ = run([this] { run_loop(); });
  watcher_ = run([this] { watch_store(); });
  run([this] { refresh_head(); });
}

void Daemon::kill() {
  up_ = false;
  for (const Scheduler::FiberId fiber : fibers_) world_.scheduler.kill(fiber);
  waiters_ = {};
  arrivals_.clear();
}

Scheduler::FiberId Daemon::run(std::function<void()> work) {
  const auto fiber = world_.scheduler.spawn(std::move(work));
  fibers_.push_back(fiber);
  return fiber;
}

bool Daemon::owns(Scheduler::FiberId fiber) const {
  return std::find(fibers_.begin(), fibers_.end(), fiber) != fibers_.end();
}

bool Daemon::holds(const leader::Token& token) const {
  return lease_->token() == token && !resign_ && world_.scheduler.now() < lease_->held_until();
}

bool Daemon::leads() const { return up_ && term_ && holds(*term_); }

// As leader::Election.
void Daemon::keep_lease() {
  while (!terminating_) {
    if (std::exchange(resign_, false)) lease_->resign();
    const leader::LeaseStep step = lease_->step();
    if (step.change == leader::LeaseStep::Change::elected) {
      world_.tell(name_ + " is elected, epoch " + std::to_string(lease_->token()->epoch));
      term_ = *lease_->token();
      world_.scheduler.wake(loop_);
    }
    if (step.change == leader::LeaseStep::Change::deposed) {
      world_.tell(name_ + " is deposed: " + step.reason);
      end_term();
    }
    world_.scheduler.sleep(std::max(step.wait, milliseconds(1)));
  }
  leave();
}

void Daemon::terminate() {
  world_.tell(name_ + " is terminated");
  terminating_ = true;
  world_.scheduler.wake(keeper_);
}

// As leader::Election::stop() at the end of a process. Where the lease cannot be given back, its
// successor waits.
void Daemon::leave() {
  if (term_) end_term();
  try {
    lease_->release();
  } catch (const Error& error) {
    world_.tell(name_ + " keeps its lease: " + error.what());
  }
  world_.crash(*this);
}

void Daemon::end_term() {
  ending_term_ = true;
  world_.scheduler.wake(loop_);
  while (term_) world_.scheduler.sleep(milliseconds(1));
  ending_term_ = false;
}

void Daemon::run_loop() {
  while (true) {
    while (!term_) world_.scheduler.sleep(std::chrono::hours(1));
    lead(*term_);
    while (!ending_term_) world_.scheduler.sleep(std::chrono::hours(1));
    term_.reset();
  }
}

// As daemon::LoopThread with a FollowerTerm.
void Daemon::lead(const leader::Token& token) {
  SimulatedClock clock(world_.scheduler);
  LoopObserver observer(*this);
  SimulatedObjects objects(world_);
  auto& store = world_.database.store;
  std::optional<follower::Follower> loop;
  while (!ending_term_ && holds(token)) {
    milliseconds wait = kRetry;
    try {
      if (!loop) {
        loop.emplace(follower::Ports{*loop_metastore_, *loop_metastore_, store, store, store,
                                     objects, *expected_, clock, observer},
                     world_.profile.options, follower::Token{token.epoch, token.nonce});
      }
      wait = loop->step();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::fenced) {
        world_.tell(name_ + " is fenced");
        resign_ = true;
        return;
      }
      loop.reset();
    }
    if (wait > milliseconds(0)) world_.scheduler.sleep(wait);
  }
}

// As daemon::StoreWatcher with a WaitDesk.
void Daemon::watch_store() {
  while (true) {
    try {
      look_at_store();
    } catch (const Error&) {
      waiters_.forget_polls();
    }
    waiters_.expire(world_.scheduler.now());
    auto time = std::chrono::duration_cast<Scheduler::Duration>(kWatch);
    if (const auto deadline = waiters_.next_deadline()) {
      time = std::clamp(*deadline - world_.scheduler.now(), Scheduler::Duration(1), time);
    }
    if (!notified_ && arrivals_.empty()) world_.scheduler.sleep(time);
    world_.scheduler.pass();
  }
}

void Daemon::look_at_store() {
  const bool due = world_.scheduler.now() - looked_ >= kWatch;
  const bool told = std::exchange(notified_, false);
  std::vector<Arrival> arrivals = std::exchange(arrivals_, {});
  if (arrivals.empty() && !due && !(told && waiters_.size() > 0)) return;
  std::optional<follower::ReadablePosition> position;
  std::optional<int64_t> poll;
  try {
    world_.on_call("store:position", false);
    position = world_.database.store.position();
    looked_ = world_.scheduler.now();
    const bool arrival_needs = std::any_of(
        arrivals.begin(), arrivals.end(),
        [&](const Arrival& arrival) { return follower::needs_poll(arrival.awaited, *position); });
    if (arrival_needs || waiters_.need_poll(position->polls_needed)) {
      poll = world_.database.store.ask_poll();
    }
  } catch (const Error&) {
    for (const Arrival& arrival : arrivals) arrival.done(follower::WaitEnd::abandoned, {});
    throw;
  }
  for (Arrival& arrival : arrivals) {
    waiters_.add(arrival.awaited, position->generation, arrival.deadline, std::move(arrival.done));
  }
  if (poll) waiters_.await_poll(*poll, position->polls_needed);
  waiters_.advance(*position);
}

void Daemon::wait_for(const follower::Awaited& awaited, Scheduler::Time deadline, WaitDone done) {
  arrivals_.push_back({awaited, deadline, std::move(done)});
  world_.scheduler.wake(watcher_);
}

void Daemon::notified() {
  if (!up_) return;
  notified_ = true;
  world_.scheduler.wake(watcher_);
}

// As daemon::HeadRefresher: what makes revokes final that could not ask the metastore.
void Daemon::refresh_head() {
  while (true) {
    world_.scheduler.sleep(milliseconds(1000));
    if (!leads()) continue;
    try {
      const int64_t head = follower::newest_event(*people_metastore_);
      if (leads()) world_.database.store.record_head(head);
    } catch (const Error&) {
      continue;
    }
  }
}

}  // namespace hmsync::simulation
