#include "store/postgres_error.h"

#include <algorithm>
#include <array>
#include <regex>

namespace hmsync::store {

namespace {

constexpr std::string_view kReadOnly = "25006";

std::string_view field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// What the server leaves unsaid, or says in fewer words.
std::string_view remedy(std::string_view sqlstate) {
  if (sqlstate == kReadOnly) {
    return "the database is read-only: it is a standby, or default_transaction_read_only is on; "
           "work goes on by itself once it, or another host of store.dsn, can be written";
  }
  if (sqlstate == "53100") {
    return "the database has no room left on its disk: make some; work goes on by itself";
  }
  return {};
}

std::string blot_out(std::string text, std::string_view secret) {
  if (secret.empty()) return text;
  for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3)) {
    text.replace(at, secret.size(), "***");
  }
  return text;
}

/// With several hosts libpq joins one message for each; another try may help unless all of them
/// are about rights or names.
bool every_attempt_is_fatal(const std::string& message) {
  static const std::regex kSqlstate(":  ([0-9A-Z]{5}): ");
  static const std::regex kAttempt("connection to server|no password supplied");
  const std::sregex_iterator end;
  std::ptrdiff_t fatal = 0;
  for (std::sregex_iterator at(message.begin(), message.end(), kSqlstate); at != end; ++at) {
    if (kind_of_sqlstate((*at)[1].str()) == ErrorKind::fatal) ++fatal;
  }
  for (size_t at = message.find("no password supplied"); at != std::string::npos;
       at = message.find("no password supplied", at + 1)) {
    fatal += 2;
  }
  const auto attempts =
      std::distance(std::sregex_iterator(message.begin(), message.end(), kAttempt), end);
  return fatal > 0 && fatal >= attempts;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

ErrorKind kind_of_sqlstate(std::string_view sqlstate) {
  // Raised by the functions of the schema: the fence, and a snapshot that is not there any more.
  if (sqlstate == "HS001") return ErrorKind::fenced;
  if (sqlstate == "HS002" || sqlstate == "HS003") return ErrorKind::transient;
  // 25006: a read-only database; the next connect finds the one that a fail-over made writable.
  if (sqlstate.empty() || starts_with_any(sqlstate, {"08", "40", "53", "57P0", "55P03", "57014",
                                                     "25006", "25P03", "57P05", "58"})) {
    return ErrorKind::transient;
  }
  if (starts_with_any(sqlstate, {"22", "54"})) return ErrorKind::poison;
  return ErrorKind::fatal;
}

bool tells_of_read_only_database(const PGresult* result) {
  return field(result, PG_DIAG_SQLSTATE) == kReadOnly;
}

Error statement_error(const PGresult* result) {
  const std::string_view sqlstate = field(result, PG_DIAG_SQLSTATE);
  std::string text = "the database refused a statement";
  if (sqlstate.empty()) {
    text = "the connection to the database was lost: " + one_line(PQresultErrorMessage(result));
    return {ErrorKind::transient, text};
  }
  text += " (SQLSTATE " + std::string(sqlstate) +
          "): " + one_line(field(result, PG_DIAG_MESSAGE_PRIMARY));
  if (const auto detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
    text += "; " + one_line(detail);
  }
  const auto what_to_do = remedy(sqlstate);
  const auto hint = what_to_do.empty() ? field(result, PG_DIAG_MESSAGE_HINT) : what_to_do;
  if (!hint.empty()) text += "; " + one_line(hint);
  return {kind_of_sqlstate(sqlstate), text};
}

Error connect_error(std::string_view message, std::string_view password) {
  const std::string text(message);
  const ErrorKind kind = every_attempt_is_fatal(text) ? ErrorKind::fatal : ErrorKind::transient;
  static const std::regex kSourceLocation("\nLOCATION:[^\n]*");
  return {kind, "cannot connect to the database: " +
                    one_line(blot_out(std::regex_replace(text, kSourceLocation, ""), password))};
}

std::string without_quoted(std::string_view message) {
  std::string text;
  bool quoted = false;
  for (const char c : message) {
    if (c == '"') {
      quoted = !quoted;
      text += quoted ? "\"..." : "\"";
    } else if (!quoted && c != '\n') {
      text += c;
    }
  }
  return text;
}

}  // namespace hmsync::store
