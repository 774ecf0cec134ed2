// Connections that requests borrow, so that each worker has one and none is made for every request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "processor/error.h"

namespace hmsync::daemon {

/// Thread-safe. There are never more than are in use at the same time. T has interrupt(), which may
/// be called from any thread and ends what T waits for.
template <typename T>
class IdlePool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  explicit IdlePool(Make make) : make_(std::move(make)) {}

  /// Runs `work` with one that nobody else uses; made where none is idle. One whose work throws is
  /// not used again: the next request begins with a fresh connection. Throws Error(transient) after
  /// close().
  template <typename Work>
  auto with(const Work& work) {
    std::unique_ptr<T> borrowed = take();
    const Returned returned{*this, borrowed};
    return work(*borrowed);
  }

  /// Lends no more. What is lent may go on until then; after that it is interrupted, and not waited
  /// for.
  void close(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.wait_until(lock, until, [this] { return lent_.empty(); });
    for (T* lent : lent_) lent->interrupt();
  }

 private:
  // Gives it back unless an exception is on its way.
  struct Returned {
    IdlePool& pool;
    std::unique_ptr<T>& borrowed;
    int exceptions = std::uncaught_exceptions();

    ~Returned() {
      const std::lock_guard lock(pool.mutex_);
      pool.lent_.erase(borrowed.get());
      pool.changed_.notify_all();
      if (std::uncaught_exceptions() > exceptions) return;
      pool.idle_.push_back(std::move(borrowed));
    }
  };

  std::unique_ptr<T> take() {
    std::unique_ptr<T> taken;
    {
      const std::lock_guard lock(mutex_);
      refuse_if_closed();
      if (!idle_.empty()) {
        taken = std::move(idle_.back());
        idle_.pop_back();
        lent_.insert(taken.get());
        return taken;
      }
    }
    taken = make_();
    const std::lock_guard lock(mutex_);
    refuse_if_closed();
    lent_.insert(taken.get());
    return taken;
  }

  // Under the mutex.
  void refuse_if_closed() const {
    if (closed_) throw Error(ErrorKind::transient, "the daemon is stopping; ask again");
  }

  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<T>> idle_;  ///< guarded by mutex_
  std::set<T*> lent_;                     ///< guarded by mutex_
  bool closed_ = false;                   ///< guarded by mutex_
};

}  // namespace hmsync::daemon
