// Requests, answers and problems as the handlers of the admin endpoint see them; free of any HTTP
// library.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hmsync::daemon {

struct HttpRequest {
  std::string method;                 ///< HEAD is handed over as GET
  std::string path;                   ///< as sent, without the query
  std::vector<std::string> captures;  ///< what stood for the pattern's `*`, decoded, in order
  std::map<std::string, std::string, std::less<>> query;  ///< decoded; of equal names the last
  std::string authorization;                              ///< the header, empty where there is none
  std::string body;

  /// The parameter's value; nothing where it is absent.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

/// Thrown by handlers: becomes an answer of type application/problem+json.
class HttpProblem : public std::runtime_error {
 public:
  HttpProblem(int status, const std::string& detail)
      : std::runtime_error(detail), status_(status) {}

  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

HttpResponse problem(int status, std::string_view detail);

/// Percent-decoding; `+` becomes a space where it is a query's. Nothing where an escape is broken.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Fills path and query from a request's target; false where it cannot be decoded.
bool parse_target(std::string_view target, HttpRequest& request);

/// What stands for each `*` of the pattern, decoded; nothing where the path does not match.
/// A `*` stands for one whole, non-empty segment, in which `%2F` is a slash of its text.
std::optional<std::vector<std::string>> match_path(std::string_view pattern, std::string_view path);

/// Whether a Host header's value names this machine's loopback (or `listen_host`) and the port, so
/// that a page of a foreign name which resolves to 127.0.0.1 is refused.
bool is_own_host(std::string_view host, std::string_view listen_host, int port);
/// The same for an Origin header's value.
bool is_own_origin(std::string_view origin, std::string_view listen_host, int port);

}  // namespace hmsync::daemon
