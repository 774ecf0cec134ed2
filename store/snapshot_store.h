// Snapshots on PostgreSQL: follower::SnapshotStore.
#pragma once

#include <string>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// For one server. Uses a connection that it does not own; used by that connection's thread. While
/// it compares or publishes, the connection's statement_timeout is kSwitchTimeout at least. A
/// snapshot that was discarded, or lost in a crash of the database (its tables are unlogged), is
/// Error(transient): begin another. The work of a snapshot of some objects follows what is in its
/// scopes: where it loses no table, it does not count the stored ones (Published::stored_tables).
class PostgresSnapshotStore : public follower::SnapshotStore {
 public:
  static constexpr std::chrono::milliseconds kSwitchTimeout{std::chrono::minutes(30)};
  /// More changed paths than that are one `image` row in the change log.
  static constexpr int64_t kListedChanges = 10000;

  PostgresSnapshotStore(Connection& connection, std::string server);

  std::string begin(const std::vector<follower::Scope>& scopes) override;
  void add(const std::string& snapshot, const follower::SnapshotPage& page,
           const std::vector<follower::Scope>& more = {}) override;
  void replay(const std::string& snapshot, const std::vector<processor::Mutation>& mutations,
              const std::vector<processor::Claim>& claims = {}) override;
  follower::Difference compare(const std::string& snapshot) override;
  follower::Published publish(const follower::Fence& fence, const std::string& snapshot,
                              const follower::Publication& publication) override;
  void discard(const std::optional<std::string>& snapshot) override;

 private:
  void run(const Statement& statement);
  bool is_whole(const std::string& snapshot);
  void remove_staged(const std::string& condition, const std::string& value);

  Connection& connection_;
  std::string server_;
};

}  // namespace hmsync::store
