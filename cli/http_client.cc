#include "cli/http_client.h"

#include <arpa/inet.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>

namespace hmsync::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

constexpr std::chrono::seconds kConnectPatience{5};
constexpr size_t kLargestBody = size_t{64} << 20;

/// Something came, but a parser of HTTP makes nothing of it.
bool is_no_http(const error_code& error) {
  const error_code end = http::error::end_of_stream;
  return error.category() == end.category() && error != end;
}

/// One exchange over one connection. Beast's time-outs work for asynchronous calls only, so each
/// step starts one and runs the context until it is over.
class Exchange {
 public:
  Exchange(const Url& url, const std::string& ca_file) : url_(url), ca_file_(ca_file) {}

  HttpResponse run(const HttpRequest& request, const std::function<void(std::string_view)>& piece) {
    if (!url_.https) {
      beast::tcp_stream stream(context_);
      connect(stream);
      return talk(stream, stream, request, piece);
    }
    asio::ssl::context tls(asio::ssl::context::tls_client);
    prepare(tls);
    beast::ssl_stream<beast::tcp_stream> stream(context_, tls);
    auto& lowest = beast::get_lowest_layer(stream);
    connect(lowest);
    shake_hands(stream);
    return talk(stream, lowest, request, piece);
  }

 private:
  /// `start` begins an asynchronous call and hands its error to the argument.
  template <typename Start>
  error_code finish(Start start) {
    error_code result;
    start([&result](error_code error, const auto&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  [[nodiscard]] std::string place() const {
    const bool v6 = url_.host.find(':') != std::string::npos;
    return std::string(url_.https ? "https://" : "http://") + (v6 ? "[" : "") + url_.host +
           (v6 ? "]" : "") + ":" + std::to_string(url_.port);
  }

  [[noreturn]] void unreachable(const error_code& error) const {
    const std::string why = error == beast::error::timeout ? "no answer in time"
                            : error == http::error::end_of_stream
                                ? "the connection was closed without an answer"
                                : error.message();
    throw Unreachable("hmsyncd is not reached at " + place() + ": " + why);
  }

  void connect(beast::tcp_stream& stream) {
    asio::ip::tcp::resolver resolver(context_);
    error_code error;
    const auto addresses = resolver.resolve(url_.host, std::to_string(url_.port), error);
    if (error) unreachable(error);
    stream.expires_after(kConnectPatience);
    error = finish([&](auto done) { stream.async_connect(addresses, done); });
    if (error) unreachable(error);
  }

  void prepare(asio::ssl::context& tls) {
    error_code error;
    tls.set_verify_mode(asio::ssl::verify_peer);
    if (ca_file_.empty()) {
      tls.set_default_verify_paths(error);
    } else {
      tls.load_verify_file(ca_file_, error);
    }
    if (error) {
      throw Unreachable("certificates of " + (ca_file_.empty() ? "the system" : ca_file_) +
                        " cannot be read: " + error.message());
    }
  }

  void shake_hands(beast::ssl_stream<beast::tcp_stream>& stream) {
    stream.set_verify_callback(asio::ssl::host_name_verification(url_.host));
    in6_addr ignored{};
    const bool is_address = inet_pton(AF_INET, url_.host.c_str(), &ignored) == 1 ||
                            inet_pton(AF_INET6, url_.host.c_str(), &ignored) == 1;
    if (!is_address) SSL_set_tlsext_host_name(stream.native_handle(), url_.host.c_str());
    beast::get_lowest_layer(stream).expires_after(kConnectPatience);
    const error_code error =
        finish([&](auto done) { stream.async_handshake(asio::ssl::stream_base::client, done); });
    if (error) unreachable(error);
  }

  template <typename Stream>
  HttpResponse talk(Stream& stream, beast::tcp_stream& lowest, const HttpRequest& request,
                    const std::function<void(std::string_view)>& piece) {
    http::request<http::string_body> message(http::string_to_verb(request.method), request.target,
                                             11);
    message.set(http::field::host, place().substr(place().find("//") + 2));
    message.set(http::field::user_agent, "hmsyncctl");
    message.set(http::field::accept, "application/json, application/x-ndjson");
    message.set(http::field::connection, "close");
    if (!request.token.empty()) {
      message.set(http::field::authorization, "Bearer " + request.token);
    }
    if (!request.body.empty()) message.set(http::field::content_type, "application/json");
    message.body() = request.body;
    message.prepare_payload();
    lowest.expires_after(request.patience);
    error_code error = finish([&](auto done) { http::async_write(stream, message, done); });
    if (error) unreachable(error);

    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    error = finish([&](auto done) { http::async_read_header(stream, buffer, parser, done); });
    if (error && is_no_http(error)) {
      throw BrokenAnswer("the answer of " + place() + " is not HTTP: " + error.message());
    }
    if (error == beast::error::timeout) {
      throw NoAnswerInTime("hmsyncd at " + place() + " gave no answer in time");
    }
    if (error) unreachable(error);

    HttpResponse response;
    response.status = parser.get().result_int();
    response.content_type = std::string(parser.get()[http::field::content_type]);
    const bool pass_on = piece && response.status / 100 == 2;
    std::array<char, 65536> space{};
    while (!parser.is_done()) {
      parser.get().body().data = space.data();
      parser.get().body().size = space.size();
      lowest.expires_after(request.patience);
      error = finish([&](auto done) { http::async_read_some(stream, buffer, parser, done); });
      const std::string_view got(space.data(), space.size() - parser.get().body().size);
      if (pass_on) {
        piece(got);
      } else if (response.body.size() + got.size() > kLargestBody) {
        throw BrokenAnswer("the answer of " + place() + " is larger than 64 MiB");
      } else {
        response.body += got;
      }
      if (error && error != http::error::need_buffer) {
        throw BrokenAnswer("the answer of " + place() + " broke off: " + error.message());
      }
    }
    return response;
  }

  const Url& url_;
  const std::string& ca_file_;
  asio::io_context context_{1};
};

}  // namespace

std::optional<Url> parse_url(const std::string& text) {
  Url url;
  std::string rest;
  for (const auto& [scheme, https] : {std::pair{"http://", false}, std::pair{"https://", true}}) {
    if (!text.starts_with(scheme)) continue;
    url.https = https;
    rest = text.substr(std::string_view(scheme).size());
  }
  if (rest.ends_with('/')) rest.pop_back();
  const size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  url.host = rest.substr(0, colon);
  const std::string_view port = std::string_view(rest).substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc{} || end != port.data() + port.size() || url.port == 0) {
    return std::nullopt;
  }
  if (url.host.size() > 2 && url.host.front() == '[' && url.host.back() == ']') {
    url.host = url.host.substr(1, url.host.size() - 2);
    in6_addr ignored{};
    return inet_pton(AF_INET6, url.host.c_str(), &ignored) == 1 ? std::optional(url) : std::nullopt;
  }
  if (url.host.find_first_of("[]/@:?# \t\r\n") != std::string::npos) return std::nullopt;
  return url;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string target(const std::string& path,
                   const std::vector<std::pair<std::string, std::optional<std::string>>>& query) {
  std::string text = path;
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (!value) continue;
    text += separator + name + "=" + percent_encode(*value);
    separator = '&';
  }
  return text;
}

HttpResponse HttpClient::send(const HttpRequest& request,
                              const std::function<void(std::string_view)>& piece) const {
  return Exchange(url_, ca_file_).run(request, piece);
}

}  // namespace hmsync::cli
