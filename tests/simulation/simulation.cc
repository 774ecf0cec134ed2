#include "tests/simulation/simulation.h"

#include <fmt/format.h>

#include "tests/simulation/clients.h"
#include "tests/simulation/rest.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using std::chrono::minutes;

void run_round(World& world) {
  const Profile& profile = world.profile;
  int active = 0;
  const auto begin = [&](auto work) {
    ++active;
    world.run([&active, work] {
      work();
      --active;
    });
  };
  for (int i = 0; i < profile.clients; ++i) {
    begin([&] { make_changes(world, profile.changes_a_round / profile.clients); });
  }
  begin([&] { grant_and_revoke(world, profile.grants_a_round); });
  begin([&] { wait_for_events(world, profile.grants_a_round); });
  begin([&] { give_orders(world, profile.orders_a_round); });
  if (profile.cleans_log || profile.restores_metastore) {
    begin([&] { make_history_trouble(world); });
  }
  if (profile.hides_databases) begin([&] { hide_databases(world, 4); });
  if (profile.rewinds_store) begin([&] { fail_over(world, 4); });
  if (!world.scheduler.run_until([&] { return active == 0; },
                                 world.scheduler.now() + minutes(60))) {
    throw Violation("clients of the deployment hang");
  }
}

}  // namespace

Outcome simulate(uint64_t seed, const Profile& profile, size_t trace_lines) {
  Outcome outcome;
  World world(profile, seed);
  world.trace = Trace(trace_lines);
  try {
    for (int round = 0; round < profile.rounds; ++round) {
      run_round(world);
      world.calm_down();
      await_rest(world);
      world.stir_up();
    }
  } catch (const Violation& violation) {
    outcome.violation = violation.what();
  }
  for (const auto& step : world.metastore.history()) {
    outcome.events += static_cast<int64_t>(step.event_ids.size());
  }
  outcome.trace_hash = world.trace.hash();
  outcome.trace.assign(world.trace.lines().begin(), world.trace.lines().end());
  outcome.coverage = world.coverage;
  outcome.virtual_seconds =
      std::chrono::duration<double>(world.scheduler.now().time_since_epoch()).count();
  outcome.turns = world.scheduler.turns();
  return outcome;
}

}  // namespace hmsync::simulation
