// Roles, their members and grants.
#include "daemon/api.h"
#include "daemon/json_body.h"
#include "daemon/json_writer.h"
#include "follower/privileges.h"
#include "processor/location.h"

namespace hmsync::daemon {
namespace {

using follower::PrivilegeCommand;
using follower::PrivilegeOutcome;

HttpResponse answer(const PrivilegeOutcome& outcome, bool revoke = false) {
  if (outcome.outcome != "done") return problem(409, outcome.reason);
  JsonWriter json;
  json.begin_object().member("outcome", outcome.outcome).member("changed", outcome.changed);
  if (revoke) json.member("repeat_at_event", outcome.repeat_at_event);
  json.end_object();
  return {200, "application/json", json.text()};
}

PrivilegeCommand command_of(const HttpRequest& request) {
  const JsonBody body(request.body, {"role", "action", "catalog", "database", "table", "column",
                                     "uri", "grant_option"});
  PrivilegeCommand asked;
  asked.role = body.required_text("role");
  asked.action = body.required_text("action");
  asked.object.catalog = body.text("catalog").value_or(processor::kDefaultCatalog);
  asked.object.database = body.text("database");
  asked.object.table = body.text("table");
  asked.object.column = body.text("column");
  asked.object.uri = body.text("uri");
  if (asked.object.uri) {
    const auto location = processor::normalize_location(*asked.object.uri);
    if (!location) throw HttpProblem(400, "`uri` is not a location");
    asked.object.uri = processor::to_string(*location);
  }
  asked.grant_option = body.flag("grant_option");
  asked.who = kLocalName;
  const std::string wrong = follower::fault(follower::normalized(asked));
  if (!wrong.empty()) throw HttpProblem(400, wrong);
  return asked;
}

// Tells whether the store itself has decided, and so audited, what was asked.
class Asked : public follower::PrivilegeStore {
 public:
  explicit Asked(follower::PrivilegeStore& store) : store_(store) {}

  follower::LookedUp look_up(const follower::PrivilegeObject& object) override {
    return store_.look_up(object);
  }
  std::optional<PrivilegeOutcome> grant(const PrivilegeCommand& command,
                                        const follower::GrantBasis& basis) override {
    auto outcome = store_.grant(command, basis);
    decided_ = outcome.has_value();
    return outcome;
  }
  bool revoke_at_once(const PrivilegeCommand& command) override {
    return store_.revoke_at_once(command);
  }
  PrivilegeOutcome revoke(const PrivilegeCommand& command, std::optional<int64_t> head) override {
    return store_.revoke(command, head);
  }
  [[nodiscard]] bool decided() const { return decided_; }

 private:
  follower::PrivilegeStore& store_;
  bool decided_ = false;
};

std::string text_of(const follower::PrivilegeObject& object) {
  std::string text = object.uri.value_or(object.database.value_or("server"));
  for (const auto& part : {object.table, object.column}) {
    if (part) text += "." + *part;
  }
  return text;
}

HttpResponse grant(PrivilegeSession& session, const PrivilegeCommand& command) {
  Asked store(session.store);
  const PrivilegeOutcome outcome = follower::grant(session.log, session.objects, store, command);
  if (outcome.outcome != "done" && !store.decided()) {
    session.store.audit_refusal(command.who, "grant", text_of(command.object), outcome.reason);
  }
  return answer(outcome);
}

// Exactly one of group and user.
std::pair<store::MemberKind, std::string> member(const std::optional<std::string>& group,
                                                 const std::optional<std::string>& user) {
  if (group.has_value() == user.has_value()) throw HttpProblem(400, "give `group` or `user`");
  const std::string& name = group ? *group : *user;
  if (name.empty()) throw HttpProblem(400, "the member's name is empty");
  return {group ? store::MemberKind::group : store::MemberKind::user, name};
}

void audit_refusal(const ChangeParts& parts, const HttpRequest& request, const char* why) {
  const std::string action = request.method + " " + request.path;
  parts.log.warn("refused a change", {{"action", action}, {"reason", why}});
  try {
    parts.privileges.with([&](PrivilegeSession& session) {
      session.store.audit_refusal("unknown", action, "", why);
    });
  } catch (const Error& error) {
    parts.log.warn("the refusal could not be written to the audit", {{"error", error.what()}});
  }
}

}  // namespace

HttpHandler needs_token(const ChangeParts& parts, HttpHandler handler) {
  return [parts, handler = std::move(handler)](const std::shared_ptr<Exchange>& exchange) {
    const std::string& given = exchange->request().authorization;
    if (parts.token.accepts(given)) return handler(exchange);
    const int status = given.empty() ? 401 : 403;
    const char* why = given.empty() ? "a change needs the local token (Authorization: Bearer ...)"
                                    : "the token is not the right one";
    exchange->reply(problem(status, why));
    audit_refusal(parts, exchange->request(), why);
  };
}

void add_privilege_routes(HttpServer& server, const ChangeParts& parts) {
  using Change = std::function<HttpResponse(PrivilegeSession&, const HttpRequest&)>;
  const auto change = [&](const char* method, const char* path, Change what) {
    server.route(method, path, HttpPlace::worker,
                 needs_token(parts, [sessions = &parts.privileges, what = std::move(what)](
                                        const std::shared_ptr<Exchange>& exchange) {
                   exchange->reply(sessions->with([&](PrivilegeSession& session) {
                     return what(session, exchange->request());
                   }));
                 }));
  };
  change("POST", "/v1/roles", [](PrivilegeSession& session, const HttpRequest& request) {
    const JsonBody body(request.body, {"role"});
    return answer(session.store.create_role(body.required_text("role"), kLocalName));
  });
  change("DELETE", "/v1/roles/*", [](PrivilegeSession& session, const HttpRequest& request) {
    return answer(session.store.drop_role(request.captures[0], kLocalName));
  });
  change("POST", "/v1/roles/*/members", [](PrivilegeSession& session, const HttpRequest& request) {
    const JsonBody body(request.body, {"group", "user"});
    const auto [kind, who] = member(body.text("group"), body.text("user"));
    return answer(session.store.add_member(request.captures[0], kind, who, kLocalName));
  });
  change("DELETE", "/v1/roles/*/members",
         [](PrivilegeSession& session, const HttpRequest& request) {
           const auto [kind, who] = member(request.parameter("group"), request.parameter("user"));
           return answer(session.store.remove_member(request.captures[0], kind, who, kLocalName));
         });
  change("POST", "/v1/grants", [](PrivilegeSession& session, const HttpRequest& request) {
    return grant(session, command_of(request));
  });
  change("POST", "/v1/revokes",
         [ordered = parts.ordered](PrivilegeSession& session, const HttpRequest& request) {
           const PrivilegeOutcome outcome =
               follower::revoke(session.log, session.store, command_of(request));
           ordered();
           return answer(outcome, true);
         });
}

}  // namespace hmsync::daemon
