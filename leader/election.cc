#include "leader/election.h"

#include <pthread.h>

#include <utility>

namespace hmsync::leader {

Election::Election(std::unique_ptr<LeaseStore> store, const LeaseTimes& times, std::string instance,
                   ElectionCallbacks callbacks, Lease::Now now)
    : store_(std::move(store)),
      callbacks_(std::move(callbacks)),
      now_(now),
      lease_(*store_, times, std::move(instance), std::move(now)) {}

Election::~Election() { stop(); }

void Election::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "lease");
    while (!stop.stop_requested()) step_once(stop);
  });
}

void Election::step_once(const std::stop_token& stop) {
  take_requests();
  const LeaseStep step = lease_.step();
  publish();
  if (step.failure) callbacks_.failed(*step.failure);
  if (step.change == LeaseStep::Change::elected) callbacks_.elected(*lease_.token());
  if (step.change == LeaseStep::Change::deposed) callbacks_.deposed(step.reason);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, step.wait, [this] { return resign_; });
}

void Election::take_requests() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(resign_, false)) lease_.resign();
}

void Election::publish() {
  const std::lock_guard lock(mutex_);
  const auto& token = lease_.token();
  // A renewal that arrives when holds() may already have said no is too late: no is for ever.
  if (token && token == token_ && now_() >= held_until_) lease_.resign();
  token_ = token;
  held_until_ = lease_.held_until();
  row_ = lease_.row();
}

void Election::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  try {
    lease_.release();
  } catch (const Error& error) {
    callbacks_.failed(error);
  }
  publish();
}

bool Election::holds(const Token& token) const {
  const std::lock_guard lock(mutex_);
  return token_ == token && !resign_ && now_() < held_until_;
}

ElectionStatus Election::status() const {
  const std::lock_guard lock(mutex_);
  return {.leads = token_ && !resign_ && now_() < held_until_, .row = row_};
}

void Election::resign(const Token& token) {
  const std::lock_guard lock(mutex_);
  if (token_ != token) return;
  resign_ = true;
  changed_.notify_all();
}

}  // namespace hmsync::leader
