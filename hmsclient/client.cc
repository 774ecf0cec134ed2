#include "hmsclient/client.h"

#include <algorithm>
#include <utility>

#include "Metastore.h"
#include "hmsclient/connection.h"
#include "hmsclient/thrift_error.h"

namespace hmsync::hmsclient {

Client::Client(Options options, std::shared_ptr<Interrupt> interrupt)
    : options_(std::move(options)),
      interrupt_(std::move(interrupt)),
      jitter_(std::random_device()()) {
  if (options_.uris.empty()) {
    throw Error(ErrorKind::fatal, "metastore.uris is empty: name at least one thrift://HOST:PORT");
  }
  for (const std::string& uri : options_.uris) {
    addresses_.push_back({uri, parse_uri(uri)});
  }
}

Client::~Client() = default;

std::string Client::uri() const {
  const std::lock_guard lock(mutex_);
  return addresses_.front().uri;
}

Connection& Client::connection() {
  if (connection_ && !connection_->usable()) {
    connection_.reset();
  }
  if (!connection_) {
    Endpoint endpoint;
    {
      const std::lock_guard lock(mutex_);
      endpoint = addresses_.front().endpoint;
    }
    connection_ = std::make_unique<Connection>(endpoint, options_, interrupt_);
  }
  return *connection_;
}

void Client::put_last() {
  connection_.reset();
  const std::lock_guard lock(mutex_);
  std::rotate(addresses_.begin(), addresses_.begin() + 1, addresses_.end());
}

void Client::run(const std::function<void(Connection&)>& work) {
  auto backoff = options_.first_backoff;
  for (int attempt = 1;; ++attempt) {
    try {
      if (interrupt_->raised()) {
        throw Error(ErrorKind::transient, "the metastore client was told to stop");
      }
      return work(connection());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::transient) {
        throw;
      }
      put_last();
      if (attempt >= options_.attempts || interrupt_->raised()) {
        throw;
      }
    }
    // Between half of the time and the whole, so that many clients do not come back together.
    std::uniform_int_distribution<int64_t> jitter(backoff.count() / 2, backoff.count());
    if (!interrupt_->wait_for(std::chrono::milliseconds(jitter(jitter_)))) {
      backoff = std::min(backoff * 2, options_.longest_backoff);
    }
  }
}

std::string Client::version() {
  std::string version;
  run([&](Connection& connection) {
    connection.call("getVersion", [&](const std::shared_ptr<Protocol>& protocol) {
      idl::MetastoreClient(protocol).getVersion(version);
    });
  });
  return version;
}

std::string Client::config_value(const std::string& name, const std::string& otherwise) {
  std::string value;
  run([&](Connection& connection) {
    try {
      connection.call("get_config_value", [&](const std::shared_ptr<Protocol>& protocol) {
        idl::MetastoreClient(protocol).get_config_value(value, name, otherwise);
      });
    } catch (const Refusal& refusal) {
      if (refusal.kind() == ErrorKind::transient) {
        throw;
      }
      value = otherwise;
    }
  });
  return value;
}

}  // namespace hmsync::hmsclient
