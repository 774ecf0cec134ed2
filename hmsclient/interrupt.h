// Ends, from another thread, whatever a connection is waiting for.
#pragma once

#include <chrono>
#include <memory>

namespace hmsync::hmsclient {

/// Shared by all connections that are to stop together. Once raised it stays raised: every call in
/// progress and every later one fails with Error(transient). All methods are thread-safe.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void raise();
  [[nodiscard]] bool raised() const;
  /// Sleeps; true if it was raised before the time was over.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) const;
  /// Readable from the moment of raise() on: to be polled beside a socket.
  [[nodiscard]] const std::shared_ptr<int>& descriptor() const { return descriptor_; }

 private:
  std::shared_ptr<int> descriptor_;  ///< shared because Thrift's socket wants it so
};

}  // namespace hmsync::hmsclient
