#include "cli/daemon_client.h"

#include "cli/local_token.h"

namespace hmsync::cli {
namespace {

/// A change may have to ask the metastore first, whose calls may take two minutes.
constexpr std::chrono::seconds kChangePatience{150};

HttpClient make_client(const Arguments& arguments) {
  const auto url = parse_url(arguments.admin);
  if (!url) {
    throw Failure(Exit::usage, "--admin is \"" + arguments.admin +
                                   "\"; http://HOST:PORT or https://HOST:PORT is allowed");
  }
  return {*url, arguments.ca_file};
}

std::string explicit_token(const Arguments& arguments) {
  if (arguments.token_file.empty()) return {};
  try {
    return read_token_file(arguments.token_file);
  } catch (const std::runtime_error& error) {
    throw Failure(Exit::failed, error.what());
  }
}

/// The detail of an application/problem+json, or the best that there is.
std::string reason_of(const HttpResponse& response) {
  boost::system::error_code error;
  const auto value = boost::json::parse(response.body, error);
  if (!error) {
    for (const char* name : {"detail", "title"}) {
      if (const auto* text = member(value, name).if_string(); text != nullptr && !text->empty()) {
        return std::string(*text);
      }
    }
  }
  return "hmsyncd answered with HTTP status " + std::to_string(response.status);
}

void check_status(const HttpResponse& response, const std::string& hint = {}) {
  if (response.status / 100 == 2) return;
  if (response.status == 503) throw Unavailable(reason_of(response) + hint);
  throw Failure(response.status == 400 ? Exit::usage : Exit::failed, reason_of(response) + hint);
}

std::string one_line(const std::string& body, const boost::json::value& value) {
  const std::string text = body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
  return text.find('\n') == std::string::npos ? text : boost::json::serialize(value);
}

Answer understood(const HttpResponse& response, const std::string& hint = {}) {
  check_status(response, hint);
  Answer answer;
  answer.value = parse_json(response.body);
  answer.text = one_line(response.body, answer.value);
  return answer;
}

}  // namespace

DaemonClient::DaemonClient(const Arguments& arguments)
    : http_(make_client(arguments)), token_(explicit_token(arguments)) {}

Answer DaemonClient::get(const std::string& path, const Query& query,
                         std::chrono::milliseconds patience) const {
  return understood(
      http_.send({.target = target(path, query), .token = token_, .patience = patience}));
}

Answer DaemonClient::change(const std::string& method, const std::string& path, const Query& query,
                            const boost::json::object& body) const {
  HttpRequest request{.method = method,
                      .target = target(path, query),
                      .body = method == "DELETE" ? "" : boost::json::serialize(body),
                      .token = token_,
                      .patience = kChangePatience};
  if (!token_.empty() || !is_loopback(http_.url().host)) return understood(http_.send(request));
  const auto tokens = local_tokens(runtime_folders(), http_.url().port);
  if (tokens.empty()) {
    return understood(http_.send(request),
                      " (no token of a daemon of this user was found for port " +
                          std::to_string(http_.url().port) + "; --token-file names one)");
  }
  HttpResponse response;
  for (const std::string& token : tokens) {
    request.token = token;
    response = http_.send(request);
    // Refused: perhaps it was left behind by a daemon that was killed.
    if (response.status != 401 && response.status != 403) break;
  }
  return understood(response);
}

void DaemonClient::list(const std::string& path, const Query& query,
                        const std::function<void(std::string_view)>& line) const {
  std::string rest;
  const auto pass_lines = [&](std::string_view piece) {
    size_t begin = 0;
    for (size_t end = 0; (end = piece.find('\n', begin)) != std::string_view::npos;
         begin = end + 1) {
      rest += piece.substr(begin, end - begin);
      if (!rest.empty()) line(rest);
      rest.clear();
    }
    rest += piece.substr(begin);
  };
  check_status(http_.send({.target = target(path, query), .token = token_}, pass_lines));
  if (!rest.empty()) line(rest);
}

boost::json::value parse_json(std::string_view text) {
  boost::system::error_code error;
  auto value = boost::json::parse({text.data(), text.size()}, error);
  if (error) throw Failure(Exit::failed, "hmsyncd's answer is not JSON: " + error.message());
  return value;
}

const boost::json::value& member(const boost::json::value& value, std::string_view name) {
  static const boost::json::value null;
  const auto* object = value.if_object();
  const auto* found = object == nullptr ? nullptr : object->if_contains({name.data(), name.size()});
  return found == nullptr ? null : *found;
}

}  // namespace hmsync::cli
