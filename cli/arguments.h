// What hmsyncctl was asked to do: its command line as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/object_name.h"

namespace hmsync::cli {

/// How hmsyncctl ends; scripts rely on the numbers.
enum class Exit { done = 0, failed = 1, usage = 2, timed_out = 3, unreachable = 4, found = 5 };

struct StatusCommand {
  bool check = false;
};
struct WaitCommand {
  std::optional<int64_t> event;
  std::chrono::milliseconds timeout{30'000};
};
struct ResyncCommand {
  std::optional<std::string> catalog, database, table;
  bool dry_run = false, exit_code = false, force = false, no_wait = false;
};
struct PauseCommand {
  std::optional<std::chrono::milliseconds> duration;
  std::optional<std::string> reason;
};
struct ResumeCommand {};
struct OwnerCommand {
  std::string path;
};
struct ObjectsCommand {
  std::optional<std::string> catalog, database, table;
};
struct PathsCommand {
  std::optional<std::string> prefix;
};
struct RoleListCommand {};
struct RoleCommand {
  enum class Verb { create, drop, add, remove };
  Verb verb = Verb::create;
  std::string role;
  std::optional<std::string> group, user;  ///< exactly one, for add and remove
};
struct PrivilegeCommand {
  bool grant = true;  ///< else revoke
  std::string role;
  std::string action;
  ObjectName object;
  bool grant_option = false;
};
struct GrantsCommand {
  std::optional<std::string> role, database, table;
  bool suspended = false;
};
struct ExportCommand {};
struct QuarantineCommand {
  enum class Verb { list, show, retry, skip };
  Verb verb = Verb::list;
  int64_t event = 0;  ///< for all but list
  bool no_wait = false;
};
struct SuspendedCommand {
  enum class Verb { list, restore, purge };
  Verb verb = Verb::list;
  std::vector<int64_t> ids;  ///< empty: all
  bool all = false, force = false;
};
struct AuditCommand {
  std::optional<std::string> since;  ///< a time, or a duration before now; judged by the daemon
};

using Command = std::variant<StatusCommand, WaitCommand, ResyncCommand, PauseCommand, ResumeCommand,
                             OwnerCommand, ObjectsCommand, PathsCommand, RoleListCommand,
                             RoleCommand, PrivilegeCommand, GrantsCommand, ExportCommand,
                             QuarantineCommand, SuspendedCommand, AuditCommand>;

struct Arguments {
  std::string admin = "http://127.0.0.1:9180";
  std::string token_file;  ///< empty: the local token
  std::string ca_file;     ///< empty: the system's
  bool json = false;
  Command command;
};

/// Nothing to do but print this: help, version, or what is wrong with the command line.
struct Message {
  Exit exit = Exit::done;
  std::string text;
};

/// `arguments` without the program's name. HMSYNC_ADMIN is read from the environment.
std::variant<Arguments, Message> parse_arguments(const std::vector<std::string>& arguments);

/// "500ms", "30s", "5m", "1h", "7d" or "0"; nothing for anything else.
std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);

}  // namespace hmsync::cli
