#include "hmsclient/connection.h"

#include <pwd.h>
#include <thrift/TConfiguration.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "Metastore.h"
#include "hmsclient/call_transport.h"
#include "hmsclient/connect_socket.h"
#include "hmsclient/thrift_error.h"

namespace hmsync::hmsclient {

using apache::thrift::TConfiguration;
using apache::thrift::transport::TBufferedTransport;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TTransport;

/// Thrift counts a part of what is read against its own limit, and forgets it only at a flush.
class ElementBuffer : public TBufferedTransport {
 public:
  using TBufferedTransport::TBufferedTransport;
  void begin_element() { resetConsumedMessageSize(); }
};

namespace {

constexpr uint32_t kBufferBytes = 64 << 10;
/// Of the lists and maps inside one element. Thrift makes room for as many entries as a list says
/// it has before it has read one.
constexpr int32_t kMostEntries = 1 << 20;

std::string process_user() {
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_name;
  }
  return std::to_string(geteuid());
}

std::string describe(const Endpoint& endpoint) {
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  return "metastore " + (brackets ? "[" + endpoint.host + "]" : endpoint.host) + ":" +
         std::to_string(endpoint.port);
}

int connected(const Endpoint& endpoint, const Options& options, const Interrupt& interrupt) {
  try {
    return connect_socket(endpoint, options.connect_timeout, interrupt);
  } catch (const Error& error) {
    throw Error(error.kind(), describe(endpoint) + ": " + error.what());
  }
}

bool is_answer(const Error& error) {
  return dynamic_cast<const UnknownMethod*>(&error) != nullptr ||
         dynamic_cast<const NoSuchObject*>(&error) != nullptr;
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, const Options& options,
                       std::shared_ptr<Interrupt> interrupt)
    : Connection(connected(endpoint, options, *interrupt), endpoint, options, interrupt) {}

Connection::Connection(int descriptor, const Endpoint& endpoint, const Options& options,
                       std::shared_ptr<Interrupt> interrupt)
    : options_(options), where_(describe(endpoint)), interrupt_(std::move(interrupt)) {
  // The limits are kept by CallTransport and by the protocol; Thrift's own must not be in the way.
  const auto unlimited = std::make_shared<TConfiguration>(std::numeric_limits<int>::max());
  transport_ = std::make_shared<CallTransport>(
      std::make_shared<TSocket>(descriptor, interrupt_->descriptor(), unlimited),
      options_.max_message);
  std::shared_ptr<TTransport> lower = transport_;
  if (options_.transport) {
    lower = options_.transport(lower);
  }
  buffer_ = std::make_shared<ElementBuffer>(lower, kBufferBytes, unlimited);
  const auto longest = static_cast<int32_t>(
      std::min<int64_t>(options_.max_message, std::numeric_limits<int32_t>::max()));
  protocol_ = std::make_shared<Protocol>(buffer_, longest, kMostEntries, true, true);
  introduce_user();
}

Connection::~Connection() {
  // Not through the buffer, which would first send what an interrupted request left in it.
  transport_->close();
}

void Connection::introduce_user() {
  const std::string user = options_.user.empty() ? process_user() : options_.user;
  call("set_ugi", [&](const std::shared_ptr<Protocol>& protocol) {
    std::vector<std::string> groups;
    idl::MetastoreClient(protocol).set_ugi(groups, user, {});
  });
}

void Connection::begin_element() {
  transport_->reset_size();
  buffer_->begin_element();
}

void Connection::call(const std::string& method, const Exchange& exchange) {
  if (unknown_methods_.contains(method)) {
    throw UnknownMethod(where_ + ": " + method + ": not a method of this metastore");
  }
  const auto started = std::chrono::steady_clock::now();
  transport_->set_deadline(started + options_.call_timeout);
  begin_element();
  const auto report = [&](const char* outcome) {
    if (options_.on_call) {
      options_.on_call(method, outcome, std::chrono::steady_clock::now() - started);
    }
  };
  try {
    run(method, exchange);
  } catch (const Error& error) {
    report(is_answer(error) ? "ok" : "error");
    throw;
  }
  report("ok");
}

void Connection::run(const std::string& method, const Exchange& exchange) {
  if (!usable_) {
    throw Error(ErrorKind::transient, where_ + ": the connection is not usable any more");
  }
  try {
    try {
      exchange(protocol_);
    } catch (...) {
      rethrow_as_error(where_ + ": " + method + ": ");
    }
  } catch (const UnknownMethod&) {
    unknown_methods_.insert(method);
    throw;
  } catch (const Refusal&) {
    throw;
  } catch (...) {
    usable_ = false;
    throw;
  }
}

}  // namespace hmsync::hmsclient
