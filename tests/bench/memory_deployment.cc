#include "tests/bench/memory_deployment.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tests/bench/event_log.h"

namespace hmsync::bench {

using fixtures::MiniHmsync;

MemoryDeployment::MemoryDeployment(fixtures::FakeHms::Version version) : hms_(version) {
  hms_.set_setting("hive.metastore.transactional.event.listeners",
                   "org.apache.hive.hcatalog.listener.DbNotificationListener");
  hms_.set_uuid("c0ffee00-0000-4000-8000-000000000001");
  hms_.put(sales());
  hms_.forget_asked();
}

std::unique_ptr<MiniHmsync> MemoryDeployment::start_daemon(const std::string& database,
                                                           std::vector<std::string> settings) {
  if (sql("postgres",
          fmt::format("SELECT count(*) FROM pg_database WHERE datname = '{}'", database)) == "0") {
    pg_.create_database(database);
  }
  settings.insert(settings.end(),
                  {"metastore.sweep_interval=1h", "metastore.sweep_tables_per_second=0"});
  auto daemon = std::make_unique<MiniHmsync>(MiniHmsync::Options{
      .metastores = {hms_.uri()}, .dsn = pg_.dsn(database), .settings = std::move(settings)});
  daemon->await_ready();
  return daemon;
}

void MemoryDeployment::copy_database(const std::string& from, const std::string& to) {
  static_cast<void>(pg_.query(fmt::format("CREATE DATABASE {} TEMPLATE {}", to, from)));
}

void MemoryDeployment::drop_database(const std::string& name) {
  static_cast<void>(pg_.query("DROP DATABASE " + name));
}

std::string MemoryDeployment::sql(const std::string& database, const std::string& query) const {
  std::string answer = pg_.query(query, database);
  while (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

processor::Location at(const std::string& path) { return {"hdfs", "nn:8020", "/warehouse" + path}; }

processor::Table table_named(const std::string& name, int64_t created) {
  processor::Table table;
  table.name = {"hive", "sales", name};
  table.type = "MANAGED_TABLE";
  table.owner.name = "alice";
  table.location = at("/sales.db/" + name);
  table.identity = fmt::format("created:{}", created);
  for (int i = 0; i < 20; ++i) table.columns.push_back(fmt::format("column_{}", i));
  return table;
}

std::string day(int64_t number) { return fmt::format("{:08}", number); }

processor::Database sales() {
  processor::Database database;
  database.name.database = "sales";
  database.location = at("/sales.db");
  return database;
}

void run_verb(const MiniHmsync& daemon, const std::vector<std::string>& verb) {
  const auto done = daemon.ctl(verb, std::chrono::minutes(21));
  if (done.exit != 0) {
    throw std::runtime_error(fmt::format("{}: {}{}", verb.front(), done.out, done.err));
  }
}

void await_event(const MiniHmsync& daemon, int64_t event) {
  run_verb(daemon, {"wait", std::to_string(event), "--timeout", "1200s"});
}

double seconds_to_catch_up(const MiniHmsync& daemon, int64_t event) {
  const auto begun = std::chrono::steady_clock::now();
  run_verb(daemon, {"resume"});
  await_event(daemon, event);
  return seconds_since(begun);
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

EventLog log_of_one_table(MemoryDeployment& deployment) {
  const processor::Table first = table_named("first", 1);
  deployment.hms().put(first);
  EventLog log;
  log.create_table(first);
  deployment.hms().set_events(log.events());
  return log;
}

void make_origin(MemoryDeployment& deployment, const EventLog& log, const std::string& name,
                 int64_t objects) {
  const auto daemon = deployment.start_daemon(name);
  await_event(*daemon, log.last());
  run_verb(*daemon, {"pause"});
  daemon->terminate();
  static_cast<void>(deployment.sql(name, fmt::format(R"(
SET search_path = hmsync;
WITH made AS (
  INSERT INTO objects (server, catalog, database_name, table_name, type, owner, identity)
  SELECT 'server1', 'hive', 'other', 'table_' || i, 'MANAGED_TABLE', 'alice', 'created:' || i
  FROM generate_series(1, {}) i RETURNING object_id, table_name)
INSERT INTO paths (object_id, scheme, authority, path)
SELECT object_id, 'hdfs', 'nn:8020', '/warehouse/other.db/' || table_name FROM made)",
                                                     objects)));
  static_cast<void>(deployment.sql(name, "VACUUM ANALYZE"));
  static_cast<void>(deployment.sql(name, "CHECKPOINT"));
}

}  // namespace hmsync::bench
