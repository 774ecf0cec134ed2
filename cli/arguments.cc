#include "cli/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace hmsync::cli {
namespace {

constexpr std::array kActions = {"ALL",  "SELECT", "INSERT", "CREATE", "ALTER",
                                 "DROP", "INDEX",  "LOCK",   "REFRESH"};

/// Everything that the options write to while CLI11 parses.
struct Draft {
  Arguments result;
  StatusCommand status;
  WaitCommand wait;
  std::string event, timeout = "30s", pause_for;
  ResyncCommand resync;
  PauseCommand pause;
  OwnerCommand owner;
  ObjectsCommand objects;
  PathsCommand paths;
  RoleCommand role;
  PrivilegeCommand privilege;
  std::string object;
  ObjectOptions object_options;
  GrantsCommand grants;
  QuarantineCommand quarantine;
  SuspendedCommand suspended;
  std::vector<std::string> ids;
  AuditCommand audit;
};

[[noreturn]] void wrong(const std::string& text) { throw CLI::ValidationError("", text); }

std::optional<int64_t> parse_whole(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::chrono::milliseconds duration_of(const std::string& option, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) {
    wrong(option + " is \"" + text + "\"; a duration such as 500ms, 30s, 5m, 1h or 7d is allowed");
  }
  return *duration;
}

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   const std::string& examples) {
  CLI::App* verb = parent.add_subcommand(name, what);
  verb->fallthrough();  // the global options may stand behind the verb
  verb->footer("Examples:\n" + examples);
  return verb;
}

void add_status(CLI::App& app, Draft& draft) {
  CLI::App* verb = add_verb(app, "status", "Show how the daemon is doing",
                            "  hmsyncctl status\n  hmsyncctl status --check && echo fine");
  verb->add_flag("--check", draft.status.check, "End with 5 when there is a problem");
  verb->callback([&draft] { draft.result.command = draft.status; });
}

void add_wait(CLI::App& app, Draft& draft) {
  CLI::App* verb = add_verb(app, "wait", "Wait until an event is readable in the store",
                            "  hmsyncctl wait\n  hmsyncctl wait 4711 --timeout 2m");
  verb->add_option("EVENT", draft.event, "Event id; without it the metastore's newest");
  verb->add_option("--timeout", draft.timeout, "Longest wait, 30s by default")->type_name("TIME");
  verb->callback([&draft] {
    if (!draft.event.empty()) {
      draft.wait.event = parse_whole(draft.event);
      if (!draft.wait.event) {
        wrong("EVENT is \"" + draft.event + "\"; the number of an event is allowed");
      }
    }
    draft.wait.timeout = duration_of("--timeout", draft.timeout);
    draft.result.command = draft.wait;
  });
}

void add_resync(CLI::App& app, Draft& draft) {
  CLI::App* verb =
      add_verb(app, "resync", "Read the metastore again and repair the store",
               "  hmsyncctl resync\n  hmsyncctl resync --database sales --table orders\n"
               "  hmsyncctl resync --dry-run --exit-code");
  ResyncCommand& resync = draft.resync;
  verb->add_option("--catalog", resync.catalog, "Catalog of the database");
  CLI::Option* database = verb->add_option("--database", resync.database, "Only this database");
  verb->add_option("--table", resync.table, "Only this table of it")->needs(database);
  CLI::Option* dry = verb->add_flag("--dry-run", resync.dry_run, "Only tell the difference");
  verb->add_flag("--exit-code", resync.exit_code, "End with 5 when there is a difference")
      ->needs(dry);
  verb->add_flag("--force", resync.force, "Even if much more is gone than max_removed allows");
  verb->add_flag("--no-wait", resync.no_wait, "Ask for it, and do not wait for its end");
  verb->callback([&draft] {
    if (draft.resync.catalog && !draft.resync.database) wrong("--catalog needs --database");
    if (draft.resync.no_wait && draft.resync.exit_code) {
      wrong("--exit-code needs the end, which --no-wait does not wait for");
    }
    draft.result.command = draft.resync;
  });
}

void add_pause(CLI::App& app, Draft& draft) {
  CLI::App* verb = add_verb(app, "pause", "Stop applying events, until resume",
                            "  hmsyncctl pause --for 1h --reason \"metastore upgrade\"");
  verb->add_option("--for", draft.pause_for, "Go on by itself after this time")->type_name("TIME");
  verb->add_option("--reason", draft.pause.reason, "Shown to everybody who looks");
  verb->callback([&draft] {
    if (!draft.pause_for.empty()) draft.pause.duration = duration_of("--for", draft.pause_for);
    if (draft.pause.duration && draft.pause.duration->count() < 1000) {
      wrong("--for is less than a second");
    }
    draft.result.command = draft.pause;
  });
  CLI::App* resume = add_verb(app, "resume", "Go on applying events", "  hmsyncctl resume");
  resume->callback([&draft] { draft.result.command = ResumeCommand{}; });
}

void add_objects(CLI::App& app, Draft& draft) {
  CLI::App* owner = add_verb(app, "owner", "Show which object owns a path",
                             "  hmsyncctl owner hdfs://nn:8020/warehouse/sales.db/orders/f.parq");
  owner->add_option("PATH", draft.owner.path, "A location; the longest match owns it")->required();
  owner->callback([&draft] { draft.result.command = draft.owner; });

  CLI::App* objects = add_verb(app, "objects", "List databases and tables in the store",
                               "  hmsyncctl objects\n  hmsyncctl objects --database sales");
  objects->add_option("--catalog", draft.objects.catalog, "Only in this catalog");
  CLI::Option* database =
      objects->add_option("--database", draft.objects.database, "Only this database");
  objects->add_option("--table", draft.objects.table, "Only this table of it")->needs(database);
  objects->callback([&draft] { draft.result.command = draft.objects; });

  CLI::App* paths = add_verb(app, "paths", "List paths in the store",
                             "  hmsyncctl paths --prefix hdfs://nn:8020/warehouse/sales.db");
  paths->add_option("--prefix", draft.paths.prefix, "Only this path and what is below it");
  paths->callback([&draft] { draft.result.command = draft.paths; });

  CLI::App* all = add_verb(app, "export", "Print the whole state as sorted JSON lines",
                           "  hmsyncctl export > state.jsonl");
  all->callback([&draft] { draft.result.command = ExportCommand{}; });
}

void add_role(CLI::App& app, Draft& draft) {
  CLI::App* role = add_verb(app, "role", "List and change roles and their members",
                            "  hmsyncctl role create analyst\n"
                            "  hmsyncctl role add analyst --group analysts");
  role->require_subcommand(1);
  CLI::App* list = add_verb(*role, "list", "List roles with members", "  hmsyncctl role list");
  list->callback([&draft] { draft.result.command = RoleListCommand{}; });
  const auto change = [&](RoleCommand::Verb which, const std::string& name, const std::string& what,
                          const std::string& example) {
    CLI::App* verb = add_verb(*role, name, what, example);
    verb->add_option("ROLE", draft.role.role, "Name of the role")->required();
    if (which == RoleCommand::Verb::add || which == RoleCommand::Verb::remove) {
      CLI::Option_group* member = verb->add_option_group("member");
      member->add_option("--group", draft.role.group, "A group");
      member->add_option("--user", draft.role.user, "A user");
      member->require_option(1);
    }
    verb->callback([&draft, which] {
      draft.role.verb = which;
      if (draft.role.role.empty()) wrong("ROLE is empty; a name is allowed");
      draft.result.command = draft.role;
    });
  };
  using Verb = RoleCommand::Verb;
  change(Verb::create, "create", "Create a role", "  hmsyncctl role create analyst");
  change(Verb::drop, "drop", "Drop a role and all its grants", "  hmsyncctl role drop analyst");
  change(Verb::add, "add", "Add a group or user to a role",
         "  hmsyncctl role add analyst --group analysts\n  hmsyncctl role add analyst --user eva");
  change(Verb::remove, "remove", "Remove a group or user from a role",
         "  hmsyncctl role remove analyst --group analysts");
}

void finish_privilege(Draft& draft, bool grant) {
  PrivilegeCommand& privilege = draft.privilege;
  privilege.grant = grant;
  if (privilege.role.empty()) wrong("ROLE is empty; a name is allowed");
  std::transform(privilege.action.begin(), privilege.action.end(), privilege.action.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (std::find(kActions.begin(), kActions.end(), privilege.action) == kActions.end()) {
    std::string names;
    for (const char* action : kActions) names += std::string(names.empty() ? "" : ", ") + action;
    wrong("ACTION is \"" + privilege.action + "\"; allowed are " + names);
  }
  const auto object = parse_object(draft.object, draft.object_options);
  if (const auto* text = std::get_if<std::string>(&object)) wrong(*text);
  privilege.object = std::get<ObjectName>(object);
  draft.result.command = privilege;
}

void add_privileges(CLI::App& app, Draft& draft) {
  const auto change = [&](bool grant, const std::string& name, const std::string& what,
                          const std::string& examples) {
    CLI::App* verb = add_verb(app, name, what, examples);
    verb->add_option("ROLE", draft.privilege.role, "Name of the role")->required();
    verb->add_option("ACTION", draft.privilege.action,
                     "ALL, SELECT, INSERT, CREATE, ALTER, DROP, INDEX, LOCK or REFRESH")
        ->required();
    verb->add_option("OBJECT", draft.object, "server, db, db.table, db.table.column or a URI");
    verb->add_option("--catalog", draft.object_options.catalog, "Catalog of the database");
    verb->add_option("--database", draft.object_options.database, "Database, instead of OBJECT");
    verb->add_option("--table", draft.object_options.table, "Table of the database");
    verb->add_option("--column", draft.object_options.column, "Column of the table");
    verb->add_option("--uri", draft.object_options.uri, "URI, instead of OBJECT");
    if (grant) {
      verb->add_flag("--grant-option", draft.privilege.grant_option, "May be granted on");
    }
    verb->callback([&draft, grant] { finish_privilege(draft, grant); });
  };
  change(true, "grant", "Give a privilege to a role",
         "  hmsyncctl grant analyst SELECT sales.orders\n"
         "  hmsyncctl grant loader ALL hdfs://nn:8020/landing\n"
         "  hmsyncctl grant analyst SELECT --database sales --table odd.name");
  change(false, "revoke", "Take a privilege from a role, here and below",
         "  hmsyncctl revoke analyst SELECT sales.orders\n  hmsyncctl revoke analyst ALL server");

  GrantsCommand& grants = draft.grants;
  CLI::App* verb = add_verb(app, "grants", "List what is granted",
                            "  hmsyncctl grants --role analyst\n  hmsyncctl grants --suspended");
  verb->add_option("--role", grants.role, "Only of this role");
  CLI::Option* database = verb->add_option("--database", grants.database, "Only in this database");
  verb->add_option("--table", grants.table, "Only on this table of it")->needs(database);
  verb->add_flag("--suspended", grants.suspended, "Only those that authorise nothing now");
  verb->callback([&draft] { draft.result.command = draft.grants; });
}

void add_quarantine(CLI::App& app, Draft& draft) {
  using Verb = QuarantineCommand::Verb;
  CLI::App* quarantine =
      add_verb(app, "quarantine", "List and settle events that could not be applied",
               "  hmsyncctl quarantine\n  hmsyncctl quarantine show 4711\n"
               "  hmsyncctl quarantine retry 4711");
  quarantine->require_subcommand(0, 1);
  quarantine->callback([&draft] { draft.result.command = draft.quarantine; });
  add_verb(*quarantine, "list", "List them", "  hmsyncctl quarantine list");
  const auto one = [&](Verb which, const std::string& name, const std::string& what) {
    CLI::App* verb = add_verb(*quarantine, name, what, "  hmsyncctl quarantine " + name + " 4711");
    verb->add_option("ID", draft.event, "Event id")->required();
    if (which == Verb::retry) {
      verb->add_flag("--no-wait", draft.quarantine.no_wait,
                     "Ask for it, and do not wait for its end");
    }
    verb->callback([&draft, which] {
      draft.quarantine.verb = which;
      const auto event = parse_whole(draft.event);
      if (!event) wrong("ID is \"" + draft.event + "\"; the number of an event is allowed");
      draft.quarantine.event = *event;
    });
  };
  one(Verb::show, "show", "Show one whole, with its message");
  one(Verb::retry, "retry", "Try one again: read it, and what it names, anew");
  one(Verb::skip, "skip", "Leave one unapplied for good");
}

void finish_suspended(Draft& draft, SuspendedCommand::Verb verb) {
  draft.suspended.verb = verb;
  for (const std::string& text : draft.ids) {
    const auto id = parse_whole(text);
    if (!id) wrong("ID is \"" + text + "\"; the number of a grant is allowed");
    draft.suspended.ids.push_back(*id);
  }
  if (draft.suspended.ids.empty() != draft.suspended.all) wrong("give either IDs or --all");
}

void add_suspended(CLI::App& app, Draft& draft) {
  using Verb = SuspendedCommand::Verb;
  CLI::App* suspended =
      add_verb(app, "suspended", "Settle grants whose object vanished without an event",
               "  hmsyncctl suspended list\n  hmsyncctl suspended restore 12 13\n"
               "  hmsyncctl suspended purge --all");
  suspended->require_subcommand(1);
  suspended->callback([&draft] { draft.result.command = draft.suspended; });
  add_verb(*suspended, "list", "List them", "  hmsyncctl suspended list");
  const auto change = [&](Verb which, const std::string& name, const std::string& what,
                          const std::string& force) {
    CLI::App* verb = add_verb(
        *suspended, name, what,
        "  hmsyncctl suspended " + name + " 12 13\n  hmsyncctl suspended " + name + " --all");
    verb->add_option("ID", draft.ids, "Ids of grants, as the list shows them");
    verb->add_flag("--all", draft.suspended.all, "All of them");
    verb->add_flag("--force", draft.suspended.force, force);
    verb->callback([&draft, which] { finish_suspended(draft, which); });
  };
  change(Verb::restore, "restore", "Let them authorise again",
         "Also on another object that has the name now");
  change(Verb::purge, "purge", "Delete them", "Allowed as for restore; nothing holds a purge back");
}

void add_audit(CLI::App& app, Draft& draft) {
  CLI::App* verb = add_verb(app, "audit", "List who did what",
                            "  hmsyncctl audit --since 1h\n"
                            "  hmsyncctl audit --since 2026-11-30T08:00:00Z");
  verb->add_option("--since", draft.audit.since, "A time, or how long ago")->type_name("TIME");
  verb->callback([&draft] { draft.result.command = draft.audit; });
}

void add_global_options(CLI::App& app, Draft& draft) {
  app.add_option("--admin", draft.result.admin,
                 "The daemon's admin address, http://127.0.0.1:9180 by default")
      ->type_name("URL")
      ->envname("HMSYNC_ADMIN");
  app.add_option("--token-file", draft.result.token_file,
                 "File with the token; by default the one that a local daemon wrote")
      ->type_name("FILE");
  app.add_option("--ca-file", draft.result.ca_file,
                 "Certificates that vouch for the daemon's, for https")
      ->type_name("FILE");
  app.add_flag("--json", draft.result.json, "Print JSON, one document or one object a line");
  app.set_version_flag("--version", "hmsyncctl " HMSYNC_VERSION);
}

}  // namespace

std::variant<Arguments, Message> parse_arguments(const std::vector<std::string>& arguments) {
  Draft draft;
  CLI::App app("Look after hmsyncd, which keeps a privilege store true to a Hive Metastore.",
               "hmsyncctl");
  app.footer(
      "Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 timed out, 4 daemon not\n"
      "reached, 5 a difference or problem was found.\n\n"
      "Examples:\n  hmsyncctl status\n  hmsyncctl wait --timeout 1m\n"
      "  hmsyncctl grant analyst SELECT sales.orders\n  hmsyncctl VERB --help");
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.get_formatter()->label("Subcommands", "Verbs");
  app.get_formatter()->label("TEXT", "NAME");
  app.require_subcommand(1);
  add_global_options(app, draft);
  add_status(app, draft);
  add_wait(app, draft);
  add_resync(app, draft);
  add_pause(app, draft);
  add_objects(app, draft);
  add_role(app, draft);
  add_privileges(app, draft);
  add_quarantine(app, draft);
  add_suspended(app, draft);
  add_audit(app, draft);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::Success& success) {
    std::ostringstream out;
    app.exit(success, out, out);
    return Message{Exit::done, out.str()};
  } catch (const CLI::ParseError& error) {
    std::string text = error.what();
    if (text.starts_with(": ")) text.erase(0, 2);  // of an error that belongs to no option
    const auto unknown = app.remaining();
    if (!unknown.empty()) text = "unknown verb or option \"" + unknown.front() + "\"";
    return Message{Exit::usage, text + "\nTry: hmsyncctl --help"};
  }
  return draft.result;
}

std::optional<std::chrono::milliseconds> parse_duration(const std::string& text) {
  if (text == "0") return std::chrono::milliseconds(0);
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string::npos) return std::nullopt;
  const auto amount = parse_whole(std::string_view(text).substr(0, digits));
  const std::string unit = text.substr(digits);
  int64_t milliseconds = 0;
  for (const auto& [name, size] : {std::pair<const char*, int64_t>{"ms", 1},
                                   {"s", 1000},
                                   {"m", 60'000},
                                   {"h", 3'600'000},
                                   {"d", 86'400'000}}) {
    if (!amount || unit != name) continue;
    if (__builtin_mul_overflow(*amount, size, &milliseconds)) return std::nullopt;
    // A year bounds what is added to clocks.
    if (milliseconds > int64_t{366} * 86'400'000) return std::nullopt;
    return std::chrono::milliseconds(milliseconds);
  }
  return std::nullopt;
}

}  // namespace hmsync::cli
