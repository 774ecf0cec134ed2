// Up to where effects are readable, and what the store tells of whoever leads: read on a thread of
// its own, on leader and standby alike, woken by NOTIFY and backed by a slow poll.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/status_board.h"
#include "daemon/wait_desk.h"
#include "store/connection.h"

namespace hmsync::daemon {

class StoreWatcher {
 public:
  struct Settings {
    store::ConnectionOptions store;
    std::string server;
    std::chrono::milliseconds poll{1000};
    /// How often what only status needs is read; on a leader the loop knows most of it better.
    std::chrono::milliseconds status_poll_leading{5000};
  };
  struct Parts {
    WaitDesk& desk;
    StatusBoard& board;
    store::ConnectionObserver* observer;
    std::function<void()> tick;                     ///< before each look
    std::function<void(const StoreView&)> learned;  ///< after each look for status
    /// Once a poll, and first on each new session. It asks; what it throws counts as a failed look.
    std::function<void(store::Connection&)> look_for_rewind;
  };

  StoreWatcher(Settings settings, Parts parts);
  ~StoreWatcher();  ///< stop()
  StoreWatcher(const StoreWatcher&) = delete;
  StoreWatcher& operator=(const StoreWatcher&) = delete;

  void start();
  /// Look now: somebody came to wait. Thread-safe, does not block.
  void kick();
  /// Somebody in this process wrote what a rewind may undo: look now how far the store has come.
  /// Thread-safe, does not block.
  void look_for_rewind_soon();
  void stop();

 private:
  struct Sessions;

  void run(const std::stop_token& stopped);
  void look(const std::vector<WaitDesk::Arrival>& arrivals);
  void look_for_rewind();
  void look_for_status();
  bool wait();
  void failed(const Error& error);

  const Settings settings_;
  const Parts parts_;
  int wake_;  ///< eventfd
  std::atomic<bool> rewind_due_{true};
  std::unique_ptr<Sessions> sessions_;  ///< the thread's; nothing while the store is away
  bool notified_ = true;
  std::chrono::steady_clock::time_point looked_{};
  std::chrono::steady_clock::time_point looked_for_status_{};
  std::chrono::steady_clock::time_point looked_for_rewind_{};
  int failures_ = 0;
  std::jthread thread_;
};

}  // namespace hmsync::daemon
