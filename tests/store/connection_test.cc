#include "store/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "store/connect_parameters.h"
#include "tests/store/postgres_under_test.h"

namespace hmsync::store {

namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

class ConnectionTest : public testing::Test {
 protected:
  /// "kind: text" of what the call throws.
  template <typename Call>
  static std::string thrown(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(to_string(error.kind())) + ": " + error.what();
    }
    return "nothing";
  }

  OwnDatabase database_;
  Connection connection_{database_.options()};
};

TEST_F(ConnectionTest, ParametersAreDataWhateverTheyHold) {
  const std::string text = "'; DROP TABLE roles; -- \\ \" $1";
  const Result row = connection_.query("SELECT $1::text, $2::text", {text, std::nullopt});
  EXPECT_EQ(row.text(0, 0), text);
  EXPECT_TRUE(row.is_null(0, 1));
}

TEST_F(ConnectionTest, ArraysComeBackAsTheyWere) {
  const std::vector<std::string> elements{"a,b", "", "NULL", "\"\\", "{}", " x "};
  const Result row = connection_.query("SELECT $1::text[]", {text_array(elements)});
  EXPECT_EQ(parse_text_array(row.text(0, 0)), elements);
}

TEST_F(ConnectionTest, ATransactionIsAppliedWholeInOneRoundTrip) {
  CountingObserver observer;
  int commits = 0;
  observer.on_commit_sent = [&] { ++commits; };
  Connection counted(database_.options(), &observer);
  const int before = observer.round_trips;
  const std::vector<Result> results = counted.transaction(
      std::vector<Statement>{{"INSERT INTO roles (role) SELECT unnest($1::text[])", {"{a,b}"}},
                             {"SELECT count(*) FROM roles", {}}});
  EXPECT_EQ(observer.round_trips - before, 1);
  EXPECT_EQ(commits, 1);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].affected(), 2);
  EXPECT_EQ(results[1].integer(0, 0), 2);
}

TEST_F(ConnectionTest, AFailedStatementRollsTheTransactionBackAndIsTheOneThatIsTold) {
  const std::string error = thrown([&] {
    connection_.transaction(std::vector<Statement>{{"INSERT INTO roles (role) VALUES ('a')", {}},
                                                   {"SELECT wrong", {}},
                                                   {"INSERT INTO roles (role) VALUES ('b')", {}}});
  });
  EXPECT_THAT(error, HasSubstr("fatal: "));
  EXPECT_THAT(error, HasSubstr("42703"));
  EXPECT_EQ(connection_.query("SELECT count(*) FROM roles").integer(0, 0), 0);
}

TEST_F(ConnectionTest, ATransactionThatIsNotCommittedIsRolledBack) {
  {
    Transaction transaction(connection_);
    connection_.execute("INSERT INTO roles (role) VALUES ('a')");
  }
  EXPECT_EQ(connection_.query("SELECT count(*) FROM roles").integer(0, 0), 0);
}

TEST_F(ConnectionTest, AConnectionThatIsLostWithinATransactionDoesNotGoOnOutsideOfIt) {
  Connection other(database_.options());
  {
    Transaction transaction(connection_);
    other.query("SELECT pg_terminate_backend($1, 10000)",
                {std::to_string(connection_.backend_pid())});
    const auto insert = [&] { connection_.execute("INSERT INTO roles (role) VALUES ('a')"); };
    EXPECT_THAT(thrown(insert), HasSubstr("transient: "));
    EXPECT_THAT(thrown(insert), HasSubstr("transient: "));
  }
  EXPECT_EQ(connection_.query("SELECT count(*) FROM roles").integer(0, 0), 0);
}

TEST_F(ConnectionTest, ACallThatTakesTooLongIsTransient) {
  connection_.set_statement_timeout(milliseconds(50));
  EXPECT_THAT(thrown([&] { connection_.query("SELECT pg_sleep(60)"); }), HasSubstr("transient: "));
  EXPECT_EQ(connection_.query("SELECT 1").integer(0, 0), 1);
}

TEST_F(ConnectionTest, ATransactionThatStandsStillLosesItsLocksWhenItsTimeIsOver) {
  ConnectionOptions options = database_.options();
  options.idle_in_transaction = milliseconds(50);
  Connection stopped(options);
  const Transaction transaction(stopped);
  stopped.execute("LOCK TABLE roles");
  connection_.execute("INSERT INTO roles (role) VALUES ('a')");  // behind the lock until then
  EXPECT_THAT(thrown([&] { stopped.query("SELECT 1"); }), HasSubstr("transient: "));
}

TEST_F(ConnectionTest, AnInterruptEndsTheCallThatIsRunning) {
  Connection watcher(database_.options());
  const std::string pid = std::to_string(connection_.backend_pid());
  std::thread interrupter([&] {
    while (
        watcher
            .query("SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", {pid})
            .rows() == 0) {
      std::this_thread::yield();
    }
    connection_.interrupt();
  });
  EXPECT_THAT(thrown([&] { connection_.query("SELECT pg_sleep(60)"); }),
              HasSubstr("transient: the call to the database was interrupted"));
  interrupter.join();
  EXPECT_EQ(connection_.query("SELECT 1").integer(0, 0), 1);
}

TEST_F(ConnectionTest, ANotificationIsWaitedForByItsPayload) {
  Connection other(database_.options());
  connection_.listen("news");
  other.execute("NOTIFY news, 'others'");
  EXPECT_FALSE(connection_.wait_for_notification("ours", -1, milliseconds(20)));
  std::thread teller([&] { other.execute("NOTIFY news, 'ours'"); });
  EXPECT_TRUE(connection_.wait_for_notification("ours", -1, std::chrono::seconds(60)));
  teller.join();
  EXPECT_FALSE(connection_.wait_for_notification("ours", -1, milliseconds(20)));
  other.execute("NOTIFY news, 'ours'");
  connection_.query("SELECT 1");  // whose answer may bring the notification along
  EXPECT_TRUE(connection_.wait_for_notification("ours", -1, std::chrono::seconds(60)));
}

TEST_F(ConnectionTest, AReadableDescriptorEndsTheWaitForANotification) {
  const int wake = eventfd(1, EFD_CLOEXEC);
  connection_.listen("news");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(connection_.wait_for_notification("ours", wake, std::chrono::seconds(60)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  close(wake);
}

TEST_F(ConnectionTest, AReconnectListensAgainAndCountsAsANotificationSinceOneMayBeMissed) {
  Connection other(database_.options());
  connection_.listen("news");
  other.query("SELECT pg_terminate_backend($1, 10000)",
              {std::to_string(connection_.backend_pid())});
  connection_.query("SELECT 1");
  EXPECT_TRUE(connection_.wait_for_notification("ours", -1, milliseconds(0)));
  EXPECT_FALSE(connection_.wait_for_notification("ours", -1, milliseconds(0)));
  other.execute("NOTIFY news, 'ours'");
  EXPECT_TRUE(connection_.wait_for_notification("ours", -1, std::chrono::seconds(60)));
}

TEST_F(ConnectionTest, AConnectionThatIsLostEndsTheWaitForANotification) {
  Connection other(database_.options());
  connection_.listen("news");
  const std::string pid = std::to_string(connection_.backend_pid());
  std::thread ender([&] { other.query("SELECT pg_terminate_backend($1, 10000)", {pid}); });
  bool came = false;
  const std::string told = thrown(
      [&] { came = connection_.wait_for_notification("ours", -1, std::chrono::seconds(60)); });
  // Where the session ended before the wait began, a reconnect tells of it.
  EXPECT_TRUE(came || told.starts_with("transient: ")) << told;
  ender.join();
}

TEST_F(ConnectionTest, RowsThatWereWrittenAreToldOnceTheyAreCommitted) {
  CountingObserver observer;
  Connection counted(database_.options(), &observer);
  counted.query("SELECT FROM generate_series(1, 5)");
  EXPECT_EQ(observer.rows, 0);
  counted.query("INSERT INTO roles (role) SELECT unnest($1::text[])", {"{a,b}"});
  counted.query(
      "WITH gone AS (DELETE FROM roles RETURNING role_id) "
      "SELECT count(*) AS rows_written FROM gone");
  EXPECT_EQ(observer.rows, 4);
  {
    Transaction transaction(counted);
    counted.execute("INSERT INTO roles (role) VALUES ('lost')");
  }
  EXPECT_EQ(observer.rows, 4);
  Transaction transaction(counted);
  counted.copy_in("COPY roles (role) FROM STDIN", [](const auto& put) { put("a\nb\nc\n"); });
  counted.execute("UPDATE roles SET created_by = 'x'; DELETE FROM roles WHERE role = 'a'");
  EXPECT_EQ(observer.rows, 4);
  transaction.commit();
  EXPECT_EQ(observer.rows, 4 + 3 + 3 + 1);
  counted.transaction(std::vector<Statement>{{"DELETE FROM roles", {}}});
  EXPECT_EQ(observer.rows, 13);
}

TEST_F(ConnectionTest, RowsComeOneByOne) {
  int64_t sum = 0;
  connection_.for_each_row("SELECT * FROM generate_series(1, $1::int)",
                           std::vector<Parameter>{"1000"},
                           [&](const Result& row) { sum += row.integer(0, 0); });
  EXPECT_EQ(sum, 500500);
}

TEST_F(ConnectionTest, ACopyWhoseWriterThrowsWritesNothing) {
  const std::string copy = "COPY roles (role) FROM STDIN";
  EXPECT_THROW(connection_.copy_in(copy,
                                   [](const auto& put) {
                                     put("a\n");
                                     throw std::logic_error("the writer's own");
                                   }),
               std::logic_error);
  EXPECT_EQ(connection_.query("SELECT count(*) FROM roles").integer(0, 0), 0);
  connection_.copy_in(copy, [](const auto& put) {
    for (int i = 0; i < 50000; ++i) put("role" + std::to_string(i) + "\n");
  });
  EXPECT_EQ(connection_.query("SELECT count(*) FROM roles").integer(0, 0), 50000);
}

TEST_F(ConnectionTest, AMissingDatabaseIsFatalAndAnAbsentServerTransient) {
  ConnectionOptions options = database_.options();
  options.dsn = shared_postgres().dsn("absent");
  EXPECT_THAT(thrown([&] { Connection absent(options); }), HasSubstr("fatal: "));
  options.dsn = "host=127.0.0.1 port=1 dbname=x";
  EXPECT_THAT(thrown([&] { Connection absent(options); }), HasSubstr("transient: "));
}

TEST_F(ConnectionTest, AReadOnlyDatabaseIsTransientSinceAFailOverCuresIt) {
  connection_.execute("SET default_transaction_read_only = on");
  EXPECT_THAT(thrown([&] { connection_.execute("INSERT INTO roles (role) VALUES ('a')"); }),
              HasSubstr("transient: "));
}

TEST(ConnectParameters, NoMessageHoldsAPasswordOfTheDsn) {
  for (const std::string& dsn :
       {std::string("postgresql://u:s3cret@127.0.0.1:1/x"), std::string("host=h s3cret"),
        std::string("postgresql://u:s3cret%zz@h/"), std::string("password='s3cret"),
        std::string("s3cret=1 host=h")}) {
    ConnectionOptions options;
    options.dsn = dsn;
    try {
      Connection connection(options);
      ADD_FAILURE() << "connected";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
    }
  }
}

std::string parameter(const std::string& dsn, const std::string& name) {
  ConnectionOptions options;
  options.dsn = dsn;
  for (const auto& [key, value] : connect_parameters(options).values) {
    if (key == name) return value;
  }
  return "-";
}

TEST(ConnectParameters, RemoteHostsAreVerifiedUnlessTheDsnSaysOtherwise) {
  EXPECT_EQ(parameter("postgresql://db.example/x", "sslmode"), "verify-full");
  EXPECT_EQ(parameter("host=127.0.0.1,db.example", "sslmode"), "verify-full");
  EXPECT_EQ(parameter("postgresql://db.example/x?sslmode=require", "sslmode"), "-");
  EXPECT_EQ(parameter("service=store", "sslmode"), "verify-full");
  EXPECT_EQ(parameter("service=store sslmode=require", "sslmode"), "-");
  EXPECT_EQ(parameter("service=store host=localhost", "sslmode"), "-");
  EXPECT_EQ(parameter("postgresql:///x", "sslmode"), "-");
  EXPECT_EQ(parameter("host=/run/postgresql", "sslmode"), "-");
  EXPECT_EQ(parameter("host=localhost", "sslmode"), "-");
}

TEST(ConnectParameters, OneOfSeveralHostsIsChosenThatTakesWrites) {
  EXPECT_EQ(parameter("host=a.example,b.example", "target_session_attrs"), "read-write");
  EXPECT_EQ(parameter("host=a.example", "target_session_attrs"), "-");
  EXPECT_EQ(parameter("host=a.example,b.example target_session_attrs=any", "target_session_attrs"),
            "-");
}

TEST(ConnectParameters, ThePasswordFileIsReadAnewEachTime) {
  const fixtures::PrivateFolder folder("password");
  const std::filesystem::path file = folder.path() / "password";
  ConnectionOptions options;
  options.dsn = "host=db.example";
  options.password_file = file;
  for (const std::string& password : {std::string("first"), std::string("second word")}) {
    std::ofstream(file) << password << "\n";
    EXPECT_EQ(connect_parameters(options).password, password);
  }
  std::filesystem::remove(file);
  try {
    connect_parameters(options);
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::fatal);
    EXPECT_THAT(error.what(), HasSubstr(file.string()));
  }
}

}  // namespace

}  // namespace hmsync::store
