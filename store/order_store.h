// What people and other replicas ask of the leader: follower::OrderStore, and the verbs that ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// What became of a request.
struct RequestState {
  int64_t id = 0;
  follower::Scope scope;
  bool dry_run = false;
  bool finished = false;
  follower::ResyncOutcome outcome;  ///< once finished
};

/// For one server. Uses a connection that it does not own; used by that connection's thread. The
/// verbs of people are not fenced: they work at any replica, and each leaves its audit row.
class PostgresOrderStore : public follower::OrderStore {
 public:
  PostgresOrderStore(Connection& connection, std::string server);

  follower::Orders pending() override;
  void finish(const follower::Fence& fence, int64_t request,
              const follower::ResyncOutcome& outcome) override;
  void repeat_revokes(const follower::Fence& fence) override;

  /// The request's id. Of `request` only scope, dry_run, force and requested_by count.
  int64_t ask_resync(const follower::ResyncRequest& request);
  /// Nothing where this server has no such request.
  std::optional<RequestState> request(int64_t id);
  /// A pause that is in force is replaced.
  follower::Pause pause(const std::string& by, std::optional<std::chrono::seconds> length,
                        const std::string& reason);
  /// What was ended; nothing where no pause was in force.
  std::optional<follower::Pause> resume(const std::string& by);

 private:
  Connection& connection_;
  std::string server_;
};

}  // namespace hmsync::store
