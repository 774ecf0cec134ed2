// Suspended grants, as people settle them.
#include "tests/store/grants_fixture.h"

namespace hmsync::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Suspended : public GrantsFixture {
 protected:
  Suspended() {
    apply(9, {{8, processor::PutDatabase{database("sales")}},
              {9, processor::CreateTableRow{table("sales", "orders", "created:1")}}});
  }

  void suspended(const std::string& on, const std::string& identity, int64_t as_of = 3,
                 const std::string& reason = "object gone") {
    grant({.on = on, .as_of = as_of, .identity = identity, .suspended_reason = reason});
  }
  int64_t id_of(const std::string& identity) { return store_.grant_ids(identity, true).at(0); }
  SettledGrants restore(const GrantIds& ids, bool force = false) {
    return store_.restore_suspended(ids, force, "alice");
  }
  SettledGrants purge(const GrantIds& ids) { return store_.purge_suspended(ids, "alice"); }
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
  EXPECT_THAT(audit(), ElementsAre(HasSubstr("alice restore sales.orders refused: another")));
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
  const int64_t active = store_.grant_ids("created:1", false).at(0);
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

}  // namespace
}  // namespace hmsync::store
