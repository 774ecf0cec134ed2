// A few threads that do what may block, with a bounded queue before them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hmsync::daemon {

/// Thread-safe. Jobs must not throw.
class WorkerPool {
 public:
  WorkerPool(size_t threads, size_t queue_limit);
  ~WorkerPool();  ///< stop()
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False where the queue is full or the pool was stopped.
  bool submit(std::function<void()> job);
  /// Drops what is queued, waits for what runs.
  void stop();

 private:
  void run();

  const size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  ///< guarded by mutex_
  bool stopping_ = false;                    ///< guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace hmsync::daemon
