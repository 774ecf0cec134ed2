#include "tests/simulation/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "tests/follower/memory_grants.h"
#include "tests/simulation/world.h"

namespace hmsync::simulation {
namespace {

using processor::TableName;

std::string text(const TableName& name) { return name.database + "." + name.table; }

std::string text(const doubles::StoredTable* table) {
  if (table == nullptr) return "nothing";
  std::string partitions;
  for (const auto& [values, location] : table->partitions) {
    partitions += fmt::format(" {}@{}", fmt::join(values, "/"), location ? location->path : "-");
  }
  return fmt::format("{} owner {} at {}{}", table->table.identity, table->table.owner.name,
                     table->table.location ? table->table.location->path : "-", partitions);
}

std::string text(const processor::Database* database) {
  if (database == nullptr) return "nothing";
  return fmt::format("{} owner {} at {}", database->identity, database->owner.name,
                     database->location ? database->location->path : "-");
}

const doubles::StoredTable* find(const doubles::ObjectMap& objects, const TableName& name) {
  const auto found = objects.tables.find(name);
  return found == objects.tables.end() ? nullptr : &found->second;
}

const processor::Database* find_database(const doubles::ObjectMap& objects, const TableName& name) {
  const auto found = objects.databases.find({name.catalog, name.database});
  return found == objects.databases.end() ? nullptr : &found->second;
}

template <typename Value>
bool same(const Value* one, const Value* other) {
  return (one == nullptr) == (other == nullptr) && (one == nullptr || *one == *other);
}

}  // namespace

void Model::violated(const std::string& what) const {
  throw Violation(fmt::format("at cursor {}, generation {}: {}",
                              world_.database.store.follower.cursor.value_or(-1),
                              world_.database.store.follower.generation, what));
}

void Model::metastore_changed() {
  const auto& history = world_.metastore.history();
  for (; steps_seen_ < history.size(); ++steps_seen_) {
    const doubles::Committed& step = history[steps_seen_];
    std::string names;
    for (const TableName& name : step.touched) names += " " + text(name);
    world_.tell(fmt::format("metastore {} #{} ids {}{}{}", step.kind, step.number,
                            fmt::join(step.event_ids, ","), names, step.refused ? " refused" : ""));
    if (step.generation_of_log != log_generation_) {
      log_generation_ = step.generation_of_log;
      log_begins_with_ = step.number;
      newest_id_ = world_.metastore.now();
      chains_.clear();
      disordered_.clear();
      continue;
    }
    const auto& cursor = world_.database.store.follower.cursor;
    const int64_t first = step.event_ids.empty() ? INT64_MAX : step.event_ids.front();
    // Who read the log before this step saw all up to the newest id, perhaps.
    const bool late = first <= newest_id_ || (cursor && comparable() && first <= *cursor);
    const bool spoilt = step.delivery != doubles::Delivery::sound;
    const bool unevented = !step.evented && !step.refused;
    const bool untold = unevented || late || spoilt;
    // It takes along what is suspended in it, under whichever name the store knows that.
    if (step.kind == "DROP_DATABASE") {
      lost_.clear();
      forget_unreadable();
      last_database_drop_ = step.event_ids.empty() ? 0 : step.event_ids.back();
    }
    // So does the drop of another table that took its name, where it is read before anybody looked.
    if (step.kind == "DROP_TABLE" && !unevented) {
      std::erase_if(lost_, [&](const auto& lost) { return lost.second == step.touched.front(); });
    }
    if (spoilt) remember_unreadable(step);
    for (const TableName& name : step.touched) {
      if (unevented) remember_lost(step.number, name);
      chains_[name].push_back(static_cast<size_t>(step.number));
      if (untold) disordered_.insert(name);
      if (spoilt || unevented) unreadable_.insert(name);
    }
    if (!step.event_ids.empty()) newest_id_ = std::max(newest_id_, step.event_ids.back());
  }
}

void Model::remember_lost(int64_t step, const TableName& name) {
  const auto* const before = find(world_.metastore.objects_after(step - 1), name);
  const auto* const after = find(world_.metastore.objects_after(step), name);
  const bool drop_is_read = world_.database.store.follower.cursor >= last_database_drop_;
  if (before != nullptr && after == nullptr && drop_is_read) lost_[before->table.identity] = name;
}

// A table whose rename cannot be read keeps its grants under its old name until it is found under
// the new one. Till then they go with the database that has the old name; and so they do at once
// where events share ids, with a drop that is read beside the rename.
void Model::remember_unreadable(const doubles::Committed& step) {
  for (const TableName& name : step.touched) {
    const auto* const table = find(world_.metastore.objects_after(step.number), name);
    if (table != nullptr) unreadably_changed_.insert(table->table.identity);
  }
  if (!world_.profile.locks_sequence) forget_unreadable();
}

void Model::forget_unreadable() {
  for (auto& [role, granted] : grants_) {
    if (unreadably_changed_.contains(granted.identity)) granted.certain = false;
  }
}

// A head that is back for a moment tells nothing of what is cleaned above it: a reading then has it
// before its time, and a log without events looks like another one's.
void Model::log_will_be_cleaned(int64_t through) {
  metastore_changed();
  if (!world_.profile.head_flickers) return;
  nothing_tells_head_ = nothing_tells_head_ || through >= newest_id_;
  const int64_t cursor = world_.database.store.follower.cursor.value_or(0);
  for (const doubles::Committed& step : world_.metastore.history()) {
    const bool unread = !step.event_ids.empty() && step.event_ids.back() > cursor;
    if (unread && step.event_ids.front() <= through) {
      disordered_.insert(step.touched.begin(), step.touched.end());
    }
  }
}

void Model::store_went_back() {
  store_generation_ = world_.database.store.follower.generation;
  last_grant_ = 0;
  for (const auto& grant : world_.database.store.grants) {
    last_grant_ = std::max(last_grant_, grant.id);
  }
}

bool Model::comparable() const { return store_log_ == log_generation_; }

bool Model::re_read_pending(const TableName& name) const {
  const auto& pending = world_.database.store.re_reads;
  return pending.contains(name) || pending.contains({name.catalog, name.database, ""}) ||
         pending.contains({"", "", ""}) || pending.contains({name.catalog, "", ""});
}

bool Model::doubtful(const TableName& name) const {
  return disordered_.contains(name) || re_read_pending(name);
}

std::optional<int64_t> Model::step_at(const TableName& name, int64_t cursor) const {
  const auto chain = chains_.find(name);
  if (chain == chains_.end()) return log_begins_with_;
  const auto& history = world_.metastore.history();
  const auto told = [&](size_t number) { return history[number - 1].event_ids.back() <= cursor; };
  const auto& steps = chain->second;
  for (const size_t number : steps) {
    const auto& ids = history[number - 1].event_ids;
    if (ids.empty() || (ids.front() <= cursor && ids.back() > cursor)) return std::nullopt;
  }
  const auto first_untold = std::find_if_not(steps.begin(), steps.end(), told);
  if (std::any_of(first_untold, steps.end(), told)) return std::nullopt;
  return first_untold == steps.begin() ? log_begins_with_
                                       : static_cast<int64_t>(*std::prev(first_untold));
}

void Model::check_object(const TableName& name) const {
  if (doubtful(name)) return;
  const auto& store = world_.database.store;
  const auto step = step_at(name, *store.follower.cursor);
  if (!step) return;
  const doubles::ObjectMap& true_objects = world_.metastore.objects_after(*step);
  if (name.table.empty()) {
    const auto* const stored = find_database(store.live, name);
    const auto* const expected = find_database(true_objects, name);
    if (!same(stored, expected)) {
      violated(fmt::format("database {} is {}, by its events up to step #{} it is {}",
                           name.database, text(stored), *step, text(expected)));
    }
    return;
  }
  const auto* const stored = find(store.live, name);
  const auto* const expected = find(true_objects, name);
  if (!same(stored, expected)) {
    violated(fmt::format("table {} is {}, by its events up to step #{} it is {}", text(name),
                         text(stored), *step, text(expected)));
  }
}

void Model::check_commit() {
  const auto& store = world_.database.store;
  if (!store.follower.cursor) return;
  highest_cursor_ = std::max(highest_cursor_, *store.follower.cursor);
  if (!store_log_ || store.follower.generation != store_generation_) {
    store_generation_ = store.follower.generation;
    store_log_ = log_generation_;
  }
  const bool may_reset = world_.profile.resets() || nothing_tells_head_;
  if (store.follower.generation > 0 && !may_reset) {
    violated("the metastore's history counts as another one, though it never changed");
  }
  if (!comparable()) return;
  // The guard counts tables: a database that has none may go until the next sweep sees it.
  for (const std::string& database : world_.metastore.unlisted) {
    disordered_.insert({processor::kDefaultCatalog, database, ""});
  }
  for (const auto& [name, chain] : chains_) check_object(name);
  for (const auto& [name, table] : store.live.tables) {
    if (!chains_.contains(name)) check_object(name);
  }
  check_grants_at_commit();
}

void Model::check_grants_at_commit() const {
  const auto& store = world_.database.store;
  for (const auto& grant : store.grants) {
    if (grant.suspended || grant.table.empty()) continue;
    // The head that it was given at may have been too low there.
    const int64_t low = world_.profile.head_flickers ? 2 : 0;
    if (grant.as_of_event + low > *store.follower.cursor) continue;
    if (doubtful(grant.name())) continue;
    const auto step = step_at(grant.name(), *store.follower.cursor);
    if (!step) continue;
    const auto* const table = find(world_.metastore.objects_after(*step), grant.name());
    if (table == nullptr || table->table.identity != grant.identity) {
      violated(fmt::format("role {} has a grant for {} as of {} on {}, which is {}", grant.role,
                           grant.identity, grant.as_of_event, text(grant.name()), text(table)));
    }
  }
}

void Model::check_rest() {
  const auto& store = world_.database.store;
  const auto& objects = world_.metastore.objects();
  if (!comparable()) violated("the metastore's history became another one, and no reset tells it");
  for (const auto& [name, table] : objects.tables) {
    if (!same(find(store.live, name), &table)) {
      violated(fmt::format("at rest table {} is {}, in the metastore it is {}", text(name),
                           text(find(store.live, name)), text(&table)));
    }
  }
  for (const auto& [name, table] : store.live.tables) {
    if (find(objects, name) == nullptr) {
      violated(fmt::format("at rest there is a table {} {}, which the metastore does not have",
                           text(name), text(&table)));
    }
  }
  if (store.live.databases != objects.databases) {
    violated("at rest the databases are not those of the metastore");
  }
  check_grants_at_rest();
  disordered_.clear();
  unreadable_.clear();
}

std::map<std::string, TableName> Model::names_by_identity() const {
  std::map<std::string, TableName> names;
  for (const auto& [name, table] : world_.metastore.objects().tables) {
    names[table.table.identity] = name;
  }
  for (const auto& [name, database] : world_.metastore.objects().databases) {
    names[database_as_of(name, INT64_MAX)] = {name.catalog, name.database, ""};
  }
  return names;
}

void Model::check_grants_at_rest() const {
  const auto& store = world_.database.store;
  const auto names = names_by_identity();
  std::map<std::string, std::vector<const doubles::MemoryGrant*>> rows;  // by role
  for (const auto& grant : store.grants) rows[grant.role].push_back(&grant);
  for (const auto& [role, role_rows] : rows) {
    const auto known = grants_.find(role);
    for (const auto* const row : role_rows) {
      if (row->suspended) continue;
      if (known == grants_.end()) violated("role " + role + " has a grant that nobody gave");
      if (row->table.empty() && !known->second.certain) continue;
      const auto alive = names.find(row->table.empty() ? known->second.identity : row->identity);
      if (alive == names.end()) {
        violated(fmt::format("at rest role {} has a grant on {} for {}, which is gone", role,
                             text(row->name()), row->identity));
      }
      if (alive->second != row->name()) {
        violated(fmt::format("at rest role {} has a grant on {} for {}, which is {}", role,
                             text(row->name()), row->identity, text(alive->second)));
      }
    }
  }
  for (const auto& [role, granted] : grants_) {
    const auto& role_rows = rows[role];
    const bool authorises = std::any_of(role_rows.begin(), role_rows.end(),
                                        [](const auto* row) { return !row->suspended; });
    // Where events cannot be believed or read, a grant may wait suspended for somebody to look.
    const bool may_wait = world_.profile.spoils_events || world_.profile.plain_listener;
    const bool still_there = std::any_of(role_rows.begin(), role_rows.end(), [&](const auto* row) {
      return !row->suspended || (!may_wait && row->suspended_reason != doubles::kRevokeUnfinished);
    });
    if (granted.revoked && still_there && !world_.profile.rewinds_store) {
      violated(fmt::format("role {} still has a grant that was revoked for good", role));
    }
    if (!granted.certain || granted.revoked || !world_.profile.keeps_grants()) continue;
    const bool alive = names.contains(granted.identity);
    const bool is_kept = authorises || (may_wait && !role_rows.empty());
    if (alive && !is_kept) {
      violated(fmt::format("at rest role {} has lost its grant on {}, which is {}{}", role,
                           granted.identity, text(names.at(granted.identity)),
                           role_rows.empty() ? "" : ": suspended"));
    }
    const bool was_lost = lost_.contains(granted.identity);
    if (was_lost && role_rows.empty()) {
      violated(
          fmt::format("at rest role {} has no grant for {}, which went without an event: it is "
                      "not suspended",
                      role, granted.identity));
    }
    const bool may_stay =
        granted.before_history || world_.profile.spoils_events || world_.profile.loses_tables;
    if (!alive && !role_rows.empty() && world_.profile.ordered() && !may_stay) {
      violated(
          fmt::format("at rest role {} has a grant for {}, which is gone", role, granted.identity));
    }
  }
}

void Model::saw_grants() {
  for (const auto& grant : world_.database.store.grants) {
    if (grant.id <= last_grant_) continue;
    last_grant_ = grant.id;
    world_.tell(fmt::format("model: {} granted on {} {} as of {}", grant.role, text(grant.name()),
                            grant.identity, grant.as_of_event));
    Granted& granted = grants_[grant.role];
    granted = {grant.identity, !world_.database.store.follower.cursor};
    if (!grant.table.empty()) continue;
    // Elsewhere nothing tells a database from the next one of its name.
    const Profile& profile = world_.profile;
    granted.identity = database_as_of(grant.name().in_database(), grant.as_of_event);
    granted.certain = profile.ordered() && profile.keeps_grants() && !profile.spoils_events &&
                      !profile.loses_tables && !profile.hides_databases && !granted.before_history;
  }
}

std::string Model::database_as_of(const processor::DatabaseName& name, int64_t event) const {
  const auto chain = chains_.find({name.catalog, name.database, ""});
  if (chain == chains_.end()) return "";
  const auto& history = world_.metastore.history();
  std::string found;
  for (const size_t number : chain->second) {
    const doubles::Committed& step = history[number - 1];
    const bool made = step.kind == "CREATE_DATABASE" && !step.refused;
    if (!made || step.event_ids.empty() || step.event_ids.back() > event) continue;
    found = fmt::format("{} of step #{}", name.database, number);
  }
  return found;
}

void Model::saw_revoke_at_once(const std::string& role) {
  const auto& grants = world_.database.store.grants;
  const bool left = std::any_of(grants.begin(), grants.end(),
                                [&](const auto& grant) { return grant.role == role; });
  (left ? grants_.at(role).certain : grants_.at(role).revoked) = !left;
}

void Model::saw_revoke(const std::string& role, const TableName& name) {
  const auto& grants = world_.database.store.grants;
  const bool gone = std::none_of(grants.begin(), grants.end(),
                                 [&](const auto& grant) { return grant.role == role; });
  Granted& granted = grants_.at(role);
  // Where the object has this name in the metastore, the repetition finds it whatever is unread,
  // but for events that are lost.
  const auto* const there = find(world_.metastore.objects(), name);
  const bool found_again = there != nullptr && there->table.identity == granted.identity &&
                           world_.profile.locks_sequence && !granted.before_history &&
                           !world_.profile.cleans_log && !world_.profile.restores_metastore;
  if (gone || found_again) granted.revoked = true;
  if (!gone) granted.certain = granted.revoked;
  const auto& revokes = world_.database.store.revokes;
  const bool waits = !gone && granted.revoked && !revokes.empty() && !revokes.back().finished;
  if (waits && revokes.back().command.role == role && revokes.back().at_event >= 0) {
    granted.revoked_at = revokes.back().at_event;
  }
  world_.tell(fmt::format("model: {} revoked on {}{}{}", role, text(name), gone ? ", gone" : "",
                          granted.revoked ? ", for good" : ""));
}

std::optional<int64_t> Model::unread_late_event() const {
  std::map<int64_t, int> unread;
  for (const auto& digest : world_.database.store.follower.digests) --unread[digest.id];
  for (const doubles::Committed& step : world_.metastore.history()) {
    if (step.generation_of_log != log_generation_) continue;
    for (const int64_t id : step.event_ids) {
      if (const auto of_id = unread.find(id); of_id != unread.end()) ++of_id->second;
    }
  }
  const auto lowest = std::find_if(unread.begin(), unread.end(),
                                   [](const auto& of_id) { return of_id.second > 0; });
  if (lowest == unread.end()) return std::nullopt;
  return lowest->first;
}

void Model::check_revokes_at(int64_t event) const {
  if (world_.profile.rewinds_store) return;  // the revoke may be lost
  for (const auto& grant : world_.database.store.grants) {
    const auto granted = grants_.find(grant.role);
    if (grant.suspended || granted == grants_.end() || !granted->second.revoked) continue;
    if (!granted->second.revoked_at || *granted->second.revoked_at > event) continue;
    violated(
        fmt::format("who waited for event {} was released, yet role {} has its grant, revoked "
                    "at event {}, on {}",
                    event, grant.role, *granted->second.revoked_at, text(grant.name())));
  }
}

void Model::released(int64_t event, int64_t steps_before,
                     const follower::ReadablePosition& position) {
  const auto& store = world_.database.store;
  if (!comparable() || store.follower.generation != position.generation) return;
  if (!store.follower.cursor || *store.follower.cursor < event) {
    // Told on the way out of what it read before a fail-over that lost it.
    if (world_.profile.rewinds_store && highest_cursor_ >= event) return;
    violated(fmt::format("who waited for event {} was released", event));
  }
  check_revokes_at(event);
  const auto& history = world_.metastore.history();
  for (const auto& [name, chain] : chains_) {
    const auto number = static_cast<int64_t>(chain.back());
    if (number > steps_before) continue;  // it has changed since
    const doubles::Committed& step = history[static_cast<size_t>(number) - 1];
    if (step.event_ids.empty() || step.event_ids.back() > event) continue;
    if (name.table.empty() || unreadable_.contains(name)) continue;
    const auto* const stored = find(store.live, name);
    const auto* const expected = find(world_.metastore.objects(), name);
    if (!same(stored, expected)) {
      violated(
          fmt::format("who waited for event {} was released, yet {}, last changed by step "
                      "#{}, is {} and not {}",
                      event, text(name), number, text(stored), text(expected)));
    }
  }
}

}  // namespace hmsync::simulation
