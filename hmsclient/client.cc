#include "hmsclient/client.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "Metastore.h"
#include "follower/metastore.h"
#include "hmsclient/connection.h"
#include "hmsclient/connection_objects.h"
#include "hmsclient/metastore_calls.h"
#include "hmsclient/notification_reader.h"
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

/// How it goes with the addresses during one run.
struct Client::Tries {
  int failed = 0;
  bool accepted = false;
  std::set<std::string> untried;
  std::map<std::string, std::string> refused;  ///< what speaks against an address

  /// Before history counts as lost, every address has been asked.
  [[nodiscard]] bool all_had_their_chance() const { return refused.empty() || untried.empty(); }
  [[noreturn]] void throw_refused(const std::string& other_failure = "") const {
    std::string text = "not the metastore that is followed, and not used:";
    for (const auto& [uri, reason] : refused) {
      text += " " + uri + " (" + reason + ")";
    }
    throw follower::AnotherMetastore(text +
                                     (other_failure.empty() ? "" : "; and " + other_failure));
  }
};

Connection* Client::connection(Tries& tries) {
  const uint64_t number = options_.proof_number ? options_.proof_number() : 0;
  if (connection_ && connection_->usable() && proof_number_ == number) {
    return connection_.get();
  }
  connection_.reset();
  Address address;
  {
    const std::lock_guard lock(mutex_);
    address = addresses_.front();
  }
  tries.untried.erase(address.uri);
  auto made = std::make_unique<Connection>(address.endpoint, options_, interrupt_);
  if (options_.prove) {
    NotificationReader log(*made);
    ConnectionObjects objects(*made);
    const std::string against = options_.prove(log, objects);
    if (options_.on_proof) options_.on_proof(address.uri, against);
    if (!against.empty()) {
      tries.refused[address.uri] = against;
      return nullptr;
    }
  }
  tries.accepted = true;
  // The proof may have left a long answer unread.
  if (!made->usable()) {
    made = std::make_unique<Connection>(address.endpoint, options_, interrupt_);
  }
  connection_ = std::move(made);
  proof_number_ = number;
  return connection_.get();
}

bool Client::move_on(const Tries& tries) {
  connection_.reset();
  const std::lock_guard lock(mutex_);
  const auto next =
      std::find_if(addresses_.begin() + 1, addresses_.end(),
                   [&](const Address& each) { return !tries.refused.contains(each.uri); });
  if (next == addresses_.end()) {
    return !tries.refused.contains(addresses_.front().uri);
  }
  std::rotate(addresses_.begin(), next, addresses_.end());
  return true;
}

void Client::run(const std::function<void(Connection&)>& work) {
  auto backoff = options_.first_backoff;
  Tries tries;
  for (const Address& address : addresses_) {
    tries.untried.insert(address.uri);
  }
  for (;;) {
    try {
      if (interrupt_->raised()) {
        throw Error(ErrorKind::transient, "the metastore client was told to stop");
      }
      if (Connection* const proved = connection(tries)) {
        return work(*proved);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::transient) {
        throw;
      }
      // One from an earlier run that broke says nothing about what its address leads to now.
      tries.accepted = tries.accepted || (connection_ && connection_->usable());
      move_on(tries);
      if (interrupt_->raised()) {
        throw;
      }
      if (++tries.failed >= options_.attempts && tries.all_had_their_chance()) {
        if (!tries.accepted && !tries.refused.empty()) {
          tries.throw_refused(error.what());
        }
        throw;
      }
      backoff = wait(backoff);
      continue;
    }
    if (!move_on(tries)) {
      tries.throw_refused();
    }
  }
}

std::chrono::milliseconds Client::wait(std::chrono::milliseconds backoff) {
  // Between half of the time and the whole, so that many clients do not come back together.
  std::uniform_int_distribution<int64_t> jitter(backoff.count() / 2, backoff.count());
  if (interrupt_->wait_for(std::chrono::milliseconds(jitter(jitter_)))) {
    return backoff;
  }
  return std::min(backoff * 2, options_.longest_backoff);
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
      value = read_config_value(connection, name, otherwise);
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
