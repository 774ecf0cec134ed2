// hmsync-ddl: makes and drops a few objects in a metastore, for the quickstart.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "hmsclient/ddl_client.h"
#include "processor/error.h"

namespace {

using hmsync::hmsclient::DdlClient;

void create_table(DdlClient& client, const std::string& database, const std::string& table,
                  bool partitioned) {
  hmsync::hmsclient::TableSpec spec;
  spec.database = database;
  spec.table = table;
  if (partitioned) {
    spec.partition_keys = {{"dt", "string"}};
  }
  client.create_table(spec);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes and drops a few objects in a Hive Metastore", "hmsync-ddl");
  std::string uri = "thrift://127.0.0.1:9083";
  std::string user;
  app.add_option("--metastore", uri, "thrift://HOST:PORT")->capture_default_str();
  app.add_option("--user", user, "told to the metastore; the process's user by default");
  app.require_subcommand(1);

  std::string database;
  std::string table;
  std::string value;
  std::string new_table;
  bool partitioned = false;
  const auto verb = [&](const char* name, const char* help, bool names_table) {
    CLI::App* added = app.add_subcommand(name, help);
    added->add_option("database", database)->required();
    if (names_table) {
      added->add_option("table", table)->required();
    }
    return added;
  };
  const auto act = [&](auto action) {
    return [&, action] {
      DdlClient client(uri, user);
      action(client);
    };
  };

  verb("create-database", "Make a database", false)->callback(act([&](DdlClient& client) {
    client.create_database({.name = database});
  }));
  verb("drop-database", "Drop a database with all that is in it", false)
      ->callback(act([&](DdlClient& client) { client.drop_database(database, true); }));
  CLI::App* create = verb("create-table", "Make a table", true);
  create->add_flag("--partitioned", partitioned, "with a partition key dt");
  create->callback(
      act([&](DdlClient& client) { create_table(client, database, table, partitioned); }));
  CLI::App* add = verb("add-partition", "Add a partition to a partitioned table", true);
  add->add_option("value", value)->required();
  add->callback(act([&](DdlClient& client) {
    client.add_partitions(database, table, {{{value}, ""}});
  }));
  CLI::App* rename = verb("rename-table", "Rename a table within its database", true);
  rename->add_option("new-name", new_table)->required();
  rename->callback(
      act([&](DdlClient& client) { client.rename_table(database, table, database, new_table); }));
  verb("drop-table", "Drop a table", true)->callback(act([&](DdlClient& client) {
    client.drop_table(database, table);
  }));

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const hmsync::Error& error) {
    std::cerr << "hmsync-ddl: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
