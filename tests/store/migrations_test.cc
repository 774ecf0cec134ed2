#include "store/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/store/own_database.h"

namespace hmsync::store {

namespace {

using testing::HasSubstr;

class Migrations : public testing::Test {
 protected:
  Migrations() { options_.schema = "odd \"schema"; }

  std::string refused(Connection& connection) {
    try {
      check_schema(connection);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::fatal);
      return error.what();
    }
    return "nothing";
  }

  static std::string newest() { return std::to_string(migrations().back().version); }

  OwnDatabase database_;
  ConnectionOptions options_ = database_.options();
};

TEST_F(Migrations, AreNumberedFromOneWithoutHoles) {
  int expected = 0;
  for (const Migration& migration : migrations()) EXPECT_EQ(migration.version, ++expected);
  EXPECT_GE(expected, 3);
}

TEST_F(Migrations, AreAppliedOnceByReplicasThatStartTogether) {
  const auto start = [this] {
    Connection connection(options_);
    migrate(connection);
    check_schema(connection);
  };
  std::thread first(start);
  std::thread second(start);
  first.join();
  second.join();
  Connection connection(options_);
  EXPECT_EQ(connection.query("SELECT count(*) FROM schema_migrations").integer(0, 0),
            migrations().back().version);
  EXPECT_EQ(connection.query("SELECT count(*) FROM v1_follower").integer(0, 0), 0);
}

// PostgreSQL 15 makes those of unlogged tables, and a promoted replica may find them in ruins.
TEST_F(Migrations, MakeNoUnloggedSequence) {
  Connection connection(options_);
  migrate(connection);
  EXPECT_EQ(connection
                .query("SELECT coalesce(string_agg(relname, ','), '') FROM pg_class "
                       "WHERE relkind = 'S' AND relpersistence = 'u'")
                .text(0, 0),
            "");
}

TEST_F(Migrations, ASchemaThatIsMissingOrOlderIsRefusedWithTheCure) {
  Connection connection(options_);
  EXPECT_THAT(refused(connection), HasSubstr("hmsyncd --migrate"));
  migrate(connection);
  connection.query("DELETE FROM schema_migrations WHERE version = $1", {newest()});
  EXPECT_THAT(refused(connection), HasSubstr("version " + newest()));
}

TEST_F(Migrations, ASchemaNewerThanTheBinaryIsRefusedWithBothVersions) {
  Connection connection(options_);
  migrate(connection);
  connection.execute("INSERT INTO schema_migrations VALUES (1000, 'of the future')");
  EXPECT_THAT(refused(connection), testing::AllOf(HasSubstr("1000"), HasSubstr(newest())));
  EXPECT_THROW(migrate(connection), Error);
}

TEST_F(Migrations, ARoleWithoutDdlCanCheckAndRead) {
  Connection owner(options_);
  migrate(owner);
  owner.execute(
      "CREATE ROLE plain LOGIN; GRANT USAGE ON SCHEMA \"odd \"\"schema\" TO plain;"
      "GRANT SELECT ON ALL TABLES IN SCHEMA \"odd \"\"schema\" TO plain");
  owner.execute("SET ROLE plain");
  EXPECT_NO_THROW(check_schema(owner));
  EXPECT_NO_THROW(migrate(owner));
}

}  // namespace

}  // namespace hmsync::store
