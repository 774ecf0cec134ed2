#include "daemon/follower_term.h"

#include <atomic>

#include "hmsclient/notification_reader.h"
#include "leader/postgres_lease.h"
#include "store/event_store.h"
#include "store/order_store.h"
#include "store/snapshot_store.h"

namespace hmsync::daemon {
namespace {

// A successor has to end the session should this process stand still in mid-transaction.
store::ConnectionOptions writing_options(const TermSettings& settings, const leader::Token& token) {
  store::ConnectionOptions options = settings.store;
  options.connected = [server = settings.server, token](store::Connection& connection) {
    leader::name_writer(connection, server, token);
  };
  return options;
}

class FollowerTerm : public Term {
 public:
  FollowerTerm(const TermSettings& settings, const TermParts& parts, const leader::Token& token)
      : observer_(parts.observer, parts.limits, parts.entered),
        connection_(writing_options(settings, token), parts.store_observer),
        events_(connection_, settings.server, settings.retention),
        snapshots_(connection_, settings.server),
        orders_(connection_, settings.server),
        client_(settings.metastore),
        log_(client_),
        objects_(settings.metastore, settings.snapshot),
        follower_({log_, objects_, events_, snapshots_, orders_, parts.clock, observer_},
                  settings.loop, {token.epoch, token.nonce}) {}

  std::chrono::milliseconds step() override {
    const std::chrono::milliseconds pause = follower_.step();
    if (interrupted_) return pause;
    try {
      tell_phase();
    } catch (const Error& error) {
      observer_.failed(error);
    }
    return pause;
  }

  void interrupt() override {
    interrupted_ = true;
    connection_.interrupt();
    client_.interrupt();
    objects_.interrupt();
  }

  void set_poll_interval(std::chrono::milliseconds interval) override {
    follower_.set_poll_interval(interval);
  }

 private:
  void tell_phase() {
    const follower::Phase phase = observer_.phase();
    if (told_phase_ == phase) return;
    events_.record_phase(follower::to_string(phase));
    told_phase_ = phase;
  }

  LoopObserver observer_;
  store::Connection connection_;
  store::PostgresEventStore events_;
  store::PostgresSnapshotStore snapshots_;
  store::PostgresOrderStore orders_;
  hmsclient::Client client_;
  hmsclient::NotificationReader log_;
  hmsclient::SnapshotReader objects_;
  follower::Follower follower_;
  std::atomic<bool> interrupted_{false};
  std::optional<follower::Phase> told_phase_;
};

}  // namespace

std::unique_ptr<Term> make_follower_term(const TermSettings& settings, const TermParts& parts,
                                         const leader::Token& token) {
  return std::make_unique<FollowerTerm>(settings, parts, token);
}

}  // namespace hmsync::daemon
