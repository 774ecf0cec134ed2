// A grant belongs to an object, not to a name: on a real metastore.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/deployment.h"

namespace hmsync::integration {
namespace {

class Grants : public testing::Test {
 protected:
  void SetUp() override {
    daemon_ = deployment_.start_daemon();
    ddl().create_database({"sales"});
    ddl().create_database({"archive"});
    create("sales", "orders");
    done({"role", "create", "analyst"});
    done({"role", "add", "analyst", "--group", "analysts"});
  }

  hmsclient::DdlClient& ddl() { return deployment_.ddl(); }

  void create(const std::string& database, const std::string& table) {
    hmsclient::TableSpec spec;
    spec.database = database;
    spec.table = table;
    ddl().create_table(spec);
  }

  void done(const std::vector<std::string>& verb) {
    const auto result = daemon_->ctl(verb);
    ASSERT_EQ(result.exit, 0) << testing::PrintToString(verb) << result.out << result.err;
  }

  /// "table.column action" of each grant that authorises.
  std::vector<std::string> grants() {
    wait_until_readable(*daemon_);
    const std::string answer = deployment_.sql(
        "SELECT concat_ws('.', \"database\", \"table\", \"column\") || ' ' || action"
        " FROM hmsync.v1_grants ORDER BY 1");
    std::vector<std::string> lines;
    size_t begin = 0;
    while (begin < answer.size()) {
      const size_t end = std::min(answer.find('\n', begin), answer.size());
      lines.push_back(answer.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  Deployment deployment_;
  std::unique_ptr<fixtures::MiniHmsync> daemon_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Grants, FollowTheirTableThroughRenamesAndVanishWithIt) {
  done({"grant", "analyst", "SELECT", "sales.orders"});
  done({"grant", "analyst", "INSERT", "sales.orders"});
  done({"grant", "analyst", "SELECT", "sales.orders.id"});
  EXPECT_THAT(grants(),
              ElementsAre("sales.orders INSERT", "sales.orders SELECT", "sales.orders.id SELECT"));

  ddl().rename_table("sales", "orders", "sales", "orders2");
  EXPECT_THAT(grants(), ElementsAre("sales.orders2 INSERT", "sales.orders2 SELECT",
                                    "sales.orders2.id SELECT"));
  ddl().rename_table("sales", "orders2", "archive", "orders");
  EXPECT_THAT(grants(), ElementsAre("archive.orders INSERT", "archive.orders SELECT",
                                    "archive.orders.id SELECT"));

  ddl().drop_table("archive", "orders");
  EXPECT_THAT(grants(), IsEmpty());
  create("archive", "orders");
  EXPECT_THAT(grants(), IsEmpty()) << "made again under the same name, it is another table";
  create("sales", "orders");
  EXPECT_THAT(grants(), IsEmpty());
}

TEST_F(Grants, OfARenamedTableAreNotThoseOfWhateverTakesItsName) {
  done({"grant", "analyst", "SELECT", "sales.orders"});
  ddl().rename_table("sales", "orders", "sales", "old_orders");
  create("sales", "orders");
  EXPECT_THAT(grants(), ElementsAre("sales.old_orders SELECT"));
}

TEST_F(Grants, VanishWithTheirDatabase) {
  done({"grant", "analyst", "SELECT", "sales"});
  done({"grant", "analyst", "SELECT", "sales.orders"});
  done({"grant", "analyst", "SELECT", "sales.orders.id"});
  done({"grant", "analyst", "SELECT", "archive"});
  EXPECT_EQ(grants().size(), 4u);
  ddl().drop_database("sales", true);
  EXPECT_THAT(grants(), ElementsAre("archive SELECT"));
  ddl().create_database({"sales"});
  create("sales", "orders");
  EXPECT_THAT(grants(), ElementsAre("archive SELECT"));
}

TEST_F(Grants, EachChangeByAnEventIsAudited) {
  done({"grant", "analyst", "SELECT", "sales.orders"});
  ddl().rename_table("sales", "orders", "sales", "orders2");
  ddl().drop_table("sales", "orders2");
  EXPECT_THAT(grants(), IsEmpty());
  EXPECT_EQ(deployment_.sql("SELECT count(*) FROM hmsync.v1_audit"
                            " WHERE who = 'event' AND event IS NOT NULL"),
            "2");
}

TEST_F(Grants, OnWhatTheMetastoreDoesNotHaveAreRefused) {
  const std::pair<const char*, const char*> refusals[] = {
      {"nowhere", "the metastore has no database nowhere"},
      {"sales.nothing", "the metastore has no table sales.nothing"},
      {"sales.orders.no_column", "the table sales.orders has no column no_column"}};
  for (const auto& [object, reason] : refusals) {
    const auto result = daemon_->ctl({"grant", "analyst", "SELECT", object});
    EXPECT_EQ(result.exit, 1) << object;
    EXPECT_THAT(result.err, testing::HasSubstr(reason));
  }
  deployment_.hms().stop();
  const auto away = daemon_->ctl({"grant", "analyst", "SELECT", "sales.orders"});
  EXPECT_EQ(away.exit, 1) << "a grant is never guessed";
  EXPECT_THAT(away.err, testing::HasSubstr("metastore 127.0.0.1:" +
                                           std::to_string(deployment_.hms().port())));
  deployment_.hms().start();
  EXPECT_THAT(grants(), IsEmpty());
}

}  // namespace
}  // namespace hmsync::integration
