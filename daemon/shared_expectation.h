// What every connection to the metastore is held to: left by the loop, looked at by many threads.
#pragma once

#include <mutex>
#include <utility>

#include "follower/proof.h"

namespace hmsync::daemon {

class SharedExpectation : public follower::Expected {
 public:
  void set(follower::Expectation expectation) override {
    const std::lock_guard lock(mutex_);
    expectation_ = std::move(expectation);
  }
  [[nodiscard]] follower::Expectation get() const override {
    const std::lock_guard lock(mutex_);
    return expectation_;
  }

 private:
  mutable std::mutex mutex_;
  follower::Expectation expectation_;  ///< guarded by mutex_
};

}  // namespace hmsync::daemon
