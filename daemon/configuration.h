// What hmsyncd is told: every key of its TOML file as plain values, durations and bytes as types,
// defaults at the declaration. Read once at start and again by SIGHUP; then handed on as values, so
// that no component reads a file or the environment by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hmsync::daemon {

struct MetastoreSettings {
  std::vector<std::string> uris{"thrift://127.0.0.1:9083"};  ///< at least one; parsed by split_uri
  std::chrono::milliseconds poll_interval{500};
  int64_t batch_events = 10000;  ///< fits 32 bits
  int64_t batch_bytes = int64_t{32} << 20;
  std::chrono::milliseconds settle{10'000};
  int64_t overlap_events = 100;                      ///< fits 32 bits
  std::chrono::milliseconds sweep_interval{60'000};  ///< zero: off
  double sweep_tables_per_second = 1;                ///< zero: off
  std::chrono::milliseconds gap_grace{5'000};
  int64_t snapshot_connections = 4;
  double max_removed = 0.20;                                          ///< a fraction, 0 to 1
  std::chrono::milliseconds verify_interval{std::chrono::hours(24)};  ///< zero: off
  std::string user;                                                   ///< empty: the process's user
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds call_timeout{120'000};
  int64_t max_message = int64_t{100} << 20;  ///< bytes; fits 32 bits
};

struct StoreSettings {
  std::string dsn = "postgresql:///hmsync";
  std::string schema = "hmsync";
  std::string password_file;     ///< empty: none
  std::string migrate = "auto";  ///< auto or never
  std::chrono::milliseconds audit_retention{std::chrono::hours(24 * 400)};
  std::chrono::milliseconds change_log_retention{std::chrono::hours(24 * 7)};
};

struct LeaderSettings {
  std::chrono::milliseconds lease{10'000};  ///< renewed at a third of it
};

struct AdminSettings {
  std::string listen = "127.0.0.1:9180";  ///< parsed by split_address
  std::string tokens_file;
  std::string tls_cert_file;
  std::string tls_key_file;
  int64_t max_waiters = 10000;
  std::string probe_listen;  ///< empty: none
};

struct LogSettings {
  std::string level = "info";   ///< debug, info, warn or error
  std::string format = "text";  ///< text or json
};

struct Configuration {
  std::string server = "server1";
  MetastoreSettings metastore;
  StoreSettings store;
  LeaderSettings leader;
  AdminSettings admin;
  LogSettings log;
};

/// Where values come from, weakest first: default, file, environment, assignments.
struct ConfigurationSources {
  std::optional<std::filesystem::path> file;
  /// Name and value; only names that begin with HMSYNC_ are looked at.
  std::vector<std::pair<std::string, std::string>> environment;
  /// `section.key=value` of --set; of two for one key the later counts.
  std::vector<std::string> assignments;
};

/// A copy of this process's environment, for ConfigurationSources.
std::vector<std::pair<std::string, std::string>> process_environment();

/// The configuration may be used only when there is no problem. A problem is one sentence with the
/// place (FILE:LINE, variable or --set), the key, what is wrong and what is allowed.
struct LoadedConfiguration {
  Configuration configuration;
  std::vector<std::string> problems;
};

/// Finds all problems at once, wrong relations between keys too. Does not throw for bad input.
LoadedConfiguration load_configuration(const ConfigurationSources& sources);

/// As TOML, every key with its effective value; passwords hidden.
std::string print_configuration(const Configuration& configuration);

/// What a reload found: names of the keys that differ.
struct ConfigurationChanges {
  std::vector<std::string> live;           ///< can change while running
  std::vector<std::string> needs_restart;  ///< stay as they were until a restart
};

ConfigurationChanges compare(const Configuration& running, const Configuration& loaded);

struct Address {
  std::string host;  ///< IPv6 without brackets
  uint16_t port = 0;
};

/// HOST:PORT or [IPV6]:PORT; nothing if it is not that.
std::optional<Address> split_address(const std::string& text);
/// thrift://HOST:PORT; nothing if it is not that.
std::optional<Address> split_uri(const std::string& text);
/// 127.0.0.0/8, ::1 or localhost.
bool is_loopback(const std::string& host);

}  // namespace hmsync::daemon
