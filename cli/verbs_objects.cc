#include <boost/json.hpp>
#include <iostream>

#include "cli/verbs.h"

namespace hmsync::cli {
namespace {

/// Lines as they come: they are for programs, with or without --json.
Exit print_lines(const std::string& path, const Query& query, const DaemonClient& daemon,
                 const Output& output) {
  daemon.list(path, query, [&output](std::string_view line) { output.out << line << '\n'; });
  output.out.flush();
  return Exit::done;
}

}  // namespace

Exit print_list(const std::string& path, const Query& query, const DaemonClient& daemon,
                const Output& output) {
  if (output.json) return print_lines(path, query, daemon, output);
  Table table(output);
  daemon.list(path, query, [&table](std::string_view line) {
    auto row = parse_json(line);
    if (!row.is_object())
      throw Failure(Exit::failed, "hmsyncd's list has a line that is no object");
    table.add(std::move(row.as_object()));
  });
  table.finish();
  return Exit::done;
}

Exit run(const OwnerCommand& command, const DaemonClient& daemon, const Output& output) {
  const Answer answer = daemon.get("/v1/owner", {{"path", command.path}});
  if (output.json) output.out << answer.text << '\n';
  const auto* object = answer.value.if_object();
  if (object == nullptr) {
    if (!output.json) output.out << "null\n";
    throw Failure(Exit::failed, "nothing owns " + visible(command.path));
  }
  if (output.json) return Exit::done;
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& field : *object) pairs.emplace_back(field.key(), cell(field.value()));
  print_pairs(output, pairs);
  return Exit::done;
}

Exit run(const ObjectsCommand& command, const DaemonClient& daemon, const Output& output) {
  return print_list(
      "/v1/objects",
      {{"catalog", command.catalog}, {"database", command.database}, {"table", command.table}},
      daemon, output);
}

Exit run(const PathsCommand& command, const DaemonClient& daemon, const Output& output) {
  return print_list("/v1/paths", {{"prefix", command.prefix}}, daemon, output);
}

Exit run(const ExportCommand& /*command*/, const DaemonClient& daemon, const Output& output) {
  return print_lines("/v1/export", {}, daemon, output);
}

}  // namespace hmsync::cli
