// Waits for the store at the start, and brings its schema up to date.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "store/connection.h"

namespace hmsync::daemon {

/// A thread of its own, so that the endpoint answers and signals count meanwhile.
class SchemaStart {
 public:
  struct Ports {
    /// The store cannot be had yet; it is tried again.
    std::function<void(const Error&)> failed;
    std::function<void()> accepted;
    /// An operator must act; it is not tried again.
    std::function<void(const Error&)> refused;
  };

  /// `migrate`: else the schema is only checked. Ports are called by the thread.
  SchemaStart(store::ConnectionOptions options, bool migrate, store::ConnectionObserver* observer,
              Ports ports);
  ~SchemaStart();  ///< interrupts what it does
  SchemaStart(const SchemaStart&) = delete;
  SchemaStart& operator=(const SchemaStart&) = delete;

 private:
  void run(const std::stop_token& stopped);
  void try_once(const std::stop_token& stopped);

  const store::ConnectionOptions options_;
  const bool migrate_;
  store::ConnectionObserver* const observer_;
  const Ports ports_;
  std::mutex mutex_;
  std::unique_ptr<store::Connection> connection_;  ///< guarded by mutex_, but for the thread's use
  std::jthread thread_;
};

}  // namespace hmsync::daemon
