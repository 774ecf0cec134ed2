#include "store/stored_objects.h"

#include <algorithm>

#include "tests/store/postgres_fixture.h"

namespace hmsync::store {

namespace {

using testing::IsEmpty;

class StoredObjects : public PostgresFixture {
 protected:
  StoredObjects() {
    // Two servers' objects, mixed; every tenth of them without identity.
    postgres_.side().execute(
        "INSERT INTO objects (server, catalog, database_name, table_name, type, identity) "
        "SELECT 'server' || i % 2 + 1, 'hive', 'sales', 't' || to_char(i, 'FM0000'), 'x', "
        "CASE WHEN i % 20 = 0 THEN '' ELSE 'created:' || i END "
        "FROM generate_series(1, 2000) AS i; "
        "INSERT INTO objects (server, catalog, database_name) VALUES ('server1', 'hive', 'sales');"
        "ANALYZE objects");
  }
};

TEST_F(StoredObjects, AreThoseOfOneServer) {
  EXPECT_EQ(store_.stored().count_tables(), 1000);
  PostgresStoredObjects other(postgres_.side(), "server3");
  EXPECT_EQ(other.count_tables(), 0);
  EXPECT_THAT(other.tables_after(named("", ""), 10), IsEmpty());
  EXPECT_THAT(other.some_tables(10), IsEmpty());
}

TEST_F(StoredObjects, AWalkOverAllTablesSeesEachOnce) {
  processor::TableName last = named("", "");
  int seen = 0;
  for (;;) {
    const std::vector<processor::TableName> names = store_.stored().tables_after(last, 37);
    for (const processor::TableName& name : names) {
      EXPECT_LT(last, name);
      last = name;
    }
    seen += static_cast<int>(names.size());
    if (names.size() < 37) break;
  }
  EXPECT_EQ(seen, 1000);
}

TEST_F(StoredObjects, SomeTablesAreSpreadOverAllAndStayTheSameWhenFewComeAndGo) {
  const std::vector<follower::KnownTable> before = store_.stored().some_tables(20);
  ASSERT_EQ(before.size(), 20u);
  EXPECT_LT(before.front().name.table, "t0100");
  EXPECT_GT(before.back().name.table, "t1800");
  for (const follower::KnownTable& table : before) {
    EXPECT_EQ(table.identity, "created:" + std::to_string(std::stoi(table.name.table.substr(1))));
  }
  postgres_.side().execute(
      "DELETE FROM objects WHERE table_name = '" + before[3].name.table +
      "';"
      "INSERT INTO objects (server, catalog, database_name, table_name, identity) "
      "VALUES ('server1', 'hive', 'sales', 'a', 'created:9')");
  const std::vector<follower::KnownTable> after = store_.stored().some_tables(20);
  EXPECT_EQ(after.size(), 20u);
  const auto kept = std::count_if(before.begin(), before.end(), [&](const auto& table) {
    return std::any_of(after.begin(), after.end(),
                       [&](const auto& other) { return other.name == table.name; });
  });
  EXPECT_GE(kept, 15);
}

}  // namespace

}  // namespace hmsync::store
