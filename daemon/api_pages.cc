// Health, metrics, status, waiting: answered from memory.
#include <fmt/format.h>

#include <charconv>

#include "daemon/api.h"
#include "daemon/status_json.h"
#include "metrics/exposition.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kDefaultWait = 30'000;
constexpr int64_t kLongestWait = 24 * 3'600'000;

constexpr const char* kStartPage = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>hmsync</title></head>
<body>
<h1>hmsync</h1>
<p>This daemon follows a Hive Metastore and keeps a privilege store in PostgreSQL true to it.</p>
<ul><li><a href="/v1/status">status</a></li><li><a href="/metrics">metrics</a></li></ul>
</body></html>
)";

void reply(const std::shared_ptr<Exchange>& exchange, bool fine, const std::string& yes,
           const std::string& no) {
  exchange->reply({fine ? 200 : 503, "text/plain; charset=utf-8", (fine ? yes : no) + "\n"});
}

std::optional<int64_t> whole_number(const HttpRequest& request, std::string_view name,
                                    int64_t most) {
  const auto text = request.parameter(name);
  if (!text) return std::nullopt;
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failure != std::errc() || end != text->data() + text->size() || number < 0 || number > most) {
    throw HttpProblem(400, fmt::format("`{}` must be a whole number from 0 to {}", name, most));
  }
  return number;
}

void wait(const PageParts& parts, const std::shared_ptr<Exchange>& exchange) {
  if (!parts.ready()) throw HttpProblem(503, "the store has not been reached yet");
  const auto arrived = std::chrono::steady_clock::now();
  const auto event =
      whole_number(exchange->request(), "event", std::numeric_limits<int64_t>::max());
  const milliseconds timeout(
      whole_number(exchange->request(), "timeout_ms", kLongestWait).value_or(kDefaultWait));
  if (event) return parts.desk.arrive(exchange, *event, arrived, arrived + timeout);
  const Status known = parts.board.status();
  // The metastore may hang for longer.
  const uint64_t ticket = parts.desk.expect(exchange, arrived, arrived + timeout);
  if (ticket == 0) return;
  parts.refresher.ask([&desk = parts.desk, exchange, arrived, timeout, ticket,
                       cursor = known.cursor,
                       generation = known.generation](const HeadAnswer& answer) {
    if (!desk.forget(ticket)) return;
    if (!answer.head) return exchange->reply(problem(503, answer.failure));
    if (cursor && *answer.head < *cursor) {
      return desk.arrive_below(exchange, *answer.head, {generation, *cursor}, arrived,
                               arrived + timeout);
    }
    desk.arrive(exchange, *answer.head, arrived, arrived + timeout);
  });
}

}  // namespace

void add_page_routes(HttpServer& server, const PageParts& parts) {
  const auto page = [&server](const char* path, HttpHandler handler) {
    server.route("GET", path, HttpPlace::at_once, std::move(handler));
  };
  page("/", [](const auto& exchange) {
    exchange->reply({200, "text/html; charset=utf-8", kStartPage});
  });
  page("/livez", [parts](const auto& exchange) {
    reply(exchange, parts.watchdog.alive(), "alive", "the loop is stuck");
  });
  page("/readyz", [parts](const auto& exchange) {
    reply(exchange, parts.ready(), "ready", "the store has not been reached yet");
  });
  page("/leader", [parts](const auto& exchange) {
    reply(exchange, parts.board.leads(), "leader", "standby");
  });
  page("/metrics", [parts](const auto& exchange) {
    exchange->reply({200, metrics::Exposition::content_type(), parts.exposition.text()});
  });
  page("/v1/status", [parts](const auto& exchange) {
    exchange->reply({200, "application/json", status_json(parts.board.status())});
  });
  page("/v1/wait", [parts](const auto& exchange) { wait(parts, exchange); });
}

}  // namespace hmsync::daemon
