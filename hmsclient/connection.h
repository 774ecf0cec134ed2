// One plain connection to one metastore, without policy: no retry, no rotation, no second thoughts.
// Not for use outside this folder.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "hmsclient/endpoint.h"
#include "hmsclient/interrupt.h"
#include "hmsclient/options.h"

namespace hmsync::hmsclient {

class CallTransport;
class ElementBuffer;

using Protocol = apache::thrift::protocol::TBinaryProtocol;

/// Used by one thread; only the Interrupt acts from others. Unframed, strict binary protocol.
class Connection {
 public:
  /// Writes one request and reads its answer.
  using Exchange = std::function<void(const std::shared_ptr<Protocol>&)>;

  /// Connects, and tells the user by set_ugi: it must be the first call, and a second one makes a
  /// real metastore close the connection. Throws Error(transient), `interrupt` raised included.
  Connection(const Endpoint& endpoint, const Options& options,
             std::shared_ptr<Interrupt> interrupt);
  /// The same over a socket that is connected to `endpoint`, which it closes.
  Connection(int descriptor, const Endpoint& endpoint, const Options& options,
             std::shared_ptr<Interrupt> interrupt);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// One call under its deadline, reported to the observer. Every exception leaves as an Error
  /// (thrift_error.h); an UnknownMethod is remembered, and then thrown without asking again.
  void call(const std::string& method, const Exchange& exchange);

  /// Inside an exchange that reads by hand: what comes now counts anew against max_message.
  void begin_element();
  /// Inside an exchange: the rest of the answer will not be read.
  void abandon() { usable_ = false; }

  /// False once the stream may be in the middle of a message: then it is good for nothing.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] int64_t max_message() const { return options_.max_message; }

 private:
  void introduce_user();
  void run(const std::string& method, const Exchange& exchange);

  const Options options_;
  const std::string where_;
  const std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<CallTransport> transport_;
  std::shared_ptr<ElementBuffer> buffer_;
  std::shared_ptr<Protocol> protocol_;
  std::set<std::string> unknown_methods_;
  bool usable_ = true;
};

}  // namespace hmsync::hmsclient
