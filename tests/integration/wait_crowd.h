// Thousands that wait over HTTP at the same time, each on a connection of its own, in one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hmsync::integration {

/// Not thread-safe; does something only within run().
class WaitCrowd {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  WaitCrowd();
  ~WaitCrowd();
  WaitCrowd(const WaitCrowd&) = delete;
  WaitCrowd& operator=(const WaitCrowd&) = delete;

  /// Asks the daemon at this port of 127.0.0.1 to be told of the event. The waiter's number: from 0
  /// on.
  size_t wait(int port, int64_t event, std::chrono::milliseconds timeout);
  /// Goes away without an answer.
  void leave(size_t waiter);

  /// Takes what has come, or waits for something up to `time`: the waiters that were answered since
  /// the last call.
  std::vector<size_t> run(std::chrono::milliseconds time);
  /// Only once it was answered; a connection that broke has status 0.
  [[nodiscard]] const Answer& answer(size_t waiter) const;
  /// Neither answered nor left.
  [[nodiscard]] size_t waiting() const { return waiting_; }

 private:
  struct Waiter;
  void ended(Waiter& waiter);

  boost::asio::io_context context_;
  std::vector<std::shared_ptr<Waiter>> waiters_;
  std::vector<size_t> answered_;
  size_t waiting_ = 0;
};

}  // namespace hmsync::integration
