#include "daemon/daemon.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <mutex>
#include <optional>

#include "daemon/instruments.h"
#include "daemon/schema_start.h"
#include "daemon/settings.h"
#include "daemon/signals.h"
#include "daemon/systemd_notify.h"
#include "daemon/wiring.h"
#include "daemon/worker_pool.h"
#include "hmsclient/thrift_output.h"

namespace hmsync::daemon {
namespace {

constexpr std::chrono::milliseconds kMigrationStatement{std::chrono::minutes(10)};
constexpr std::chrono::milliseconds kStatusInterval{5'000};

// Thousands of waiters need as many descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Daemon {
 public:
  Daemon(const Configuration& configuration, const ConfigurationSources& sources,
         const DaemonHooks& hooks)
      : configuration_(configuration),
        sources_(sources),
        instruments_(configuration, hooks.commit_due, hooks.commit_sent),
        wiring_(configuration, instruments_, hooks.entered) {}

  int run();

 private:
  [[nodiscard]] SchemaStart::Ports schema_ports();
  void handle(int signal);
  void reload();
  void ask_for_resync();
  [[nodiscard]] std::optional<std::string> refusal();

  Signals signals_;  // before all threads
  Configuration configuration_;
  const ConfigurationSources sources_;
  Instruments instruments_;
  Wiring wiring_;
  WorkerPool chores_{1, 4};
  bool stopping_ = false;
  std::mutex mutex_;
  std::optional<std::string> refused_;  // guarded by mutex_: why the start is impossible
};

SchemaStart::Ports Daemon::schema_ports() {
  return {[this](const Error& error) {
            instruments_.failed(Reporter::start, ProblemCode::store_unreachable, error);
          },
          [this] {
            instruments_.board.forget(Reporter::start);
            instruments_.log.info("the store's schema is up to date");
            wiring_.follow();
          },
          [this](const Error& error) {
            {
              const std::lock_guard lock(mutex_);
              refused_ = error.what();
            }
            signals_.wake();
          }};
}

std::optional<std::string> Daemon::refusal() {
  const std::lock_guard lock(mutex_);
  return refused_;
}

int Daemon::run() {
  raise_descriptor_limit();
  // Each such line is told again, in our words, by the call that failed.
  hmsclient::route_thrift_output([](const char*) {});
  wiring_.open();
  instruments_.log.info("hmsyncd answers", {{"version", HMSYNC_VERSION},
                                            {"server", configuration_.server},
                                            {"instance", instance_name()},
                                            {"port", int64_t{wiring_.port()}}});
  if (const auto keys = keys_without_effect(configuration_); !keys.empty()) {
    instruments_.log.warn("these settings have no effect in this version",
                          {{"keys", fmt::format("{}", fmt::join(keys, ", "))}});
  }
  tell_ready();
  {
    const SchemaStart start(store_options(configuration_, "schema", kMigrationStatement),
                            configuration_.store.migrate == "auto", &instruments_.store_observer,
                            schema_ports());
    while (!stopping_ && !refusal()) {
      if (const auto signal = signals_.wait(kStatusInterval)) handle(*signal);
      const Status status = instruments_.board.status();
      tell_status(fmt::format("{}, {}, cursor {}", status.leads ? "leader" : "standby",
                              follower::to_string(status.phase), status.cursor.value_or(-1)));
    }
    tell_stopping();
    signals_.let_end();
  }
  wiring_.close();
  chores_.stop();
  const auto why = refusal();
  if (!why) {
    instruments_.log.info("hmsyncd has stopped");
    return 0;
  }
  throw Error(ErrorKind::fatal, *why);
}

void Daemon::handle(int signal) {
  switch (signal) {
    case SIGHUP:
      return reload();
    case SIGUSR1:
      return ask_for_resync();
    default:
      instruments_.log.info("stopping; a second signal ends at once");
      stopping_ = true;
  }
}

void Daemon::reload() {
  const LoadedConfiguration loaded = load_configuration(sources_);
  instruments_.daemon_probe.config_reloaded(loaded.problems.empty());
  for (const std::string& problem : loaded.problems) {
    instruments_.log.error("the configuration was not reloaded", {{"problem", problem}});
  }
  if (!loaded.problems.empty()) return;
  const ConfigurationChanges changes = compare(configuration_, loaded.configuration);
  for (const std::string& key : changes.needs_restart) {
    instruments_.log.warn("this setting changes only with a restart", {{"key", key}});
  }
  configuration_.log.level = loaded.configuration.log.level;
  configuration_.metastore.poll_interval = loaded.configuration.metastore.poll_interval;
  instruments_.log.set_level(log_level(configuration_.log.level));
  wiring_.set_poll_interval(configuration_.metastore.poll_interval);
  for (const std::string& key : changes.live) {
    instruments_.log.info("a setting was changed", {{"key", key}});
  }
  instruments_.log.info("the configuration was reloaded");
}

// The store may be slow: signals must not wait for it.
void Daemon::ask_for_resync() {
  const bool taken = chores_.submit([this] {
    try {
      const int64_t id = wiring_.ask_full_resync("SIGUSR1");
      instruments_.log.info("a full resync was asked for by SIGUSR1", {{"request", id}});
    } catch (const std::exception& error) {
      instruments_.log.warn("the resync could not be asked for", {{"error", error.what()}});
    }
  });
  if (!taken) instruments_.log.warn("too many resyncs were asked for at once");
}

}  // namespace

int run_daemon(const Configuration& configuration, const ConfigurationSources& sources,
               const DaemonHooks& hooks) {
  try {
    return Daemon(configuration, sources, hooks).run();
  } catch (const Error& error) {
    std::cerr << "hmsyncd: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace hmsync::daemon
