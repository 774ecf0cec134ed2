// Grants that people make while events about the same names are still unread.
#include <sstream>

#include "tests/store/grants_fixture.h"

namespace hmsync::store {
namespace {

using follower::PrivilegeObject;
using processor::Claim;
using processor::Mutation;
using processor::Table;

const PrivilegeObject kOrders{"hive", "sales", "orders", std::nullopt, std::nullopt};
const PrivilegeObject kDrafts{"hive", "sales", "drafts", std::nullopt, std::nullopt};

Table table(const std::string& name, const std::string& identity) {
  Table made;
  made.name = {"hive", "sales", name};
  made.type = "MANAGED_TABLE";
  made.identity = identity;
  return made;
}

Claim claimed(int64_t event, Claim::Kind kind, const std::string& name,
              const std::string& from = "") {
  Claim claim;
  claim.event_id = event;
  claim.kind = kind;
  claim.name = {"hive", "sales", name};
  if (!from.empty()) claim.from = {"hive", "sales", from};
  claim.unordered = true;
  return claim;
}

class GrantedAndMoved : public GrantsFixture {
 protected:
  GrantedAndMoved() {
    apply(1, {{1, processor::PutDatabase{{{"hive", "sales"}, {}, std::nullopt, ""}}}});
    apply(2, {{2, processor::CreateTableRow{table("orders", "created:1")}}});
  }

  /// All of sales, as it is read at the cursor.
  void read_again(const std::vector<Table>& tables) {
    const processor::DatabaseName sales{"hive", "sales"};
    const std::string id =
        staged({{sales, std::nullopt, false}}, {{{sales, {}, std::nullopt, ""}}, tables, {}});
    follower::Publication publication;
    publication.cursor = store_.events().state().cursor.value();
    publication.unbroken = true;
    publication.reason = "re_read";
    store_.snapshots().publish(fence(), id, publication);
  }
  bool grant(const std::string& action, const PrivilegeObject& object, int64_t head,
             const std::string& identity) {
    const auto outcome =
        store_.privileges().grant({"analyst", action, object, false, "alice"}, {0, head, identity});
    if (!outcome) throw std::runtime_error("the store asks again");
    return outcome->changed;
  }
  /// Table, action, identity and whether it is suspended.
  std::string held() {
    std::string text;
    for (const std::string& line : grants()) {
      std::istringstream words(line.substr(line.find('.') + 1));
      std::string on, action, as_of, identity;
      words >> on >> action >> as_of >> identity;
      text += on + '|' + action + '|' + identity + (line.ends_with(")") ? "|t\n" : "|f\n");
    }
    return text;
  }
};

TEST_F(GrantedAndMoved, ADropTakesYoungerGrantsOnlyWhereItsPlaceIsNotKnown) {
  Claim drop = claimed(3, Claim::Kind::dropped, "orders");
  drop.unordered = false;
  claim(3, {drop});
  EXPECT_TRUE(grant("SELECT", kOrders, 4, "created:2"));
  apply(4, {});
  read_again({});
  EXPECT_EQ(held(), "orders|SELECT|created:2|t\n");
  drop.unordered = true;
  claim(4, {drop});
  read_again({});
  EXPECT_EQ(held(), "");
}

TEST_F(GrantedAndMoved, AFormerTablesGrantFollowsItsUnreadRenameAndTheNewTablesStays) {
  grant("SELECT", kOrders, 2, "created:1");
  // Unread: orders became drafts (3), and orders was made again (4).
  EXPECT_TRUE(grant("SELECT", kOrders, 4, "created:2"));
  apply(3, {{3, processor::RenameTable{
                    {"hive", "sales", "orders"}, table("drafts", "created:1"), std::nullopt, {}}}});
  apply(4, {{4, processor::CreateTableRow{table("orders", "created:2")}}});
  EXPECT_EQ(held(), "drafts|SELECT|created:1|f\norders|SELECT|created:2|f\n");
}

TEST_F(GrantedAndMoved, AFormerTablesGrantGoesWithItsUnreadDropAndTheNewTablesStays) {
  grant("ALL", kOrders, 2, "created:1");
  EXPECT_TRUE(grant("SELECT", kOrders, 4, "created:2"));
  apply(4, {{3, processor::RemoveTable{{"hive", "sales", "orders"}}},
            {4, processor::CreateTableRow{table("orders", "created:2")}}});
  EXPECT_EQ(held(), "orders|SELECT|created:2|f\n");
}

TEST_F(GrantedAndMoved, ATableMadeAgainWithinItsIdentitysResolutionKeepsTheGrantMadeOnIt) {
  grant("SELECT", kOrders, 2, "created:1");
  EXPECT_FALSE(grant("SELECT", kOrders, 4, "created:1"));
  apply(4, {{3, processor::RemoveTable{{"hive", "sales", "orders"}}},
            {4, processor::CreateTableRow{table("orders", "created:1")}}});
  EXPECT_EQ(held(), "orders|SELECT|created:1|f\n");
}

TEST_F(GrantedAndMoved, ARevokeReachesAGrantThatAnUnreadRenameCarriesToTheName) {
  grant("ALL", kOrders, 2, "created:1");
  // Unread: orders became drafts (3).
  const auto outcome =
      store_.privileges().revoke({"analyst", "SELECT", kDrafts, false, "alice"}, 3);
  EXPECT_FALSE(outcome.changed);
  EXPECT_EQ(outcome.repeat_at_event, 3);
  apply(3, {{3, processor::RenameTable{
                    {"hive", "sales", "orders"}, table("drafts", "created:1"), std::nullopt, {}}}});
  store_.orders().repeat_revokes(fence());
  EXPECT_EQ(held(),
            "drafts|ALTER|created:1|f\ndrafts|CREATE|created:1|f\ndrafts|DROP|created:1|f\n"
            "drafts|INDEX|created:1|f\ndrafts|INSERT|created:1|f\ndrafts|LOCK|created:1|f\n"
            "drafts|REFRESH|created:1|f\n");
}

TEST_F(GrantedAndMoved, ARevokeIsNotFinalWhileAnEventsObjectIsStillToBeReadAgain) {
  read_again({table("orders", "created:1")});
  EXPECT_EQ(
      store_.privileges().revoke({"analyst", "SELECT", kDrafts, false, "alice"}, 2).repeat_at_event,
      std::nullopt);
  Claim changed;
  changed.event_id = 3;
  changed.name = {"hive", "sales", "drafts"};
  claim(3, {changed});
  EXPECT_EQ(
      store_.privileges().revoke({"analyst", "SELECT", kDrafts, false, "alice"}, 3).repeat_at_event,
      3);
}

TEST_F(GrantedAndMoved, AGrantWithinTheVeryIdOfADropGoesByWhoseItIs) {
  grant("ALTER", kOrders, 2, "created:1");
  EXPECT_TRUE(grant("SELECT", kOrders, 3, "created:2"));
  // Under the one id 3 orders was dropped and made again.
  claim(3,
        {claimed(3, Claim::Kind::created, "orders"), claimed(3, Claim::Kind::dropped, "orders")});
  read_again({table("orders", "created:2")});
  EXPECT_EQ(held(), "orders|SELECT|created:2|f\n");
}

TEST_F(GrantedAndMoved, ARevokeReachesAGrantThatAReReadCarriesToTheName) {
  grant("SELECT", kOrders, 2, "created:1");
  grant("ALTER", kOrders, 2, "created:1");
  claim(3, {claimed(3, Claim::Kind::renamed, "drafts", "orders")});
  EXPECT_EQ(
      store_.privileges().revoke({"analyst", "SELECT", kDrafts, false, "alice"}, 3).repeat_at_event,
      3);
  read_again({table("drafts", "created:1")});
  EXPECT_EQ(held(), "drafts|ALTER|created:1|f\n");
}

}  // namespace
}  // namespace hmsync::store
