// What must be true of the store and of what people were told, by the true history of the
// metastore: a plain model that knows every change, in the order in which it was made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "follower/waiters.h"
#include "processor/object.h"
#include "tests/follower/metastore_change.h"

namespace hmsync::simulation {

class World;

class Model {
 public:
  explicit Model(World& world) : world_(world) {}

  /// After each change of the metastore.
  void metastore_changed();
  /// Up to this id, before it happens.
  void log_will_be_cleaned(int64_t through);
  void store_went_back();

  /// After each commit of a leader.
  void check_commit();
  /// Everything is read and nothing is going on: the store equals the metastore.
  void check_rest();

  /// After a grant's effect: what is new is what was given, and on which object.
  void saw_grants();
  /// What is left of the role's only grant may be revoked or not until the next.
  void saw_revoke_at_once(const std::string& role);
  /// After the effect of revoking the role's only grant on this name.
  void saw_revoke(const std::string& role, const processor::TableName& name);
  struct Granted {
    std::string identity;  ///< of a database: database_as_of()
    /// Given before the first snapshot: what became of it until then is not told by events.
    bool before_history = false;
    bool certain = true;   ///< it is known whether it is revoked
    bool revoked = false;  ///< for good, once the revoke is final
    /// Whoever waits for this event sees it; nothing: at once, or nobody was told when.
    std::optional<int64_t> revoked_at = std::nullopt;
  };
  [[nodiscard]] const std::map<std::string, Granted>& grants() const { return grants_; }
  /// Which of the databases that had the name one after the other it was, by the log's order: they
  /// have no identity before 4.0. Empty: none.
  [[nodiscard]] std::string database_as_of(const processor::DatabaseName& name,
                                           int64_t event) const;
  /// The lowest of the remembered ids that has an event which nobody has read: it came late.
  [[nodiscard]] std::optional<int64_t> unread_late_event() const;
  /// Who waited came after so many steps of the history.
  void released(int64_t event, int64_t steps_before, const follower::ReadablePosition& position);

 private:
  /// Steps that touch a name, in their true order, of the present log.
  using Chain = std::vector<size_t>;

  [[nodiscard]] bool comparable() const;
  [[nodiscard]] bool doubtful(const processor::TableName& name) const;
  [[nodiscard]] bool re_read_pending(const processor::TableName& name) const;
  /// The step after which the name is as events up to the cursor leave it: its number, or 0 as the
  /// log began; nothing where no order tells.
  [[nodiscard]] std::optional<int64_t> step_at(const processor::TableName& name,
                                               int64_t cursor) const;
  void remember_lost(int64_t step, const processor::TableName& name);
  void remember_unreadable(const doubles::Committed& step);
  void forget_unreadable();
  void check_object(const processor::TableName& name) const;
  void check_grants_at_commit() const;
  void check_grants_at_rest() const;
  void check_revokes_at(int64_t event) const;
  [[nodiscard]] std::map<std::string, processor::TableName> names_by_identity() const;
  [[noreturn]] void violated(const std::string& what) const;

  World& world_;
  size_t steps_seen_ = 0;
  int64_t log_begins_with_ = 0;  ///< number of the step before this log's first
  std::map<processor::TableName, Chain> chains_;
  std::set<processor::TableName> disordered_;  ///< until rest: no event tells, or one came late
  /// Until rest: by events that cannot be read, or by none.
  std::set<processor::TableName> unreadable_;
  /// Identities of tables that went without an event, and under which name.
  std::map<std::string, processor::TableName> lost_;
  std::set<std::string> unreadably_changed_;  ///< identities of tables
  int64_t last_database_drop_ = 0;
  int64_t newest_id_ = 0;             ///< of this log
  bool nothing_tells_head_ = false;   ///< all of this log was cleaned once
  int64_t highest_cursor_ = 0;        ///< of all commits, lost ones too
  std::optional<int64_t> store_log_;  ///< the log's generation that the store is about
  int64_t store_generation_ = 0;
  int64_t log_generation_ = 1;
  int64_t last_grant_ = 0;
  std::map<std::string, Granted> grants_;  ///< by role: each is granted once
};

}  // namespace hmsync::simulation
