#include "daemon/schema_start.h"

#include <algorithm>
#include <condition_variable>

#include "daemon/caught.h"
#include "store/migrations.h"

namespace hmsync::daemon {
namespace {

constexpr std::chrono::milliseconds kFirstBackoff{200};
constexpr std::chrono::milliseconds kLongestBackoff{5000};

}  // namespace

SchemaStart::SchemaStart(store::ConnectionOptions options, bool migrate,
                         store::ConnectionObserver* observer, Ports ports)
    : options_(std::move(options)),
      migrate_(migrate),
      observer_(observer),
      ports_(std::move(ports)),
      thread_([this](const std::stop_token& stopped) { run(stopped); }) {}

SchemaStart::~SchemaStart() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    if (connection_) connection_->interrupt();
  }
  thread_.join();
}

void SchemaStart::try_once(const std::stop_token& stopped) {
  auto connected = std::make_unique<store::Connection>(options_, observer_);
  {
    const std::lock_guard lock(mutex_);
    if (stopped.stop_requested()) return;
    connection_ = std::move(connected);
  }
  if (migrate_) {
    store::migrate(*connection_);
  } else {
    store::check_schema(*connection_);
  }
}

void SchemaStart::run(const std::stop_token& stopped) {
  std::mutex sleeping;
  std::condition_variable_any never;
  std::chrono::milliseconds backoff = kFirstBackoff;
  while (!stopped.stop_requested()) {
    try {
      try_once(stopped);
      const std::lock_guard lock(mutex_);
      connection_.reset();
      break;
    } catch (const std::exception&) {
      const Error error = caught();
      if (stopped.stop_requested()) return;
      if (error.kind() == ErrorKind::fatal) return ports_.refused(error);
      ports_.failed(error);
    }
    std::unique_lock lock(sleeping);
    never.wait_for(lock, stopped, backoff, [] { return false; });
    backoff = std::min(backoff * 2, kLongestBackoff);
  }
  if (!stopped.stop_requested()) ports_.accepted();
}

}  // namespace hmsync::daemon
