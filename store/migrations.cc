#include "store/migrations.h"

#include <fmt/format.h>

namespace hmsync::store {

namespace {

int newest() { return migrations().back().version; }

/// Zero where there is none.
int stored_version(Connection& connection) {
  const Result table = connection.query("SELECT to_regclass('schema_migrations') IS NOT NULL");
  if (!table.boolean(0, 0)) return 0;
  const Result version =
      connection.query("SELECT coalesce(max(version), 0) FROM schema_migrations");
  return static_cast<int>(version.integer(0, 0));
}

void refuse_newer(const Connection& connection, int version) {
  if (version <= newest()) return;
  throw Error(ErrorKind::fatal,
              fmt::format("schema \"{}\" has version {}, this binary knows versions up to {}: "
                          "install the newer hmsync that made it",
                          connection.options().schema, version, newest()));
}

void apply(Connection& connection, const Migration& migration) {
  Transaction transaction(connection);
  // Held to the end of the transaction; by schema, since one database may have several.
  connection.query("SELECT pg_advisory_xact_lock(hashtextextended('hmsync ' || $1, 0))",
                   {connection.options().schema});
  connection.execute(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT "
      "NULL, applied_at timestamptz NOT NULL DEFAULT now())");
  if (stored_version(connection) >= migration.version) return;
  connection.execute(std::string(migration.sql));
  connection.query("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)",
                   {std::to_string(migration.version), std::string(migration.name)});
  transaction.commit();
}

void make_schema(Connection& connection) {
  const Parameter schema = connection.options().schema;
  if (connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", {schema}).rows() > 0) {
    return;
  }
  Transaction transaction(connection);
  connection.query("SELECT pg_advisory_xact_lock(hashtextextended('hmsync ' || $1, 0))", {schema});
  const Result quoted =
      connection.query("SELECT format('CREATE SCHEMA IF NOT EXISTS %I', $1::text)", {schema});
  connection.execute(std::string(quoted.text(0, 0)));
  transaction.commit();
}

}  // namespace

void migrate(Connection& connection) {
  make_schema(connection);
  const int version = stored_version(connection);
  refuse_newer(connection, version);
  for (const Migration& migration : migrations()) {
    if (migration.version > version) apply(connection, migration);
  }
}

void check_schema(Connection& connection) {
  const int version = stored_version(connection);
  refuse_newer(connection, version);
  if (version == newest()) return;
  throw Error(ErrorKind::fatal,
              fmt::format("schema \"{}\" has version {} (0: none), this binary needs version {}: "
                          "run hmsyncd --migrate as a role that may create in it",
                          connection.options().schema, version, newest()));
}

}  // namespace hmsync::store
