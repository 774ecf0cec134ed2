// The metastore's head, asked for on a connection of its own: so that lag stays true while applying
// is stuck, and for those who wait for "the head now".
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/status_board.h"
#include "follower/metastore.h"

namespace hmsync::daemon {

/// The newest event (follower/newest_event.h), or why it is not known.
struct HeadAnswer {
  std::optional<int64_t> head;
  std::string failure;
};

/// One thread. ask() and stop() are thread-safe.
class HeadRefresher {
 public:
  struct Ports {
    follower::NotificationLog& log;
    /// Keeps the head in the store, while this process leads. May throw Error; called by the
    /// thread.
    std::function<void(int64_t head)> record;
    /// After each answer of the metastore; may throw Error.
    std::function<void()> answered;
  };

  HeadRefresher(Ports ports, StatusBoard& board, std::chrono::milliseconds interval);
  ~HeadRefresher();  ///< stop()
  HeadRefresher(const HeadRefresher&) = delete;
  HeadRefresher& operator=(const HeadRefresher&) = delete;

  void start();
  /// `done` is called once, by this thread, with a head that was asked for after this call; those
  /// who ask together share one look. At once, by the caller, after stop().
  void ask(std::function<void(const HeadAnswer&)> done);
  /// Waits for a call in progress: interrupt the log's connection first.
  void stop();

 private:
  void run();
  void turn(const std::vector<std::function<void(const HeadAnswer&)>>& asking);
  [[nodiscard]] bool look_is_due(const std::optional<StatusBoard::HeadSeen>& seen) const;
  [[nodiscard]] HeadAnswer look();
  HeadAnswer failed(ProblemCode code, const Error& error);
  void record(int64_t head);

  const Ports ports_;
  StatusBoard& board_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void(const HeadAnswer&)>> asking_;  ///< guarded by mutex_
  bool stopping_ = false;                                       ///< guarded by mutex_
  // The thread's:
  std::chrono::steady_clock::time_point next_look_{};
  bool last_look_failed_ = false;
  std::optional<int64_t> recorded_;
  std::chrono::steady_clock::time_point recorded_at_;
  std::thread thread_;
};

}  // namespace hmsync::daemon
