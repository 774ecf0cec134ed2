#include "follower/privileges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "follower/newest_event.h"
#include "processor/change.h"
#include "processor/error.h"
#include "processor/lower_case.h"

namespace hmsync::follower {

namespace {

/// Each try is a handful of calls; what is asked again is the rare event in between.
constexpr int kTries = 10;
/// More events than that within one try mean that it took too long: it is made again.
constexpr int32_t kMostEventsBetween = 1000;
constexpr std::array kActions = {"ALL",  "SELECT", "INSERT", "CREATE", "ALTER",
                                 "DROP", "INDEX",  "LOCK",   "REFRESH"};

/// What the metastore says of the object.
struct Found {
  std::string identity;
  std::string missing;  ///< why it cannot be granted on; empty: it is there
};

void upper(std::string& text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

bool same_name(const std::string& name, const std::string& in_lower_case) {
  return processor::lower_case(name) == in_lower_case;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

PrivilegeOutcome refused(std::string reason) {
  return {"refused", std::move(reason), false, std::nullopt};
}

Found find_database(ObjectReader& objects, const processor::DatabaseName& name) {
  const auto database = objects.database(name);
  if (database) return {database->identity, ""};
  return {"", fmt::format("the metastore has no database {}", name.database)};
}

Found find(ObjectReader& objects, const PrivilegeObject& object) {
  if (!object.table) return find_database(objects, {object.catalog, *object.database});
  const auto table = objects.table({object.catalog, *object.database, *object.table});
  if (!table) {
    return {"", fmt::format("the metastore has no table {}.{}", *object.database, *object.table)};
  }
  if (object.column && !contains(table->columns, *object.column) &&
      !contains(table->partition_keys, *object.column)) {
    return {"", fmt::format("the table {}.{} has no column {}", *object.database, *object.table,
                            *object.column)};
  }
  return {table->identity, ""};
}

/// A table's header names it as it is after the change; where a rename took it from is only in the
/// message. What cannot be read is taken as being about the object.
bool comes_from(const processor::Event& event, const processor::DatabaseName& database) {
  try {
    const processor::Change change = processor::decode(event);
    const auto* altered = std::get_if<processor::AlterTable>(&change);
    return altered != nullptr && altered->before.name.in_database() == database;
  } catch (const Error&) {
    return true;
  }
}

bool concerns(const processor::Event& event, const processor::DatabaseName& database) {
  if (event.database && same_name(*event.database, database.database) &&
      same_name(event.catalog.value_or(processor::kDefaultCatalog), database.catalog)) {
    return true;
  }
  return event.type == "ALTER_TABLE" && comes_from(event, database);
}

struct Since {
  bool untouched = false;  ///< no event is about the object or anything else in its database
  int64_t newest = 0;      ///< the newest event there is
};

/// All events after `before`, where `head` was read later: under concurrent writers a 2.3's head
/// goes back for a moment, its log does not. An id that is not there may be an event that appears
/// late.
Since events_since(NotificationLog& log, const PrivilegeObject& object, int64_t before,
                   int64_t head) {
  if (head - before > kMostEventsBetween) return {false, head};
  const processor::DatabaseName database{object.catalog, *object.database};
  Since since{true, before};
  bool more = true;
  while (more && since.untouched) {
    const EventPage page = log.events({since.newest, kMostEventsBetween});
    for (const processor::Event& event : page.events) {
      if (event.id > since.newest + 1 || concerns(event, database)) since.untouched = false;
      since.newest = event.id;
    }
    more = page.cut;
    if (since.newest - before > kMostEventsBetween) since.untouched = false;
  }
  if (since.newest < head) return {false, head};
  return since;
}

std::optional<PrivilegeOutcome> grant_without_object(PrivilegeStore& store,
                                                     const PrivilegeCommand& command) {
  const int64_t generation = store.look_up(command.object).generation;
  return store.grant(command, {generation, std::numeric_limits<int64_t>::max(), "", false});
}

/// What an earlier try has seen.
struct Seen {
  int64_t generation = 0;
  int64_t newest = 0;  ///< event
};

std::optional<PrivilegeOutcome> try_to_grant(NotificationLog& log, ObjectReader& objects,
                                             PrivilegeStore& store, const PrivilegeCommand& command,
                                             Seen& seen) {
  const LookedUp stored = store.look_up(command.object);
  if (stored.generation != seen.generation) seen = {stored.generation, 0};
  const int64_t before = std::max(seen.newest, log.head());
  const Found found = find(objects, command.object);
  if (!found.missing.empty()) return refused(found.missing);
  const Since since = events_since(log, command.object, before, log.head());
  seen.newest = since.newest;
  if (!since.untouched) return std::nullopt;
  return store.grant(command, {stored.generation, since.newest, found.identity,
                               stored.identity == found.identity});
}

}  // namespace

PrivilegeCommand normalized(PrivilegeCommand command) {
  command.object.catalog = processor::lower_case(command.object.catalog);
  for (auto* name : {&command.object.database, &command.object.table, &command.object.column}) {
    if (*name) **name = processor::lower_case(**name);
  }
  if (!command.object.database) command.object.catalog = processor::kDefaultCatalog;
  upper(command.action);
  return command;
}

std::string fault(const PrivilegeCommand& command) {
  const PrivilegeObject& object = command.object;
  if (std::find(kActions.begin(), kActions.end(), command.action) == kActions.end()) {
    return fmt::format(
        "{} is no action: ALL, SELECT, INSERT, CREATE, ALTER, DROP, INDEX, LOCK or REFRESH",
        command.action.empty() ? "''" : command.action);
  }
  if (command.role.empty()) return "a role's name is needed";
  // An empty name must not be taken for a wider object.
  for (const auto* name : {&object.database, &object.table, &object.column, &object.uri}) {
    if (*name && (*name)->empty()) return "a database, table, column or URI has an empty name";
  }
  if (object.catalog.empty()) return "a catalog has an empty name";
  if (object.column && !object.table) return "a column needs its table";
  if (object.table && !object.database) return "a table needs its database";
  if (object.uri && object.database) return "a URI and a database are two objects: name one";
  return "";
}

PrivilegeOutcome grant(NotificationLog& log, ObjectReader& objects, PrivilegeStore& store,
                       const PrivilegeCommand& asked) {
  const PrivilegeCommand command = normalized(asked);
  if (std::string wrong = fault(command); !wrong.empty()) return refused(std::move(wrong));
  Seen seen;
  for (int i = 0; i < kTries; ++i) {
    const auto outcome = command.object.database ? try_to_grant(log, objects, store, command, seen)
                                                 : grant_without_object(store, command);
    if (outcome) return *outcome;
  }
  throw Error(ErrorKind::transient,
              fmt::format("nothing was granted: in {} tries the object, or something else in its "
                          "database, was changed while it was looked at; try again",
                          kTries));
}

PrivilegeOutcome revoke(NotificationLog& log, PrivilegeStore& store,
                        const PrivilegeCommand& asked) {
  const PrivilegeCommand command = normalized(asked);
  if (std::string wrong = fault(command); !wrong.empty()) return refused(std::move(wrong));
  // No event moves a grant on the server or on a URI.
  if (!command.object.database) return store.revoke(command, std::nullopt);
  const bool changed = store.revoke_at_once(command);
  std::optional<int64_t> head;
  try {
    head = newest_event(log);
  } catch (const Error&) {
    // Whatever the metastore's trouble is, it must not keep a right alive; the outcome says that
    // the head is not known.
  }
  PrivilegeOutcome outcome = store.revoke(command, head);
  outcome.changed = outcome.changed || changed;
  return outcome;
}

}  // namespace hmsync::follower
