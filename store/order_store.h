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
  enum class Kind { resync, retry };

  int64_t id = 0;
  Kind kind = Kind::resync;
  follower::Scope scope;  ///< resync
  bool dry_run = false;   ///< resync
  int64_t event = 0;      ///< retry: the quarantined event
  bool finished = false;
  /// Once finished. Of a retry: done or failed, the reason, and the event.
  follower::ResyncOutcome outcome;
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
  std::vector<processor::Event> quarantined(int64_t event) override;
  /// Error(transient) where other events are in quarantine than there were: look again.
  void retried(const follower::Fence& fence, const follower::RetryRequest& request,
               const std::vector<follower::Retried>& outcomes) override;

  /// The request's id. Of `request` only scope, dry_run, force and requested_by count.
  int64_t ask_resync(const follower::ResyncRequest& request);
  /// The request's id. Whether there is such an event in quarantine is found when it is served.
  int64_t ask_retry(int64_t event, const std::string& who);
  /// A waiter's, that the leader looks at the whole remembered log: the number of the poll, which
  /// is answered once Reader::position() tells it. Leaves no audit row.
  int64_t ask_poll();
  /// Nothing where this server has no such resync or retry.
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
