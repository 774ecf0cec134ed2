#include "store/suspended.h"

#include "tests/store/grants_fixture.h"

namespace hmsync::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Suspended : public GrantsFixture {
 protected:
  Suspended() {
    apply(9, {});
    object("sales", "", "");
    object("sales", "orders", "created:1");
  }

  void object(const std::string& database, const std::string& table, const std::string& identity) {
    store_.side().query(
        "INSERT INTO objects (server, catalog, database_name, table_name, identity) "
        "VALUES ('server1', 'hive', $1, $2, $3)",
        {database, table, identity});
  }
  void suspended(const std::string& on, const std::string& identity, int64_t as_of = 3,
                 const std::string& reason = "object gone") {
    grant({.on = on, .as_of = as_of, .identity = identity, .suspended_reason = reason});
  }
  int64_t id_of(const std::string& identity) {
    return store_.side()
        .query("SELECT grant_id FROM grants WHERE suspended AND identity = $1", {identity})
        .integer(0, 0);
  }
  SettledGrants restore(const GrantIds& ids, bool force = false) {
    return restore_suspended(store_.connection(), "server1", ids, force, "alice");
  }
  SettledGrants purge(const GrantIds& ids) {
    return purge_suspended(store_.connection(), "server1", ids, "alice");
  }
  std::vector<std::string> outcomes() {
    return store_.lines("SELECT concat_ws(' ', who, action, object, outcome) FROM audit");
  }
};

TEST_F(Suspended, AreRestoredOnTheObjectThatTheyWereGivenOn) {
  suspended("sales.orders", "created:1");
  suspended("sales", "");
  const SettledGrants settled = restore(std::nullopt);
  EXPECT_EQ(settled.count, 2);
  EXPECT_THAT(settled.refused, IsEmpty());
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 3 ", "sales.orders SELECT 3 created:1"));
  EXPECT_THAT(audit(), ElementsAre("alice restore sales", "alice restore sales.orders"));
  EXPECT_THAT(permission_changes(), ElementsAre("restored analyst sales   SELECT",
                                                "restored analyst sales orders  SELECT"));
}

TEST_F(Suspended, AreNotRestoredOnAnotherObjectOfThatNameUnlessForced) {
  suspended("sales.orders", "created:0");
  const GrantIds ids{{id_of("created:0")}};
  const SettledGrants refused = restore(ids);
  EXPECT_EQ(refused.count, 0);
  ASSERT_EQ(refused.refused.size(), 1U);
  EXPECT_EQ(refused.refused[0].id, ids->front());
  EXPECT_THAT(refused.refused[0].reason, HasSubstr("another object has that name now"));
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 3 created:0 (object gone)"));
  EXPECT_THAT(outcomes(), ElementsAre(HasSubstr("alice restore sales.orders refused: another")));
  EXPECT_EQ(restore(ids, true).count, 1);
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 9 created:1"));
}

TEST_F(Suspended, AreNotRestoredWhereNothingIsEvenForced) {
  suspended("sales.gone", "created:5");
  for (const bool force : {false, true}) {
    const SettledGrants settled = restore(std::nullopt, force);
    ASSERT_EQ(settled.refused.size(), 1U);
    EXPECT_EQ(settled.refused[0].reason, "nothing has that name now");
  }
  EXPECT_THAT(grants(), ElementsAre("sales.gone SELECT 3 created:5 (object gone)"));
}

TEST_F(Suspended, AreNotRestoredBesideAnEqualGrant) {
  grant({.on = "sales.orders", .as_of = 5, .identity = "created:1"});
  suspended("sales.orders", "created:1");
  const SettledGrants settled = restore(std::nullopt);
  ASSERT_EQ(settled.refused.size(), 1U);
  EXPECT_EQ(settled.refused[0].reason, "an equal grant authorises already");
  EXPECT_EQ(settled.count, 0);
}

TEST_F(Suspended, OfEqualOnesThatOfTheObjectThereIsRestored) {
  suspended("sales.orders", "created:0", 8);
  suspended("sales.orders", "created:1", 3);
  const SettledGrants settled = restore(std::nullopt, true);
  EXPECT_EQ(settled.count, 1);
  ASSERT_EQ(settled.refused.size(), 1U);
  EXPECT_EQ(settled.refused[0].reason, "an equal one is restored");
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 8 created:0 (object gone)",
                                    "sales.orders SELECT 9 created:1"));
}

TEST_F(Suspended, OnAColumnThatWasGoneAreRestoredOnlyByForce) {
  suspended("sales.orders.amount", "created:1", 3, "column gone");
  EXPECT_EQ(restore(std::nullopt).refused.size(), 1U);
  EXPECT_EQ(restore(std::nullopt, true).count, 1);
  EXPECT_THAT(grants(), ElementsAre("sales.orders.amount SELECT 9 created:1"));
}

TEST_F(Suspended, OnlyThoseNamedAreTouchedAndOnlyWhileTheyAreSuspended) {
  suspended("sales.orders", "created:1");
  suspended("sales", "");
  grant({.on = "sales.orders", .as_of = 5, .identity = "created:1", .action = "INSERT"});
  const int64_t active =
      store_.side().query("SELECT grant_id FROM grants WHERE NOT suspended").integer(0, 0);
  const SettledGrants settled = purge({{id_of("created:1"), active, 1'000'000, active}});
  EXPECT_EQ(settled.count, 1);
  ASSERT_EQ(settled.refused.size(), 2U);
  EXPECT_EQ(settled.refused[0].id, active);
  EXPECT_EQ(settled.refused[0].reason, "there is no such suspended grant");
  EXPECT_THAT(grants(),
              ElementsAre("sales SELECT 3  (object gone)", "sales.orders INSERT 5 created:1"));
}

TEST_F(Suspended, ArePurgedWithAuditAndChangeLog) {
  suspended("sales.gone", "created:5");
  EXPECT_EQ(purge(std::nullopt).count, 1);
  EXPECT_THAT(grants(), IsEmpty());
  EXPECT_THAT(audit(), ElementsAre("alice purge sales.gone"));
  EXPECT_THAT(permission_changes(), ElementsAre("removed analyst sales gone  SELECT"));
  EXPECT_EQ(purge(std::nullopt).count, 0);
}

TEST_F(Suspended, OfAnotherServerAreLeftAlone) {
  suspended("sales.orders", "created:1");
  EXPECT_EQ(restore_suspended(store_.connection(), "server2", std::nullopt, true, "alice").count,
            0);
  EXPECT_EQ(purge_suspended(store_.connection(), "server2", std::nullopt, "alice").count, 0);
  EXPECT_THAT(grants(), ElementsAre("sales.orders SELECT 3 created:1 (object gone)"));
}

}  // namespace
}  // namespace hmsync::store
