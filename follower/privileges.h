// Granting and revoking: what must be asked of the metastore and of the store, and in which order,
// so that a grant lands on the object that was meant, whatever events are still unread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "follower/metastore.h"

namespace hmsync::follower {

/// What a privilege is on: the server (nothing set), a database, a table, a column or a URI.
struct PrivilegeObject {
  std::string catalog = processor::kDefaultCatalog;
  std::optional<std::string> database;
  std::optional<std::string> table;
  std::optional<std::string> column;
  std::optional<std::string> uri;  ///< normalised as locations are
};

struct PrivilegeCommand {
  std::string role;
  std::string action;  ///< ALL, SELECT, INSERT, CREATE, ALTER, DROP, INDEX, LOCK or REFRESH
  PrivilegeObject object;
  bool grant_option = false;
  std::string who;  ///< the grantor, and the audit's name
};

/// Where a grant's object stood when it was looked at. The server and URIs are objects that no
/// event touches: their basis is good for any cursor.
struct GrantBasis {
  int64_t generation = 0;
  int64_t as_of_event = 0;  ///< the metastore's head after the object was read
  std::string identity;
  bool stored = false;  ///< the store had it under its name before the metastore was asked
};

/// What the store has under an object's name.
struct LookedUp {
  int64_t generation = 0;
  std::optional<std::string> identity;  ///< of the database or table; nothing where none is stored
};

struct PrivilegeOutcome {
  std::string outcome;  ///< done or refused
  std::string reason;   ///< empty when done
  bool changed = false;
  /// Revokes: nothing when final, -1 while the head is not known, else the event to repeat it at.
  std::optional<int64_t> repeat_at_event;
};

class PrivilegeStore {
 public:
  virtual ~PrivilegeStore() = default;

  virtual LookedUp look_up(const PrivilegeObject& object) = 0;
  /// Under the follower-state row's lock. Nothing if the generation is another, the cursor is past
  /// the basis, or the object was stored and is not any more, as an event that came late under a
  /// passed id has it: then ask the metastore again.
  virtual std::optional<PrivilegeOutcome> grant(const PrivilegeCommand& command,
                                                const GrantBasis& basis) = 0;
  /// On what is stored; true if something changed. Nothing is kept of it.
  virtual bool revoke_at_once(const PrivilegeCommand& command) = 0;
  /// At once on what is stored, and stored to be repeated when the cursor reaches `head` (nothing:
  /// the metastore could not be asked) unless it is there already.
  virtual PrivilegeOutcome revoke(const PrivilegeCommand& command, std::optional<int64_t> head) = 0;
};

/// With the catalog, database, table and column in lower case (ASCII), as the metastore keeps them,
/// and the action in upper case; roles and URIs stay as they are. Without a database the catalog
/// means nothing and is the default.
PrivilegeCommand normalized(PrivilegeCommand command);
/// What is wrong with a normalized command, whatever is stored; empty: nothing.
std::string fault(const PrivilegeCommand& command);

/// Refused where the object or its column is not there; throws Error(transient) where the metastore
/// cannot be asked: a grant is never guessed.
PrivilegeOutcome grant(NotificationLog& log, ObjectReader& objects, PrivilegeStore& store,
                       const PrivilegeCommand& command);

/// Needs the store alone; works paused, on a standby, and without the metastore, which is asked
/// once the store has acted: it may hang.
PrivilegeOutcome revoke(NotificationLog& log, PrivilegeStore& store,
                        const PrivilegeCommand& command);

}  // namespace hmsync::follower
