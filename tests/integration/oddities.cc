#include "tests/integration/oddities.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/fixtures/eventually.h"

namespace hmsync::integration {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

bool log_tells(const fixtures::MiniHmsync& daemon, const std::string& oddity, int64_t event) {
  const std::string fields = fmt::format(" event={} oddity={}\n", event, oddity);
  return daemon.log().find(fields) != std::string::npos;
}

int64_t audited(const Deployment& deployment, const std::string& action, int64_t event) {
  return std::stoll(deployment.sql(fmt::format(
      "SELECT count(*) FROM hmsync.v1_audit WHERE action = '{}' AND event = {}", action, event)));
}

std::vector<std::string> lines_of(const fixtures::MiniHmsync& daemon,
                                  std::vector<std::string> verb) {
  verb.emplace_back("--json");
  return split(done(daemon, verb));
}

std::string done(const fixtures::MiniHmsync& daemon, const std::vector<std::string>& verb) {
  const auto result = daemon.ctl(verb);
  EXPECT_EQ(result.exit, 0) << testing::PrintToString(verb) << result.out << result.err;
  return result.out;
}

void while_paused(const fixtures::MiniHmsync& daemon, const std::function<void()>& change) {
  done(daemon, {"pause"});
  // An event that came before the pause was seen is applied.
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30),
                                   [&] { return status_of(daemon).phase == "paused"; }));
  change();
  done(daemon, {"resume"});
}

int64_t newest_event(Deployment& deployment, const std::string& type, const std::string& database,
                     const std::string& table) {
  const std::string of_table = table.empty() ? "IS NULL" : "= '" + table + "'";
  return std::stoll(deployment.pg().query(
      fmt::format(R"(SELECT coalesce(max("EVENT_ID"), -1) FROM "NOTIFICATION_LOG")"
                  R"( WHERE "EVENT_TYPE" = '{}' AND "DB_NAME" = '{}' AND "TBL_NAME" {})",
                  type, database, of_table),
      "hms"));
}

std::vector<std::string> grants_in(const Deployment& deployment, const std::string& view) {
  return split(deployment.sql(
      "SELECT concat_ws('.', \"database\", \"table\", \"column\") || ' ' || action FROM hmsync." +
      view + " ORDER BY 1"));
}

}  // namespace hmsync::integration
