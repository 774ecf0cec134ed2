// A store in memory, behind the follower's ports: objects, follower state, staging and orders; no
// grants. Every call is one transaction. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "follower/store.h"
#include "tests/follower/memory_metastore.h"

namespace hmsync::doubles {

class MemoryStore : public follower::EventStore,
                    public follower::SnapshotStore,
                    public follower::OrderStore {
 public:
  /// Called before and after the effect of every port call with its name: may throw.
  std::function<void(std::string_view)> before_effect = [](std::string_view) {};
  std::function<void(std::string_view)> after_effect = [](std::string_view) {};
  /// Looked at inside apply: may throw Error(poison) for what the database would refuse.
  std::function<void(const follower::Batch&)> check = [](const follower::Batch&) {};

  follower::FollowerState follower;
  follower::EventCounts totals;
  ObjectMap live;
  std::vector<follower::QuarantinedEvent> quarantine;
  follower::Orders orders;
  std::map<int64_t, follower::ResyncOutcome> outcomes;
  std::vector<follower::Publication> publications;
  int batches = 0;
  int trims = 0;
  int trims_with_more = 0;  ///< so many of them leave rows behind

  follower::FollowerState state() override;
  void apply(const follower::Fence& fence, const follower::Batch& batch) override;
  bool trim(const follower::Fence& fence) override;
  void record_head(int64_t head) override;

  std::string begin() override;
  void add(const std::string& snapshot, const follower::SnapshotPage& page) override;
  void replay(const std::string& snapshot,
              const std::vector<processor::Mutation>& mutations) override;
  follower::Difference compare(const std::string& snapshot) override;
  follower::Difference publish(const follower::Fence& fence, const std::string& snapshot,
                               const follower::Publication& publication) override;
  void discard(const std::string& snapshot) override;

  follower::Orders pending() override;
  void finish(const follower::Fence& fence, int64_t request,
              const follower::ResyncOutcome& outcome) override;
  void repeat_revokes(const follower::Fence& fence) override;

 private:
  void check_fence(const follower::Fence& fence);

  std::map<std::string, ObjectMap> staging_;
  int next_snapshot_ = 1;
};

}  // namespace hmsync::doubles
