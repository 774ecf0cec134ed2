// Thousands that wait over HTTP at the same time, each on a connection of its own, in one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hmsync::integration {

/// Not thread-safe. Raises this process's limit of open files.
class WaitCrowd {
 public:
  struct Answer {
    int status = 0;  ///< 0: the connection broke
    std::string body;
  };

  WaitCrowd();
  ~WaitCrowd();
  WaitCrowd(const WaitCrowd&) = delete;
  WaitCrowd& operator=(const WaitCrowd&) = delete;

  /// Asks the daemon at this port of 127.0.0.1 to be told of the event. The waiter's number: from 0
  /// on. Throws std::runtime_error where nobody listens.
  size_t wait(int port, int64_t event, std::chrono::milliseconds timeout);
  /// Goes away without an answer.
  void leave(size_t waiter);

  /// Takes what has come, or waits for something up to `time`: the waiters that were answered since
  /// the last call.
  std::vector<size_t> run(std::chrono::milliseconds time);
  /// Only once it was answered.
  [[nodiscard]] const Answer& answer(size_t waiter) const;
  /// Neither answered nor left.
  [[nodiscard]] size_t waiting() const { return waiting_; }

 private:
  struct Waiter {
    int socket = -1;  ///< -1: answered or left
    std::string received = {};
    std::optional<Answer> answer = std::nullopt;
  };

  bool read(Waiter& waiter);
  void close(Waiter& waiter);

  std::vector<Waiter> waiters_;
  size_t waiting_ = 0;
};

}  // namespace hmsync::integration
