#include "daemon/configuration.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "daemon/configuration_checks.h"
#include "daemon/configuration_keys.h"
#include "daemon/configuration_values.h"
#include "store/dsn.h"

namespace hmsync::daemon {
namespace {

constexpr size_t kLargestFile = size_t{1} << 20;

std::string join_quoted(const std::vector<std::string>& elements) {
  std::string text = "[";
  for (const std::string& element : elements) {
    if (text.size() > 1) text += ", ";
    text += quote(element);
  }
  return text + "]";
}

/// A node of the file as the key table takes it.
RawValue raw_value(const toml::node& node) {
  RawValue raw;
  if (const auto* text = node.as_string()) {
    raw.text = text->get();
    return raw;
  }
  if (const auto* list = node.as_array()) {
    raw.kind = RawValue::Kind::list;
    for (const toml::node& element : *list) {
      if (const auto* text = element.as_string()) {
        raw.elements.push_back(text->get());
      } else {
        raw.kind = RawValue::Kind::other;
      }
    }
    raw.text = raw.kind == RawValue::Kind::list ? join_quoted(raw.elements)
                                                : "a list with something else than texts";
    return raw;
  }
  raw.kind = RawValue::Kind::other;
  if (const auto* integer = node.as_integer()) {
    raw.kind = RawValue::Kind::number;
    raw.text = std::to_string(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    raw.kind = RawValue::Kind::number;
    raw.text = fmt::format("{}", number->get());
  } else if (const auto* flag = node.as_boolean()) {
    raw.text = flag->get() ? "true" : "false";
  } else {
    raw.text = node.is_table() ? "a section" : "a date or time";
  }
  return raw;
}

class Loader {
 public:
  LoadedConfiguration load(const ConfigurationSources& sources) {
    if (sources.file) load_file(*sources.file);
    for (const auto& [name, value] : sources.environment) load_variable(name, value);
    for (const std::string& assignment : sources.assignments) load_assignment(assignment);
    for (const Violation& violation : check_values(result_.configuration)) report(violation);
    return std::move(result_);
  }

 private:
  void problem(const std::string& place, const std::string& text) {
    result_.problems.push_back(fmt::format("{}: {}", place, text));
  }

  void set(const Key& key, const RawValue& value, const std::string& place) {
    origins_[key.name] = place;
    if (const auto wrong = set_value(key, value, result_.configuration)) {
      problem(place, *wrong);
      wrong_.insert(key.name);
    } else {
      wrong_.erase(key.name);  // a stronger source has mended it, though the problem stays told
    }
  }

  /// A relation with a value that was itself refused would only confuse.
  void report(const Violation& violation) {
    std::string place = "default";
    const auto known = [&](std::string_view key) { return origins_.contains(key); };
    std::vector<std::string_view> keys = violation.others;
    keys.insert(keys.begin(), violation.key);
    for (const std::string_view key : keys) {
      if (wrong_.contains(key)) return;
    }
    const auto blamed = std::find_if(keys.begin(), keys.end(), known);
    if (blamed != keys.end()) place = origins_.at(*blamed);
    problem(place, violation.text);
  }

  void load_file(const std::filesystem::path& path);
  void load_text(const std::string& file, const std::string& text);
  bool plain_characters(const std::string& file, const std::string& text);
  void load_section(const std::string& file, const std::string& section, const toml::table& table);
  void load_variable(const std::string& name, const std::string& value);
  void load_assignment(const std::string& assignment);

  LoadedConfiguration result_;
  std::map<std::string_view, std::string> origins_;  ///< of keys that were given
  std::set<std::string_view> wrong_;                 ///< keys whose value was refused
};

void Loader::load_file(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    problem(file, "is a folder; a TOML file is needed");
    return;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  if (stream) {
    text.resize(kLargestFile + 1);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(stream.gcount()));
  }
  if (!stream && !stream.eof()) {
    problem(file, fmt::format("cannot be read: {}", std::strerror(errno == 0 ? EIO : errno)));
  } else if (text.size() > kLargestFile) {
    problem(file, "is larger than 1 MiB; a TOML file of hmsyncd's keys is needed");
  } else if (plain_characters(file, text)) {
    load_text(file, text);
  }
}

/// TOML allows no control characters but tab and line ends, and toml++ 3.3.0 can abort the process
/// over one inside a section's name instead of refusing it.
bool Loader::plain_characters(const std::string& file, const std::string& text) {
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) {
      problem(fmt::format("{}:{}", file, line),
              fmt::format("has the control character 0x{:02x}; only tabs and line ends are allowed",
                          static_cast<unsigned>(byte)));
      return false;
    }
  }
  return true;
}

void Loader::load_text(const std::string& file, const std::string& text) {
  try {
    load_section(file, "", toml::parse(std::string_view(text), std::string_view(file)));
  } catch (const toml::parse_error& error) {
    problem(fmt::format("{}:{}", file, error.source().begin.line),
            fmt::format("is not TOML: {}", error.description()));
  }
}

void Loader::load_section(const std::string& file, const std::string& section,
                          const toml::table& table) {
  for (const auto& [name, node] : table) {
    const std::string full =
        section.empty() ? std::string(name.str()) : fmt::format("{}.{}", section, name.str());
    const std::string place = fmt::format("{}:{}", file, name.source().begin.line);
    if (const Key* key = find_key(full)) {
      set(*key, raw_value(node), place);
    } else if (node.is_table() && section.empty()) {
      const std::string nearest = nearest_section(full);
      if (nearest == full) {
        load_section(file, full, *node.as_table());
      } else {
        problem(place, fmt::format("[{}] is not a section of hmsyncd; the nearest known one is "
                                   "[{}]",
                                   full, nearest));
      }
    } else {
      problem(place, fmt::format("{} is not a key of hmsyncd; the nearest known one is {}", full,
                                 nearest_key(full).name));
    }
  }
}

/// Kubernetes gives every container such variables for each service beside it, so that a service
/// called hmsync makes names that begin like ours.
bool is_service_link(const std::string& name) {
  static const std::regex pattern(
      "HMSYNC_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.*)?)?)");
  return std::regex_match(name, pattern);
}

void Loader::load_variable(const std::string& name, const std::string& value) {
  // The first is hmsyncctl's, the others are those of the scripts that build and test.
  constexpr std::string_view kOthers[] = {"HMSYNC_ADMIN", "HMSYNC_BUILD", "HMSYNC_CACHE",
                                          "HMSYNC_PACKAGES"};
  if (!name.starts_with("HMSYNC_") || std::ranges::find(kOthers, name) != std::end(kOthers)) return;
  for (const Key& key : configuration_keys()) {
    if (environment_name(key) != name) continue;
    set(key, {.typed = false, .text = value, .elements = {}}, name);
    return;
  }
  if (is_service_link(name)) return;
  std::string as_key = name.substr(std::strlen("HMSYNC_"));
  std::transform(as_key.begin(), as_key.end(), as_key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (const size_t first = as_key.find('_'); first != std::string::npos) as_key[first] = '.';
  problem(name, fmt::format("is not a variable of hmsyncd; the nearest known one is {}",
                            environment_name(nearest_key(as_key))));
}

void Loader::load_assignment(const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    problem("--set",
            fmt::format("{} has no \"=\"; section.key=value is allowed", quote(assignment)));
    return;
  }
  const std::string name = assignment.substr(0, equals);
  if (const Key* key = find_key(name)) {
    set(*key, {.typed = false, .text = assignment.substr(equals + 1), .elements = {}}, "--set");
  } else {
    problem("--set", fmt::format("{} is not a key of hmsyncd; the nearest known one is {}", name,
                                 nearest_key(name).name));
  }
}

std::optional<uint16_t> parse_port(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > 65535 || text.front() == '-') return std::nullopt;
  return static_cast<uint16_t>(*number);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

LoadedConfiguration load_configuration(const ConfigurationSources& sources) {
  return Loader().load(sources);
}

std::string print_configuration(const Configuration& configuration) {
  Configuration shown = configuration;
  shown.store.dsn = store::hide_password(configuration.store.dsn);
  std::string text;
  std::string_view section;
  for (const Key& key : configuration_keys()) {
    const size_t dot = key.name.find('.');
    const bool sectioned = dot != std::string_view::npos;
    if (sectioned && key.name.substr(0, dot) != section) {
      section = key.name.substr(0, dot);
      text += fmt::format("\n[{}]\n", section);
    }
    text += fmt::format("{} = {}\n", sectioned ? key.name.substr(dot + 1) : key.name,
                        format_value(key, shown));
  }
  return text;
}

ConfigurationChanges compare(const Configuration& running, const Configuration& loaded) {
  ConfigurationChanges changes;
  for (const Key& key : configuration_keys()) {
    if (format_value(key, running) == format_value(key, loaded)) continue;
    (key.live ? changes.live : changes.needs_restart).emplace_back(key.name);
  }
  return changes;
}

std::optional<Address> split_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = parse_port(std::string_view(text).substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  in6_addr ignored{};
  const bool well_formed =
      bracketed ? inet_pton(AF_INET6, host.c_str(), &ignored) == 1
                : !host.empty() && host.find_first_of(":[]/@? \t\n\r") == std::string::npos;
  if (!port || !well_formed) return std::nullopt;
  return Address{.host = host, .port = *port};
}

std::optional<Address> split_uri(const std::string& text) {
  constexpr std::string_view kScheme = "thrift://";
  if (!text.starts_with(kScheme)) return std::nullopt;
  const auto address = split_address(text.substr(kScheme.size()));
  return address && address->port != 0 ? address : std::nullopt;
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace hmsync::daemon
