#include "tests/simulation/clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "follower/newest_event.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using std::chrono::milliseconds;
namespace ddl = doubles::ddl;

constexpr int kDatabases = 3;
constexpr int kTables = 5;

std::string some_database(World& world) {
  return "d" + std::to_string(world.scheduler.random(kDatabases));
}
std::string some_table(World& world) {
  return "t" + std::to_string(world.scheduler.random(kTables));
}

processor::Partition some_partition(World& world) {
  processor::Partition partition;
  partition.values = {std::to_string(world.scheduler.random(4))};
  return partition;
}

/// Of the table, where it has one.
processor::Partition present_partition(World& world, const std::string& database,
                                       const std::string& table) {
  processor::Partition partition = some_partition(world);
  const auto& partitions =
      world.metastore.objects().tables.at({"hive", database, table}).partitions;
  if (partitions.empty()) return partition;
  partition.values = std::next(partitions.begin(),
                               static_cast<ptrdiff_t>(world.scheduler.random(partitions.size())))
                         ->first;
  return partition;
}

doubles::Change change_of_table(World& world, const std::string& database,
                                const std::string& table) {
  Scheduler& scheduler = world.scheduler;
  switch (scheduler.random(13)) {
    case 0:
    case 1:
      return ddl::DropTable{database, table};
    case 2:
    case 3:
    case 4: {
      ddl::AlterTable change{database, table};
      change.new_database = some_database(world);
      change.new_table = some_table(world);
      return change;
    }
    case 5: {
      ddl::AlterTable change{database, table};
      change.owner = processor::Owner{"owner" + std::to_string(scheduler.random(100))};
      return change;
    }
    case 6:
    case 7:
      return ddl::DropPartitions{
          database, table, {present_partition(world, database, table).values}};
    case 8:
    case 9: {
      processor::Partition moved = present_partition(world, database, table);
      moved.location =
          processor::Location{"hdfs", "nn", "/moved" + std::to_string(scheduler.random(100))};
      return ddl::AlterPartitions{database, table, {moved}};
    }
    case 10:
      return ddl::ExchangePartition{database,
                                    table,
                                    some_database(world),
                                    some_table(world),
                                    {std::to_string(scheduler.random(4))}};
    default:
      return ddl::AddPartitions{database, table, {some_partition(world)}};
  }
}

doubles::Change some_change(World& world) {
  Scheduler& scheduler = world.scheduler;
  const std::string database = some_database(world);
  const std::string table = some_table(world);
  const auto& objects = world.metastore.objects();
  if (!objects.databases.contains({"hive", database})) return ddl::CreateDatabase{database};
  const uint64_t dice = scheduler.random(100);
  if (dice < 2) return ddl::DropDatabase{database, true};
  if (dice < 4) return ddl::DropDatabase{database, false};
  if (dice < 10 || (world.profile.alters_without_event && dice < 14)) {
    ddl::AlterDatabase change{database};
    if (world.profile.generation != doubles::Generation::v4_0 || scheduler.chance(0.5)) {
      change.owner = processor::Owner{"owner" + std::to_string(scheduler.random(100))};
    } else {
      change.location = processor::Location{"hdfs", "nn", "/moved" + std::to_string(dice)};
    }
    if (world.profile.generation == doubles::Generation::v3_1 ||
        world.profile.alters_without_event || change.owner) {
      return change;
    }
  }
  if (dice < 18) {
    // What an event names is read again without a guard.
    const bool unknown = dice >= 14 && !world.profile.hides_databases;
    return ddl::OtherEvent{unknown ? "SOMETHING_NEW" : "OPEN_TXN", database, table};
  }
  if (!objects.tables.contains({"hive", database, table})) {
    ddl::CreateTable change{database, table, {"p"}};
    if (scheduler.chance(0.3)) change.type = "EXTERNAL_TABLE";
    return change;
  }
  return change_of_table(world, database, table);
}

// Clients pause now and then, so that there are bursts and quiet times; the more of them, the
// longer.
void pause_between(World& world) {
  const auto quiet = 5000 * static_cast<uint64_t>(world.profile.clients);
  const uint64_t busy = world.profile.locks_sequence ? 150 : 40;
  world.scheduler.sleep(
      milliseconds(world.scheduler.random(world.scheduler.chance(0.1) ? quiet : busy)));
}

/// What a client does next to the table that it has just changed: jobs that swap tables.
std::optional<doubles::Change> next_of(World& world, const doubles::Change& done) {
  if (const auto* drop = std::get_if<ddl::DropTable>(&done)) {
    if (world.scheduler.chance(0.4)) return ddl::CreateTable{drop->database, drop->table, {"p"}};
  }
  const auto* alter = std::get_if<ddl::AlterTable>(&done);
  if (alter != nullptr && alter->new_table && world.scheduler.chance(0.2)) {
    return ddl::DropTable{*alter->new_database, *alter->new_table};
  }
  return std::nullopt;
}

void lose_table(World& world) {
  const std::string database = some_database(world);
  const std::string table = some_table(world);
  const auto& tables = world.metastore.objects().tables;
  if (!tables.contains({"hive", database, table})) return;
  world.metastore.lose_table(database, table);
  world.model.metastore_changed();
}

bool drifts(World& world, const doubles::Change& change) {
  return world.profile.generation == doubles::Generation::v2_3 &&
         std::holds_alternative<ddl::AlterDatabase>(change) && world.profile.locks_sequence;
}

/// Where ids are shared, one that lasts longer than a poll shows its events late.
milliseconds time_of_transaction(World& world) {
  const bool shares_ids = !world.profile.locks_sequence;
  const uint64_t most = world.scheduler.chance(shares_ids ? 0.15 : 0.02) ? 1000
                        : !shares_ids && world.scheduler.chance(0.5)     ? 2
                                                                         : 60;
  return milliseconds(world.scheduler.random(most));
}

/// An event that comes late then is one that only its successor can see.
void change_leaders(World& world) {
  Daemon* const leader = world.leader();
  if (leader != nullptr) leader->terminate();
  world.scheduler.sleep(milliseconds(world.scheduler.random(1500)));
}

}  // namespace

void make_changes(World& world, int count) {
  auto& metastore = world.metastore;
  std::optional<doubles::Change> next;
  for (int made = 0; made < count;) {
    pause_between(world);
    const doubles::Change change = next ? *next : some_change(world);
    next.reset();
    if (drifts(world, change)) continue;
    ++made;
    if (world.profile.loses_tables && world.scheduler.chance(0.03)) lose_table(world);
    auto delivery = doubles::Delivery::sound;
    if (world.profile.spoils_events && world.scheduler.chance(0.05)) {
      delivery =
          world.scheduler.chance(0.7) ? doubles::Delivery::spoilt : doubles::Delivery::withheld;
    }
    const int64_t log = metastore.generation_of_log();
    const int transaction = metastore.begin(change, delivery);
    world.model.metastore_changed();
    if (transaction == doubles::MemoryMetastore::kRefused) continue;
    world.scheduler.sleep(time_of_transaction(world));
    if (world.scheduler.chance(world.profile.changes_leader)) change_leaders(world);
    if (metastore.generation_of_log() != log) continue;  // it was lost with the old metastore
    if (world.scheduler.chance(0.03)) {
      metastore.abort(transaction);
    } else {
      metastore.commit(transaction);
      next = next_of(world, change);
    }
    world.model.metastore_changed();
  }
}

namespace {

void await_end(World& world, Scheduler::FiberId fiber) {
  while (world.scheduler.alive(fiber)) world.scheduler.sleep(milliseconds(5));
}

void ask_to_grant(World& world, Daemon& daemon, const follower::PrivilegeCommand& command) {
  const auto fiber = daemon.run([&daemon, command] {
    try {
      (void)follower::grant(daemon.metastore(), daemon.metastore(), daemon.privileges(), command);
    } catch (const Error&) {
      return;  // whether it had an effect is seen where it has it
    }
  });
  await_end(world, fiber);
}

follower::PrivilegeCommand select_by(const std::string& role, const processor::TableName& name) {
  follower::PrivilegeCommand command;
  command.role = role;
  command.action = "SELECT";
  command.object.database = name.database;
  if (!name.table.empty()) command.object.table = name.table;
  command.who = "alice";
  return command;
}

void grant_one(World& world, Daemon& daemon, const std::string& role) {
  const auto& tables = world.metastore.objects().tables;
  if (tables.empty()) return;
  const auto table =
      std::next(tables.begin(), static_cast<ptrdiff_t>(world.scheduler.random(tables.size())));
  processor::TableName name = table->first;
  if (world.scheduler.chance(0.15)) name.table.clear();
  world.database.store.roles.insert(role);
  ask_to_grant(world, daemon, select_by(role, name));
}

/// The database is looked up before it turns out that the role is none.
void grant_to_nobody(World& world, Daemon& daemon) {
  auto command = select_by("nobody", {});
  command.object.database = some_database(world);
  ask_to_grant(world, daemon, command);
}

struct Successor {
  std::string role;
  processor::TableName name;
};

/// A table that was made again in the place of one that was dropped of late, and who had a grant on
/// that.
std::optional<Successor> some_successor(World& world) {
  constexpr size_t kLately = 30;
  const auto& metastore = world.metastore;
  const auto& history = metastore.history();
  const auto& tables = metastore.objects().tables;
  const size_t lately = std::min(kLately, history.size());
  for (auto step = history.rbegin(); step != history.rbegin() + static_cast<ptrdiff_t>(lately);
       ++step) {
    if (step->kind != "DROP_TABLE" || step->refused || step->touched.empty()) continue;
    if (step->generation_of_log != metastore.generation_of_log()) break;
    const processor::TableName& name = step->touched.front();
    const auto& before = metastore.objects_after(step->number - 1).tables;
    const auto dropped = before.find(name);
    if (dropped == before.end() || !tables.contains(name)) continue;
    for (const auto& [role, granted] : world.model.grants()) {
      const bool is_sure = granted.certain && !granted.revoked && !granted.before_history;
      if (is_sure && granted.identity == dropped->second.table.identity) {
        return Successor{role, name};
      }
    }
  }
  return std::nullopt;
}

std::optional<processor::TableName> name_of(World& world, const std::string& role,
                                            const std::string& identity) {
  if (world.scheduler.chance(0.5)) {
    for (const auto& grant : world.database.store.grants) {
      if (grant.role == role) return grant.name();
    }
  }
  for (const auto& [name, table] : world.metastore.objects().tables) {
    if (table.table.identity == identity) return name;
  }
  for (const auto& [name, database] : world.metastore.objects().databases) {
    if (world.model.database_as_of(name, INT64_MAX) == identity) {
      return processor::TableName{name.catalog, name.database, ""};
    }
  }
  return std::nullopt;
}

void revoke_one(World& world, Daemon& daemon) {
  const auto& grants = world.model.grants();
  if (grants.empty()) return;
  const auto chosen =
      std::next(grants.begin(), static_cast<ptrdiff_t>(world.scheduler.random(grants.size())));
  if (chosen->second.revoked || !chosen->second.certain) return;
  const auto& rows = world.database.store.grants;
  const auto of_role = [&](const auto& grant) { return grant.role == chosen->first; };
  // One of a role that was granted again is still to be removed, perhaps.
  if (std::count_if(rows.begin(), rows.end(), of_role) > 1) return;
  const auto name = name_of(world, chosen->first, chosen->second.identity);
  if (!name) return;
  const auto command = select_by(chosen->first, *name);
  const auto fiber = daemon.run([&world, &daemon, command, name = *name] {
    world.revoking({command.role, name});
    try {
      (void)follower::revoke(daemon.metastore(), daemon.privileges(), command);
    } catch (const Error&) {
      return;
    }
  });
  await_end(world, fiber);
}

}  // namespace

void grant_and_revoke(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    world.scheduler.sleep(milliseconds(world.scheduler.random(800)));
    Daemon* const daemon = world.some_daemon();
    if (daemon == nullptr) continue;
    if (world.scheduler.chance(0.15)) {
      grant_to_nobody(world, *daemon);
    } else if (const auto successor = some_successor(world)) {
      ask_to_grant(world, *daemon, select_by(successor->role, successor->name));
    } else if (world.scheduler.chance(0.6)) {
      grant_one(world, *daemon, fmt::format("r{}", world.next_number()));
    } else {
      revoke_one(world, *daemon);
    }
  }
}

namespace {

/// One that waits for the head of the moment when it came, or for an event that is still to come.
struct Waiter {
  int64_t event;
  int64_t steps;       ///< of the metastore's history by then
  int64_t log;         ///< whose event it is
  int64_t generation;  ///< of the store
  bool knows;          ///< the id tells the truth as far as anybody can know
};

void judge_end(World& world, const Waiter& waiter, follower::WaitEnd end,
               const follower::ReadablePosition& position) {
  if (end != follower::WaitEnd::reached) return;
  const bool same_log = waiter.log == world.metastore.generation_of_log();
  if (position.generation != waiter.generation && !same_log) {
    throw Violation(
        fmt::format("who waited for event {} of generation {} was released by generation {}",
                    waiter.event, waiter.generation, position.generation));
  }
  if (waiter.knows && same_log) world.model.released(waiter.event, waiter.steps, position);
}

void wait_at(World& world, Daemon& daemon) {
  Waiter waiter{};
  const auto& state = world.database.store.follower;
  std::optional<follower::ReadablePosition> known;
  try {
    const std::optional<int64_t> cursor = state.cursor;
    const int64_t generation = state.generation;
    waiter.event = follower::newest_event(daemon.metastore());
    if (cursor && waiter.event < *cursor) {
      known = {generation, *cursor};
    } else if (world.scheduler.chance(0.2)) {
      waiter.event += static_cast<int64_t>(world.scheduler.random(20));
    }
  } catch (const Error&) {
    return;
  }
  waiter.steps = static_cast<int64_t>(world.metastore.history().size());
  waiter.log = world.metastore.generation_of_log();
  waiter.generation = state.generation;
  // Until ids are first seen to be shared they tell all that anybody can know.
  waiter.knows = world.profile.locks_sequence || state.shared_ids_seen ||
                 (state.cursor && state.metastore_uuid.empty());
  const auto deadline = world.scheduler.now() + milliseconds(500 + world.scheduler.random(20000));
  const auto ended = std::make_shared<bool>(false);
  daemon.wait_for(
      {waiter.event, known}, deadline,
      [&world, waiter, ended](follower::WaitEnd end, const follower::ReadablePosition& position) {
        if (std::exchange(*ended, true)) throw Violation("a waiter was ended twice");
        judge_end(world, waiter, end, position);
      });
  world.run([&world, &daemon, life = daemon.life(), ended, deadline, event = waiter.event] {
    // The store may be out of reach, and the process may stand still, at its deadline.
    world.scheduler.sleep(deadline - world.scheduler.now() + std::chrono::seconds(60));
    if (!*ended && daemon.up() && daemon.life() == life) {
      throw Violation(fmt::format("who waited for event {} was forgotten", event));
    }
  });
}

}  // namespace

void wait_for_events(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    world.scheduler.sleep(milliseconds(world.scheduler.random(1500)));
    Daemon* const daemon = world.some_daemon();
    if (daemon != nullptr) daemon->run([&world, daemon] { wait_at(world, *daemon); });
  }
}

void give_orders(World& world, int count) {
  auto& scheduler = world.scheduler;
  for (int i = 0; i < count; ++i) {
    scheduler.sleep(milliseconds(scheduler.random(3000)));
    auto& orders = world.database.store.orders;
    const auto& quarantine = world.database.store.quarantine;
    if (!quarantine.empty() && scheduler.chance(0.6)) {
      const auto& event = quarantine[scheduler.random(quarantine.size())].event;
      orders.retries.push_back({world.next_number(), event.id, "alice"});
    }
    switch (scheduler.random(8)) {
      case 0: {
        orders.pause = follower::Pause{"alice", 0, std::nullopt, "a test"};
        scheduler.sleep(milliseconds(scheduler.random(3000)));
        world.database.store.orders.pause.reset();
        break;
      }
      case 1: {
        Daemon* const leader = world.leader();
        if (leader != nullptr) leader->terminate();
        break;
      }
      default: {
        follower::ResyncRequest request;
        request.id = world.next_number();
        // What is hidden, or changes while it is read, shows where a snapshot is published.
        request.dry_run = scheduler.chance(world.profile.seeks_rare_calls ? 0.8 : 0.3);
        if (scheduler.chance(0.5)) {
          request.scope.database = processor::DatabaseName{"hive", some_database(world)};
          if (scheduler.chance(0.5)) request.scope.table = some_table(world);
        }
        orders.resyncs.push_back(request);
      }
    }
  }
}

namespace {

bool is_refused(const World& world) {
  const Daemon* const leader = world.leader();
  return leader != nullptr && leader->last_poll() &&
         leader->last_poll()->phase == follower::Phase::waiting;
}

void make_changes_until(World& world, Scheduler::Time end) {
  while (world.scheduler.now() < end) {
    make_changes(world, 1);
    world.scheduler.sleep(milliseconds(world.scheduler.random(4000)));
  }
}

/// A refused snapshot is considered again a minute later, by a leader that lasts so long.
void await_next_look(World& world) {
  const auto now = [&] { return world.scheduler.now(); };
  const auto end = now() + std::chrono::seconds(40);
  while (!is_refused(world) && now() < end) world.scheduler.sleep(milliseconds(20));
  if (!is_refused(world)) return;
  world.calm_down();
  make_changes_until(world, now() + std::chrono::seconds(58));
  world.stir_up();
  make_changes_until(world, now() + std::chrono::seconds(20));
}

/// All but so many events, in truth such as are hours old: no transaction has one of their ids,
/// too, and what came late is read. That it was there, nothing would tell afterwards.
void clean_log(World& world, int64_t keep) {
  while (!world.metastore.open().empty()) world.scheduler.sleep(milliseconds(20));
  int64_t through = world.metastore.now() - keep;
  if (const auto late = world.model.unread_late_event()) through = std::min(through, *late - 1);
  world.tell(fmt::format("metastore cleans its log up to {}", through));
  world.model.log_will_be_cleaned(through);
  world.metastore.clean_events_up_to(through);
}

}  // namespace

void make_history_trouble(World& world) {
  auto& scheduler = world.scheduler;
  const auto& state = world.database.store.follower;
  // Before that, and behind what was read, nothing shows that a metastore goes back.
  const auto await = [&](const auto& condition) {
    while (!condition()) scheduler.sleep(milliseconds(20));
  };
  await([&] { return state.cursor.has_value(); });
  scheduler.sleep(milliseconds(scheduler.random(8000)));
  std::optional<doubles::MemoryMetastore> backup;
  if (world.profile.restores_metastore) backup = world.metastore;
  scheduler.sleep(milliseconds(scheduler.random(8000)));
  if (world.profile.cleans_log && world.metastore.now() > 0) {
    clean_log(world, static_cast<int64_t>(scheduler.random(10)));
  }
  if (backup) {
    await([&] { return state.cursor == world.metastore.now(); });
    if (backup->now() == world.metastore.now()) return;
    world.metastore.restore(*backup);
    world.model.metastore_changed();
    make_changes(world, 20);
  }
  for (int look = 0; look < 4; ++look) await_next_look(world);
  if (!world.profile.cleans_log) return;
  // Then nothing but the head tells what it was, for as long as nobody changes anything.
  const auto end = scheduler.now() + std::chrono::seconds(30);
  await([&] { return state.cursor == world.metastore.now() || scheduler.now() > end; });
  if (state.cursor != world.metastore.now()) return;
  clean_log(world, 0);
  scheduler.sleep(std::chrono::seconds(10));
}

void hide_databases(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    world.scheduler.sleep(milliseconds(world.scheduler.random(4000)));
    // A database without tables may go: the guard counts tables. So may all before the first
    // snapshot.
    const auto& tables = world.metastore.objects().tables;
    if (tables.empty() || !world.database.store.follower.cursor) continue;
    const auto table =
        std::next(tables.begin(), static_cast<ptrdiff_t>(world.scheduler.random(tables.size())));
    world.metastore.unlisted.insert(table->first.database);
    world.scheduler.sleep(milliseconds(world.scheduler.random(3000)));
    world.metastore.unlisted.clear();
  }
}

namespace {

/// Of some other daemon than before, if it comes soon.
void await_new_leader(World& world) {
  const int64_t epoch = world.database.lease.token.epoch;
  if (Daemon* const leader = world.leader()) {
    if (world.scheduler.chance(0.5)) {
      world.crash(*leader);
    } else {
      leader->terminate();
    }
  }
  const auto end = world.scheduler.now() + 2 * world.profile.lease_length;
  while (world.database.lease.token.epoch == epoch && world.scheduler.now() < end) {
    world.scheduler.sleep(milliseconds(10));
  }
}

}  // namespace

void fail_over(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    world.scheduler.sleep(milliseconds(1000 + world.scheduler.random(6000)));
    // Trouble comes in pairs: then the last acquisition of the lease is lost, too.
    if (world.scheduler.chance(0.5)) {
      await_new_leader(world);
      world.scheduler.sleep(
          milliseconds(world.scheduler.random(world.scheduler.chance(0.5) ? 50 : 1500)));
    }
    // The old leader may not have noticed by the time when somebody else writes.
    Daemon* const leader = world.leader();
    if (leader != nullptr && world.scheduler.chance(0.7)) {
      leader->stop_until(world.scheduler.now() + world.profile.lease_length +
                         milliseconds(world.scheduler.random(6000)));
    }
    (void)world.rewind();
  }
}

}  // namespace hmsync::simulation
