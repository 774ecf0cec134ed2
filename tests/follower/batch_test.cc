#include "follower/batch.h"

#include <gtest/gtest.h>

namespace hmsync::follower {
namespace {

processor::Event unreadable(const std::string& type) {
  processor::Event event;
  event.id = 7;
  event.type = type;
  event.database = "sales";
  event.table = "orders";
  event.message = "{";
  return event;
}

processor::Claim claim_of(const std::string& type, bool plain) {
  Standing standing;
  standing.shared = true;
  standing.plain = plain;
  const PlannedEvent planned = plan_event(unreadable(type), standing);
  EXPECT_EQ(planned.claims.size(), 1U);
  return planned.claims.at(0);
}

TEST(PlanEvent, AnUnreadableEventIsCertainButForAPlainListeners) {
  EXPECT_TRUE(claim_of("DROP_TABLE", false).certain);
  EXPECT_FALSE(claim_of("DROP_TABLE", true).certain);
}

TEST(PlanEvent, ThatAnUnreadableAlterationWasARenameIsAGuess) {
  const processor::Claim claim = claim_of("ALTER_TABLE", false);
  EXPECT_EQ(claim.kind, processor::Claim::Kind::renamed);
  EXPECT_FALSE(claim.certain);
}

TEST(PlanEvent, AnUnreadableDropActsOnceAtOnceOrAtTheReading) {
  const processor::Event drop = unreadable("DROP_TABLE");
  const PlannedEvent believed = plan_event(drop, {});
  EXPECT_EQ(believed.mutations.size(), 1U);
  EXPECT_EQ(believed.claims.at(0).kind, processor::Claim::Kind::changed);
  Standing late;
  late.late = true;
  const PlannedEvent doubted = plan_event(drop, late);
  EXPECT_TRUE(doubted.mutations.empty());
  EXPECT_EQ(doubted.claims.at(0).kind, processor::Claim::Kind::dropped);
}

TEST(PlanRetry, ADropThatTheHeaderToldHasEndedGrantsBefore) {
  for (const std::string type : {"DROP_TABLE", "DROP_DATABASE"}) {
    const PlannedEvent planned = plan_retry(unreadable(type), false);
    ASSERT_EQ(planned.claims.size(), 1U);
    EXPECT_EQ(planned.claims[0].kind, processor::Claim::Kind::changed);
    EXPECT_EQ(planned.claims[0].name, processor::header_claim(unreadable(type)).name);
  }
}

TEST(PlanRetry, ADropThatOnlyTheMessageTellsEndsThem) {
  processor::Event event = unreadable("DROP_TABLE");
  event.message = R"({"db": "sales", "table": "orders"})";
  EXPECT_EQ(plan_retry(event, false).claims.at(0).kind, processor::Claim::Kind::changed);
  event.table.reset();
  EXPECT_EQ(plan_retry(event, false).claims.at(0).kind, processor::Claim::Kind::dropped);
}

}  // namespace
}  // namespace hmsync::follower
