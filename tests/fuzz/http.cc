// Requests to the admin endpoint: the bytes of a connection, read by the real session on the
// fuzzer's own thread, and bodies, targets and moments as handlers read them.
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cstdint>
#include <string>

#include "daemon/http_session.h"
#include "daemon/json_body.h"
#include "daemon/json_writer.h"
#include "daemon/moment.h"
#include "daemon/status_json.h"
#include "tests/fuzz/holds.h"
#include "tests/fuzz/http_answers.h"

namespace hmsync::fuzz {
namespace {

using namespace daemon;
using boost::asio::ip::tcp;

constexpr int kPort = 9180;
constexpr const char* kPatterns[] = {"/v1/roles/*/members", "/v1/roles/*", "/v1/requests/*",
                                     "/v1/grants", "/"};

void write(JsonWriter& json, const JsonBody& body) {
  for (const char* name : {"role", "action", "uri"}) json.member(name, body.text(name));
  json.member("grant_option", body.flag("grant_option"));
  json.member("event", body.integer("event"));
  json.key("ids").begin_array();
  for (const int64_t id : body.integers("ids").value_or(std::vector<int64_t>())) json.value(id);
  json.end_array();
}

HttpResponse answer(const HttpRequest& request) {
  JsonWriter json;
  json.begin_object().member("method", request.method).member("path", request.path);
  json.key("captures").begin_array();
  for (const char* pattern : kPatterns) {
    const auto captures = match_path(pattern, request.path);
    for (const std::string& capture : captures.value_or(std::vector<std::string>())) {
      holds(!capture.empty(), "what a `*` stands for is not empty");
      json.value(capture);
    }
  }
  json.end_array().key("query").begin_object();
  for (const auto& [name, value] : request.query) json.member(name, value);
  json.end_object();
  if (const auto since = request.parameter("since")) {
    const auto moment = parse_moment(*since, 1.8e9);
    if (moment) json.member("since", iso_time(*moment));
  }
  write(json, JsonBody(request.body, {"role", "action", "uri", "grant_option", "event", "ids"}));
  json.end_object();
  return {200, "application/json", json.text()};
}

// One connection of a server, whose client is the fuzzer.
class Server {
 public:
  Server() {
    options_.header_bytes = 4096;
    options_.body_bytes = 8192;
  }

  std::string talk(std::string_view first, std::string_view second) {
    int ends[2];
    holds(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "there is a connection");
    closed_ = false;
    tcp::socket socket(io_, tcp::v4(), ends[0]);
    make_http_session(host_, std::move(socket))->begin();
    std::string answers;
    for (const std::string_view bytes : {first, second}) {
      send(ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      run();
      receive(ends[1], answers);
    }
    close(ends[1]);
    run();
    holds(closed_, "a connection ends with its client");
    return answers;
  }

 private:
  void dispatch(HttpRequest request, HttpSession& session) {
    const bool streamed = request.path == "/v1/export";
    const auto exchange = session.exchange(std::move(request));
    try {
      if (streamed) {
        exchange->stream("application/x-ndjson", [](ResponseStream& out) { out.write("{}\n"); });
      } else {
        exchange->reply(answer(exchange->request()));
      }
    } catch (const HttpProblem& refused) {
      exchange->reply(problem(refused.status(), refused.what()));
    }
  }

  std::optional<HttpResponse> refuse(std::string_view host,
                                     std::optional<std::string_view> origin) const {
    if (!is_own_host(host, options_.host, kPort)) return problem(403, "a foreign host");
    if (origin && !is_own_origin(*origin, options_.host, kPort)) return problem(403, "foreign");
    return std::nullopt;
  }

  // All that can be done without waiting.
  void run() {
    do {
      io_.restart();
    } while (io_.poll() > 0);
  }

  static void receive(int end, std::string& answers) {
    char buffer[16384];
    for (ssize_t n = 0; (n = recv(end, buffer, sizeof buffer, MSG_DONTWAIT)) > 0;) {
      answers.append(buffer, static_cast<size_t>(n));
    }
  }

  boost::asio::io_context io_{1};
  HttpOptions options_;
  bool closed_ = false;
  const HttpSessionHost host_{
      options_, [this](auto host, auto origin) { return refuse(host, origin); },
      [this](HttpRequest request, HttpSession& session) { dispatch(std::move(request), session); },
      [this](const auto&) { closed_ = true; }, [] { return false; }};
};

}  // namespace
}  // namespace hmsync::fuzz

// The first byte tells where what is sent is broken in two.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hmsync::fuzz;
  if (size == 0) return 0;
  static Server server;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t broken = bytes.size() * data[0] / 256;
  check_answers(server.talk(bytes.substr(0, broken), bytes.substr(broken)));
  return 0;
}
