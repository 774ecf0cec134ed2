// A whole deployment in one thread: a metastore with its clients, a database, daemons, people,
// faults, and the model that all of it is held to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/follower/memory_metastore.h"
#include "tests/simulation/coverage.h"
#include "tests/simulation/daemon.h"
#include "tests/simulation/log_reader.h"
#include "tests/simulation/model.h"
#include "tests/simulation/profile.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/simulated_lease.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/violation.h"

namespace hmsync::simulation {

class World {
 public:
  World(Profile profile, uint64_t seed);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  const Profile profile;
  Scheduler scheduler;
  Trace trace;
  Coverage coverage;
  doubles::MemoryMetastore metastore;
  Database database;
  Model model;
  std::vector<std::unique_ptr<Daemon>> daemons;

  /// Which fault the call meets; random unless a test says otherwise.
  std::function<std::optional<Fault>(const Daemon&, std::string_view call, bool after)>
      choose_fault;

  /// No fault comes any more, and those that last have ended.
  void calm_down();
  void stir_up() { calm_ = false; }
  [[nodiscard]] bool calm() const { return calm_; }

  /// Around each port call: lets others go on, and lets a daemon's call meet a fault.
  void on_call(std::string_view call, bool after);
  void tell(const std::string& line);
  /// The process that the present fiber belongs to; null: a client of the metastore, or an
  /// operator.
  [[nodiscard]] Daemon* here() const;
  [[nodiscard]] Daemon* leader() const;
  [[nodiscard]] Daemon* some_daemon();
  /// Spawns a fiber outside of the daemons.
  void run(std::function<void()> work) { scheduler.spawn(std::move(work)); }
  /// It starts again after a while.
  void crash(Daemon& daemon);
  /// For requests and roles.
  int64_t next_number() { return ++last_number_; }
  /// What the present fiber is about to revoke.
  struct Revoke {
    std::string role;
    processor::TableName name;
  };
  void revoking(Revoke revoke) { revokes_[scheduler.current()] = std::move(revoke); }
  /// The database as it was a while ago takes over; false if there is no copy that
  /// lacks something.
  bool rewind();

 private:
  [[nodiscard]] std::optional<Fault> random_fault(std::string_view call, bool after);
  [[nodiscard]] double chance_of_fault(std::string_view call);
  [[nodiscard]] bool events_are_unread() const;
  void trouble_takes_its_time(std::string_view call);
  void meet_fault(Daemon& daemon, std::string_view call, Fault fault);
  [[nodiscard]] std::set<std::string> unread_kinds() const;
  void observe_commit();
  void keep_copy();
  int64_t head_falls_back_by();

  bool calm_ = false;
  std::map<std::pair<std::string, bool>, int64_t> calls_made_;  ///< true: while events were unread
  int64_t all_calls_made_ = 0;
  std::map<Scheduler::FiberId, Revoke> revokes_;
  int64_t seen_commit_number_ = 0;
  size_t told_audit_ = 0;
  LogReader log_reader_;
  int64_t last_number_ = 0;
  int64_t next_second_ = 0;
  std::vector<std::unique_ptr<Database>> copies_;  ///< what replicas may have
  Scheduler::Time copied_at_{};
  Scheduler::Time head_back_until_{};
};

}  // namespace hmsync::simulation
