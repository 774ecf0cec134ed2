// A metastore behind several addresses: connects when needed, tries again, and moves on to the next
// address when one fails.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "hmsclient/endpoint.h"
#include "hmsclient/interrupt.h"
#include "hmsclient/options.h"

namespace hmsync::hmsclient {

class Connection;

/// Used by one thread at a time, but for interrupt() and uri(), which any thread may call. Keeps
/// one connection, made at the first call.
class Client {
 public:
  /// Throws Error(fatal) where an address cannot be read or none is given. Clients that are to stop
  /// together share an interrupt.
  explicit Client(Options options,
                  std::shared_ptr<Interrupt> interrupt = std::make_shared<Interrupt>());
  ~Client();

  /// For ever: the call in progress and all later ones throw Error(transient).
  void interrupt() { interrupt_->raise(); }

  /// The address in use, or the one that is tried next.
  [[nodiscard]] std::string uri() const;
  /// What the metastore calls its version: "3.0" from 1.2 to 3.1.3, the real one from 4.0 on.
  std::string version();
  /// A setting of the metastore; `otherwise` where it is unset or may not be asked.
  std::string config_value(const std::string& name, const std::string& otherwise);

  /// For this folder's readers. `work` makes one or more calls on one connection, and is run again
  /// from its start after an Error(transient), on a new connection to the next address, until
  /// `attempts` are used up. An address that the proof refuses is not an attempt, and is not tried
  /// again meanwhile. Throws follower::AnotherMetastore, whatever else failed, where no address was
  /// accepted and at least one was refused.
  void run(const std::function<void(Connection&)>& work);

 private:
  struct Address {
    std::string uri;
    Endpoint endpoint;
  };
  struct Tries;

  /// Nothing where the proof refuses the address, which is noted in `tries`.
  Connection* connection(Tries& tries);
  /// To the next address that was not refused; false where there is none.
  bool move_on(const Tries& tries);
  /// Before the next try; gives the time to wait before the one after that.
  std::chrono::milliseconds wait(std::chrono::milliseconds backoff);

  const Options options_;
  const std::shared_ptr<Interrupt> interrupt_;
  mutable std::mutex mutex_;
  std::vector<Address> addresses_;  ///< guarded by mutex_; the first is in use
  std::unique_ptr<Connection> connection_;
  uint64_t proof_number_ = 0;  ///< before the connection's proof
  std::mt19937 jitter_;
};

}  // namespace hmsync::hmsclient
