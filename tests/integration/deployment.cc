#include "tests/integration/deployment.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace hmsync::integration {

namespace {

fixtures::MiniHms::Options in_database_of(fixtures::MiniPg& pg,
                                          fixtures::MiniHms::Options options) {
  options.pg = &pg;
  return options;
}

std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_text(text);
}

std::string owner_fields(const processor::Owner& owner) {
  const char* type = owner.type == processor::OwnerType::group  ? "GROUP"
                     : owner.type == processor::OwnerType::role ? "ROLE"
                                                                : "USER";
  return fmt::format(R"("owner":{},"owner_type":"{}")", text_or_null(owner.name), type);
}

int64_t integer_or(const simdjson::dom::element& object, const char* field, int64_t otherwise) {
  int64_t value = otherwise;
  return object[field].get(value) == simdjson::SUCCESS ? value : otherwise;
}

std::string text_of(const simdjson::dom::element& object, const char* field) {
  std::string_view value;
  return object[field].get(value) == simdjson::SUCCESS ? std::string(value) : "";
}

void add_database_lines(hmsclient::DdlClient& ddl, const std::string& catalog,
                        const std::string& database, std::vector<std::string>& lines) {
  const auto line = [&](const char* kind, const std::string& rest) {
    lines.push_back(
        fmt::format(R"({{"kind":"{}","server":"server1","catalog":{},"database":{},{}}})", kind,
                    json_text(catalog), json_text(database), rest));
  };
  const std::string in = hmsclient::in_catalog(catalog, database);
  const auto spec = ddl.database(in);
  line("database",
       fmt::format(R"({},"location":{})", owner_fields(spec.owner), text_or_null(spec.location)));
  for (const std::string& table : ddl.tables(in)) {
    const auto found = ddl.table(in, table);
    const std::string in_table = fmt::format(R"("table":{})", json_text(table));
    line("table", fmt::format(R"({},"type":"{}",{},"location":{})", in_table, found.type,
                              owner_fields(found.owner), text_or_null(found.location)));
    if (found.partition_keys.empty()) continue;
    for (const auto& partition : ddl.partitions(in, table)) {
      std::string values;
      for (const std::string& value : partition.values) {
        values += (values.empty() ? "" : ",") + json_text(value);
      }
      line("partition", fmt::format(R"({},"values":[{}],"location":{})", in_table, values,
                                    text_or_null(partition.location)));
    }
  }
}

}  // namespace

Deployment::Deployment(fixtures::MiniHms::Options metastore)
    : hms_(in_database_of(pg_, std::move(metastore))), ddl_(hms_.uri(), "alice") {
  pg_.create_database("privileges");
}

fixtures::MiniHmsync::Options Deployment::daemon_options() const {
  fixtures::MiniHmsync::Options options;
  options.metastores = {hms_.uri()};
  options.dsn = dsn();
  options.lease = "3s";
  options.poll_interval = "100ms";
  return options;
}

std::unique_ptr<fixtures::MiniHmsync> Deployment::start_daemon() const {
  auto daemon = std::make_unique<fixtures::MiniHmsync>(daemon_options());
  daemon->await_ready();
  return daemon;
}

std::string Deployment::sql(const std::string& query) const {
  std::string answer = pg_.query(query, "privileges");
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

Status status_of(const fixtures::MiniHmsync& daemon) {
  const auto result = daemon.ctl({"status", "--json"});
  if (result.exit != 0) throw std::runtime_error("status: " + result.err);
  simdjson::dom::parser parser;
  const simdjson::dom::element json = parser.parse(result.out);
  Status status;
  status.role = text_of(json, "role");
  status.phase = text_of(json, "phase");
  status.epoch = integer_or(json, "epoch", 0);
  status.cursor = integer_or(json, "cursor", -1);
  status.head = integer_or(json, "head", -1);
  if (double lag = 0; json["lag_seconds"].get(lag) == simdjson::SUCCESS) status.lag_seconds = lag;
  status.instance = text_of(json, "instance");
  for (const simdjson::dom::element problem : json["problems"].get_array()) {
    status.problems.push_back(text_of(problem, "code"));
  }
  if (const simdjson::dom::element error = json["last_error"]; !error.is_null()) {
    status.last_error = text_of(error, "message");
  }
  const simdjson::dom::element totals = json["totals"];
  status.applied = integer_or(totals, "applied", -1);
  status.ignored = integer_or(totals, "ignored", -1);
  status.quarantined = integer_or(totals, "quarantined", -1);
  return status;
}

bool has_problem(const fixtures::MiniHmsync& daemon, const std::string& code) {
  const std::vector<std::string> problems = status_of(daemon).problems;
  return std::find(problems.begin(), problems.end(), code) != problems.end();
}

void wait_until_readable(const fixtures::MiniHmsync& daemon, std::chrono::seconds timeout) {
  const auto result = daemon.ctl({"wait", "--timeout", fmt::format("{}s", timeout.count())},
                                 timeout + std::chrono::seconds(30));
  ASSERT_EQ(result.exit, 0) << result.out << result.err;
}

std::vector<std::string> exported(const fixtures::MiniHmsync& daemon,
                                  const std::vector<std::string>& kinds) {
  const auto result = daemon.ctl({"export", "--json"});
  if (result.exit != 0) throw std::runtime_error("export: " + result.err);
  std::vector<std::string> lines;
  std::istringstream stream(result.out);
  for (std::string line; std::getline(stream, line);) {
    for (const std::string& kind : kinds) {
      if (line.starts_with(R"({"kind":")" + kind + '"')) lines.push_back(line);
    }
  }
  return lines;
}

std::vector<std::string> metastore_lines(hmsclient::DdlClient& ddl) {
  std::vector<std::string> lines;
  for (const std::string& catalog : ddl.catalogs()) {
    for (const std::string& database : ddl.databases(catalog)) {
      add_database_lines(ddl, catalog, database, lines);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void expect_export_equals_metastore(const fixtures::MiniHmsync& daemon, hmsclient::DdlClient& ddl) {
  std::vector<std::string> lines = exported(daemon, {"database", "table", "partition"});
  std::sort(lines.begin(), lines.end());
  const std::vector<std::string> expected = metastore_lines(ddl);
  if (lines == expected) return;
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::set_difference(expected.begin(), expected.end(), lines.begin(), lines.end(),
                      std::back_inserter(missing));
  std::set_difference(lines.begin(), lines.end(), expected.begin(), expected.end(),
                      std::back_inserter(extra));
  ADD_FAILURE() << "missing from the export: " << testing::PrintToString(missing)
                << "\nwrongly in the export: " << testing::PrintToString(extra);
}

std::set<std::string> granted_tables(const Deployment& deployment) {
  std::istringstream answer(
      deployment.sql("SELECT DISTINCT \"database\" || '.' || \"table\" FROM hmsync.v1_grants"
                     " WHERE \"table\" IS NOT NULL"));
  std::set<std::string> tables;
  for (std::string line; std::getline(answer, line);) tables.insert(line);
  return tables;
}

void expect_no_difference(const fixtures::MiniHmsync& daemon) {
  const auto result = daemon.ctl({"resync", "--dry-run", "--exit-code", "--json"});
  EXPECT_EQ(result.exit, 0) << result.out << result.err;
}

}  // namespace hmsync::integration
