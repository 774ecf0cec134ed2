// What every connection to the metastore is held to: left by the loop, looked at by many threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "follower/proof.h"

namespace hmsync::daemon {

class SharedExpectation : public follower::Expected {
 public:
  void set(follower::Expectation expectation) override {
    const std::lock_guard lock(mutex_);
    const bool another = expectation.uuid != expectation_.uuid ||
                         (expectation.cursor == 0) != (expectation_.cursor == 0);
    if (another) ++number_;
    expectation_ = std::move(expectation);
  }
  [[nodiscard]] follower::Expectation get() const override {
    const std::lock_guard lock(mutex_);
    return expectation_;
  }
  /// Another one when another metastore is expected than before.
  [[nodiscard]] uint64_t number() const {
    const std::lock_guard lock(mutex_);
    return number_;
  }

 private:
  mutable std::mutex mutex_;
  follower::Expectation expectation_;  ///< guarded by mutex_
  uint64_t number_ = 0;                ///< guarded by mutex_
};

}  // namespace hmsync::daemon
