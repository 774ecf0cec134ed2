#include "processor/claim.h"

#include <gmock/gmock.h>

namespace hmsync::processor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Claim::Kind;

Claim claim(Kind kind, TableName name, TableName from = {}, std::string identity = "") {
  Claim made;
  made.event_id = 7;
  made.kind = kind;
  made.name = std::move(name);
  made.from = std::move(from);
  made.identity = std::move(identity);
  return made;
}

Database database(const std::string& identity = "") {
  Database made;
  made.name = {"hive", "sales"};
  made.identity = identity;
  return made;
}

Table table(const std::string& name, const std::string& identity) {
  Table made;
  made.name = {"hive", "sales", name};
  made.identity = identity;
  return made;
}

const TableName kSales{"hive", "sales", ""};
const TableName kOrders{"hive", "sales", "orders"};
const TableName kOld{"hive", "sales", "old"};

TEST(Claims, OfADatabaseNameItWithAllThatIsInIt) {
  EXPECT_THAT(claims(7, CreateDatabase{database("created:1")}),
              ElementsAre(claim(Kind::created, kSales, {}, "created:1")));
  EXPECT_THAT(claims(7, AlterDatabase{database("created:1"), database("created:1")}),
              ElementsAre(claim(Kind::changed, kSales)));
  EXPECT_THAT(claims(7, DropDatabase{{"hive", "sales"}}),
              ElementsAre(claim(Kind::dropped, kSales)));
}

TEST(Claims, OfATableThatIsMadeOrDroppedSayWhich) {
  EXPECT_THAT(claims(7, CreateTable{table("orders", "id:3")}),
              ElementsAre(claim(Kind::created, kOrders, {}, "id:3")));
  EXPECT_THAT(claims(7, DropTable{kOrders}), ElementsAre(claim(Kind::dropped, kOrders)));
  EXPECT_THAT(claims(7, DropTable{kOrders, "id:3"}),
              ElementsAre(claim(Kind::dropped, kOrders, {}, "id:3")));
}

TEST(Claims, OfARenameTellBothNamesAndTheIdentityThatMoves) {
  EXPECT_THAT(claims(7, AlterTable{table("old", "id:3"), table("orders", "id:4")}),
              ElementsAre(claim(Kind::renamed, kOrders, kOld, "id:3")));
}

TEST(Claims, OfAnAlterationWithoutARenameTellOnlyThatItChanged) {
  EXPECT_THAT(claims(7, AlterTable{table("orders", "id:3"), table("orders", "id:3")}),
              ElementsAre(claim(Kind::changed, kOrders)));
}

TEST(Claims, OfARenameIntoAnotherDatabaseNameTheTarget) {
  Table moved = table("orders", "id:3");
  moved.name.database = "archive";
  EXPECT_THAT(claims(7, AlterTable{table("orders", "id:3"), moved}),
              ElementsAre(claim(Kind::renamed, {"hive", "archive", "orders"}, kOrders, "id:3")));
}

TEST(Claims, OfPartitionsAreAboutTheirTable) {
  const std::vector<Claim> expected = {claim(Kind::changed, kOrders)};
  EXPECT_EQ(claims(7, AddPartitions{kOrders, {}}), expected) << "also where none was added";
  EXPECT_EQ(claims(7, DropPartitions{kOrders, {{"1"}, {"2"}}}), expected);
  EXPECT_EQ(claims(7, AlterPartition{kOrders, {"1"}, {{"2"}, std::nullopt}}), expected);
  EXPECT_EQ(claims(7, AlterPartitions{kOrders, {}}), expected);
}

TEST(Claims, OfWhatIsIgnoredThereAreNone) { EXPECT_THAT(claims(7, Ignored{}), IsEmpty()); }

Event event(const std::string& type, std::optional<std::string> in,
            std::optional<std::string> name) {
  Event made;
  made.id = 7;
  made.type = type;
  made.catalog = "hive";
  made.database = std::move(in);
  made.table = std::move(name);
  made.message = "not to be read";
  return made;
}

TEST(HeaderClaim, IsOfWhatTheHeaderNamesInLowerCase) {
  EXPECT_EQ(header_claim(event("CREATE_TABLE", "Sales", "Orders")), claim(Kind::created, kOrders));
  EXPECT_EQ(header_claim(event("DROP_TABLE", "sales", "orders")), claim(Kind::dropped, kOrders));
  EXPECT_EQ(header_claim(event("ADD_PARTITION", "sales", "orders")), claim(Kind::changed, kOrders));
  EXPECT_EQ(header_claim(event("ALTER_PARTITION", "sales", "orders")),
            claim(Kind::changed, kOrders));
}

TEST(HeaderClaim, OfAnAlterationMayBeARenameFromANameThatIsNotKnown) {
  EXPECT_EQ(header_claim(event("ALTER_TABLE", "sales", "orders")), claim(Kind::renamed, kOrders));
}

TEST(HeaderClaim, OfADatabaseIsTheDatabaseWhateverTableItNames) {
  EXPECT_EQ(header_claim(event("CREATE_DATABASE", "Sales", std::nullopt)),
            claim(Kind::created, kSales));
  EXPECT_EQ(header_claim(event("DROP_DATABASE", "sales", " ")), claim(Kind::dropped, kSales));
  EXPECT_EQ(header_claim(event("ALTER_DATABASE", "sales", std::nullopt)),
            claim(Kind::changed, kSales));
}

TEST(HeaderClaim, OfATablesEventWithoutItsTableIsTheWholeDatabaseChanged) {
  for (const std::string type : {"CREATE_TABLE", "DROP_TABLE", "ALTER_TABLE", "ADD_PARTITION"}) {
    EXPECT_EQ(header_claim(event(type, "sales", std::nullopt)), claim(Kind::changed, kSales))
        << type;
    EXPECT_EQ(header_claim(event(type, "sales", "")), claim(Kind::changed, kSales)) << type;
  }
}

TEST(HeaderClaim, OfAnEventThatNamesNothingIsEverything) {
  for (const std::string type : {"DROP_DATABASE", "ALTER_TABLE"}) {
    EXPECT_EQ(header_claim(event(type, std::nullopt, "orders")),
              claim(Kind::changed, {"hive", "", ""}))
        << type;
    EXPECT_EQ(header_claim(event(type, "", "")), claim(Kind::changed, {"hive", "", ""})) << type;
  }
}

TEST(HeaderClaim, WithoutACatalogIsOfTheDefaultOne) {
  Event old = event("DROP_TABLE", "sales", "orders");
  old.catalog.reset();
  EXPECT_EQ(header_claim(old), claim(Kind::dropped, kOrders));
  old.catalog = "Spark";
  EXPECT_EQ(header_claim(old), claim(Kind::dropped, {"spark", "sales", "orders"}));
}

TEST(Claim, HasANameForEachKind) {
  EXPECT_STREQ(to_string(Kind::changed), "changed");
  EXPECT_STREQ(to_string(Kind::created), "created");
  EXPECT_STREQ(to_string(Kind::dropped), "dropped");
  EXPECT_STREQ(to_string(Kind::renamed), "renamed");
}

}  // namespace
}  // namespace hmsync::processor
