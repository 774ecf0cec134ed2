// The configuration: where values come from, what is refused and in which words.
#include "daemon/configuration.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>

#include "daemon/configuration_keys.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() {
    std::string pattern = testing::TempDir() + "configuration-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    file_ = folder_ / "hmsyncd.toml";
  }
  ~ConfigurationTest() override { std::filesystem::remove_all(folder_); }

  LoadedConfiguration load(const std::string& text,
                           std::vector<std::pair<std::string, std::string>> environment = {},
                           std::vector<std::string> assignments = {}) {
    std::ofstream(file_, std::ios::binary) << text;
    return load_configuration({.file = file_,
                               .environment = std::move(environment),
                               .assignments = std::move(assignments)});
  }

  /// Where a problem in this line of the file is said to be.
  std::string at(int line) const { return file_.string() + ":" + std::to_string(line) + ": "; }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(ConfigurationTest, AnEmptyFileGivesTheDocumentedDefaults) {
  const auto [c, problems] = load("");
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(c.server, "server1");
  EXPECT_THAT(c.metastore.uris, ElementsAre("thrift://127.0.0.1:9083"));
  EXPECT_EQ(c.metastore.poll_interval, milliseconds(500));
  EXPECT_EQ(c.metastore.batch_events, 10000);
  EXPECT_EQ(c.metastore.batch_bytes, 33554432);
  EXPECT_EQ(c.metastore.settle, milliseconds(10000));
  EXPECT_EQ(c.metastore.overlap_events, 100);
  EXPECT_EQ(c.metastore.sweep_interval, milliseconds(60000));
  EXPECT_EQ(c.metastore.sweep_tables_per_second, 1);
  EXPECT_EQ(c.metastore.gap_grace, milliseconds(5000));
  EXPECT_EQ(c.metastore.snapshot_connections, 4);
  EXPECT_DOUBLE_EQ(c.metastore.max_removed, 0.2);
  EXPECT_EQ(c.metastore.verify_interval, milliseconds(86400000));
  EXPECT_EQ(c.metastore.user, "");
  EXPECT_EQ(c.metastore.connect_timeout, milliseconds(5000));
  EXPECT_EQ(c.metastore.call_timeout, milliseconds(120000));
  EXPECT_EQ(c.metastore.max_message, 104857600);
  EXPECT_EQ(c.store.dsn, "postgresql:///hmsync");
  EXPECT_EQ(c.store.schema, "hmsync");
  EXPECT_EQ(c.store.password_file, "");
  EXPECT_EQ(c.store.migrate, "auto");
  EXPECT_EQ(c.store.audit_retention, milliseconds(int64_t{400} * 86400000));
  EXPECT_EQ(c.store.change_log_retention, milliseconds(int64_t{7} * 86400000));
  EXPECT_EQ(c.leader.lease, milliseconds(10000));
  EXPECT_EQ(c.admin.listen, "127.0.0.1:9180");
  EXPECT_EQ(c.admin.max_waiters, 10000);
  EXPECT_EQ(c.admin.probe_listen, "");
  EXPECT_EQ(c.log.level, "info");
  EXPECT_EQ(c.log.format, "text");
}

TEST_F(ConfigurationTest, EveryFormOfValueIsUnderstood) {
  const auto [c, problems] = load(R"(
server = "lake"
[metastore]
uris = ["thrift://a.example:9083", "thrift://[::1]:9084"]
poll_interval = "50ms"
batch_bytes = "1GiB"
max_message = 1048576
max_removed = "7.5%"
sweep_interval = "0"
verify_interval = "7d"
sweep_tables_per_second = 0.5
settle = "5m"
[store]
migrate = "never"
[leader]
lease = "2s"
)");
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(c.server, "lake");
  EXPECT_THAT(c.metastore.uris, ElementsAre("thrift://a.example:9083", "thrift://[::1]:9084"));
  EXPECT_EQ(c.metastore.poll_interval, milliseconds(50));
  EXPECT_EQ(c.metastore.batch_bytes, 1073741824);
  EXPECT_EQ(c.metastore.max_message, 1048576);
  EXPECT_DOUBLE_EQ(c.metastore.max_removed, 0.075);
  EXPECT_EQ(c.metastore.sweep_interval, milliseconds(0));
  EXPECT_EQ(c.metastore.verify_interval, milliseconds(604800000));
  EXPECT_EQ(c.metastore.sweep_tables_per_second, 0.5);
  EXPECT_EQ(c.metastore.settle, milliseconds(300000));
  EXPECT_EQ(c.store.migrate, "never");
  EXPECT_EQ(c.leader.lease, milliseconds(2000));
}

TEST_F(ConfigurationTest, FileBeatsDefaultEnvironmentBeatsFileSetBeatsAll) {
  const std::string text = "[store]\nschema = \"from_file\"\n[log]\nlevel = \"warn\"\n";
  const std::pair<std::string, std::string> schema{"HMSYNC_STORE_SCHEMA", "from_environment"};
  EXPECT_EQ(load(text).configuration.store.schema, "from_file");
  EXPECT_EQ(load(text, {schema}).configuration.store.schema, "from_environment");
  const auto loaded =
      load(text, {schema}, {"store.schema=first", "store.schema=last", "store.dsn=host=a user=b"});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.configuration.store.schema, "last");
  EXPECT_EQ(loaded.configuration.store.dsn, "host=a user=b");
  EXPECT_EQ(loaded.configuration.log.level, "warn");
}

TEST_F(ConfigurationTest, TheEnvironmentReachesTheTopKeyAndListsWithCommas) {
  const auto loaded = load("", {{"HMSYNC_SERVER", "s2"},
                                {"HMSYNC_METASTORE_URIS", "thrift://a:1, thrift://b:2"},
                                {"HMSYNC_METASTORE_BATCH_EVENTS", "77"},
                                {"PATH", "/bin"}});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.configuration.server, "s2");
  EXPECT_THAT(loaded.configuration.metastore.uris, ElementsAre("thrift://a:1", "thrift://b:2"));
  EXPECT_EQ(loaded.configuration.metastore.batch_events, 77);
}

TEST_F(ConfigurationTest, AllProblemsAreToldAtOnceWithFileLineAndKey) {
  const auto loaded = load(
      "server = 5\n"
      "[metastore]\n"
      "pol_interval = \"1s\"\n"
      "settle = \"soon\"\n"
      "\n"
      "batch_events = \"many\"\n"
      "[storre]\n"
      "dsn = \"x\"\n",
      {{"HMSYNC_LOG_LEVEL", "loud"}}, {"leader.leese=1s", "nonsense"});
  EXPECT_THAT(
      loaded.problems,
      UnorderedElementsAre(
          at(1) + "server is 5; a text is allowed",
          at(3) + "metastore.pol_interval is not a key of hmsyncd; the nearest known one is "
                  "metastore.poll_interval",
          at(4) + "metastore.settle is \"soon\"; a duration from 100ms to 1h is allowed, with the "
                  "unit ms, s, m, h or d",
          at(6) + "metastore.batch_events is \"many\"; a whole number from 1 to 1000000 is allowed",
          at(7) + "[storre] is not a section of hmsyncd; the nearest known one is [store]",
          "HMSYNC_LOG_LEVEL: log.level is \"loud\"; allowed are debug, info, warn, error",
          "--set: leader.leese is not a key of hmsyncd; the nearest known one is leader.lease",
          "--set: \"nonsense\" has no \"=\"; section.key=value is allowed"));
}

TEST_F(ConfigurationTest, AKeyInTheWrongPlaceIsNamedInItsOwn) {
  EXPECT_THAT(load("poll_interval = \"1s\"\n").problems,
              ElementsAre(at(1) + "poll_interval is not a key of hmsyncd; the nearest known one is "
                                  "metastore.poll_interval"));
  EXPECT_THAT(load("[store]\nlease = \"2s\"\n").problems,
              ElementsAre(HasSubstr("the nearest known one is leader.lease")));
}

TEST_F(ConfigurationTest, ValuesOutOfBoundsAndWithoutUnitAreRefused) {
  for (const std::string line : {"poll_interval = \"5\"",
                                 "poll_interval = 5",
                                 "poll_interval = \"1ms\"",
                                 "poll_interval = \"2h\"",
                                 "poll_interval = \"-1s\"",
                                 "poll_interval = \"1.5s\"",
                                 "poll_interval = \"99999999999999999999s\"",
                                 "poll_interval = \"9223372036854775807d\"",
                                 "poll_interval = \"\"",
                                 "poll_interval = \"ms\"",
                                 "poll_interval = \"0\"",
                                 "poll_interval = true",
                                 "poll_interval = [\"1s\"]",
                                 "poll_interval = 1979-05-27",
                                 "batch_bytes = \"32MB\"",
                                 "batch_bytes = -1",
                                 "batch_bytes = \"1000000TiB\"",
                                 "max_removed = \"101%\"",
                                 "max_removed = \"20\"",
                                 "max_removed = 0.2",
                                 "max_removed = \"nan%\"",
                                 "batch_events = 0",
                                 "batch_events = 1.5",
                                 "uris = \"thrift://a:1\"",
                                 "uris = [1]",
                                 "user = 5",
                                 "[metastore.settle]",
                                 "sweep_tables_per_second = nan"}) {
    EXPECT_THAT(load("[metastore]\n" + line + "\n").problems,
                ElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("allowed"))))
        << line;
  }
}

TEST_F(ConfigurationTest, UrisThatAreNoThriftAddressAreRefused) {
  for (const std::string uri : {"", "a:9083", "http://a:9083", "thrift://a", "thrift://:9083",
                                "thrift://a:0", "thrift://a:70000", "thrift://a:9083/x",
                                "thrift://::1:9083", "thrift://[x]:9083", "thrift://a b:9083"}) {
    EXPECT_THAT(load("[metastore]\nuris = [\"" + uri + "\"]\n").problems,
                ElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("thrift://HOST:PORT is allowed"))))
        << uri;
  }
  EXPECT_THAT(load("[metastore]\nuris = []\n").problems, ElementsAre(HasSubstr("is empty")));
}

TEST_F(ConfigurationTest, RelationsBetweenKeysAreCheckedAndTheGivenKeyIsBlamed) {
  EXPECT_THAT(
      load("[metastore]\npoll_interval = \"20s\"\n").problems,
      UnorderedElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("metastore.settle is 10s, less than "
                                                             "metastore.poll_interval (20s)")),
                           AllOf(HasSubstr(at(2)), HasSubstr("metastore.gap_grace is 5s, less than "
                                                             "metastore.poll_interval (20s)"))));
  EXPECT_THAT(load("[metastore]\ncall_timeout = \"1s\"\n").problems,
              ElementsAre(HasSubstr("metastore.call_timeout is 1s, less than "
                                    "metastore.connect_timeout (5s)")));
  EXPECT_THAT(load("[leader]\nlease = \"200ms\"\n").problems,
              ElementsAre(HasSubstr("leader.lease is \"200ms\"; a duration from 1s to 10m")));
}

TEST_F(ConfigurationTest, ARefusedValueIsNotBlamedASecondTimeInARelation) {
  EXPECT_THAT(load("[metastore]\nsettle = \"1ms\"\npoll_interval = \"20s\"\ngap_grace = \"30s\"\n")
                  .problems,
              ElementsAre(HasSubstr("metastore.settle is \"1ms\"")));
}

TEST_F(ConfigurationTest, AListenerThatOthersReachIsRefusedWithoutTokensAndTls) {
  for (const std::string address : {"0.0.0.0:9180", "10.1.2.3:1", "[::]:9180", "host.example:1"}) {
    EXPECT_THAT(load("[admin]\nlisten = \"" + address + "\"\n").problems,
                ElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("admin.tokens_file"),
                                  HasSubstr("which others can reach"))))
        << address;
  }
  for (const std::string address : {"127.0.0.1:0", "127.9.9.9:1", "localhost:9180", "[::1]:9180"}) {
    EXPECT_THAT(load("[admin]\nlisten = \"" + address + "\"\n").problems, IsEmpty()) << address;
  }
  for (const std::string address : {"", "127.0.0.1", ":9180", "::1:9180", "127.0.0.1:x",
                                    "127.0.0.1:-1", "127.0.0.1:65536", "http://127.0.0.1:1"}) {
    EXPECT_THAT(load("[admin]\nlisten = \"" + address + "\"\n").problems,
                ElementsAre(HasSubstr("HOST:PORT or [IPV6]:PORT is allowed")))
        << address;
  }
}

TEST_F(ConfigurationTest, TokensAndTlsThatWouldNotBeLookedAtAreRefused) {
  const auto loaded = load("[admin]\ntokens_file = \"/t\"\ntls_cert_file = \"/c\"\n");
  EXPECT_THAT(loaded.problems,
              UnorderedElementsAre(HasSubstr("admin.tls_cert_file and admin.tls_key_file go "
                                             "together"),
                                   HasSubstr("admin.tokens_file is set, but this version does not"),
                                   HasSubstr("admin.tls_cert_file is set, but this version")));
}

TEST_F(ConfigurationTest, AVariableThatIsNoKeyIsRefusedButNotTheNeighbours) {
  const auto loaded = load("", {{"HMSYNC_STORE_SHEMA", "x"},
                                {"HMSYNC_ADMIN", "http://127.0.0.1:1"},
                                {"HMSYNC_PORT", "tcp://10.0.0.1:9180"},
                                {"HMSYNC_SERVICE_HOST", "10.0.0.1"},
                                {"HMSYNC_SERVICE_PORT_ADMIN", "9180"},
                                {"HMSYNC_PROBES_PORT_9181_TCP_ADDR", "10.0.0.1"}});
  EXPECT_THAT(loaded.problems,
              ElementsAre("HMSYNC_STORE_SHEMA: is not a variable of hmsyncd; the nearest known one "
                          "is HMSYNC_STORE_SCHEMA"));
}

TEST_F(ConfigurationTest, NothingOfAConnectionStringIsShownInProblems) {
  const auto loaded =
      load("[store]\ndsn = \"postgresql://u:sec/ret@h:port/d\"\n", {}, {"metastore.user=ok"});
  EXPECT_THAT(loaded.problems, ElementsAre(AllOf(HasSubstr("store.dsn is not understood by libpq"),
                                                 testing::Not(HasSubstr("ret")))));
  EXPECT_THAT(
      load("[store]\ndsn = 123456\n").problems,
      ElementsAre(AllOf(HasSubstr("store.dsn is not a text"), testing::Not(HasSubstr("123456")))));
}

TEST_F(ConfigurationTest, WhatIsNoTomlIsOneSentenceWithItsLine) {
  EXPECT_THAT(load("server = \"a\"\n[metastore\n").problems,
              ElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("is not TOML"))));
  EXPECT_THAT(load("server = \"a\"\nserver = \"b\"\n").problems,
              ElementsAre(AllOf(HasSubstr(at(2)), HasSubstr("server"))));
  EXPECT_THAT(load("server = \"\xff\xfe\"\n").problems,
              ElementsAre(AllOf(HasSubstr(at(1)), HasSubstr("utf-8"))));
  EXPECT_THAT(load("server = \"a\"\n[\x7f\n:").problems,
              ElementsAre(at(2) + "has the control character 0x7f; only tabs and line ends are "
                                  "allowed"));
}

TEST_F(ConfigurationTest, AFileThatCannotBeReadIsOneSentence) {
  EXPECT_THAT(load_configuration({.file = folder_, .environment = {}, .assignments = {}}).problems,
              ElementsAre(folder_.string() + ": is a folder; a TOML file is needed"));
  const auto missing = folder_ / "missing.toml";
  EXPECT_THAT(load_configuration({.file = missing, .environment = {}, .assignments = {}}).problems,
              ElementsAre(missing.string() + ": cannot be read: No such file or directory"));
  EXPECT_THAT(load(std::string((size_t{1} << 20) + 1, '#')).problems,
              ElementsAre(HasSubstr("larger than 1 MiB")));
}

TEST_F(ConfigurationTest, ThePrintedConfigurationReadsBackAsTheSame) {
  const auto loaded = load(R"(
server = "with \"quotes\" and \\"
[metastore]
uris = ["thrift://a:1", "thrift://b:2"]
poll_interval = "1500ms"
max_removed = "7%"
batch_bytes = 100000
sweep_tables_per_second = 2.5
)");
  ASSERT_THAT(loaded.problems, IsEmpty());
  const std::string printed = print_configuration(loaded.configuration);
  EXPECT_THAT(printed, HasSubstr("poll_interval = \"1500ms\"\n"));
  EXPECT_THAT(printed, HasSubstr("verify_interval = \"24h\"\n"));
  EXPECT_THAT(printed, HasSubstr("max_removed = \"7%\"\n"));
  const auto again = load(printed);
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_EQ(print_configuration(again.configuration), printed);
  EXPECT_EQ(again.configuration.server, "with \"quotes\" and \\");
  EXPECT_EQ(again.configuration.metastore.poll_interval, milliseconds(1500));
  EXPECT_EQ(again.configuration.metastore.batch_bytes, 100000);
}

TEST_F(ConfigurationTest, PrintedPasswordsAreHidden) {
  Configuration c;
  for (const std::string dsn :
       {"postgresql://anna:hunter2@db.example:5433/lake", "host=db.example password=hunter2",
        "postgresql://db.example/lake?password=hunter2", "host=db.example password = 'hunter2'",
        "postgresql://db.example/lake?sslpassword=hunter2", "password=hunter2 oops",
        "postgresql://anna:hunter2/x@db.example/lake"}) {
    c.store.dsn = dsn;
    EXPECT_THAT(print_configuration(c), testing::Not(HasSubstr("hunter2"))) << dsn;
  }
  c.store.dsn = "postgresql://anna:hunter2@db.example:5433/lake";
  EXPECT_THAT(print_configuration(c),
              AllOf(HasSubstr("user='anna'"), HasSubstr("host='db.example'"), HasSubstr("'***'")));
  c.store.dsn = "postgresql://anna@db.example:5433/lake";
  EXPECT_THAT(print_configuration(c),
              HasSubstr("dsn = \"postgresql://anna@db.example:5433/lake\"\n"));
}

TEST_F(ConfigurationTest, AReloadTellsWhatCanChangeFromWhatCannot) {
  const auto running = load("").configuration;
  const auto next = load(
                        "[metastore]\npoll_interval = \"1s\"\nsettle = \"20s\"\n[log]\nlevel = "
                        "\"debug\"\n")
                        .configuration;
  const ConfigurationChanges changes = compare(running, next);
  EXPECT_THAT(changes.live, UnorderedElementsAre("metastore.poll_interval", "log.level"));
  EXPECT_THAT(changes.needs_restart, ElementsAre("metastore.settle"));
}

TEST_F(ConfigurationTest, EveryKeyHasItsOwnFieldNameVariableAndDescription) {
  Configuration c;
  std::set<std::string> names;
  std::set<void*> fields;
  for (const Key& key : configuration_keys()) {
    names.insert(environment_name(key));
    std::visit([&fields](auto* field) { fields.insert(field); }, key.field(c));
    EXPECT_FALSE(key.description.empty()) << key.name;
  }
  EXPECT_EQ(names.size(), 32U);
  EXPECT_EQ(fields.size(), 32U);
  EXPECT_TRUE(names.contains("HMSYNC_METASTORE_SWEEP_TABLES_PER_SECOND"));
}

TEST_F(ConfigurationTest, DamagedFilesGiveProblemsNotCrashes) {
  const std::string good = print_configuration(Configuration{});
  std::mt19937 random(20261130);  // NOLINT: the same files every time
  const std::string letters("[]{}=\"'\\#.,:\n\r\t 0_aé\x7f\x01\xff");
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int i = 0; i < 1 + round % 8; ++i) {
      const size_t place = random() % text.size();
      if (random() % 3 == 0) text.erase(place, random() % 40);
      text.insert(std::min(place, text.size()), 1, letters[random() % letters.size()]);
    }
    for (const std::string& problem : load(text).problems) EXPECT_FALSE(problem.empty());
  }
}

TEST(Addresses, LoopbackIsToldFromTheRest) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.255.0.3"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_TRUE(is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("128.0.0.1"));
  EXPECT_FALSE(is_loopback("::"));
  EXPECT_FALSE(is_loopback("localhost.example"));
}

}  // namespace
}  // namespace hmsync::daemon
