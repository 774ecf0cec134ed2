// How a metastore is reached.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apache::thrift::transport {
class TTransport;
}

namespace hmsync::follower {
class NotificationLog;
class ObjectReader;
}  // namespace hmsync::follower

namespace hmsync::hmsclient {

/// Puts a transport (SASL, for example) on the connected socket. Called once a connection.
using TransportFactory = std::function<std::shared_ptr<apache::thrift::transport::TTransport>(
    std::shared_ptr<apache::thrift::transport::TTransport> socket)>;

/// Told of every call: its method, "ok" or "error", and how long it took. Called by the thread that
/// calls, of which a snapshot has several; must not throw.
using CallObserver = std::function<void(const std::string& method, const std::string& outcome,
                                        std::chrono::steady_clock::duration took)>;

/// Asks a metastore, over a connection that was just made, whether it is the one that is wanted:
/// empty, or what speaks against it. Its readers are good for this call alone; they do not try
/// again, and what they throw counts as a failure of the connection. Called by the thread that
/// connects, of which a snapshot has several.
using Proof = std::function<std::string(follower::NotificationLog&, follower::ObjectReader&)>;

/// Told of each proof: of which address, and what spoke against it, or nothing. As CallObserver.
using ProofObserver = std::function<void(const std::string& uri, const std::string& against)>;

struct Options {
  std::vector<std::string> uris;  ///< thrift://HOST:PORT, tried in turn
  std::string user;               ///< told by set_ugi; empty: the process's user
  std::chrono::milliseconds connect_timeout{5000};
  /// Of one call, from the request's first byte to the answer's last, however it trickles in.
  std::chrono::milliseconds call_timeout{120000};
  /// Most bytes of one event, table or partition; lists are read element by element.
  int64_t max_message = int64_t{100} << 20;
  int attempts = 3;  ///< how often one piece of work is tried before its error is thrown
  std::chrono::milliseconds first_backoff{100};
  std::chrono::milliseconds longest_backoff{2000};
  Proof prove;  ///< before a connection is used for anything else; empty: none
  /// Another number than before a connection's proof: it has to prove itself anew; may be empty.
  std::function<uint64_t()> proof_number;
  CallObserver on_call;        ///< may be empty
  ProofObserver on_proof;      ///< may be empty
  TransportFactory transport;  ///< empty: plain
};

}  // namespace hmsync::hmsclient
