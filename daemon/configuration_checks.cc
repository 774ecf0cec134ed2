#include "daemon/configuration_checks.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "daemon/configuration_keys.h"
#include "daemon/configuration_values.h"
#include "store/dsn.h"

namespace hmsync::daemon {
namespace {

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

class Checks {
 public:
  explicit Checks(const Configuration& configuration) : c_(configuration) {}

  std::vector<Violation> run() {
    check_names();
    check_uris();
    check_store();
    check_times();
    check_addresses();
    return std::move(violations_);
  }

 private:
  void add(std::string_view key, std::string text, std::vector<std::string_view> others = {}) {
    violations_.push_back({key, std::move(others), fmt::format("{} {}", key, text)});
  }

  void check_names() {
    if (c_.server.empty() || c_.server.size() > 200 || has_control_character(c_.server)) {
      add("server",
          fmt::format("is {}; a name of 1 to 200 bytes without control characters is allowed",
                      quote(c_.server)));
    }
    if (has_control_character(c_.metastore.user)) {
      add("metastore.user", "has control characters; a user's name is allowed");
    }
  }

  void check_uris() {
    if (c_.metastore.uris.empty()) {
      add("metastore.uris", "is empty; at least one thrift://HOST:PORT is needed");
    }
    for (const std::string& uri : c_.metastore.uris) {
      if (split_uri(uri)) continue;
      add("metastore.uris",
          fmt::format("holds {}; thrift://HOST:PORT is allowed, with a port from 1 to 65535",
                      quote(uri)));
    }
  }

  void check_store() {
    if (!store::dsn_is_understood(c_.store.dsn)) {
      add("store.dsn",
          "is not understood by libpq; a URI postgresql://USER@HOST:PORT/DATABASE or keywords "
          "such as \"host=... dbname=...\" are allowed, with special characters of a URI "
          "percent-encoded");
    }
    const std::string& schema = c_.store.schema;
    if (schema.empty() || schema.size() > 63 || schema.starts_with("pg_") ||
        has_control_character(schema)) {
      add("store.schema", fmt::format("is {}; a name of 1 to 63 bytes that does not begin with "
                                      "pg_ is allowed",
                                      quote(schema)));
    }
  }

  void at_least(std::string_view key, std::chrono::milliseconds value, std::string_view other,
                std::chrono::milliseconds bound, std::string_view why) {
    if (value >= bound) return;
    add(key,
        fmt::format("is {}, less than {} ({}): {}", format_duration(value), other,
                    format_duration(bound), why),
        {other});
  }

  void check_times() {
    const MetastoreSettings& m = c_.metastore;
    at_least("metastore.settle", m.settle, "metastore.poll_interval", m.poll_interval,
             "no event would ever be read again; raise it");
    at_least("metastore.gap_grace", m.gap_grace, "metastore.poll_interval", m.poll_interval,
             "a hole would never be looked at again; raise it");
    at_least("metastore.call_timeout", m.call_timeout, "metastore.connect_timeout",
             m.connect_timeout, "a call includes its connecting; raise it");
  }

  void check_address(std::string_view key, const std::string& text) {
    if (split_address(text)) return;
    add(key, fmt::format("is {}; HOST:PORT or [IPV6]:PORT is allowed", quote(text)));
  }

  void check_addresses() {
    const AdminSettings& a = c_.admin;
    check_address("admin.listen", a.listen);
    if (!a.probe_listen.empty()) check_address("admin.probe_listen", a.probe_listen);
    if (a.tls_cert_file.empty() != a.tls_key_file.empty()) {
      add("admin.tls_cert_file", "and admin.tls_key_file go together: set both or none",
          {"admin.tls_key_file"});
    }
    // A token or key that is set and then not looked at would be a false safety.
    for (const auto& [key, value] : {std::pair{"admin.tokens_file", a.tokens_file},
                                     {"admin.tls_cert_file", a.tls_cert_file},
                                     {"admin.tls_key_file", a.tls_key_file}}) {
      if (!value.empty())
        add(key, "is set, but this version does not support it yet: leave it out");
    }
    const auto listen = split_address(a.listen);
    if (listen && !is_loopback(listen->host)) {
      add("admin.listen",
          fmt::format("is {}, which others can reach: that needs admin.tokens_file, "
                      "admin.tls_cert_file and admin.tls_key_file, which this version does not "
                      "support yet; a loopback address such as 127.0.0.1:9180 is allowed",
                      quote(a.listen)),
          {"admin.tokens_file", "admin.tls_cert_file", "admin.tls_key_file"});
    }
  }

  const Configuration& c_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_values(const Configuration& configuration) {
  return Checks(configuration).run();
}

}  // namespace hmsync::daemon
