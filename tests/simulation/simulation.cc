#include "tests/simulation/simulation.h"

#include <fmt/format.h>

#include "tests/simulation/clients.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

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
  begin([&] { give_orders(world, 8); });
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

bool at_rest(const World& world) {
  const Daemon* const leader = world.leader();
  if (leader == nullptr || !leader->last_poll()) return false;
  const auto& poll = *leader->last_poll();
  const auto& store = world.database.store;
  return poll.phase == follower::Phase::following && poll.head == world.metastore.now() &&
         store.follower.cursor == world.metastore.now() && store.re_reads.empty() &&
         store.orders.resyncs.empty() && store.orders.retries.empty();
}

// What the guard refuses waits for a person.
void force_what_is_refused(World& world) {
  const Daemon* const leader = world.leader();
  if (leader == nullptr || !leader->last_poll()) return;
  if (leader->last_poll()->phase != follower::Phase::waiting) return;
  if (!world.database.store.orders.resyncs.empty()) return;
  follower::ResyncRequest request;
  request.id = world.next_number();
  request.force = true;
  world.database.store.orders.resyncs.push_back(request);
  world.tell("an operator forces a resync");
}

void await_rest(World& world) {
  world.calm_down();
  world.database.store.orders.pause.reset();  // a fail-over may have lost the end of one
  const auto& options = world.profile.options;
  // Late events are looked for, and what no event tells is swept, within this time.
  const auto quiet = options.settle + 2 * options.sweep_interval + options.gap_grace + seconds(20);
  world.scheduler.run_until([] { return false; }, world.scheduler.now() + quiet);
  const auto end = world.scheduler.now() + minutes(20);
  while (!world.scheduler.run_until([&] { return at_rest(world); },
                                    world.scheduler.now() + seconds(20))) {
    if (world.scheduler.now() > end) throw Violation("it does not come to rest");
    force_what_is_refused(world);
  }
  // Grants that are to be revoked again are, and sweeps go on, after the last event.
  world.scheduler.run_until([] { return false; }, world.scheduler.now() + quiet);
  if (!at_rest(world)) throw Violation("it does not stay at rest");
  world.model.check_rest();
}

}  // namespace

Outcome simulate(uint64_t seed, const Profile& profile, size_t trace_lines) {
  Outcome outcome;
  World world(profile, seed);
  world.trace = Trace(trace_lines);
  try {
    for (int round = 0; round < profile.rounds; ++round) {
      run_round(world);
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
