// The live state on PostgreSQL: follower::EventStore.
#pragma once

#include <chrono>
#include <string>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// What other replicas and the daemon LISTEN to; the payload is the server's name.
inline constexpr const char* kCursorChannel = "hmsync_cursor";

/// How long rows of the logs are kept.
struct Retention {
  std::chrono::milliseconds change_logs{std::chrono::hours(24 * 7)};
  std::chrono::milliseconds audit{std::chrono::hours(24 * 400)};  ///< and finished requests
};

/// Most rows that one trim() removes from each log.
inline constexpr int kTrimmedRows = 10'000;

/// For one server. Uses a connection that it does not own, whose options should say `writes`; used
/// by that connection's thread. Beside the kinds of the port it throws Error(poison) where
/// PostgreSQL cannot hold what an event says (U+0000, a name beyond a key's limits).
class PostgresEventStore : public follower::EventStore {
 public:
  PostgresEventStore(Connection& connection, std::string server, Retention retention = {});

  /// Makes the server's row where it is missing.
  follower::FollowerState state() override;
  /// One round trip, whatever the batch is. Its digests take the place of all that are stored, none
  /// included. The numbers of the change log follow the order of each
  /// object's events, not that of events on different objects.
  void apply(const follower::Fence& fence, const follower::Batch& batch) override;
  /// Without any note, too, it raises the commit number.
  void note(const follower::Fence& fence, const std::vector<follower::Note>& notes) override;
  bool trim(const follower::Fence& fence) override;
  void answer_polls(int64_t asked) override;
  /// What the metastore's head is, and when it was read: not fenced, and never behind a batch.
  void record_head(int64_t head);
  /// Shown by status on other replicas. Not fenced.
  void record_phase(const std::string& phase);

 private:
  Connection& connection_;
  std::string server_;
  Retention retention_;
};

}  // namespace hmsync::store
