#include "daemon/follower_term.h"

#include <atomic>

#include "hmsclient/notification_reader.h"
#include "hmsclient/read_ahead.h"
#include "leader/postgres_lease.h"
#include "store/event_store.h"
#include "store/order_store.h"
#include "store/snapshot_store.h"
#include "store/stored_objects.h"

namespace hmsync::daemon {
namespace {

// Notes what this process committed, for whoever looks whether the database went back behind it.
class TermObserver : public LoopObserver {
 public:
  explicit TermObserver(const TermParts& parts)
      : LoopObserver(parts.observer, parts.limits, parts.entered), rewinds_(parts.rewinds) {}

  void begin_session(const RewindJudge::Mark& mark) { session_ = mark; }

  void polled(const follower::PollReport& report) override {
    LoopObserver::polled(report);
    rewinds_.committed(session_, report.state.commit_number, report.state.generation);
  }
  void applied(const follower::BatchReport& report) override {
    LoopObserver::applied(report);
    rewinds_.committed(session_, report.state.commit_number, report.state.generation);
  }

 private:
  RewindJudge& rewinds_;
  RewindJudge::Mark session_;
};

class FollowerTerm : public Term {
 public:
  FollowerTerm(const TermSettings& settings, const TermParts& parts, const leader::Token& token)
      : server_(settings.server),
        rewinds_(parts.rewinds),
        saw_progress_(parts.saw_progress),
        observer_(parts),
        connection_(store_options(settings, token), parts.store_observer),
        events_(connection_, settings.server, settings.retention),
        snapshots_(connection_, settings.server),
        orders_(connection_, settings.server),
        stored_(connection_, settings.server),
        client_(settings.metastore),
        log_(client_),
        ahead_client_(settings.metastore),
        ahead_(ahead_client_),
        read_ahead_(log_, ahead_),
        objects_(settings.metastore, settings.snapshot),
        follower_({read_ahead_, objects_, events_, snapshots_, orders_, stored_, parts.expected,
                   parts.clock, observer_},
                  settings.loop, {token.epoch, token.nonce}) {}
  ~FollowerTerm() override { ahead_client_.interrupt(); }

  std::chrono::milliseconds step() override {
    const std::chrono::milliseconds pause = follower_.step();
    if (interrupted_) return pause;
    try {
      tell_phase();
      tell_rewind();
    } catch (const Error& error) {
      observer_.failed(error);
    }
    return pause;
  }

  void interrupt() override {
    interrupted_ = true;
    connection_.interrupt();
    client_.interrupt();
    ahead_client_.interrupt();
    objects_.interrupt();
  }

  void set_poll_interval(std::chrono::milliseconds interval) override {
    follower_.set_poll_interval(interval);
  }

 private:
  // A successor has to end the session should this process stand still in mid-transaction. Another
  // database than the one before can only be met by a new session.
  store::ConnectionOptions store_options(const TermSettings& settings, const leader::Token& token) {
    store::ConnectionOptions options = settings.store;
    options.connected = [this, token](store::Connection& connection) {
      leader::name_writer(connection, server_, token);
      const RewindJudge::Mark mark = rewinds_.mark();
      saw_progress_(mark, store::read_progress(connection, server_));
      observer_.begin_session(rewinds_.mark());
    };
    return options;
  }

  void tell_rewind() {
    const auto last = rewinds_.last();
    if (!last || last->audited) return;
    const std::chrono::duration<double> age = std::chrono::steady_clock::now() - last->at;
    store::audit_rewind(connection_, server_, last->rewind.seen, last->rewind.found, age.count());
    rewinds_.audited();
  }

  void tell_phase() {
    const follower::Phase phase = observer_.phase();
    if (told_phase_ == phase) return;
    events_.record_phase(follower::to_string(phase));
    told_phase_ = phase;
  }

  const std::string server_;
  RewindJudge& rewinds_;
  const std::function<void(const RewindJudge::Mark&, const store::StoreProgress&)> saw_progress_;
  TermObserver observer_;
  store::Connection connection_;
  store::PostgresEventStore events_;
  store::PostgresSnapshotStore snapshots_;
  store::PostgresOrderStore orders_;
  store::PostgresStoredObjects stored_;
  hmsclient::Client client_;
  hmsclient::NotificationReader log_;
  hmsclient::Client ahead_client_;
  hmsclient::NotificationReader ahead_;
  hmsclient::ReadAhead read_ahead_;
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
