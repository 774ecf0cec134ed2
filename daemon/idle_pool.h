// Connections that requests borrow, so that each worker has one and none is made for every request.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hmsync::daemon {

/// Thread-safe. There are never more than are in use at the same time.
template <typename T>
class IdlePool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  explicit IdlePool(Make make) : make_(std::move(make)) {}

  /// Runs `work` with one that nobody else uses; made where none is idle. One whose work throws is
  /// not used again: the next request begins with a fresh connection.
  template <typename Work>
  auto with(const Work& work) {
    std::unique_ptr<T> borrowed = take();
    const Returned returned{*this, borrowed};
    return work(*borrowed);
  }

 private:
  // Gives it back unless an exception is on its way.
  struct Returned {
    IdlePool& pool;
    std::unique_ptr<T>& borrowed;
    int exceptions = std::uncaught_exceptions();

    ~Returned() {
      if (std::uncaught_exceptions() > exceptions) return;
      const std::lock_guard lock(pool.mutex_);
      pool.idle_.push_back(std::move(borrowed));
    }
  };

  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
    }
    return make_();
  }

  const Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;  ///< guarded by mutex_
};

}  // namespace hmsync::daemon
