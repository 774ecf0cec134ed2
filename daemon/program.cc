#include "daemon/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "daemon/connect_check.h"
#include "daemon/settings.h"
#include "store/migrations.h"

namespace hmsync::daemon {
namespace {

struct Arguments {
  std::string config;
  std::vector<std::string> set;
  bool check_config = false;
  bool connect = false;
  bool print_config = false;
  bool migrate = false;
};

int migrate(const Configuration& configuration) {
  try {
    store::Connection connection(store_options(configuration, "migrate", std::chrono::minutes(10)));
    store::migrate(connection);
    return 0;
  } catch (const Error& error) {
    std::cerr << "hmsyncd: " << error.what() << '\n';
    return 1;
  }
}

int run(const Arguments& arguments, const DaemonHooks& hooks) {
  ConfigurationSources sources;
  if (!arguments.config.empty()) sources.file = arguments.config;
  sources.environment = process_environment();
  sources.assignments = arguments.set;
  const LoadedConfiguration loaded = load_configuration(sources);
  for (const std::string& problem : loaded.problems) std::cerr << "hmsyncd: " << problem << '\n';
  if (!loaded.problems.empty()) return 1;
  if (arguments.print_config) {
    std::cout << print_configuration(loaded.configuration);
    return 0;
  }
  if (arguments.check_config) {
    return arguments.connect ? check_connections(loaded.configuration, std::cout) : 0;
  }
  if (arguments.migrate) return migrate(loaded.configuration);
  return run_daemon(loaded.configuration, sources, hooks);
}

}  // namespace

int run_program(int argc, char** argv, const DaemonHooks& hooks) {
  CLI::App app("Follows a Hive Metastore and keeps a privilege store in PostgreSQL true to it.",
               "hmsyncd");
  Arguments arguments;
  app.add_option("--config", arguments.config, "Configuration file (TOML)");
  app.add_option("--set", arguments.set, "section.key=value, above file and environment")
      ->take_all();
  auto* check = app.add_flag("--check-config", arguments.check_config,
                             "Print what is wrong with the configuration, and end");
  app.add_flag("--connect", arguments.connect,
               "With --check-config: also look at metastore and database")
      ->needs(check);
  app.add_flag("--print-config", arguments.print_config,
               "Print the effective configuration without secrets, and end");
  app.add_flag("--migrate", arguments.migrate, "Bring the store's schema up to date, and end");
  app.set_version_flag("--version", "hmsyncd " HMSYNC_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(arguments, hooks);
}

}  // namespace hmsync::daemon
