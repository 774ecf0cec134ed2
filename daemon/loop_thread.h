// The thread that steps the loop while this process leads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "leader/lease.h"
#include "processor/error.h"

namespace hmsync::daemon {

/// All that one term of leadership works with: connections, stores, the loop. Made, stepped and
/// destroyed by the loop's thread.
class Term {
 public:
  virtual ~Term() = default;
  /// How long to wait before the next step. Throws Error(fenced) when somebody else leads.
  virtual std::chrono::milliseconds step() = 0;
  /// From any thread, for ever: what step() waits for ends.
  virtual void interrupt() = 0;
  virtual void set_poll_interval(std::chrono::milliseconds interval) = 0;
};

/// Thread-safe.
class LoopThread {
 public:
  struct Ports {
    /// Connects; throws Error as connecting does.
    std::function<std::unique_ptr<Term>(const leader::Token&)> make_term;
    std::function<bool(const leader::Token&)> holds;
    /// The store has said that somebody else leads.
    std::function<void(const leader::Token&)> resign;
    /// The term could not be made, or the step failed in a way that the loop does not report.
    std::function<void(const Error&)> failed;
    /// The next sign of life is due within this time; nothing: no loop runs.
    std::function<void(std::optional<std::chrono::milliseconds>)> due;
  };

  explicit LoopThread(Ports ports);
  ~LoopThread();  ///< stop()
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void begin_term(const leader::Token& token);
  /// Interrupts what runs and waits until the term is gone.
  void end_term();
  /// Something was asked for: the next step comes now.
  void wake();
  void set_poll_interval(std::chrono::milliseconds interval);
  /// The present step may finish within `grace`, then it is interrupted. No term begins any more.
  void stop(std::chrono::milliseconds grace = std::chrono::seconds(2));

 private:
  void run();
  void run_term(const leader::Token& token);
  [[nodiscard]] std::optional<std::chrono::milliseconds> step(const leader::Token& token);
  bool make(const leader::Token& token);
  void drop();

  const Ports ports_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_; the term is used by the thread without it, others only interrupt.
  std::optional<leader::Token> token_;
  bool ending_ = false;
  bool stopping_ = false;
  bool woken_ = false;
  std::optional<std::chrono::milliseconds> poll_interval_;  ///< where it was changed
  std::unique_ptr<Term> term_;
  std::thread thread_;
};

}  // namespace hmsync::daemon
