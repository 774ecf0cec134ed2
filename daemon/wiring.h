// Everything that follows, leads, watches and answers, made from the configuration and connected.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "daemon/api.h"
#include "daemon/configuration.h"
#include "daemon/follower_term.h"
#include "daemon/instruments.h"
#include "daemon/loop_thread.h"
#include "daemon/shared_expectation.h"
#include "daemon/store_watcher.h"
#include "leader/election.h"

namespace hmsync::daemon {

class Wiring {
 public:
  /// `entered` may be empty. Throws Error(fatal) where the configuration cannot be used.
  Wiring(const Configuration& configuration, Instruments& instruments,
         std::function<void(follower::Step)> entered);
  ~Wiring();  ///< close()
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  /// Listens and answers; nothing else yet. Throws Error(fatal) where it cannot.
  void open();
  /// The store's schema was accepted: looks for the lease, and follows once it has it.
  void follow();
  /// In the order of design §5: the loop stops, then the lease is released, then waiters are
  /// answered, then the endpoint closes; requests that still run then have two seconds. Also right
  /// where follow() or open() was never called.
  void close();

  void set_poll_interval(std::chrono::milliseconds interval) { loop_.set_poll_interval(interval); }
  /// Blocks; throws as the store does.
  int64_t ask_full_resync(const std::string& who);
  [[nodiscard]] uint16_t port() const { return http_.port(); }

 private:
  void elected(const leader::Token& token);
  void deposed(const std::string& reason);
  void guarded(const std::function<void()>& tell);
  void election_failed(const Error& error);
  void require_schema() const;
  void tick();
  void saw_store(const StoreView& view);
  void look_for_rewind(store::Connection& connection);
  void metastore_answered();
  void record_head(int64_t head);
  void close_pools();
  [[nodiscard]] leader::ElectionCallbacks election_callbacks();
  [[nodiscard]] LoopThread::Ports loop_ports();

  const Configuration configuration_;
  Instruments& instruments_;
  const std::function<void(follower::Step)> entered_;
  std::atomic<bool> follows_{false};
  std::atomic<std::chrono::steady_clock::rep> election_failed_{0};

  // Each may call those above it.
  SharedExpectation expected_;
  hmsclient::Client refresher_client_;
  hmsclient::NotificationReader refresher_log_;
  HeadRefresher refresher_;
  std::unique_ptr<store::Connection> refresher_store_;  ///< the refresher's thread only
  std::string metastore_uri_;                           ///< the refresher's thread only
  WaitDesk desk_;
  leader::Election election_;
  LoopThread loop_;
  StoreWatcher watcher_;
  TellingStoreObserver grants_observer_;  ///< of sessions that write what people ask for
  IdlePool<store::Reader> readers_;
  IdlePool<store::Reader> stream_readers_;
  IdlePool<PrivilegeSession> privileges_;
  IdlePool<OrderSession> orders_;
  LocalToken token_;
  HttpServer http_;
};

}  // namespace hmsync::daemon
