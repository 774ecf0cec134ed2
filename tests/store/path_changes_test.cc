// What readers of the path change log are told.
#include "tests/store/grants_fixture.h"

namespace hmsync::store {
namespace {

using namespace processor;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PathChanges : public GrantsFixture {
 protected:
  PathChanges() {
    apply(3, {{1, PutDatabase{database("sales")}},
              {2, CreateTableRow{table("sales", "orders", "created:1")}},
              {3, PutPartitions{named("sales", "orders"), {partition({"a"}, "/w/orders/a")}}}});
    told_ = store_.path_changes().size();
  }

  std::vector<std::string> new_changes() {
    std::vector<std::string> lines = store_.path_changes();
    lines.erase(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(told_));
    return lines;
  }
  void publish(const follower::SnapshotPage& page) {
    follower::Publication publication;
    publication.cursor = 9;
    publication.unbroken = true;
    store_.snapshots().publish(fence(), staged({}, page), publication);
  }

  size_t told_ = 0;
};

TEST_F(PathChanges, TellWhatIsMade) {
  EXPECT_THAT(store_.path_changes(),
              ElementsAre("1 added sales. {} hdfs://nn/w/sales.db",
                          "2 added sales.orders {} hdfs://nn/w/sales.db/orders",
                          "3 added sales.orders {a} hdfs://nn/w/orders/a"));
}

TEST_F(PathChanges, TellWhatMoves) {
  Table moved = table("sales", "orders");
  moved.location = at("/elsewhere");
  apply(6, {{4, UpdateTable{moved, {}}},
            {5, PutDatabase{{{kDefaultCatalog, "sales"}, {}, at("/s"), ""}}},
            {6, PutPartitions{named("sales", "orders"), {partition({"a"}, "/b")}}}});
  EXPECT_THAT(new_changes(),
              UnorderedElementsAre("4 removed sales.orders {} hdfs://nn/w/sales.db/orders",
                                   "4 added sales.orders {} hdfs://nn/elsewhere",
                                   "5 removed sales. {} hdfs://nn/w/sales.db",
                                   "5 added sales. {} hdfs://nn/s",
                                   "6 removed sales.orders {a} hdfs://nn/w/orders/a",
                                   "6 added sales.orders {a} hdfs://nn/b"));
}

TEST_F(PathChanges, AreSilentWhereNothingDiffers) {
  apply(5, {{4, UpdateTable{table("sales", "orders"), {}}},
            {5, PutPartitions{named("sales", "orders"), {partition({"a"}, "/w/orders/a")}}}});
  EXPECT_THAT(new_changes(), IsEmpty());
}

TEST_F(PathChanges, TellARenameWithWhatItMoves) {
  apply(4, {{4, RenameTable{named("sales", "orders"),
                            table("sales", "bills"),
                            PathRewrite{"/w/orders", "/w/bills"},
                            {}}}});
  EXPECT_THAT(new_changes(), ElementsAre("4 renamed sales.orders to sales.bills",
                                         "4 removed sales.bills {} hdfs://nn/w/sales.db/orders",
                                         "4 added sales.bills {} hdfs://nn/w/sales.db/bills",
                                         "4 removed sales.bills {a} hdfs://nn/w/orders/a",
                                         "4 added sales.bills {a} hdfs://nn/w/bills/a"));
}

TEST_F(PathChanges, TellThatARenamesTargetIsGone) {
  apply(4, {{4, CreateTableRow{table("sales", "bills", "created:2")}}});
  apply(5, {{5, RenameTable{named("sales", "orders"), table("sales", "bills"), std::nullopt, {}}}});
  EXPECT_THAT(new_changes(),
              ElementsAre("4 added sales.bills {} hdfs://nn/w/sales.db/bills",
                          "5 removed sales.bills", "5 renamed sales.orders to sales.bills",
                          "5 removed sales.bills {} hdfs://nn/w/sales.db/orders",
                          "5 added sales.bills {} hdfs://nn/w/sales.db/bills"));
}

TEST_F(PathChanges, ARenameWithoutItsSourceLeavesThePartitionsOfItsOwnTableAlone) {
  apply(
      5,
      {{5, RenameTable{
               named("sales", "gone"), table("sales", "orders", "created:1"), std::nullopt, {}}}});
  EXPECT_THAT(new_changes(), IsEmpty());
  EXPECT_THAT(store_.objects(),
              testing::Contains("partition sales.orders {a} hdfs://nn/w/orders/a"));
  apply(
      6,
      {{6, RenameTable{
               named("sales", "gone"), table("sales", "orders", "created:8"), std::nullopt, {}}}});
  EXPECT_THAT(lines_of(store_.objects(), "partition "), IsEmpty()) << "it was another table's";
}

TEST_F(PathChanges, ARenameWithoutItsSourceRewritesNoPathThatWasReadAfterIt) {
  apply(4, {{4, PutPartitions{named("sales", "orders"), {partition({"a"}, "/w/orders_new/a")}}}});
  apply(5, {{5, RenameTable{named("sales", "gone"),
                            table("sales", "orders", "created:1"),
                            PathRewrite{"/w/orders", "/w/orders_new"},
                            {}}}});
  EXPECT_THAT(lines_of(store_.objects(), "partition "),
              ElementsAre("sales.orders {a} hdfs://nn/w/orders_new/a"));
}

TEST_F(PathChanges, TellWhereTheTableWasThatARenameWithoutItsSourceMakes) {
  Table moved = table("sales", "orders", "created:1");
  moved.location = at("/elsewhere");
  apply(5, {{5, RenameTable{named("sales", "gone"), moved, std::nullopt, {}}}});
  moved.identity = "";
  moved.location = at("/s");
  apply(6, {{6, RenameTable{named("sales", "gone"), moved, std::nullopt, {}}}});
  EXPECT_THAT(new_changes(), ElementsAre("5 removed sales.orders {} hdfs://nn/w/sales.db/orders",
                                         "5 added sales.orders {} hdfs://nn/elsewhere",
                                         "6 removed sales.orders {} hdfs://nn/elsewhere",
                                         "6 added sales.orders {} hdfs://nn/s"));
}

TEST_F(PathChanges, ARenameWithoutItsSourceThatTellsNoLocationLeavesTheStoredOne) {
  Table moved = table("sales", "orders", "created:1");
  moved.location = std::nullopt;
  apply(5, {{5, RenameTable{named("sales", "gone"), moved, std::nullopt, {}}}});
  EXPECT_THAT(new_changes(), IsEmpty());
  EXPECT_THAT(lines_of(store_.objects(), "table sales.orders "),
              ElementsAre(testing::EndsWith(" hdfs://nn/w/sales.db/orders")));
}

TEST_F(PathChanges, TellWhatGoesWithAllThatIsInIt) {
  apply(6, {{4, RemovePartitions{named("sales", "orders"), {{"a"}, {"never"}}}},
            {5, RemoveTable{named("sales", "orders")}},
            {6, RemoveDatabase{{kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(new_changes(), ElementsAre("4 removed sales.orders {a} hdfs://nn/w/orders/a",
                                         "5 removed sales.orders", "6 removed sales."));
  apply(7, {{7, RemoveDatabase{{kDefaultCatalog, "sales"}}}});
  EXPECT_THAT(new_changes(), testing::SizeIs(3));
}

TEST_F(PathChanges, ADatabaseOfWhichOnlyTheNameIsToldKeepsItsLocation) {
  apply(4, {{4, PutDatabase{{{kDefaultCatalog, "sales"}, {}, std::nullopt, ""}}}});
  EXPECT_THAT(new_changes(), IsEmpty());
  EXPECT_THAT(store_.objects(), testing::Contains("database sales - hdfs://nn/w/sales.db"));
}

TEST_F(PathChanges, TellWhatASnapshotFinds) {
  publish({{database("sales")},
           {table("sales", "bills", "created:2")},
           {{named("sales", "bills"), {partition({"b"}, "/b"), {{"n"}, std::nullopt}}}}});
  EXPECT_THAT(new_changes(),
              UnorderedElementsAre("9 removed sales.orders {} hdfs://nn/w/sales.db/orders",
                                   "9 removed sales.orders {a} hdfs://nn/w/orders/a",
                                   "9 added sales.bills {} hdfs://nn/w/sales.db/bills",
                                   "9 added sales.bills {b} hdfs://nn/b"));
}

class PathChangesAtFirst : public GrantsFixture {};

TEST_F(PathChangesAtFirst, TheFirstSnapshotIsAnImage) {
  follower::Publication publication;
  publication.cursor = 5;
  store_.snapshots().publish(fence(), staged({}, {{database("sales")}, {}, {}}), publication);
  EXPECT_THAT(store_.path_changes(), ElementsAre("5 image"));
}

}  // namespace
}  // namespace hmsync::store
