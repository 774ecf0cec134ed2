// A store in memory, behind the follower's ports: objects, follower state, re-reads, claims,
// staging and orders; no grants. Every call is one transaction. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "follower/store.h"
#include "tests/follower/memory_metastore.h"

namespace hmsync::doubles {

/// Numbers of re-reads and claims come from one sequence.
struct PendingReRead {
  int64_t request = 0;
  int64_t event = 0;  ///< the lowest of the generation that asked for it
  int64_t generation = 0;
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

/// By what is to be read again: no table is the database and all that is in it, no database is
/// everything.
using ReReadMap = std::map<processor::TableName, PendingReRead>;

/// A snapshot in the making.
struct Staged {
  ObjectMap objects;
  std::vector<follower::Scope> scopes;  ///< none: everything
  int64_t re_reads_through = 0;         ///< has read what requests up to this number ask for
  std::map<processor::TableName, int64_t> re_reads;  ///< asked for by events replayed on it
  std::vector<processor::Claim> claims;              ///< of those events
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
  std::vector<KeptEvent> quarantine;
  std::vector<follower::Note> audit;
  ReReadMap re_reads;
  std::vector<KeptClaim> claims;
  follower::Orders orders;  ///< but for its re-reads
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

 private:
  void check_fence(const follower::Fence& fence);
  void take_over_doubtful(Staged& staged) const;
  void ask_re_read(const processor::TableName& name, int64_t event);
  /// Those that the snapshot has read.
  void end_re_reads(const std::string& snapshot, const follower::Publication& publication);
  void keep(processor::Claim claim);

  int64_t last_number_ = 0;  ///< of re-reads and claims
  std::map<std::string, Staged> staging_;
  int next_snapshot_ = 1;
};

}  // namespace hmsync::doubles
