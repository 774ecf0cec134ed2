// Quarantined events, suspended grants, and the audit that tells of both.
#include <boost/json.hpp>
#include <iostream>

#include "cli/request.h"
#include "cli/verbs.h"

namespace hmsync::cli {
namespace {

std::string path_of(const QuarantineCommand& command) {
  return "/v1/quarantine/" + std::to_string(command.event);
}

/// What is set comes first, the message last: it may be long and have lines.
void print_event(const boost::json::value& event, const Output& output) {
  const auto* fields = event.if_object();
  if (fields == nullptr) throw Failure(Exit::failed, "hmsyncd's answer is no event");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& field : *fields) {
    if (field.key() == "message" || field.key() == "same_id") continue;
    pairs.emplace_back(field.key(), cell(field.value()));
  }
  print_pairs(output, pairs);
  output.out << '\n' << cell(member(event, "message")) << '\n';
  const auto* others = member(event, "same_id").if_array();
  if (others == nullptr) return;
  for (const auto& other : *others) {
    output.out << '\n';
    print_event(other, output);
  }
}

Exit show(const QuarantineCommand& command, const DaemonClient& daemon, const Output& output) {
  const Answer answer = daemon.get(path_of(command));
  if (output.json) {
    output.out << answer.text << '\n';
    return Exit::done;
  }
  print_event(answer.value, output);
  return Exit::done;
}

Exit retry(const QuarantineCommand& command, const DaemonClient& daemon, const Output& output) {
  const Answer accepted = daemon.change("POST", path_of(command) + "/retry");
  const std::string id = request_id(accepted.value);
  if (command.no_wait) {
    output.out << (output.json ? accepted.text : "asked for, as request " + id) << '\n';
    return Exit::done;
  }
  const Answer end = wait_for_end(id, daemon, output);
  const std::string outcome = cell(member(end.value, "outcome"));
  if (output.json) output.out << end.text << '\n';
  if (outcome != "done") {
    throw Failure(Exit::failed,
                  "the retry was " + outcome + ": " + cell(member(end.value, "reason")));
  }
  if (!output.json) output.out << "done\n";
  return Exit::done;
}

Exit skip(const QuarantineCommand& command, const DaemonClient& daemon, const Output& output) {
  const Answer answer = daemon.change("POST", path_of(command) + "/skip");
  const bool changed = member(answer.value, "changed") == boost::json::value(true);
  if (output.json) {
    output.out << answer.text << '\n';
  } else {
    output.out << (changed ? "skipped" : "done, it did not wait in quarantine any more") << '\n';
  }
  return Exit::done;
}

std::string count_text(const boost::json::value& answer) {
  const auto* count = member(answer, "count").if_int64();
  const int64_t grants = count == nullptr ? 0 : *count;
  return std::to_string(grants) + (grants == 1 ? " grant" : " grants");
}

/// One line on standard error for each grant that stays as it is.
Exit print_refusals(const boost::json::value& answer, const Output& output) {
  const auto* refused = member(answer, "refused").if_array();
  if (refused == nullptr || refused->empty()) return Exit::done;
  output.out.flush();
  for (const auto& one : *refused) {
    output.err << "hmsyncctl: grant " << cell(member(one, "id")) << ": "
               << cell(member(one, "reason")) << '\n';
  }
  return Exit::failed;
}

}  // namespace

Exit run(const QuarantineCommand& command, const DaemonClient& daemon, const Output& output) {
  switch (command.verb) {
    case QuarantineCommand::Verb::list:
      return print_list("/v1/quarantine", {}, daemon, output);
    case QuarantineCommand::Verb::show:
      return show(command, daemon, output);
    case QuarantineCommand::Verb::retry:
      return retry(command, daemon, output);
    case QuarantineCommand::Verb::skip:
      return skip(command, daemon, output);
  }
  throw Failure(Exit::usage, "unknown verb of quarantine");
}

Exit run(const SuspendedCommand& command, const DaemonClient& daemon, const Output& output) {
  using Verb = SuspendedCommand::Verb;
  if (command.verb == Verb::list) return print_list("/v1/suspended", {}, daemon, output);
  const bool restore = command.verb == Verb::restore;
  boost::json::object body;
  if (command.all) body["all"] = true;
  if (!command.all) body["ids"] = boost::json::value_from(command.ids);
  if (restore) body["force"] = command.force;
  const Answer answer =
      daemon.change("POST", restore ? "/v1/suspended/restore" : "/v1/suspended/purge", {}, body);
  output.out << (output.json ? answer.text
                             : count_text(answer.value) + (restore ? " restored" : " purged"))
             << '\n';
  return print_refusals(answer.value, output);
}

Exit run(const AuditCommand& command, const DaemonClient& daemon, const Output& output) {
  const Query query{{"since", command.since}};
  if (output.json) return print_list("/v1/audit", query, daemon, output);
  Table table(output);
  daemon.list("/v1/audit", query, [&table](std::string_view line) {
    auto row = parse_json(line);
    if (!row.is_object())
      throw Failure(Exit::failed, "hmsyncd's audit has a line that is no object");
    // They are whole objects: for programs.
    row.as_object().erase("before");
    row.as_object().erase("after");
    table.add(std::move(row.as_object()));
  });
  table.finish();
  return Exit::done;
}

}  // namespace hmsync::cli
