// Networks and servers that fail in ways that nobody tells the client of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "store/connect_parameters.h"
#include "store/connection.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/gate.h"
#include "tests/store/own_database.h"

namespace hmsync::store {

namespace {

using fixtures::Gate;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

/// Far beyond the time-outs that are set here, far below those that are not.
constexpr seconds kSoon{20};

class FailureCounter : public ConnectionObserver {
 public:
  void round_trip() override {}
  void failed(ErrorKind /*kind*/) override { ++failures; }
  int failures = 0;
};

class ConnectionFaults : public testing::Test {
 protected:
  /// "kind: text" of what the call throws, which it must do soon.
  template <typename Call>
  static std::string thrown(const Call& call) {
    const auto begin = Clock::now();
    std::string told = "nothing";
    try {
      call();
    } catch (const Error& error) {
      told = std::string(to_string(error.kind())) + ": " + error.what();
    }
    EXPECT_LT(Clock::now() - begin, kSoon);
    return told;
  }

  [[nodiscard]] ConnectionOptions through_gate() const {
    ConnectionOptions options = database_.options();
    options.dsn = to_ports(std::to_string(gate_.port()));
    return options;
  }

  /// As many hosts as ports.
  [[nodiscard]] std::string to_ports(const std::string& ports) const {
    const std::string dsn = database_.options().dsn;
    const std::string database = dsn.substr(dsn.rfind('/') + 1);
    const auto more = static_cast<size_t>(std::count(ports.begin(), ports.end(), ','));
    std::string hosts = "127.0.0.1";
    for (size_t i = 0; i < more; ++i) hosts += ",127.0.0.1";
    return "host=" + hosts + " port=" + ports + " user=hmsync dbname=" + database;
  }

  OwnDatabase database_;
  Gate gate_{shared_postgres().port()};
};

TEST_F(ConnectionFaults, ASilentServerIsGivenUpWhenTheTimesForStatementAndSilenceAreOver) {
  ConnectionOptions options = through_gate();
  options.statement_timeout = milliseconds(20);
  options.silence = milliseconds(20);
  for (const auto way : {Gate::Way::to_server, Gate::Way::to_client}) {
    Clock::duration silent{};
    for (int i = 0; i < 5; ++i) {
      Connection connection(options);
      gate_.swallow(way);
      const auto begin = Clock::now();
      EXPECT_THAT(thrown([&] { connection.query("SELECT 1"); }),
                  HasSubstr("transient: the database did not answer in time"));
      silent += Clock::now() - begin;
      gate_.forward();
      connection.set_statement_timeout(seconds(10));
      EXPECT_NO_THROW(connection.query("SELECT 1")) << "on a new session";
    }
    EXPECT_GE(silent, 5 * milliseconds(40));
    EXPECT_LT(silent, 5 * seconds(1)) << "as long as the default silence";
  }
}

TEST_F(ConnectionFaults, ConnectingHasOneTimeLimitWhereverTheServerFallsSilent) {
  ConnectionOptions options = through_gate();
  options.connect_timeout = milliseconds(500);
  options.statement_timeout = seconds(60);
  gate_.swallow(Gate::Way::to_client);
  EXPECT_THAT(thrown([&] { Connection connection(options); }),
              AllOf(StartsWith("transient: "), HasSubstr(std::to_string(gate_.port())),
                    HasSubstr("no answer in time")));
  gate_.forward();
  gate_.cut("user", "SET search_path");
  EXPECT_THAT(thrown([&] { Connection connection(options); }),
              AllOf(StartsWith("transient: "), HasSubstr("no answer in time")));
  EXPECT_TRUE(gate_.has_cut());
  options.connected = [this](Connection& connection) {
    gate_.swallow(Gate::Way::both);
    connection.query("SELECT 1");
  };
  EXPECT_THAT(thrown([&] { Connection connection(options); }), StartsWith("transient: "));
}

TEST_F(ConnectionFaults, AHostThatIsSilentDoesNotKeepTheNextFromBeingAsked) {
  const std::string port = std::to_string(shared_postgres().port());
  ConnectionOptions options = database_.options();
  options.dsn = to_ports(std::to_string(gate_.port()) + "," + port);
  options.connect_timeout = seconds(2);
  gate_.swallow(Gate::Way::to_client);
  FailureCounter counter;
  Connection connection(options, &counter);
  EXPECT_EQ(connection.query("SELECT inet_server_port()").text(0, 0), port);
  EXPECT_EQ(counter.failures, 0) << "the database was reached";
}

TEST_F(ConnectionFaults, EachHostIsToldOfWhereNoneCanBeUsed) {
  ConnectionOptions options = database_.options();
  options.dsn = to_ports("1," + std::to_string(gate_.port()));
  options.connect_timeout = seconds(1);
  gate_.swallow(Gate::Way::to_client);
  FailureCounter counter;
  EXPECT_THAT(thrown([&] { Connection connection(options, &counter); }),
              AllOf(StartsWith("transient: cannot connect to the database"), HasSubstr("port 1 "),
                    HasSubstr("port " + std::to_string(gate_.port()))));
  EXPECT_EQ(counter.failures, 1);
}

TEST_F(ConnectionFaults, ARightThatIsMissingOnOneHostIsNotFatalWhileAnotherIsSilent) {
  const std::string port = std::to_string(shared_postgres().port());
  ConnectionOptions options = database_.options();
  options.dsn = to_ports(port + "," + std::to_string(gate_.port())) + "_absent";
  options.connect_timeout = seconds(1);
  gate_.swallow(Gate::Way::to_client);
  EXPECT_THAT(thrown([&] { Connection connection(options); }), StartsWith("transient: "));
  options.dsn = to_ports(port + "," + port) + "_absent";
  EXPECT_THAT(thrown([&] { Connection connection(options); }), StartsWith("fatal: "));
}

TEST_F(ConnectionFaults, AnInterruptEndsAReconnectWithoutTryingTheOtherHosts) {
  ConnectionOptions options = database_.options();
  const std::string gate = std::to_string(gate_.port());
  options.dsn = to_ports(gate + "," + gate);
  options.connect_timeout = std::chrono::minutes(10);
  Connection connection(options);
  gate_.swallow(Gate::Way::to_client);
  gate_.reset();
  connection.interrupt();
  EXPECT_THAT(thrown([&] { connection.query("SELECT 1"); }), HasSubstr("was interrupted"));
}

TEST_F(ConnectionFaults, AReadOnlySessionIsLeftSoThatAFailOverIsFound) {
  const std::string insert = "INSERT INTO roles (role) VALUES ('a')";
  const auto said = AllOf(StartsWith("transient: "), HasSubstr("25006"),
                          HasSubstr("the database is read-only: it is a standby"));
  Connection connection(database_.options());
  const auto make_read_only = [&] {
    connection.execute("DELETE FROM roles");
    connection.execute("SET default_transaction_read_only = on");
  };
  make_read_only();
  EXPECT_THAT(thrown([&] { connection.execute(insert); }), said);
  EXPECT_NO_THROW(connection.execute(insert)) << "still on the old session";

  make_read_only();
  const std::vector<Statement> statements{{insert, {}}};
  EXPECT_THAT(thrown([&] { connection.transaction(statements); }), said);
  EXPECT_NO_THROW(connection.transaction(statements));

  make_read_only();
  {
    Transaction transaction(connection);
    EXPECT_THAT(thrown([&] { connection.execute(insert); }), said);
    EXPECT_THAT(thrown([&] { connection.execute(insert); }), StartsWith("transient: "))
        << "outside of the transaction";
  }
  EXPECT_NO_THROW(connection.execute(insert));
}

TEST_F(ConnectionFaults, AFullDiskIsTransientAndSaidClearly) {
  Connection connection(database_.options());
  EXPECT_THAT(thrown([&] {
                connection.execute(
                    "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', "
                    "MESSAGE = 'could not extend file'; END $$");
              }),
              AllOf(StartsWith("transient: "), HasSubstr("53100"),
                    HasSubstr("could not extend file; the database has no room left on its disk")));
}

TEST_F(ConnectionFaults, EachNewSessionIsShownBeforeItIsUsed) {
  ConnectionOptions options = through_gate();
  std::vector<int> shown;
  options.connected = [&](Connection& connection) {
    EXPECT_EQ(connection.query("SELECT 1").integer(0, 0), 1);
    shown.push_back(connection.backend_pid());
  };
  Connection connection(options);
  EXPECT_EQ(shown, std::vector<int>{connection.backend_pid()});
  gate_.reset();
  ASSERT_TRUE(fixtures::eventually(kSoon, [&] {
    try {
      connection.query("SELECT 1");
      return shown.size() == 2;
    } catch (const Error&) {
      return false;  // the statement was on its way
    }
  }));
  EXPECT_EQ(shown.back(), connection.backend_pid());
}

TEST_F(ConnectionFaults, ASessionThatIsRefusedAtItsShowingIsEnded) {
  ConnectionOptions options = database_.options();
  options.application_name = "refused";
  options.connected = [](Connection&) { throw Error(ErrorKind::fenced, "not any more"); };
  EXPECT_EQ(thrown([&] { Connection connection(options); }), "fenced: not any more");
  Connection other(database_.options());
  EXPECT_TRUE(fixtures::eventually(kSoon, [&] {
    return other.query("SELECT FROM pg_stat_activity WHERE application_name = 'refused'").rows() ==
           0;
  }));
}

TEST_F(ConnectionFaults, BothSidesLookWhetherTheOtherIsStillThere) {
  Connection connection(database_.options());
  EXPECT_EQ(connection
                .query("SELECT current_setting('tcp_keepalives_idle') || ' ' || "
                       "current_setting('tcp_keepalives_interval') || ' ' || "
                       "current_setting('tcp_keepalives_count') || ' ' || "
                       "current_setting('tcp_user_timeout')")
                .text(0, 0),
            "10 5 3 30000");
  std::map<std::string, std::string> ours;
  for (const auto& [key, value] : connect_parameters(database_.options()).values) ours[key] = value;
  EXPECT_EQ(ours["keepalives_idle"], "10");
  EXPECT_EQ(ours["keepalives_interval"], "5");
  EXPECT_EQ(ours["keepalives_count"], "3");
  EXPECT_EQ(ours["tcp_user_timeout"], "30000");
}

/// Of each host: "host port", as libpq is told.
std::vector<std::string> hosts(const std::string& dsn) {
  ConnectionOptions options;
  options.dsn = dsn;
  std::vector<std::string> told;
  for (const auto& host : connect_parameters(options).hosts) {
    std::string text;
    for (const auto& [key, value] : host) text += key + "=" + value + " ";
    told.push_back(text);
  }
  return told;
}

TEST(ConnectParameters, SeveralHostsAreTriedOneByOne) {
  using Told = std::vector<std::string>;
  EXPECT_EQ(hosts("host=a.example"), Told{""});
  EXPECT_EQ(hosts("postgresql:///x"), Told{""});
  EXPECT_EQ(hosts("postgresql://a.example:1,b.example:2/x"),
            (Told{"host=a.example port=1 ", "host=b.example port=2 "}));
  EXPECT_EQ(hosts("host=a.example,b.example port=7"),
            (Told{"host=a.example port=7 ", "host=b.example port=7 "}));
  EXPECT_EQ(hosts("hostaddr=10.0.0.1,10.0.0.2 host=a.example,b.example"),
            (Told{"hostaddr=10.0.0.1 host=a.example ", "hostaddr=10.0.0.2 host=b.example "}));
  // What cannot be said of one host alone is left to libpq.
  EXPECT_EQ(hosts("host=a.example, port=1,2"), Told{""});
  EXPECT_EQ(hosts("host=a.example,b.example,c.example port=1,2"), Told{""});
}

TEST(ConnectionFaultsOfPasswords, ANewPasswordIsFoundInItsFileAtTheNextConnect) {
  fixtures::MiniPg postgres;
  const std::filesystem::path file = postgres.folder() / "password";
  const auto set = [&](const std::string& password) {
    static_cast<void>(postgres.query("ALTER USER app PASSWORD '" + password + "'"));
    std::ofstream(file) << password << "\n";
  };
  static_cast<void>(postgres.query("CREATE USER app"));
  set("first");
  std::ofstream(postgres.folder() / "data/pg_hba.conf")
      << "host all app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
  static_cast<void>(postgres.query("SELECT pg_reload_conf()"));
  ConnectionOptions options;
  options.dsn = "host=127.0.0.1 user=app dbname=postgres port=" + std::to_string(postgres.port());
  options.password_file = file;
  Connection connection(options);

  const auto end_session = [&] {
    static_cast<void>(postgres.query(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'app'"));
  };
  set("second");
  end_session();
  ASSERT_TRUE(fixtures::eventually(kSoon, [&] {
    try {
      return connection.query("SELECT current_user").text(0, 0) == "app";
    } catch (const Error&) {
      return false;
    }
  }));
  std::ofstream(file) << "wrong\n";
  end_session();
  std::string refused;
  EXPECT_TRUE(fixtures::eventually(kSoon, [&] {
    try {
      connection.query("SELECT 1");
    } catch (const Error& error) {
      refused = std::string(to_string(error.kind())) + ": " + error.what();
    }
    return refused.starts_with("fatal: ");
  })) << refused;
  EXPECT_THAT(refused, testing::Not(HasSubstr("wrong")));
}

}  // namespace

}  // namespace hmsync::store
