#include "daemon/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "daemon/json_writer.h"

namespace hmsync::daemon {
namespace {

const char* title_of(int status) {
  switch (status) {
    case 400:
      return "Bad request";
    case 401:
      return "A token is needed";
    case 403:
      return "Not allowed";
    case 404:
      return "Not found";
    case 405:
      return "Method not allowed";
    case 408:
      return "Request took too long";
    case 409:
      return "Refused";
    case 413:
      return "Request too large";
    case 431:
      return "Request headers too large";
    case 500:
      return "Internal error";
    case 503:
      return "Not available now";
    default:
      return "Failed";
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The next segment of a path that begins with `/`, which is taken off it.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool parse_query(std::string_view text, HttpRequest& request) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decode(pair.substr(0, equals), true);
    const auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return false;
    request.query[*name] = *value;
  }
  return true;
}

}  // namespace

std::optional<std::string> HttpRequest::parameter(std::string_view name) const {
  const auto found = query.find(name);
  if (found == query.end()) return std::nullopt;
  return found->second;
}

HttpResponse problem(int status, std::string_view detail) {
  JsonWriter json;
  json.begin_object()
      .member("type", "about:blank")
      .member("title", title_of(status))
      .member("status", status)
      .member("detail", detail)
      .end_object();
  return {status, "application/problem+json", json.text()};
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool parse_target(std::string_view target, HttpRequest& request) {
  if (target.empty() || target.front() != '/') return false;
  const size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  return parse_query(target.substr(std::min(question + 1, target.size())), request);
}

std::optional<std::vector<std::string>> match_path(std::string_view pattern,
                                                   std::string_view path) {
  std::vector<std::string> captures;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view expected = take_segment(pattern);
    const std::string_view segment = take_segment(path);
    if (expected != "*") {
      if (expected != segment) return std::nullopt;
      continue;
    }
    auto decoded = percent_decode(segment, false);
    if (!decoded || decoded->empty()) return std::nullopt;
    captures.push_back(std::move(*decoded));
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return captures;
}

bool is_own_host(std::string_view host, std::string_view listen_host, int port) {
  const std::string given = lower(host);
  const std::string with_port = fmt::format(":{}", port);
  const std::string listen =
      listen_host.find(':') == std::string_view::npos || listen_host.front() == '['
          ? lower(listen_host)
          : "[" + lower(listen_host) + "]";
  for (const std::string& name :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"), listen}) {
    if (given == name + with_port || (port == 80 && given == name)) return true;
  }
  return false;
}

bool is_own_origin(std::string_view origin, std::string_view listen_host, int port) {
  constexpr std::string_view kScheme = "http://";
  return origin.substr(0, kScheme.size()) == kScheme &&
         is_own_host(origin.substr(kScheme.size()), listen_host, port);
}

}  // namespace hmsync::daemon
