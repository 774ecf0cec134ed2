// Resyncs and the pause.
#include <fmt/format.h>

#include "daemon/api.h"
#include "daemon/configuration_values.h"
#include "daemon/json_body.h"
#include "daemon/json_writer.h"
#include "daemon/status_json.h"
#include "processor/lower_case.h"

namespace hmsync::daemon {
namespace {

constexpr int64_t kLongestPause = 10LL * 365 * 24 * 3600;

void write_counts(JsonWriter& json, const char* name, const follower::ObjectCounts& counts) {
  json.key(name)
      .begin_object()
      .member("databases", counts.databases)
      .member("tables", counts.tables)
      .member("partitions", counts.partitions)
      .end_object();
}

void write_scope(JsonWriter& json, const follower::Scope& scope) {
  json.key("scope").begin_object();
  if (scope.database) {
    json.member("catalog", scope.database->catalog).member("database", scope.database->database);
  }
  if (scope.table) json.member("table", *scope.table);
  json.end_object();
}

std::optional<std::string> reason_of(const follower::ResyncOutcome& outcome) {
  if (outcome.reason.empty()) return std::nullopt;
  return outcome.reason;
}

void write_resync(JsonWriter& json, const store::RequestState& request) {
  const follower::ResyncOutcome& outcome = request.outcome;
  write_scope(json, request.scope);
  json.member("dry_run", request.dry_run)
      .member("outcome", outcome.outcome)
      .member("reason", reason_of(outcome))
      .member("event", outcome.event)
      .member("seconds", outcome.seconds);
  json.key("difference").begin_object();
  write_counts(json, "added", outcome.difference.added);
  write_counts(json, "changed", outcome.difference.changed);
  write_counts(json, "removed", outcome.difference.removed);
  json.member("suspended_grants", outcome.difference.suspended_grants).end_object();
}

void write_retry(JsonWriter& json, const store::RequestState& request) {
  json.member("event", request.event)
      .member("outcome", request.outcome.outcome)
      .member("reason", reason_of(request.outcome));
}

std::string request_json(const store::RequestState& request, const Status& status) {
  JsonWriter json;
  json.begin_object()
      .member("id", request.id)
      .member("state", request.finished ? "finished" : "pending");
  json.key("snapshot");
  if (request.finished || !status.snapshot) {
    json.null();
  } else {
    json.begin_object()
        .member("phase", status.snapshot->phase)
        .member("done", status.snapshot->done)
        .member("total", status.snapshot->total)
        .end_object();
  }
  if (request.finished) {
    if (request.kind == store::RequestState::Kind::retry) {
      write_retry(json, request);
    } else {
      write_resync(json, request);
    }
  }
  json.end_object();
  return json.text();
}

follower::ResyncRequest resync_of(const HttpRequest& request) {
  const JsonBody body(request.body, {"catalog", "database", "table", "dry_run", "force"});
  const auto catalog = body.text("catalog");
  const auto database = body.text("database");
  const auto table = body.text("table");
  if ((table || catalog) && !database) {
    throw HttpProblem(400, "`table` and `catalog` need `database`");
  }
  follower::ResyncRequest asked;
  if (database) {
    asked.scope.database = {processor::lower_case(catalog.value_or(processor::kDefaultCatalog)),
                            processor::lower_case(*database)};
  }
  if (table) asked.scope.table = processor::lower_case(*table);
  asked.dry_run = body.flag("dry_run");
  asked.force = body.flag("force");
  asked.requested_by = kLocalName;
  return asked;
}

std::optional<std::chrono::seconds> pause_length(const JsonBody& body) {
  const auto seconds = body.integer("for_seconds");
  if (!seconds) return std::nullopt;
  if (*seconds < 1 || *seconds > kLongestPause) {
    throw HttpProblem(400, fmt::format("`for_seconds` must be from 1 to {}", kLongestPause));
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace

void add_order_routes(HttpServer& server, const ChangeParts& parts) {
  using Change = std::function<HttpResponse(store::PostgresOrderStore&, const HttpRequest&)>;
  const auto change = [&](const char* path, Change what) {
    server.route(
        "POST", path, HttpPlace::worker,
        needs_token(parts, [sessions = &parts.orders, ordered = parts.ordered,
                            what = std::move(what)](const std::shared_ptr<Exchange>& exchange) {
          HttpResponse response = sessions->with(
              [&](OrderSession& session) { return what(session.store, exchange->request()); });
          ordered();
          exchange->reply(std::move(response));
        }));
  };
  change("/v1/resync", [](store::PostgresOrderStore& orders, const HttpRequest& request) {
    JsonWriter json;
    json.begin_object().member("id", orders.ask_resync(resync_of(request))).end_object();
    return HttpResponse{202, "application/json", json.text()};
  });
  change("/v1/pause", [](store::PostgresOrderStore& orders, const HttpRequest& request) {
    const JsonBody body(request.body, {"for_seconds", "reason"});
    const follower::Pause pause =
        orders.pause(kLocalName, pause_length(body), body.text("reason").value_or(""));
    return HttpResponse{200, "application/json", pause_json(pause)};
  });
  change("/v1/resume", [](store::PostgresOrderStore& orders, const HttpRequest& request) {
    const JsonBody body(request.body, {});
    return HttpResponse{200, "application/json", pause_json(orders.resume(kLocalName))};
  });
  server.route(
      "GET", "/v1/requests/*", HttpPlace::worker,
      [sessions = &parts.orders, &board = parts.board](const std::shared_ptr<Exchange>& exchange) {
        const std::string& text = exchange->request().captures[0];
        const auto request = sessions->with([number = parse_integer(text)](OrderSession& session) {
          return number ? session.store.request(*number) : std::nullopt;
        });
        if (!request) throw HttpProblem(404, "there is no request " + text);
        exchange->reply({200, "application/json", request_json(*request, board.status())});
      });
  add_repair_routes(server, parts);
}

}  // namespace hmsync::daemon
