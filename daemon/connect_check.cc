#include "daemon/connect_check.h"

#include <fmt/format.h>

#include <ostream>

#include "daemon/settings.h"
#include "hmsclient/notification_reader.h"
#include "store/migrations.h"

namespace hmsync::daemon {
namespace {

class Report {
 public:
  explicit Report(std::ostream& out) : out_(out) {}

  void fine(const std::string& text) { out_ << "ok: " << text << '\n'; }
  void warning(const std::string& text) { out_ << "warning: " << text << '\n'; }
  void wrong(const std::string& text) {
    out_ << "wrong: " << text << '\n';
    status_ = 1;
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  std::ostream& out_;
  int status_ = 0;
};

void check_listener(hmsclient::Client& client, const std::string& uri, Report& report) {
  constexpr const char* kTransactional = "DbNotificationListener";
  const std::string transactional =
      client.config_value("hive.metastore.transactional.event.listeners", "");
  const std::string plain = client.config_value("hive.metastore.event.listeners", "");
  if (transactional.find(kTransactional) != std::string::npos) {
    report.fine(uri + ": the notification log is written in the transaction of each change");
  } else if (plain.find(kTransactional) != std::string::npos) {
    report.warning(uri +
                   ": DbNotificationListener is a plain listener, so operations that were refused "
                   "are logged too; name it in hive.metastore.transactional.event.listeners "
                   "instead");
  } else {
    report.warning(uri +
                   ": the metastore does not say that it has a DbNotificationListener; set "
                   "hive.metastore.transactional.event.listeners = "
                   "org.apache.hive.hcatalog.listener.DbNotificationListener");
  }
  report.fine(fmt::format("{}: events are kept for {}", uri,
                          client.config_value("hive.metastore.event.db.listener.timetolive",
                                              "the metastore's default time")));
}

void check_metastore(const Configuration& configuration, const std::string& uri, Report& report) {
  hmsclient::Options options = quick_metastore_options(configuration);
  options.uris = {uri};
  options.attempts = 1;
  try {
    hmsclient::Client client(options);
    hmsclient::NotificationReader log(client);
    const int64_t head = log.head();
    report.fine(fmt::format("{}: version {}, last event {}", uri, client.version(), head));
    check_listener(client, uri, report);
  } catch (const Error& error) {
    report.wrong(error.what());
  }
}

// A pooler that hands each transaction to another session loses what LISTEN and SET have said.
void check_sessions(store::Connection& connection, Report& report) {
  connection.execute("SET application_name = 'hmsyncd session check'");
  const store::Result first =
      connection.query("SELECT pg_backend_pid(), current_setting('application_name')");
  const store::Result second = connection.query("SELECT pg_backend_pid()");
  if (first.text(0, 1) == "hmsyncd session check" && first.text(0, 0) == second.text(0, 0)) {
    report.fine("database: sessions are kept");
  } else {
    report.wrong(
        "database: a pooler changes sessions between statements; connect to PostgreSQL directly, "
        "or set the pooler to session mode");
  }
}

void check_rights(store::Connection& connection, const Configuration& configuration,
                  Report& report) {
  const std::string& schema = configuration.store.schema;
  const store::Result found = connection.query(
      "SELECT has_schema_privilege(nspname, 'CREATE'), has_schema_privilege(nspname, 'USAGE') "
      "FROM pg_namespace WHERE nspname = $1",
      {schema});
  const bool migrates = configuration.store.migrate == "auto";
  if (found.rows() == 0) {
    const bool may_create =
        connection.query("SELECT has_database_privilege(current_database(), 'CREATE')")
            .boolean(0, 0);
    if (may_create && migrates) {
      report.fine(fmt::format("database: the schema {} will be made at the start", schema));
    } else {
      report.wrong(
          fmt::format("database: there is no schema {}; run hmsyncd --migrate as a role "
                      "that may create it",
                      schema));
    }
    return;
  }
  if (!found.boolean(0, 1)) {
    report.wrong(
        fmt::format("database: this role may not use the schema {}; GRANT USAGE ON SCHEMA "
                    "{} TO it",
                    schema, schema));
    return;
  }
  try {
    store::check_schema(connection);
    report.fine(fmt::format("database: the schema {} is up to date", schema));
  } catch (const Error& error) {
    if (migrates && found.boolean(0, 0)) {
      report.warning(fmt::format("database: {}; the start will do so", error.what()));
    } else {
      report.wrong(fmt::format("database: {}", error.what()));
    }
  }
}

void check_database(const Configuration& configuration, Report& report) {
  try {
    store::Connection connection(
        store_options(configuration, "check", std::chrono::milliseconds(10'000)));
    report.fine("database: reached");
    check_sessions(connection, report);
    check_rights(connection, configuration, report);
  } catch (const Error& error) {
    report.wrong(fmt::format("database: {}", error.what()));
  }
}

}  // namespace

int check_connections(const Configuration& configuration, std::ostream& out) {
  Report report(out);
  for (const std::string& uri : configuration.metastore.uris) {
    check_metastore(configuration, uri, report);
  }
  check_database(configuration, report);
  return report.status();
}

}  // namespace hmsync::daemon
