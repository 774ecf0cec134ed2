// Quarantined events and suspended grants, as people settle them.
#include <fmt/format.h>
#include <openssl/evp.h>
#include <simdjson.h>

#include <algorithm>

#include "daemon/api.h"
#include "daemon/configuration_values.h"
#include "daemon/json_body.h"
#include "daemon/json_writer.h"
#include "daemon/status_json.h"
#include "store/quarantine_store.h"
#include "store/suspended.h"

namespace hmsync::daemon {
namespace {

std::string base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // its last byte is for a NUL
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return text;
}

void write_message(JsonWriter& json, const processor::Event& event) {
  json.member("message_format", event.message_format.empty()
                                    ? std::nullopt
                                    : std::optional<std::string>(event.message_format));
  if (event.withheld) {
    // Too long to be kept.
    json.member("message_bytes", event.withheld->bytes).key("encoding").null();
    json.key("message").null();
    return;
  }
  const bool text = simdjson::validate_utf8(event.message);
  json.member("message_bytes", static_cast<int64_t>(event.message.size()))
      .member("encoding", text ? "text" : "base64")
      .member("message", text ? event.message : base64(event.message));
}

void write_event(JsonWriter& json, const store::KeptEvent& kept) {
  json.member("event", kept.event.id)
      .member("type", kept.event.type)
      .member("catalog", kept.event.catalog)
      .member("database", kept.event.database)
      .member("table", kept.event.table)
      .member("event_time", iso_time(static_cast<double>(kept.event.time)))
      .member("generation", kept.generation)
      .member("reason", kept.reason)
      .member("attempts", kept.attempts)
      .member("first_seen", kept.first_seen)
      .member("state", kept.state);
  write_message(json, kept.event);
}

/// The first in full, with the others of this id within.
std::string event_json(const std::vector<store::KeptEvent>& kept) {
  JsonWriter json;
  json.begin_object();
  write_event(json, kept.front());
  json.key("same_id").begin_array();
  for (auto other = kept.begin() + 1; other != kept.end(); ++other) {
    json.begin_object();
    write_event(json, *other);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

std::vector<store::KeptEvent> kept_under(OrderSession& session, const std::string& id) {
  std::vector<store::KeptEvent> kept;
  if (const auto event = parse_integer(id)) {
    kept = store::kept_events(session.connection, session.server, *event);
  }
  if (kept.empty()) throw HttpProblem(404, "there is no event " + id + " in quarantine");
  return kept;
}

HttpResponse retry(OrderSession& session, const std::string& id) {
  const auto kept = kept_under(session, id);
  const auto waits = [](const store::KeptEvent& one) { return one.state == "quarantined"; };
  if (std::none_of(kept.begin(), kept.end(), waits)) {
    throw HttpProblem(409, fmt::format("event {} is {} already", id, kept.front().state));
  }
  if (std::none_of(kept.begin(), kept.end(),
                   [&](const store::KeptEvent& one) { return one.current && waits(one); })) {
    throw HttpProblem(409, fmt::format("event {} is of an earlier history of the metastore, which "
                                       "a snapshot has replaced: skip it",
                                       id));
  }
  JsonWriter json;
  json.begin_object()
      .member("id", session.store.ask_retry(kept.front().event.id, kLocalName))
      .end_object();
  return {202, "application/json", json.text()};
}

HttpResponse skip(OrderSession& session, const std::string& id) {
  const int64_t event = kept_under(session, id).front().event.id;
  const int64_t skipped = store::skip_events(session.connection, session.server, event, kLocalName);
  JsonWriter json;
  json.begin_object()
      .member("event", event)
      .member("outcome", "done")
      .member("changed", skipped > 0)
      .end_object();
  return {200, "application/json", json.text()};
}

HttpResponse settled_json(const store::SettledGrants& settled) {
  JsonWriter json;
  json.begin_object()
      .member("outcome", settled.refused.empty() ? "done" : "refused")
      .member("changed", settled.count > 0)
      .member("count", settled.count);
  json.key("refused").begin_array();
  for (const auto& [id, reason] : settled.refused) {
    json.begin_object().member("id", id).member("reason", reason).end_object();
  }
  json.end_array().end_object();
  return {200, "application/json", json.text()};
}

store::GrantIds ids_of(const JsonBody& body) {
  auto ids = body.integers("ids");
  if (ids.has_value() == body.flag("all")) throw HttpProblem(400, "give either `ids` or `all`");
  return ids;
}

}  // namespace

void add_repair_routes(HttpServer& server, const ChangeParts& parts) {
  using Change = std::function<HttpResponse(OrderSession&, const HttpRequest&)>;
  const auto on_session = [sessions = &parts.orders](Change what) {
    return [sessions, what = std::move(what)](const std::shared_ptr<Exchange>& exchange) {
      exchange->reply(sessions->with(
          [&](OrderSession& session) { return what(session, exchange->request()); }));
    };
  };
  const auto change = [&](const char* path, Change what) {
    server.route("POST", path, HttpPlace::worker, needs_token(parts, on_session(std::move(what))));
  };
  server.route("GET", "/v1/quarantine/*", HttpPlace::worker,
               on_session([](OrderSession& session, const HttpRequest& request) {
                 return HttpResponse{200, "application/json",
                                     event_json(kept_under(session, request.captures[0]))};
               }));
  change("/v1/quarantine/*/retry",
         [ordered = parts.ordered](OrderSession& session, const HttpRequest& request) {
           HttpResponse response = retry(session, request.captures[0]);
           ordered();
           return response;
         });
  change("/v1/quarantine/*/skip", [](OrderSession& session, const HttpRequest& request) {
    return skip(session, request.captures[0]);
  });
  change("/v1/suspended/restore", [](OrderSession& session, const HttpRequest& request) {
    const JsonBody body(request.body, {"ids", "all", "force"});
    return settled_json(store::restore_suspended(session.connection, session.server, ids_of(body),
                                                 body.flag("force"), kLocalName));
  });
  change("/v1/suspended/purge", [](OrderSession& session, const HttpRequest& request) {
    const JsonBody body(request.body, {"ids", "all"});
    return settled_json(
        store::purge_suspended(session.connection, session.server, ids_of(body), kLocalName));
  });
}

}  // namespace hmsync::daemon
