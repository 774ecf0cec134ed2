#include "tests/integration/followed.h"

#include <ctime>

#include "tests/fixtures/eventually.h"

namespace hmsync::integration {

Followed::Followed(std::vector<std::string> settings) {
  auto options = deployment.daemon_options();
  options.settings = std::move(settings);
  daemon = std::make_unique<fixtures::MiniHmsync>(options);
  daemon->await_ready();
  wait_until_readable(*daemon);
}

void Followed::create_database(const std::string& database) {
  deployment.ddl().create_database({database});
}

void Followed::create_table(const std::string& database, const std::string& table) {
  hmsclient::TableSpec spec;
  spec.database = database;
  spec.table = table;
  deployment.ddl().create_table(spec);
}

void Followed::drop_table(const std::string& database, const std::string& table) {
  deployment.ddl().drop_table(database, table);
}

void Followed::rename_table(const std::string& database, const std::string& table,
                            const std::string& new_name) {
  deployment.ddl().rename_table(database, table, database, new_name);
}

void Followed::done(const std::vector<std::string>& verb) const {
  const auto result = daemon->ctl(verb);
  ASSERT_EQ(result.exit, 0) << testing::PrintToString(verb) << result.out << result.err;
}

void Followed::metastore_sql(const std::string& statement) {
  (void)deployment.pg().query(statement, "hms");
}

int64_t Followed::metastore_head() {
  return std::stoll(
      deployment.pg().query("SELECT \"NEXT_EVENT_ID\" - 1 FROM \"NOTIFICATION_SEQUENCE\"", "hms"));
}

int64_t Followed::cursor() const {
  return std::stoll(deployment.sql("SELECT cursor FROM hmsync.v1_follower"));
}

std::string Followed::grants(const std::string& database) const {
  return deployment.sql(
      "SELECT concat_ws(' ', \"table\", action) FROM hmsync.v1_grants WHERE database = '" +
      database + "' ORDER BY 1");
}

std::string Followed::suspended(const std::string& database) const {
  return deployment.sql(
      "SELECT concat_ws(' ', \"table\", action) FROM hmsync.v1_suspended_grants WHERE database = "
      "'" +
      database + "' ORDER BY 1");
}

void Followed::expect_right() {
  ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon));
  ASSERT_TRUE(fixtures::eventually(std::chrono::seconds(30), [&] {
    return deployment.sql("SELECT count(*) FROM hmsync.pending_re_reads") == "0";
  }));
  // An independent reader of the same metastore.
  hmsclient::DdlClient reader(deployment.hms().uri());
  expect_export_equals_metastore(*daemon, reader);
}

void Followed::await_next_second() {
  const std::time_t now = std::time(nullptr);
  ASSERT_TRUE(
      fixtures::eventually(std::chrono::seconds(5), [&] { return std::time(nullptr) > now; }));
}

}  // namespace hmsync::integration
