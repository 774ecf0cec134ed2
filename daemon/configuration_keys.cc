#include "daemon/configuration_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "daemon/configuration_values.h"

namespace hmsync::daemon {
namespace {

constexpr int64_t kSecond = 1000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kKiB = int64_t{1} << 10;
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

std::vector<Key> metastore_keys() {
  using enum KeyType;
  return {
      {.name = "metastore.uris",
       .type = list,
       .description = "metastores of one warehouse, tried in turn",
       .field = [](Configuration& c) -> Field { return &c.metastore.uris; }},
      {.name = "metastore.poll_interval",
       .type = duration,
       .description = "pause between two looks at the notification log",
       .field = [](Configuration& c) -> Field { return &c.metastore.poll_interval; },
       .least = 10,
       .most = kMinute,
       .live = true},
      {.name = "metastore.batch_events",
       .type = integer,
       .description = "most events asked for in one call",
       .field = [](Configuration& c) -> Field { return &c.metastore.batch_events; },
       .least = 1,
       .most = 1'000'000},
      {.name = "metastore.batch_bytes",
       .type = bytes,
       .description = "most message bytes held at once",
       .field = [](Configuration& c) -> Field { return &c.metastore.batch_bytes; },
       .least = 64 * kKiB,
       .most = 4 * kGiB},
      {.name = "metastore.settle",
       .type = duration,
       .description = "events first seen less long ago are read again",
       .field = [](Configuration& c) -> Field { return &c.metastore.settle; },
       .least = 100,
       .most = kHour},
      {.name = "metastore.overlap_events",
       .type = integer,
       .description = "most events that are read again",
       .field = [](Configuration& c) -> Field { return &c.metastore.overlap_events; },
       .least = 1,
       .most = 100'000},
      {.name = "metastore.sweep_interval",
       .type = duration,
       .description = "how often all databases are read again",
       .field = [](Configuration& c) -> Field { return &c.metastore.sweep_interval; },
       .least = kSecond,
       .most = kDay,
       .zero_allowed = true},
      {.name = "metastore.sweep_tables_per_second",
       .type = number,
       .description = "rate of the continuous check of tables",
       .field = [](Configuration& c) -> Field { return &c.metastore.sweep_tables_per_second; },
       .least = 0,
       .most = 10'000},
      {.name = "metastore.gap_grace",
       .type = duration,
       .description = "how long a hole may stay open before history counts as lost",
       .field = [](Configuration& c) -> Field { return &c.metastore.gap_grace; },
       .least = 100,
       .most = kHour},
      {.name = "metastore.snapshot_connections",
       .type = integer,
       .description = "connections that read a snapshot",
       .field = [](Configuration& c) -> Field { return &c.metastore.snapshot_connections; },
       .least = 1,
       .most = 64},
      {.name = "metastore.max_removed",
       .type = percent,
       .description = "more tables than that gone: nothing is removed without --force",
       .field = [](Configuration& c) -> Field { return &c.metastore.max_removed; },
       .least = 0,
       .most = 100},
      {.name = "metastore.verify_interval",
       .type = duration,
       .description = "how often a dry run is made by itself",
       .field = [](Configuration& c) -> Field { return &c.metastore.verify_interval; },
       .least = kSecond,
       .most = 366 * kDay,
       .zero_allowed = true},
      {.name = "metastore.user",
       .type = text,
       .description = "name told to the metastore; empty: the process's user",
       .field = [](Configuration& c) -> Field { return &c.metastore.user; }},
      {.name = "metastore.connect_timeout",
       .type = duration,
       .description = "longest wait for a connection",
       .field = [](Configuration& c) -> Field { return &c.metastore.connect_timeout; },
       .least = 10,
       .most = kHour},
      {.name = "metastore.call_timeout",
       .type = duration,
       .description = "longest wait for the answer to one call",
       .field = [](Configuration& c) -> Field { return &c.metastore.call_timeout; },
       .least = 10,
       .most = kDay},
      {.name = "metastore.max_message",
       .type = bytes,
       .description = "largest event, table or partition that is read",
       .field = [](Configuration& c) -> Field { return &c.metastore.max_message; },
       .least = 4 * kKiB,
       .most = 2 * kGiB - kMiB},
  };
}

std::vector<Key> store_keys() {
  using enum KeyType;
  return {
      {.name = "store.dsn",
       .type = text,
       .description = "PostgreSQL, as a libpq URI or keyword string",
       .field = [](Configuration& c) -> Field { return &c.store.dsn; },
       .secret = true},
      {.name = "store.schema",
       .type = text,
       .description = "schema that holds everything",
       .field = [](Configuration& c) -> Field { return &c.store.schema; }},
      {.name = "store.password_file",
       .type = text,
       .description = "file with the database password, read again when it changes",
       .field = [](Configuration& c) -> Field { return &c.store.password_file; }},
      {.name = "store.migrate",
       .type = text,
       .description = "whether the daemon brings the schema up to date by itself",
       .field = [](Configuration& c) -> Field { return &c.store.migrate; },
       .choices = {"auto", "never"}},
      {.name = "store.audit_retention",
       .type = duration,
       .description = "how long audit rows are kept",
       .field = [](Configuration& c) -> Field { return &c.store.audit_retention; },
       .least = kMinute,
       .most = 36'500 * kDay},
      {.name = "store.change_log_retention",
       .type = duration,
       .description = "how long rows of the change logs are kept",
       .field = [](Configuration& c) -> Field { return &c.store.change_log_retention; },
       .least = kMinute,
       .most = 36'500 * kDay},
  };
}

std::vector<Key> daemon_keys() {
  using enum KeyType;
  return {
      {.name = "leader.lease",
       .type = duration,
       .description = "how long a silent leader keeps its place",
       .field = [](Configuration& c) -> Field { return &c.leader.lease; },
       .least = kSecond,
       .most = 10 * kMinute},
      {.name = "admin.listen",
       .type = text,
       .description = "address of the admin endpoint",
       .field = [](Configuration& c) -> Field { return &c.admin.listen; }},
      {.name = "admin.tokens_file",
       .type = text,
       .description = "lines NAME ROLES sha256:HEX",
       .field = [](Configuration& c) -> Field { return &c.admin.tokens_file; }},
      {.name = "admin.tls_cert_file",
       .type = text,
       .description = "certificate of the admin endpoint",
       .field = [](Configuration& c) -> Field { return &c.admin.tls_cert_file; }},
      {.name = "admin.tls_key_file",
       .type = text,
       .description = "key of that certificate",
       .field = [](Configuration& c) -> Field { return &c.admin.tls_key_file; }},
      {.name = "admin.max_waiters",
       .type = integer,
       .description = "most requests that wait for an event at once",
       .field = [](Configuration& c) -> Field { return &c.admin.max_waiters; },
       .least = 1,
       .most = 1'000'000},
      {.name = "admin.probe_listen",
       .type = text,
       .description = "address of a plain listener for probes and metrics only",
       .field = [](Configuration& c) -> Field { return &c.admin.probe_listen; }},
      {.name = "log.level",
       .type = text,
       .description = "least severe messages that are written",
       .field = [](Configuration& c) -> Field { return &c.log.level; },
       .choices = {"debug", "info", "warn", "error"},
       .live = true},
      {.name = "log.format",
       .type = text,
       .description = "lines for people or for machines",
       .field = [](Configuration& c) -> Field { return &c.log.format; },
       .choices = {"text", "json"}},
  };
}

std::vector<Key> all_keys() {
  std::vector<Key> keys = {{.name = "server",
                            .type = KeyType::text,
                            .description = "name that this metastore's objects carry in the store",
                            .field = [](Configuration& c) -> Field { return &c.server; }}};
  for (auto part : {metastore_keys(), store_keys(), daemon_keys()}) {
    keys.insert(keys.end(), part.begin(), part.end());
  }
  return keys;
}

std::string_view section_of(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 200);  // a hostile name must not cost more than a long one
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// What the type allows, for the end of a problem's sentence.
std::string allowed(const Key& key) {
  const auto range = [&key](auto form) {
    return fmt::format("from {} to {}{}", form(key.least), form(key.most),
                       key.zero_allowed ? ", or 0 for off" : "");
  };
  const auto plain = [](int64_t n) { return std::to_string(n); };
  switch (key.type) {
    case KeyType::text:
      if (key.choices.empty()) return "a text is allowed";
      return fmt::format("allowed are {}", fmt::join(key.choices, ", "));
    case KeyType::list:
      return "a list of texts is allowed";
    case KeyType::integer:
      return fmt::format("a whole number {} is allowed", range(plain));
    case KeyType::number:
      return fmt::format("a number {} is allowed", range(plain));
    case KeyType::duration:
      return fmt::format(
          "a duration {} is allowed, with the unit ms, s, m, h or d",
          range([](int64_t n) { return format_duration(std::chrono::milliseconds(n)); }));
    case KeyType::bytes:
      return fmt::format("bytes {} are allowed, plain or with the unit KiB, MiB or GiB",
                         range(format_bytes));
    case KeyType::percent:
      return fmt::format("a percentage {} is allowed",
                         range([](int64_t n) { return std::to_string(n) + "%"; }));
  }
  return {};
}

bool within(const Key& key, double value) {
  if (value == 0 && key.zero_allowed) return true;
  return value >= static_cast<double>(key.least) && value <= static_cast<double>(key.most);
}

/// Stores a parsed value if it is one and within bounds. `scaled` is it in the unit of the bounds.
template <typename Value>
bool store(const Key& key, Field field, const std::optional<Value>& value, double scaled) {
  if (!value || !within(key, scaled)) return false;
  *std::get<Value*>(field) = *value;
  return true;
}

bool set_text(const Key& key, Field field, const std::string& text) {
  if (!key.choices.empty() &&
      std::find(key.choices.begin(), key.choices.end(), text) == key.choices.end()) {
    return false;
  }
  *std::get<std::string*>(field) = text;
  return true;
}

bool set_scalar(const Key& key, Field field, const std::string& text) {
  switch (key.type) {
    case KeyType::text:
      return set_text(key, field, text);
    case KeyType::list:
      return false;
    case KeyType::integer: {
      const auto number = parse_integer(text);
      return store(key, field, number, static_cast<double>(number.value_or(0)));
    }
    case KeyType::number: {
      const auto number = parse_number(text);
      return store(key, field, number, number.value_or(0));
    }
    case KeyType::duration: {
      const auto time = parse_duration(text);
      return store(key, field, time, time ? static_cast<double>(time->count()) : 0);
    }
    case KeyType::bytes: {
      const auto size = parse_bytes(text);
      return store(key, field, size, static_cast<double>(size.value_or(0)));
    }
    case KeyType::percent: {
      const auto fraction = parse_percent(text);
      return store(key, field, fraction, fraction.value_or(0) * 100);
    }
  }
  return false;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> elements;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    std::string element = text.substr(begin, comma - begin);
    element.erase(0, element.find_first_not_of(" \t"));
    element.erase(element.find_last_not_of(" \t") + 1);
    if (!element.empty()) elements.push_back(element);
    begin = comma + 1;
  }
  return elements;
}

/// Whether a value of this kind may stand for the key in TOML: numbers bare, all else quoted.
bool right_kind(const Key& key, const RawValue& value) {
  if (!value.typed) return true;
  switch (key.type) {
    case KeyType::list:
      return value.kind == RawValue::Kind::list;
    case KeyType::integer:
    case KeyType::number:
      return value.kind == RawValue::Kind::number;
    case KeyType::bytes:
      return value.kind == RawValue::Kind::text || value.kind == RawValue::Kind::number;
    case KeyType::duration:
      return value.kind == RawValue::Kind::text || value.text == "0";
    case KeyType::text:
    case KeyType::percent:
      return value.kind == RawValue::Kind::text;
  }
  return false;
}

}  // namespace

std::span<const Key> configuration_keys() {
  static const std::vector<Key> keys = all_keys();
  return keys;
}

std::string environment_name(const Key& key) {
  std::string name = "HMSYNC_";
  for (const char c : key.name) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

const Key* find_key(std::string_view name) {
  const auto keys = configuration_keys();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [name](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const Key& nearest_key(std::string_view name) {
  // The right key in the wrong section is a likelier slip than the same number of wrong letters.
  const auto distance = [name](const Key& key) {
    return std::min(edit_distance(name, key.name),
                    edit_distance(last_part(name), last_part(key.name)) +
                        (section_of(name) == section_of(key.name) ? 0 : 1));
  };
  const auto keys = configuration_keys();
  return *std::min_element(keys.begin(), keys.end(),
                           [&](const Key& a, const Key& b) { return distance(a) < distance(b); });
}

std::string nearest_section(std::string_view name) {
  std::string_view best;
  for (const Key& key : configuration_keys()) {
    const std::string_view section = section_of(key.name);
    if (section.empty()) continue;
    if (best.empty() || edit_distance(name, section) < edit_distance(name, best)) best = section;
  }
  return std::string(best);
}

std::optional<std::string> set_value(const Key& key, const RawValue& value,
                                     Configuration& configuration) {
  const Field field = key.field(configuration);
  if (right_kind(key, value)) {
    if (key.type == KeyType::list) {
      *std::get<std::vector<std::string>*>(field) =
          value.typed ? value.elements : split_list(value.text);
      return std::nullopt;
    }
    if (set_scalar(key, field, value.text)) return std::nullopt;
  }
  const bool as_written = value.typed && value.kind != RawValue::Kind::text;
  const std::string shown = key.secret ? "not a text" : as_written ? value.text : quote(value.text);
  return fmt::format("{} is {}; {}", key.name, shown, allowed(key));
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string format_value(const Key& key, const Configuration& configuration) {
  Configuration copy = configuration;  // fields are found in something that may be changed
  const Field field = key.field(copy);
  switch (key.type) {
    case KeyType::text:
      return quote(*std::get<std::string*>(field));
    case KeyType::list: {
      std::vector<std::string> quoted;
      for (const std::string& element : *std::get<std::vector<std::string>*>(field)) {
        quoted.push_back(quote(element));
      }
      return fmt::format("[{}]", fmt::join(quoted, ", "));
    }
    case KeyType::integer:
      return fmt::format("{}", *std::get<int64_t*>(field));
    case KeyType::number:
      return fmt::format("{}", *std::get<double*>(field));
    case KeyType::duration:
      return quote(format_duration(*std::get<std::chrono::milliseconds*>(field)));
    case KeyType::bytes:
      return quote(format_bytes(*std::get<int64_t*>(field)));
    case KeyType::percent:
      return quote(format_percent(*std::get<double*>(field)));
  }
  return {};
}

}  // namespace hmsync::daemon
