#include <boost/json.hpp>
#include <iostream>

#include "cli/verbs.h"

namespace hmsync::cli {
namespace {

/// What is left to happen after a revoke, in words.
std::string later(const boost::json::value& answer) {
  const auto* event = member(answer, "repeat_at_event").if_int64();
  if (event == nullptr) return {};
  if (*event < 0) {
    return "; repeated at the metastore's head as soon as that is known, in case an unread rename "
           "carries the grant";
  }
  return "; repeated at event " + std::to_string(*event) +
         ", in case an unread rename carries the grant";
}

Exit print_outcome(const Answer& answer, const Output& output) {
  const std::string outcome = cell(member(answer.value, "outcome"));
  if (output.json) output.out << answer.text << '\n';
  if (outcome != "done") {
    throw Failure(Exit::failed, outcome + ": " + cell(member(answer.value, "reason")));
  }
  if (output.json) return Exit::done;
  const bool changed = member(answer.value, "changed") == boost::json::value(true);
  output.out << (changed ? "done" : "done, nothing was to be changed") << later(answer.value)
             << '\n';
  return Exit::done;
}

boost::json::object object_fields(const ObjectName& name) {
  boost::json::object fields;
  if (name.catalog) fields["catalog"] = *name.catalog;
  if (name.database) fields["database"] = *name.database;
  if (name.table) fields["table"] = *name.table;
  if (name.column) fields["column"] = *name.column;
  if (name.uri) fields["uri"] = *name.uri;
  return fields;
}

Answer change_role(const RoleCommand& command, const DaemonClient& daemon) {
  const std::string role = "/v1/roles/" + percent_encode(command.role);
  switch (command.verb) {
    case RoleCommand::Verb::create:
      return daemon.change("POST", "/v1/roles", {}, {{"role", command.role}});
    case RoleCommand::Verb::drop:
      return daemon.change("DELETE", role);
    case RoleCommand::Verb::add:
      return daemon.change(
          "POST", role + "/members", {},
          {{command.group ? "group" : "user", command.group ? *command.group : *command.user}});
    case RoleCommand::Verb::remove:
      return daemon.change("DELETE", role + "/members",
                           {{"group", command.group}, {"user", command.user}});
  }
  throw Failure(Exit::usage, "unknown verb of role");
}

}  // namespace

Exit run(const RoleListCommand& /*command*/, const DaemonClient& daemon, const Output& output) {
  return print_list("/v1/roles", {}, daemon, output);
}

Exit run(const RoleCommand& command, const DaemonClient& daemon, const Output& output) {
  return print_outcome(change_role(command, daemon), output);
}

Exit run(const PrivilegeCommand& command, const DaemonClient& daemon, const Output& output) {
  boost::json::object body{{"role", command.role}, {"action", command.action}};
  for (auto& field : object_fields(command.object)) body[field.key()] = field.value();
  if (command.grant) body["grant_option"] = command.grant_option;
  return print_outcome(
      daemon.change("POST", command.grant ? "/v1/grants" : "/v1/revokes", {}, body), output);
}

Exit run(const GrantsCommand& command, const DaemonClient& daemon, const Output& output) {
  const std::optional<std::string> suspended =
      command.suspended ? std::optional<std::string>("true") : std::nullopt;
  return print_list("/v1/grants",
                    {{"role", command.role},
                     {"database", command.database},
                     {"table", command.table},
                     {"suspended", suspended}},
                    daemon, output);
}

}  // namespace hmsync::cli
