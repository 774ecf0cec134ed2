// Rows of the store in memory, beside objects: what the tables of the same names hold on
// PostgreSQL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "follower/privileges.h"
#include "follower/store.h"

namespace hmsync::doubles {

/// Empty: no table, no column, no URI; without a database too: the server.
struct MemoryGrant {
  int64_t id = 0;
  std::string role;
  std::string action;
  std::string catalog = processor::kDefaultCatalog;
  std::string database;
  std::string table;
  std::string column;
  std::string uri;
  bool grant_option = false;
  std::string who;         ///< the grantor
  int64_t granted_at = 0;  ///< by MemoryStore::tick()
  std::string identity;    ///< of the object; empty: not known
  int64_t as_of_event = 0;
  bool suspended = false;
  std::string suspended_reason;

  /// No table: on the database.
  [[nodiscard]] processor::TableName name() const { return {catalog, database, table}; }
};

struct PermissionChange {
  std::optional<int64_t> event;  ///< nothing: made by a person
  std::string change;            ///< granted, revoked, moved, suspended, restored, removed
  MemoryGrant grant;             ///< moved: under its new name
  processor::TableName from;     ///< moved
};

/// As a reader of the log gets them: each one applied after the other to what it has.
struct PathChange {
  int64_t commit_number = 0;
  int64_t event = 0;
  /// added, removed: a path of an object or, with values, of its partition; removed without values,
  /// renamed: an object with all that is below it; image: read everything anew.
  std::string change;
  processor::TableName name;
  std::optional<std::vector<std::string>> values;  ///< empty list: the object's own location
  std::optional<processor::Location> location;
  processor::TableName to;  ///< renamed
};

struct AuditRow {
  std::string who;  ///< a name, or "event", "snapshot", "hmsyncd"
  std::string action;
  std::string object = {};
  std::optional<int64_t> event = {};
  std::optional<std::string> text = {};    ///< of a note
  std::optional<MemoryGrant> before = {};  ///< of a grant
  std::optional<MemoryGrant> after = {};
  std::string outcome = "done";
};

/// A revoke that is repeated when the cursor has come as far as the events that were unread.
struct StoredRevoke {
  int64_t id = 0;
  follower::PrivilegeCommand command;
  int64_t at_event = 0;  ///< -1: the head is not known
  int64_t generation = 0;
  int64_t requested_at = 0;  ///< by MemoryStore::tick()
  /// The first head that was recorded after it, which may have been read before it.
  std::optional<int64_t> first_head;
  int64_t first_head_read_at = 0;
  bool repeated = false;  ///< at its event
  bool finished = false;
  bool changed = false;  ///< by the last repetition
};

struct RecordedHead {
  int64_t head = 0;
  int64_t read_at = 0;  ///< by MemoryStore::tick()
};

/// Numbers of re-reads and claims come from one sequence.
struct PendingReRead {
  int64_t request = 0;
  int64_t event = 0;  ///< the lowest of the generation that asked for it
  int64_t generation = 0;
  bool without_claim = true;  ///< `event` alone tells since when
};

struct KeptClaim {
  int64_t number = 0;
  int64_t generation = 0;
  processor::Claim claim;
};

struct KeptEvent : follower::QuarantinedEvent {
  int64_t generation = 0;
  int attempts = 1;
  bool applied = false;  ///< a retry could read it
};

}  // namespace hmsync::doubles
