// The command line: what each form means, and what is wrong usage.
#include "cli/arguments.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace hmsync::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using Words = std::vector<std::string>;

Arguments accepted(const Words& words) {
  const auto parsed = parse_arguments(words);
  if (const auto* message = std::get_if<Message>(&parsed)) {
    ADD_FAILURE() << message->text;
    return {};
  }
  return std::get<Arguments>(parsed);
}

template <typename Verb>
Verb verb(const Words& words) {
  return std::get<Verb>(accepted(words).command);
}

Message refused(const Words& words) {
  const auto parsed = parse_arguments(words);
  if (std::holds_alternative<Arguments>(parsed)) {
    ADD_FAILURE() << "accepted: " << testing::PrintToString(words);
    return {};
  }
  return std::get<Message>(parsed);
}

TEST(ArgumentsTest, GlobalOptionsStandBeforeOrBehindTheVerb) {
  for (const Words& words :
       {Words{"--admin", "http://h:1", "--json", "--token-file", "/t", "--ca-file", "/c", "role",
              "list"},
        Words{"role", "list", "--admin", "http://h:1", "--json", "--token-file", "/t", "--ca-file",
              "/c"},
        Words{"role", "--json", "--admin=http://h:1", "list", "--token-file=/t", "--ca-file=/c"}}) {
    const Arguments arguments = accepted(words);
    EXPECT_EQ(arguments.admin, "http://h:1");
    EXPECT_TRUE(arguments.json);
    EXPECT_EQ(arguments.token_file, "/t");
    EXPECT_EQ(arguments.ca_file, "/c");
    EXPECT_TRUE(std::holds_alternative<RoleListCommand>(arguments.command));
  }
}

TEST(ArgumentsTest, TheAdminAddressComesFromTheEnvironmentUnlessGiven) {
  EXPECT_EQ(accepted({"status"}).admin, "http://127.0.0.1:9180");
  setenv("HMSYNC_ADMIN", "http://127.0.0.1:4", 1);
  EXPECT_EQ(accepted({"status"}).admin, "http://127.0.0.1:4");
  EXPECT_EQ(accepted({"status", "--admin", "http://127.0.0.1:5"}).admin, "http://127.0.0.1:5");
  unsetenv("HMSYNC_ADMIN");
}

TEST(ArgumentsTest, WaitTakesAnEventAndATimeout) {
  EXPECT_EQ(verb<WaitCommand>({"wait"}).event, std::nullopt);
  EXPECT_EQ(verb<WaitCommand>({"wait"}).timeout, milliseconds(30'000));
  EXPECT_EQ(verb<WaitCommand>({"wait", "0"}).event, 0);
  const auto wait = verb<WaitCommand>({"wait", "--timeout", "2m", "9007199254740993"});
  EXPECT_EQ(wait.event, 9007199254740993);
  EXPECT_EQ(wait.timeout, milliseconds(120'000));
}

TEST(ArgumentsTest, ResyncPauseAndListsTakeTheirOptions) {
  const auto resync = verb<ResyncCommand>({"resync", "--catalog", "c", "--database", "d", "--table",
                                           "t", "--dry-run", "--exit-code", "--force"});
  EXPECT_EQ(resync.catalog, "c");
  EXPECT_EQ(resync.database, "d");
  EXPECT_EQ(resync.table, "t");
  EXPECT_TRUE(resync.dry_run && resync.exit_code && resync.force && !resync.no_wait);
  EXPECT_TRUE(verb<ResyncCommand>({"resync", "--no-wait"}).no_wait);
  const auto pause = verb<PauseCommand>({"pause", "--for", "1h", "--reason", "up grade"});
  EXPECT_EQ(pause.duration, milliseconds(3'600'000));
  EXPECT_EQ(pause.reason, "up grade");
  EXPECT_TRUE(verb<StatusCommand>({"status", "--check"}).check);
  EXPECT_EQ(verb<OwnerCommand>({"owner", "/a b"}).path, "/a b");
  EXPECT_EQ(verb<PathsCommand>({"paths", "--prefix", "/a"}).prefix, "/a");
  EXPECT_EQ(verb<ObjectsCommand>({"objects", "--database", "d"}).database, "d");
  const auto grants = verb<GrantsCommand>({"grants", "--role", "r", "--suspended"});
  EXPECT_EQ(grants.role, "r");
  EXPECT_TRUE(grants.suspended);
}

TEST(ArgumentsTest, RolesMayBeCalledLikeVerbs) {
  const auto create = verb<RoleCommand>({"role", "create", "status"});
  EXPECT_EQ(create.verb, RoleCommand::Verb::create);
  EXPECT_EQ(create.role, "status");
  const auto add = verb<RoleCommand>({"role", "add", "list", "--group", "wait"});
  EXPECT_EQ(add.verb, RoleCommand::Verb::add);
  EXPECT_EQ(add.role, "list");
  EXPECT_EQ(add.group, "wait");
  EXPECT_EQ(add.user, std::nullopt);
  const auto grant = verb<PrivilegeCommand>({"grant", "export", "SELECT", "role"});
  EXPECT_EQ(grant.role, "export");
  EXPECT_EQ(grant.object.database, "role");
}

TEST(ArgumentsTest, GrantAndRevokeTakeAnActionInAnyCaseAndAnObject) {
  const auto grant = verb<PrivilegeCommand>({"grant", "r", "select", "db.t.c", "--grant-option"});
  EXPECT_TRUE(grant.grant);
  EXPECT_TRUE(grant.grant_option);
  EXPECT_EQ(grant.action, "SELECT");
  EXPECT_EQ(grant.object.column, "c");
  const auto revoke =
      verb<PrivilegeCommand>({"revoke", "r", "ALL", "--database", "a.b", "--table", "--odd"});
  EXPECT_FALSE(revoke.grant);
  EXPECT_EQ(revoke.object.database, "a.b");
  EXPECT_EQ(revoke.object.table, "--odd");
}

TEST(ArgumentsTest, QuarantineListsUnlessAnEventIsNamed) {
  using Verb = QuarantineCommand::Verb;
  EXPECT_EQ(verb<QuarantineCommand>({"quarantine"}).verb, Verb::list);
  EXPECT_EQ(verb<QuarantineCommand>({"quarantine", "list", "--json"}).verb, Verb::list);
  const auto show = verb<QuarantineCommand>({"quarantine", "show", "9007199254740993"});
  EXPECT_EQ(show.verb, Verb::show);
  EXPECT_EQ(show.event, 9007199254740993);
  const auto retry = verb<QuarantineCommand>({"quarantine", "retry", "7", "--no-wait"});
  EXPECT_EQ(retry.verb, Verb::retry);
  EXPECT_EQ(retry.event, 7);
  EXPECT_TRUE(retry.no_wait);
  EXPECT_EQ(verb<QuarantineCommand>({"quarantine", "skip", "7"}).verb, Verb::skip);
}

TEST(ArgumentsTest, SuspendedTakesIdsOrAll) {
  using Verb = SuspendedCommand::Verb;
  EXPECT_EQ(verb<SuspendedCommand>({"suspended", "list"}).verb, Verb::list);
  const auto restore = verb<SuspendedCommand>({"suspended", "restore", "12", "13", "--force"});
  EXPECT_EQ(restore.verb, Verb::restore);
  EXPECT_EQ(restore.ids, (std::vector<int64_t>{12, 13}));
  EXPECT_TRUE(restore.force && !restore.all);
  const auto purge = verb<SuspendedCommand>({"suspended", "purge", "--all"});
  EXPECT_EQ(purge.verb, Verb::purge);
  EXPECT_TRUE(purge.all && purge.ids.empty() && !purge.force);
}

TEST(ArgumentsTest, AuditTakesATime) {
  EXPECT_EQ(verb<AuditCommand>({"audit"}).since, std::nullopt);
  EXPECT_EQ(verb<AuditCommand>({"audit", "--since", "1h"}).since, "1h");
}

TEST(ArgumentsTest, WrongUsageIsToldWithStatusTwo) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{}, "VERB|required"},
      {{"no-such-verb"}, "unknown verb or option \"no-such-verb\""},
      {{"status", "--nope"}, "unknown verb or option \"--nope\""},
      {{"status", "extra"}, "unknown verb or option \"extra\""},
      {{"wait", "x"}, "EVENT is \"x\""},
      {{"wait", "-5"}, "EVENT is \"-5\""},
      {{"wait", "99999999999999999999"}, "EVENT is"},
      {{"wait", "--timeout", "5"}, "--timeout is \"5\""},
      {{"pause", "--for", "soon"}, "--for is \"soon\""},
      {{"pause", "--for", "10ms"}, "less than a second"},
      {{"resync", "--table", "t"}, "--database"},
      {{"resync", "--exit-code"}, "--dry-run"},
      {{"resync", "--dry-run", "--exit-code", "--no-wait"}, "--no-wait"},
      {{"owner"}, "PATH"},
      {{"role"}, "required"},
      {{"role", "rename", "r"}, "unknown verb or option"},
      {{"role", "create"}, "ROLE"},
      {{"role", "create", ""}, "ROLE is empty"},
      {{"role", "add", "r"}, "--group,--user"},
      {{"role", "add", "r", "--group", "g", "--user", "u"}, "--group,--user"},
      {{"grant", "r"}, "ACTION"},
      {{"grant", "r", "FLY", "db"}, "ACTION is \"FLY\"; allowed are ALL, SELECT"},
      {{"grant", "r", "ALL"}, "no object"},
      {{"revoke", "r", "ALL", "db", "--grant-option"}, "unknown verb or option"},
      {{"grants", "--table", "t"}, "--database"},
      {{"quarantine", "show"}, "ID"},
      {{"quarantine", "retry", "x"}, "ID is \"x\""},
      {{"quarantine", "skip", "1", "2"}, "unknown verb or option"},
      {{"quarantine", "drop", "1"}, "unknown verb or option"},
      {{"suspended"}, "required"},
      {{"suspended", "restore"}, "either IDs or --all"},
      {{"suspended", "purge", "12", "--all"}, "either IDs or --all"},
      {{"suspended", "purge", "-1"}, "ID is \"-1\""},
      {{"audit", "1h"}, "unknown verb or option"},
  };
  for (const auto& [words, text] : cases) {
    const Message message = refused(words);
    EXPECT_EQ(message.exit, Exit::usage) << testing::PrintToString(words);
    if (text != "VERB|required") {
      EXPECT_THAT(message.text, HasSubstr(text)) << testing::PrintToString(words);
    }
    EXPECT_THAT(message.text, HasSubstr("--help"));
  }
}

TEST(ArgumentsTest, HelpHasExamplesAtEachLevel) {
  for (const Words& words : {Words{"--help"},
                             Words{"status", "--help"},
                             Words{"wait", "--help"},
                             Words{"resync", "--help"},
                             Words{"pause", "--help"},
                             Words{"resume", "--help"},
                             Words{"owner", "--help"},
                             Words{"objects", "--help"},
                             Words{"paths", "--help"},
                             Words{"role", "--help"},
                             Words{"role", "add", "--help"},
                             Words{"grant", "--help"},
                             Words{"revoke", "--help"},
                             Words{"grants", "--help"},
                             Words{"export", "--help"},
                             Words{"quarantine", "--help"},
                             Words{"quarantine", "retry", "--help"},
                             Words{"suspended", "--help"},
                             Words{"suspended", "restore", "--help"},
                             Words{"audit", "--help"}}) {
    const Message message = refused(words);
    EXPECT_EQ(message.exit, Exit::done);
    EXPECT_THAT(message.text, HasSubstr("Examples:\n  hmsyncctl ")) << words.front();
  }
}

TEST(ArgumentsTest, TheVersionIsPrinted) {
  const Message message = refused({"--version"});
  EXPECT_EQ(message.exit, Exit::done);
  EXPECT_THAT(message.text, testing::MatchesRegex("hmsyncctl [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(DurationTest, UnitsAreNeededAndWholeNumbersAllowed) {
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("7d"), milliseconds(604'800'000));
  for (const char* text : {"", "5", "s", "1.5s", "-1s", "1 s", "1S", "99999999999999999999s",
                           "9223372036854775807d", "1h30m"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hmsync::cli
