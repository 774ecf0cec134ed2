#include "daemon/loop_thread.h"

#include <utility>

#include "daemon/caught.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRetry{1000};

}  // namespace

LoopThread::LoopThread(Ports ports) : ports_(std::move(ports)), thread_([this] { run(); }) {}

LoopThread::~LoopThread() { stop(); }

void LoopThread::begin_term(const leader::Token& token) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  token_ = token;
  ending_ = false;
  changed_.notify_all();
}

void LoopThread::end_term() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  if (term_) term_->interrupt();
  changed_.notify_all();
  changed_.wait(lock, [this] { return !token_; });
}

void LoopThread::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void LoopThread::set_poll_interval(milliseconds interval) {
  const std::lock_guard lock(mutex_);
  poll_interval_ = interval;
  woken_ = true;
  changed_.notify_all();
}

void LoopThread::stop(milliseconds grace) {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    if (!changed_.wait_for(lock, grace, [this] { return !token_; }) && term_) term_->interrupt();
  }
  thread_.join();
}

void LoopThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || token_; });
    if (!token_) return;
    const leader::Token token = *token_;
    lock.unlock();
    run_term(token);
    lock.lock();
    // Who began the term also ends it, unless the daemon stops.
    changed_.wait(lock, [this] { return stopping_ || ending_; });
    token_.reset();
    changed_.notify_all();
  }
}

void LoopThread::run_term(const leader::Token& token) {
  while (true) {
    const std::optional<milliseconds> pause = step(token);
    if (!pause) break;
    ports_.due(*pause);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, *pause, [this] { return stopping_ || ending_ || woken_; });
    woken_ = false;
    if (stopping_ || ending_) break;
    if (poll_interval_ && term_) term_->set_poll_interval(*poll_interval_);
  }
  drop();
  ports_.due(std::nullopt);
}

// Nothing: the term is over.
std::optional<milliseconds> LoopThread::step(const leader::Token& token) {
  if (!ports_.holds(token)) return std::nullopt;
  try {
    if (!term_ && !make(token)) return std::nullopt;
    return term_->step();
  } catch (const std::exception&) {
    const Error error = caught();
    if (error.kind() == ErrorKind::fenced) {
      ports_.resign(token);
      return std::nullopt;
    }
    drop();
    ports_.failed(error);
    return kRetry;
  }
}

// False if the term ended meanwhile.
bool LoopThread::make(const leader::Token& token) {
  std::unique_ptr<Term> made = ports_.make_term(token);
  const std::lock_guard lock(mutex_);
  if (stopping_ || ending_) return false;
  if (poll_interval_) made->set_poll_interval(*poll_interval_);
  term_ = std::move(made);
  return true;
}

void LoopThread::drop() {
  std::unique_ptr<Term> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(term_);
}

}  // namespace hmsync::daemon
