// One hmsyncd, as far as it is logic: its lease, its loop, its waiters and its privileges, each in
// a fiber as the daemon has them in threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "follower/follower.h"
#include "follower/waiters.h"
#include "leader/lease.h"
#include "tests/follower/memory_privileges.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/simulated_metastore.h"

namespace hmsync::simulation {

class World;

class Daemon {
 public:
  Daemon(World& world, int number);

  /// A new process.
  void start();
  /// All that it did ends where it is; what it knew is lost.
  void kill();
  /// As by SIGTERM: work stops, then the lease is given back, then the process ends.
  void terminate();
  [[nodiscard]] bool up() const { return up_; }
  /// Counts its processes.
  [[nodiscard]] int life() const { return life_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Runs within this process, and ends with it.
  Scheduler::FiberId run(std::function<void()> work);
  /// Whether the fiber belongs to this process.
  [[nodiscard]] bool owns(Scheduler::FiberId fiber) const;

  /// The whole process stands still, from the next port call of each fiber on.
  void stop_until(Scheduler::Time time) { stopped_until_ = time; }
  [[nodiscard]] Scheduler::Time stopped_until() const { return stopped_until_; }
  /// Thrown into calls of the loop, whose term has ended.
  [[nodiscard]] bool interrupted(Scheduler::FiberId fiber) const {
    return ending_term_ && fiber == loop_;
  }

  [[nodiscard]] bool leads() const;
  [[nodiscard]] const std::optional<follower::PollReport>& last_poll() const { return last_poll_; }

  /// As `hmsyncctl wait`: `done` is called once, unless the process dies. The store is looked at
  /// after this.
  using WaitDone = std::function<void(follower::WaitEnd, follower::ReadablePosition)>;
  void wait_for(const follower::Awaited& awaited, Scheduler::Time deadline, WaitDone done);
  /// The store told of something new.
  void notified();

  doubles::MemoryPrivileges& privileges() { return *privileges_; }
  SimulatedMetastore& metastore() { return *people_metastore_; }

 private:
  class LoopObserver;
  struct Arrival {
    follower::Awaited awaited;
    Scheduler::Time deadline;
    WaitDone done;
  };

  void keep_lease();
  void run_loop();
  void lead(const leader::Token& token);
  void end_term();
  void leave();
  void watch_store();
  void look_at_store();
  void refresh_head();
  [[nodiscard]] bool holds(const leader::Token& token) const;

  World& world_;
  const std::string name_;
  bool up_ = false;
  int life_ = 0;
  std::vector<Scheduler::FiberId> fibers_;
  Scheduler::FiberId keeper_ = Scheduler::kNobody;  ///< of the lease
  Scheduler::FiberId loop_ = Scheduler::kNobody;
  Scheduler::FiberId watcher_ = Scheduler::kNobody;
  Scheduler::Time stopped_until_ = Scheduler::Time::min();

  std::unique_ptr<leader::LeaseStore> lease_store_;
  std::unique_ptr<leader::Lease> lease_;
  bool resign_ = false;
  bool terminating_ = false;
  std::optional<leader::Token> term_;  ///< what the loop leads by, or is to
  bool ending_term_ = false;

  std::unique_ptr<follower::Expected> expected_;
  std::unique_ptr<SimulatedMetastore> loop_metastore_;
  std::unique_ptr<SimulatedMetastore> people_metastore_;
  std::unique_ptr<doubles::MemoryPrivileges> privileges_;
  std::optional<follower::PollReport> last_poll_;

  follower::Waiters waiters_;
  std::vector<Arrival> arrivals_;
  bool notified_ = false;
  Scheduler::Time looked_{};
};

}  // namespace hmsync::simulation
