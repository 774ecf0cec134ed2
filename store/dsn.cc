#include "store/dsn.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <string_view>

namespace hmsync::store {

namespace {

using ParsedDsn = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

/// Nothing if libpq does not understand it. Its own words are not shown: they repeat parts of the
/// string, and those may be parts of the password.
std::optional<ParsedDsn> parse_dsn(const std::string& dsn) {
  char* error = nullptr;
  ParsedDsn options(PQconninfoParse(dsn.c_str(), &error), &PQconninfoFree);
  if (error != nullptr) PQfreemem(error);
  if (!options) return std::nullopt;
  return options;
}

/// A password with an unescaped "/" is taken by libpq for a port and a database.
bool has_port_of_letters(const PQconninfoOption* options) {
  for (const PQconninfoOption* o = options; o->keyword != nullptr; ++o) {
    if (std::string_view(o->keyword) != "port" || o->val == nullptr) continue;
    return std::string_view(o->val).find_first_not_of("0123456789,") != std::string_view::npos;
  }
  return false;
}

std::optional<ParsedDsn> understood_dsn(const std::string& dsn) {
  auto options = parse_dsn(dsn);
  return options && has_port_of_letters(options->get()) ? std::nullopt : std::move(options);
}

std::string keyword_value(std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

bool dsn_is_understood(const std::string& dsn) { return understood_dsn(dsn).has_value(); }

std::string hide_password(const std::string& dsn) {
  const auto options = understood_dsn(dsn);
  if (!options) return "(not understood, hidden)";
  bool secret = false;
  std::string keywords;
  for (const PQconninfoOption* o = options->get(); o->keyword != nullptr; ++o) {
    if (o->val == nullptr) continue;
    // libpq marks what a dialogue would not show with an asterisk.
    const bool hidden = std::string_view(o->dispchar) == "*" && *o->val != '\0';
    secret = secret || hidden;
    if (!keywords.empty()) keywords += ' ';
    keywords += fmt::format("{}={}", o->keyword, hidden ? "'***'" : keyword_value(o->val));
  }
  return secret ? keywords : dsn;
}

}  // namespace hmsync::store
