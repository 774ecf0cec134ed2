#include "store/connect_parameters.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "store/postgres_error.h"

namespace hmsync::store {

namespace {

using Settings = std::map<std::string, std::string>;
using OptionList = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

void add(Settings& settings, const PQconninfoOption* options) {
  for (; options != nullptr && options->keyword != nullptr; ++options) {
    if (options->val != nullptr) settings.emplace(options->keyword, options->val);
  }
}

/// What the dsn says; throws where it cannot be read.
Settings dsn_settings(const std::string& dsn) {
  char* message = nullptr;
  const OptionList parsed(PQconninfoParse(dsn.c_str(), &message), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owner(message, &PQfreemem);
  Settings settings;
  if (parsed) {
    add(settings, parsed.get());
  } else if (dsn.find('=') != std::string::npos || dsn.find("://") != std::string::npos) {
    throw Error(ErrorKind::fatal,
                "store.dsn is neither a libpq URI nor a keyword string: " +
                    without_quoted(message == nullptr ? "no reason given" : message));
  } else {
    settings.emplace("dbname", dsn);
  }
  return settings;
}

/// What the dsn and the environment say together.
Settings with_environment(const Settings& dsn) {
  Settings settings = dsn;
  // sslmode and the like have built-in defaults here: only those that the environment sets count.
  const OptionList defaults(PQconndefaults(), &PQconninfoFree);
  for (const auto* option = defaults.get(); option != nullptr && option->keyword != nullptr;
       ++option) {
    if (option->envvar != nullptr && std::getenv(option->envvar) != nullptr &&
        option->val != nullptr) {
      settings.emplace(option->keyword, option->val);
    }
  }
  return settings;
}

/// The elements of one of libpq's lists; an absent or empty one has a single empty element.
std::vector<std::string> list_of(const Settings& settings, const std::string& keyword) {
  const auto found = settings.find(keyword);
  const std::string list = found == settings.end() ? std::string{} : found->second;
  std::vector<std::string> elements;
  size_t begin = 0;
  for (size_t end = list.find(','); end != std::string::npos; end = list.find(',', begin)) {
    elements.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  elements.push_back(list.substr(begin));
  return elements;
}

std::vector<std::string> hosts_of(const Settings& settings) {
  return list_of(settings, settings.contains("hostaddr") ? "hostaddr" : "host");
}

/// Nothing can be set to "as if it were not given": a list with such an element stays libpq's.
std::vector<ConnectParameters::Values> single_hosts(const Settings& settings) {
  const size_t count = hosts_of(settings).size();
  std::vector<ConnectParameters::Values> hosts(count);
  for (const char* keyword : {"hostaddr", "host", "port"}) {
    const auto elements = list_of(settings, keyword);
    if (elements == std::vector<std::string>{""}) continue;
    const bool for_all = elements.size() == 1 && std::string_view(keyword) == "port";
    if (!for_all && elements.size() != count) return {{}};
    for (size_t i = 0; i < count; ++i) {
      const std::string& element = elements[for_all ? 0 : i];
      if (element.empty()) return {{}};
      hosts[i].emplace_back(keyword, element);
    }
  }
  return hosts;
}

/// Where a service file names the host, it is not known here: it counts as remote.
bool host_is_elsewhere(const Settings& settings) {
  return settings.contains("service") && !settings.contains("host") &&
         !settings.contains("hostaddr");
}

bool on_this_machine(const std::string& host) {
  return host.empty() || host.starts_with('/') || host.starts_with('@') || host == "localhost" ||
         host.starts_with("127.") || host == "::1";
}

std::string read_password(const std::string& file) {
  std::ifstream in(file);
  std::string password;
  if (!in || !std::getline(in, password)) {
    throw Error(ErrorKind::fatal, "store.password_file " + file +
                                      " cannot be read or is empty: it must hold the password in "
                                      "its first line and be readable by this process");
  }
  if (password.ends_with('\r')) password.pop_back();
  return password;
}

}  // namespace

ConnectParameters connect_parameters(const ConnectionOptions& options) {
  const Settings dsn = dsn_settings(options.dsn);
  const Settings settings = with_environment(dsn);
  const auto hosts = hosts_of(settings);
  ConnectParameters result;
  auto& values = result.values;
  const auto seconds = std::max<int64_t>(
      2, std::chrono::ceil<std::chrono::seconds>(options.connect_timeout).count());
  values = {{"connect_timeout", std::to_string(seconds)},
            {"keepalives_idle", "10"},
            {"keepalives_interval", "5"},
            {"keepalives_count", "3"},
            {"tcp_user_timeout", "30000"},
            {"fallback_application_name", options.application_name}};
  const bool remote =
      host_is_elsewhere(settings) || !std::all_of(hosts.begin(), hosts.end(), on_this_machine);
  if (remote && !settings.contains("sslmode")) values.emplace_back("sslmode", "verify-full");
  if (hosts.size() > 1 && !settings.contains("target_session_attrs")) {
    values.emplace_back("target_session_attrs", "read-write");
  }
  result.hosts =
      hosts.size() > 1 ? single_hosts(settings) : std::vector<ConnectParameters::Values>(1);
  values.emplace_back("dbname", options.dsn);
  values.emplace_back("client_encoding", "UTF8");
  if (!options.password_file.empty()) {
    result.password = read_password(options.password_file);
    values.emplace_back("password", result.password);
  } else if (const auto password = settings.find("password"); password != settings.end()) {
    result.password = password->second;
  }
  return result;
}

}  // namespace hmsync::store
