// A deployment under virtual time whose schedule a test writes: nothing fails that it does not let
// fail.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/rest.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {

inline Profile quiet() {
  Profile profile;
  profile.fault_share = 0;
  profile.options.gap_grace = std::chrono::seconds(2);
  profile.options.settle = std::chrono::seconds(5);
  profile.options.sweep_interval = std::chrono::seconds(5);
  profile.options.max_removed = 1;
  profile.options.verify_interval = {};
  return profile;
}

class Scripted : public testing::Test {
 protected:
  explicit Scripted(const Profile& profile = quiet())
      : world_(std::make_unique<World>(profile, 1)) {
    metastore().create_database("sales");
    metastore().create_table("sales", "orders", true);
    rest();
  }

  doubles::MemoryMetastore& metastore() { return world_->metastore; }
  doubles::MemoryStore& store() { return world_->database.store; }

  void run_for(std::chrono::milliseconds time) {
    world_->model.metastore_changed();
    world_->scheduler.run_until([] { return false; }, world_->scheduler.now() + time);
  }
  void rest() {
    world_->model.metastore_changed();
    world_->calm_down();
    await_rest(*world_);
    world_->stir_up();
  }
  /// As a daemon does it for a person.
  void ask(const std::function<void(Daemon&)>& what) {
    Daemon& daemon = *world_->daemons.front();
    const auto fiber = daemon.run([&] { what(daemon); });
    ASSERT_TRUE(world_->scheduler.run_until([&] { return !world_->scheduler.alive(fiber); },
                                            world_->scheduler.now() + std::chrono::seconds(60)));
  }
  static follower::PrivilegeCommand on(const std::string& role, const std::string& table) {
    follower::PrivilegeCommand command;
    command.role = role;
    command.action = "SELECT";
    command.object.database = "sales";
    command.object.table = table;
    command.who = "alice";
    return command;
  }
  void grant(const std::string& role, const std::string& table) {
    store().roles.insert(role);
    ask([&](Daemon& daemon) {
      EXPECT_EQ(follower::grant(daemon.metastore(), daemon.metastore(), daemon.privileges(),
                                on(role, table))
                    .outcome,
                "done");
    });
  }
  void revoke(const std::string& role, const std::string& table) {
    ask([&](Daemon& daemon) {
      world_->revoking({role, {"hive", "sales", table}});
      EXPECT_EQ(follower::revoke(daemon.metastore(), daemon.privileges(), on(role, table)).outcome,
                "done");
    });
  }
  void pause() { store().orders.pause = follower::Pause{"alice", 0, std::nullopt, "a test"}; }
  void resume() { store().orders.pause.reset(); }

  /// "role on table", "(suspended)" behind.
  std::vector<std::string> grants() {
    std::vector<std::string> lines;
    for (const auto& grant : store().grants) {
      lines.push_back(grant.role + " on " + grant.table + (grant.suspended ? " (suspended)" : ""));
    }
    return lines;
  }
  /// Why snapshots of everything were taken, but for those that people asked for.
  std::vector<std::string> snapshots() {
    std::vector<std::string> reasons;
    for (const auto& publication : store().publications) {
      const std::string& reason = publication.reason;
      if (reason == "initial" || reason == "gap" || reason == "reset") reasons.push_back(reason);
    }
    return reasons;
  }
  int64_t notes(const std::string& action) {
    return std::count_if(store().audit.begin(), store().audit.end(),
                         [&](const auto& row) { return row.action == action; });
  }

  std::unique_ptr<World> world_;
};

}  // namespace hmsync::simulation
