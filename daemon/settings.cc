#include "daemon/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "processor/error.h"
#include "store/snapshot_store.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuickCall{10'000};
// Connections of the endpoint beside those of waiters.
constexpr size_t kOtherConnections = 1000;

constexpr std::array<std::string_view, 1> kWithoutEffect = {"admin.probe_listen"};

}  // namespace

hmsclient::Options metastore_options(const Configuration& configuration) {
  const MetastoreSettings& given = configuration.metastore;
  hmsclient::Options options;
  options.uris = given.uris;
  options.user = given.user;
  options.connect_timeout = given.connect_timeout;
  options.call_timeout = given.call_timeout;
  options.max_message = given.max_message;
  // At least once for every address.
  options.attempts = std::max<int>(options.attempts, static_cast<int>(given.uris.size()));
  return options;
}

hmsclient::Options quick_metastore_options(const Configuration& configuration) {
  hmsclient::Options options = metastore_options(configuration);
  options.call_timeout = std::min(options.call_timeout, kQuickCall);
  options.attempts = static_cast<int>(std::max<size_t>(options.uris.size(), 2));
  return options;
}

hmsclient::SnapshotOptions snapshot_options(const Configuration& configuration) {
  hmsclient::SnapshotOptions options;
  options.connections = static_cast<int>(configuration.metastore.snapshot_connections);
  return options;
}

follower::Options loop_options(const Configuration& configuration) {
  const MetastoreSettings& given = configuration.metastore;
  follower::Options options;
  options.poll_interval = given.poll_interval;
  options.batch_events = static_cast<int32_t>(given.batch_events);
  options.batch_bytes = given.batch_bytes;
  options.gap_grace = given.gap_grace;
  options.settle = given.settle;
  options.overlap_events = given.overlap_events;
  options.sweep_interval = given.sweep_interval;
  options.sweep_tables_per_second = given.sweep_tables_per_second;
  options.max_removed = given.max_removed;
  options.verify_interval = given.verify_interval;
  options.jitter_seed = std::random_device()();
  return options;
}

store::ConnectionOptions store_options(const Configuration& configuration,
                                       const std::string& purpose, milliseconds statement_timeout) {
  store::ConnectionOptions options;
  options.dsn = configuration.store.dsn;
  options.schema = configuration.store.schema;
  options.password_file = configuration.store.password_file;
  options.application_name = "hmsyncd " + purpose;
  options.statement_timeout = statement_timeout;
  return options;
}

StepLimits step_limits(const hmsclient::Options& metastore, const store::ConnectionOptions& store) {
  StepLimits limits;
  limits.metastore = metastore.attempts * (metastore.connect_timeout + metastore.call_timeout +
                                           metastore.longest_backoff);
  limits.store = store.connect_timeout + store.statement_timeout;
  limits.publish = store.connect_timeout + store::PostgresSnapshotStore::kSwitchTimeout;
  return limits;
}

std::vector<std::string> keys_without_effect(const Configuration& configuration) {
  const ConfigurationChanges changes = compare({}, configuration);
  std::vector<std::string> keys;
  for (const std::string_view key : kWithoutEffect) {
    if (std::ranges::count(changes.live, key) + std::ranges::count(changes.needs_restart, key) >
        0) {
      keys.emplace_back(key);
    }
  }
  return keys;
}

HttpOptions http_options(const Configuration& configuration) {
  const auto address = split_address(configuration.admin.listen);
  if (!address || !is_loopback(address->host)) {
    throw Error(ErrorKind::fatal,
                fmt::format("admin.listen = \"{}\": this version listens on loopback only; set it "
                            "to 127.0.0.1:PORT",
                            configuration.admin.listen));
  }
  HttpOptions options;
  options.host = address->host;
  options.port = address->port;
  options.connections = static_cast<size_t>(configuration.admin.max_waiters) + kOtherConnections;
  return options;
}

}  // namespace hmsync::daemon
