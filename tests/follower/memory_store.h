// A store in memory, behind the follower's ports: objects, grants, follower state, re-reads,
// claims, staging, orders, change logs and audit. Every call is one transaction. One thread. A copy
// is the state at that moment. What is granted and revoked: memory_privileges.h. Decisions that the
// store on PostgreSQL makes outside of SQL (store/held_grants.h, snapshot_claims.h,
// snapshot_renames.h, snapshot_verdicts.h, mutation_groups.h, refusal() of snapshot_guard.h) are
// the same code here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "follower/store.h"
#include "follower/waiters.h"
#include "tests/follower/memory_metastore.h"
#include "tests/follower/memory_store_rows.h"

namespace hmsync::doubles {

/// By what is to be read again: no table is the database and all that is in it, no database is
/// everything.
using ReReadMap = std::map<processor::TableName, PendingReRead>;

struct StagedReRead {
  int64_t event = 0;
  bool without_claim = true;  ///< false: taken over from what is pending, with its claims
};

/// A snapshot in the making.
struct Staged {
  ObjectMap objects;
  std::vector<follower::Scope> scopes;  ///< none: everything
  int64_t re_reads_through = 0;         ///< has read what requests up to this number ask for
  int64_t begun_at = 0;                 ///< by tick()
  /// Asked for by events replayed on it.
  std::map<processor::TableName, StagedReRead> re_reads;
  void ask(const processor::TableName& name, StagedReRead asked);
  std::vector<processor::Claim> claims;  ///< of those events
};

/// One mutation on a map of objects; what must be read again.
std::optional<processor::TableName> apply_to(ObjectMap& objects,
                                             const processor::Mutation& mutation);

class MemoryStore : public follower::EventStore,
                    public follower::SnapshotStore,
                    public follower::OrderStore,
                    public follower::StoredObjects {
 public:
  /// Called before and after the effect of every port call with its name: may throw.
  std::function<void(std::string_view)> before_effect = [](std::string_view) {};
  std::function<void(std::string_view)> after_effect = [](std::string_view) {};
  /// Looked at inside apply: may throw Error(poison) for what the database would refuse.
  std::function<void(const follower::Batch&)> check = [](const follower::Batch&) {};

  follower::FollowerState follower;
  follower::EventCounts totals;
  ObjectMap live;
  std::set<std::string> roles;
  std::vector<MemoryGrant> grants;  ///< in the order of their ids
  std::vector<PermissionChange> permission_changes;
  std::vector<PathChange> path_changes;
  std::vector<AuditRow> audit;
  std::vector<StoredRevoke> revokes;  ///< finished ones too
  std::optional<RecordedHead> head;
  std::vector<KeptEvent> quarantine;
  ReReadMap re_reads;
  std::vector<KeptClaim> claims;
  follower::Orders orders;  ///< but for its re-reads, and for revokes that are due by themselves
  int64_t polls_answered = 0;
  std::map<int64_t, follower::ResyncOutcome> outcomes;
  std::map<int64_t, std::vector<follower::Retried>> retries;  ///< by request
  std::vector<follower::Publication> publications;
  int batches = 0;
  int trims = 0;
  int trims_with_more = 0;  ///< so many of them leave rows behind

  follower::FollowerState state() override;
  void apply(const follower::Fence& fence, const follower::Batch& batch) override;
  void note(const follower::Fence& fence, const std::vector<follower::Note>& notes) override;
  bool trim(const follower::Fence& fence) override;
  void answer_polls(int64_t asked) override;

  std::string begin(const std::vector<follower::Scope>& scopes) override;
  void add(const std::string& snapshot, const follower::SnapshotPage& page,
           const std::vector<follower::Scope>& more = {}) override;
  void replay(const std::string& snapshot, const std::vector<processor::Mutation>& mutations,
              const std::vector<processor::Claim>& claims = {}) override;
  follower::Difference compare(const std::string& snapshot) override;
  follower::Published publish(const follower::Fence& fence, const std::string& snapshot,
                              const follower::Publication& publication) override;
  void discard(const std::optional<std::string>& snapshot) override;

  follower::Orders pending() override;
  void finish(const follower::Fence& fence, int64_t request,
              const follower::ResyncOutcome& outcome) override;
  void repeat_revokes(const follower::Fence& fence) override;
  std::vector<processor::Event> quarantined(int64_t event) override;
  void retried(const follower::Fence& fence, const follower::RetryRequest& request,
               const std::vector<follower::Retried>& outcomes) override;

  int64_t count_tables() override;
  std::vector<processor::TableName> tables_after(const processor::TableName& name,
                                                 int count) override;
  std::vector<follower::KnownTable> some_tables(int count) override;

  /// As store::Reader::position(); calls no hook.
  [[nodiscard]] follower::ReadablePosition position() const;
  /// As the verbs of these names in store/order_store.h and store/event_store.h.
  int64_t ask_poll();
  void record_head(int64_t head_read);

  /// The database is a replica's now, which may lack the last commits; staging is not replicated,
  /// and its ids are never given again.
  void fail_over_to(const MemoryStore& replica);

  /// The time of rows: later than every time that was told before.
  int64_t tick() { return ++time_; }
  /// Of any events up to the cursor; with an event, of it or earlier ones.
  [[nodiscard]] bool re_read_pending(std::optional<int64_t> up_to_event = std::nullopt) const;
  int64_t next_grant_id() { return ++last_grant_; }

 private:
  void check_fence(const follower::Fence& fence) const;
  /// check_fence(), and the next commit number.
  void advance(const follower::Fence& fence);
  void stop_at_revokes(int64_t cursor);
  void set_aside(const follower::QuarantinedEvent& event);
  void apply_live(const processor::Mutation& mutation);
  void write_notes(const std::vector<follower::Note>& notes);
  Staged& staging(const std::string& snapshot);
  void connect_doubtful(Staged& staged) const;
  void ask_for_unlisted(Staged& staged) const;
  void take_over_doubtful(Staged& staged) const;
  /// What was taken over waits for its first event still.
  void keep_owed(Staged& staged) const;
  void take_history(const follower::Publication& publication);
  void log_difference(const ObjectMap& before, const ObjectMap& after, bool as_image);
  void ask_re_read(const processor::TableName& name, int64_t event, bool without_claim);
  /// What is kept of it.
  static processor::Claim kept_claim(processor::Claim claim);
  /// The claims, and re-reads of what they name.
  void keep(const std::vector<processor::Claim>& said);
  /// Those that the snapshot has read.
  void end_re_reads(const std::string& snapshot, const Staged& staged,
                    const follower::Publication& publication);

  int64_t last_number_ = 0;  ///< of re-reads and claims
  int64_t last_grant_ = 0;
  int64_t time_ = 0;
  std::map<std::string, Staged> staging_;
  int next_snapshot_ = 1;
};

}  // namespace hmsync::doubles
