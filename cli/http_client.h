// A plain HTTP client: one request, one connection, deadlines on every step. http and https.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hmsync::cli {

/// No answer came: the name is unknown, nothing listens, it does not speak, its certificate is bad.
class Unreachable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It was asked and did not answer in the request's time.
class NoAnswerInTime : public Unreachable {
 public:
  using Unreachable::Unreachable;
};

/// An answer began and is no good: it broke off, or is not HTTP.
class BrokenAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Url {
  bool https = false;
  std::string host;  ///< IPv6 without brackets
  uint16_t port = 0;
};

/// http://HOST:PORT or https://HOST:PORT, a slash at the end allowed; nothing for anything else.
std::optional<Url> parse_url(const std::string& text);
/// Everything but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);
/// /path?name=value&... from those that have a value; encoded.
std::string target(const std::string& path,
                   const std::vector<std::pair<std::string, std::optional<std::string>>>& query);

struct HttpRequest {
  std::string method = "GET";
  std::string target = {};
  std::string body = {};   ///< JSON, where there is one
  std::string token = {};  ///< empty: none
  /// Longest silence before the answer and within it.
  std::chrono::milliseconds patience{30'000};
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string body;
};

class HttpClient {
 public:
  /// `ca_file` empty: the system's certificates.
  HttpClient(Url url, std::string ca_file) : url_(std::move(url)), ca_file_(std::move(ca_file)) {}

  /// The body of a successful answer goes to `piece` as it comes, where there is one, else into the
  /// response. Throws Unreachable or BrokenAnswer, and what `piece` throws.
  HttpResponse send(const HttpRequest& request,
                    const std::function<void(std::string_view)>& piece = {}) const;

  [[nodiscard]] const Url& url() const { return url_; }

 private:
  Url url_;
  std::string ca_file_;
};

}  // namespace hmsync::cli
