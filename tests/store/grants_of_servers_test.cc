// Grants of other servers in one database are left alone.
#include "tests/store/postgres_fixture.h"

namespace hmsync::store {
namespace {

using testing::ElementsAre;

class GrantsOfServers : public PostgresFixture {
 protected:
  /// Of server2, on the same name.
  void grant_elsewhere(bool suspended) {
    postgres_.side().query(
        "INSERT INTO grants (role_id, server, database_name, action, as_of_event, suspended) "
        "SELECT role_id, 'server2', 'sales', 'ALL', 0, $1 FROM roles",
        {suspended ? "true" : "false"});
  }
  std::vector<std::string> servers() { return postgres_.lines("SELECT server FROM grants"); }
};

TEST_F(GrantsOfServers, OutliveADropOfTheDatabaseInThisOne) {
  grant({"sales", 2});
  grant_elsewhere(false);
  apply(3, {{3, processor::RemoveDatabase{{processor::kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(servers(), ElementsAre("server2"));
}

TEST_F(GrantsOfServers, AreNotSettledHere) {
  grant({.on = "sales", .as_of = 2, .suspended_reason = "object gone"});
  grant_elsewhere(true);
  EXPECT_EQ(store_.purge_suspended(std::nullopt, "alice").count, 1);
  EXPECT_EQ(store_.restore_suspended(std::nullopt, true, "alice").count, 0);
  EXPECT_THAT(servers(), ElementsAre("server2"));
}

}  // namespace
}  // namespace hmsync::store
