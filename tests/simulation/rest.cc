#include "tests/simulation/rest.h"

#include <memory>
#include <optional>

#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

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

// Where nothing is to be read, and nothing fails, nobody who comes now has to wait for long.
void expect_waiters_to_be_released(World& world) {
  for (const auto& daemon : world.daemons) {
    if (!daemon->up()) continue;
    const auto end = std::make_shared<std::optional<follower::WaitEnd>>();
    daemon->wait_for(
        {world.metastore.now()}, world.scheduler.now() + seconds(30),
        [end](follower::WaitEnd how, const follower::ReadablePosition&) { *end = how; });
    world.scheduler.run_until([&] { return end->has_value(); },
                              world.scheduler.now() + seconds(40));
    if (*end != follower::WaitEnd::reached) {
      throw Violation("who waits at rest at " + daemon->name() + " is not released");
    }
  }
}

}  // namespace

void await_rest(World& world) {
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
  expect_waiters_to_be_released(world);
}

}  // namespace hmsync::simulation
