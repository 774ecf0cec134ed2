#include <boost/json.hpp>
#include <iostream>

#include "cli/request.h"
#include "cli/verbs.h"

namespace hmsync::cli {
namespace {

int64_t total_of(const boost::json::value& counts) {
  int64_t total = 0;
  if (const auto* object = counts.if_object()) {
    for (const auto& count : *object) total += total_of(count.value());
  }
  if (const auto* number = counts.if_int64()) total += *number;
  return total;
}

void print_end(const boost::json::value& end, const Output& output) {
  const auto& difference = member(end, "difference");
  print_pairs(output, {{"outcome", cell(member(end, "outcome"))},
                       {"dry run", cell(member(end, "dry_run"))},
                       {"event", cell(member(end, "event"))},
                       {"seconds", cell(member(end, "seconds"))},
                       {"suspended grants", cell(member(difference, "suspended_grants"))}});
  if (difference.is_null()) return;
  output.out << '\n';
  Table table(output);
  for (const char* change : {"added", "changed", "removed"}) {
    boost::json::object row{{"difference", change}};
    for (const char* kind : {"databases", "tables", "partitions"}) {
      row[kind] = member(member(difference, change), kind);
    }
    table.add(std::move(row));
  }
  table.finish();
}

}  // namespace

Exit run(const ResyncCommand& command, const DaemonClient& daemon, const Output& output) {
  boost::json::object body;
  if (command.catalog) body["catalog"] = *command.catalog;
  if (command.database) body["database"] = *command.database;
  if (command.table) body["table"] = *command.table;
  body["dry_run"] = command.dry_run;
  body["force"] = command.force;
  const Answer accepted = daemon.change("POST", "/v1/resync", {}, body);
  const std::string id = request_id(accepted.value);
  if (command.no_wait) {
    output.out << (output.json ? accepted.text : "asked for, as request " + id) << '\n';
    return Exit::done;
  }
  const Answer end = wait_for_end(id, daemon, output);
  if (output.json) {
    output.out << end.text << '\n';
  } else {
    print_end(end.value, output);
  }
  const std::string outcome = cell(member(end.value, "outcome"));
  if (outcome != "done") {
    throw Failure(Exit::failed,
                  "the resync was " + outcome + ": " + cell(member(end.value, "reason")));
  }
  if (!command.exit_code || total_of(member(end.value, "difference")) == 0) return Exit::done;
  output.err << "hmsyncctl: the store differs from the metastore\n";
  return Exit::found;
}

}  // namespace hmsync::cli
