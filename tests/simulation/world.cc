#include "tests/simulation/world.h"

#include <algorithm>
#include <utility>

namespace hmsync::simulation {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCallTimeout{8000};
constexpr milliseconds kBetweenCopies{1500};
constexpr size_t kCopies = 8;
/// Of a call, at most.
constexpr double kMostFaults = 0.9;
/// So many kinds of call are made in a usual run, with events unread or not.
constexpr double kUsualCalls = 40;
/// As if so many calls had been made before the first.
constexpr int64_t kFirstCalls = 600;

/// Calls that most trouble keeps a daemon from reaching.
double weight_of(std::string_view call) {
  if (call == "store:compare") return 25;
  if (call == "store:tables_after" || call == "store:answer_polls") return 10;
  if (call == "store:replay" || call == "store:publish") return 9;
  if (call == "store:ask_poll" || call == "lease:release" || call == "store:retried") return 3;
  return 1;
}

/// Seldom while events are unread.
bool is_made_by_the_caught_up(std::string_view call) {
  return call == "store:compare" || call == "store:publish";
}

/// Seldom while none is.
bool is_made_by_the_late(std::string_view call) {
  return call == "store:replay" || call == "store:repeat_revokes" || call == "store:retried";
}

[[noreturn]] void fail(std::string_view call, const char* how) {
  throw Error(ErrorKind::transient, std::string(call) + ": " + how);
}

}  // namespace

World::World(Profile given, uint64_t seed)
    : profile(std::move(given)), scheduler(seed), metastore(profile.generation), model(*this) {
  metastore.keep_history_of_objects(true);
  metastore.locks_sequence = profile.locks_sequence;
  metastore.plain = profile.plain_listener;
  if (!profile.tells_uuid) metastore.database_uuid.reset();
  // No two events of one second, and no two creations.
  metastore.clock = [this] { return 1700000000 + next_second_++; };
  if (profile.head_flickers) {
    metastore.head_falls_back_by = [this] { return head_falls_back_by(); };
  }
  metastore.before_call = [this](std::string_view call) {
    on_call("metastore:" + std::string(call), false);
  };
  database.store.before_effect = [this](std::string_view call) {
    on_call("store:" + std::string(call), false);
  };
  database.store.after_effect = [this](std::string_view call) {
    on_call("store:" + std::string(call), true);
  };
  choose_fault = [this](const Daemon&, std::string_view call, bool after) {
    return random_fault(call, after);
  };
  for (int i = 0; i < profile.daemons; ++i) daemons.push_back(std::make_unique<Daemon>(*this, i));
  for (const auto& daemon : daemons) daemon->start();
}

// Fibers use what the daemons own.
World::~World() {
  calm_ = true;
  scheduler.end_all();
}

void World::tell(const std::string& line) {
  trace.add(
      std::to_string(
          std::chrono::duration_cast<milliseconds>(scheduler.now().time_since_epoch()).count()) +
      " " + line);
}

// As a 2.3.10 did under several writers, for up to 0.15 s.
int64_t World::head_falls_back_by() {
  // A first snapshot has nothing to tell a head by that went back.
  if (calm_ || !database.store.follower.cursor) return 0;
  if (scheduler.now() < head_back_until_) return 2;
  if (!scheduler.chance(0.05)) return 0;
  head_back_until_ = scheduler.now() + milliseconds(scheduler.random(150));
  return 2;
}

Daemon* World::here() const {
  const auto found = std::find_if(daemons.begin(), daemons.end(), [&](const auto& daemon) {
    return daemon->owns(scheduler.current());
  });
  return found == daemons.end() ? nullptr : found->get();
}

Daemon* World::leader() const {
  const auto found = std::find_if(daemons.begin(), daemons.end(),
                                  [](const auto& daemon) { return daemon->leads(); });
  return found == daemons.end() ? nullptr : found->get();
}

Daemon* World::some_daemon() {
  std::vector<Daemon*> up;
  for (const auto& daemon : daemons) {
    if (daemon->up()) up.push_back(daemon.get());
  }
  return up.empty() ? nullptr : up[scheduler.random(up.size())];
}

void World::calm_down() {
  calm_ = true;
  for (const auto& daemon : daemons) daemon->stop_until(Scheduler::Time::min());
}

void World::on_call(std::string_view call, bool after) {
  if (scheduler.current() == Scheduler::kNobody) return;
  Daemon* const daemon = here();
  if (daemon != nullptr || after) {
    tell((daemon != nullptr ? daemon->name() : std::string("people")) + (after ? " < " : " > ") +
         std::string(call));
  }
  if (call == "metastore:page") scheduler.pass(profile.page_time);
  // What a person's request has read of the metastore may be old by then.
  if (call == "store:grant" && !after && scheduler.chance(0.2)) {
    scheduler.sleep(milliseconds(scheduler.random(3000)));
  }
  if (after) observe_commit();
  // A replica may have just so much.
  if (after && call == "lease:release" && profile.rewinds_store) keep_copy();
  if (after && call == "store:grant") model.saw_grants();
  if (const auto revoke = revokes_.find(scheduler.current()); after && revoke != revokes_.end()) {
    if (call == "store:revoke_at_once") model.saw_revoke_at_once(revoke->second.role);
    if (call == "store:revoke") model.saw_revoke(revoke->second.role, revoke->second.name);
  }
  scheduler.pass();
  if (daemon == nullptr) return;
  while (daemon->stopped_until() > scheduler.now()) {
    scheduler.sleep(daemon->stopped_until() - scheduler.now());
  }
  if (daemon->interrupted(scheduler.current())) fail(call, "interrupted");
  if (!calm_) {
    if (!after) ++all_calls_made_;
    if (!after) ++calls_made_[{std::string(call), events_are_unread()}];
    const auto fault = choose_fault(*daemon, call, after);
    if (fault) meet_fault(*daemon, call, *fault);
  }
  if (daemon->interrupted(scheduler.current())) fail(call, "interrupted");
}

bool World::events_are_unread() const {
  return metastore.now() > database.store.follower.cursor.value_or(0);
}

// What is called seldom, or seldom while events are unread, meets as many faults as what is called
// all the time.
double World::chance_of_fault(std::string_view call) {
  if (!profile.seeks_rare_calls) return profile.fault_share / 6;
  const int64_t made = std::max<int64_t>(calls_made_[{std::string(call), events_are_unread()}], 1);
  const double usual = static_cast<double>(kFirstCalls + all_calls_made_) / kUsualCalls;
  const double rarity = usual / static_cast<double>(made);
  const double chance = rarity * (profile.fault_share / 6 + rarity / 5000);
  return std::min(kMostFaults, chance * weight_of(call));
}

std::optional<Fault> World::random_fault(std::string_view call, bool after) {
  if (!scheduler.chance(chance_of_fault(call))) return std::nullopt;
  constexpr std::array kBefore{Fault::fails, Fault::hangs, Fault::crash, Fault::stop};
  constexpr std::array kAfter{Fault::lost_reply, Fault::late_reply, Fault::crash_after};
  const Fault fault =
      after ? kAfter[scheduler.random(kAfter.size())] : kBefore[scheduler.random(kBefore.size())];
  if (!possible(fault, call)) return std::nullopt;
  return fault;
}

// Before it shows; meanwhile the metastore's clients go on, or another daemon leads and catches up.
void World::trouble_takes_its_time(std::string_view call) {
  constexpr milliseconds kLongest{15000};
  if (!events_are_unread()) {
    const bool lasts = scheduler.chance(is_made_by_the_caught_up(call) ? 0.8 : 0.4);
    scheduler.sleep(milliseconds(scheduler.random(lasts ? kLongest.count() : 200)));
    return;
  }
  scheduler.sleep(milliseconds(scheduler.random(2000)));
  if (!is_made_by_the_late(call)) return;
  const auto end = scheduler.now() + kLongest;
  while (events_are_unread() && scheduler.now() < end) scheduler.sleep(milliseconds(50));
}

void World::meet_fault(Daemon& daemon, std::string_view call, Fault fault) {
  std::set<std::string> kinds = unread_kinds();
  const auto count = [&] {
    kinds.merge(unread_kinds());
    for (const std::string& kind : kinds) coverage.count({kind, fault, std::string(call)});
  };
  trouble_takes_its_time(call);
  tell(daemon.name() + " ! " + to_string(fault) + " at " + std::string(call));
  const milliseconds time(scheduler.random(12000));
  switch (fault) {
    case Fault::fails:
      count();
      fail(call, "made to fail");
    case Fault::lost_reply:
      count();
      fail(call, "the reply was lost");
    case Fault::hangs:
    case Fault::late_reply:
      scheduler.sleep(std::min(time, kCallTimeout));
      count();
      if (time > kCallTimeout) fail(call, "timed out");
      return;
    case Fault::crash:
    case Fault::crash_after:
      count();
      crash(daemon);
      return scheduler.pass();
    case Fault::stop:
      daemon.stop_until(scheduler.now() + time);
      scheduler.sleep(time);
      return count();
  }
}

// A supervisor starts it again.
void World::crash(Daemon& daemon) {
  daemon.kill();
  run([this, &daemon] {
    scheduler.sleep(milliseconds(200 + scheduler.random(3000)));
    tell(daemon.name() + " starts again");
    daemon.start();
  });
}

std::set<std::string> World::unread_kinds() const {
  constexpr int kMost = 60;
  const auto& history = metastore.history();
  const int64_t cursor = database.store.follower.cursor.value_or(0);
  std::set<std::string> kinds;
  int looked = 0;
  for (auto step = history.rbegin(); step != history.rend() && looked < kMost; ++step, ++looked) {
    if (step->event_ids.empty()) continue;
    if (step->event_ids.back() <= cursor && profile.locks_sequence) break;
    if (step->event_ids.back() > cursor) kinds.insert(step->kind);
  }
  if (kinds.empty()) kinds.insert("(none)");
  return kinds;
}

void World::observe_commit() {
  if (std::exchange(seen_commit_number_, database.store.follower.commit_number) ==
      database.store.follower.commit_number) {
    return;
  }
  const Daemon* const writer = here();
  const leader::LeaseRow& lease = database.lease;
  if (writer != nullptr && (lease.released || lease.instance != writer->name())) {
    throw Violation(writer->name() + " commits, though " +
                    (lease.released ? "nobody" : lease.instance) + " has the lease");
  }
  tell("commit " + std::to_string(seen_commit_number_) + ", cursor " +
       std::to_string(database.store.follower.cursor.value_or(-1)));
  const auto& audit = database.store.audit;
  for (; told_audit_ < audit.size(); ++told_audit_) {
    const doubles::AuditRow& row = audit[told_audit_];
    const auto& grant = row.after ? row.after : row.before;
    tell("audit " + row.who + " " + row.action + " " + row.object + " " +
         (row.event ? std::to_string(*row.event) : "") + (grant ? " " + grant->role : ""));
  }
  model.check_commit();
  const std::string wrong = log_reader_.read(database.store);
  if (!wrong.empty()) throw Violation(wrong);
  for (const auto& daemon : daemons) daemon->notified();
  if (!profile.rewinds_store) return;
  if (!copies_.empty() && scheduler.now() - copied_at_ < kBetweenCopies) return;
  copied_at_ = scheduler.now();
  keep_copy();
}

void World::keep_copy() {
  copies_.push_back(std::make_unique<Database>(database));
  if (copies_.size() > kCopies) copies_.erase(copies_.begin());
}

bool World::rewind() {
  std::erase_if(copies_, [&](const auto& copy) {
    return copy->store.follower.commit_number == database.store.follower.commit_number &&
           copy->lease.same_version(database.lease);
  });
  if (copies_.empty()) return false;
  tell("the store's database goes back");
  // Mostly one that lacks little.
  const uint64_t age = std::min(scheduler.random(copies_.size()), scheduler.random(copies_.size()));
  const Database& replica = *copies_[copies_.size() - 1 - age];
  database.store.fail_over_to(replica.store);
  database.lease = replica.lease;
  copies_.clear();
  seen_commit_number_ = database.store.follower.commit_number;
  told_audit_ = database.store.audit.size();
  log_reader_.begin_anew(database.store);
  model.store_went_back();
  return true;
}

}  // namespace hmsync::simulation
