#include "store/mutation_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/objects.h"

namespace hmsync::store {

namespace {

using namespace processor;
using testing::ElementsAre;

/// The event ids of each group.
std::vector<std::vector<int64_t>> ids(const std::vector<Mutation>& mutations) {
  std::vector<std::vector<int64_t>> groups;
  for (const MutationGroup& group : group_mutations(mutations)) {
    groups.emplace_back();
    for (const Mutation* mutation : group.mutations) groups.back().push_back(mutation->event_id);
  }
  return groups;
}

Mutation create(int64_t id, const std::string& name) {
  return {id, CreateTableRow{table("sales", name)}};
}
Mutation put(int64_t id, const std::string& name) {
  return {id, PutPartitions{named("sales", name), {partition({std::to_string(id)}, "/p")}}};
}

TEST(MutationGroups, WhatIsOfOneKindOnDifferentTablesIsOneGroup) {
  EXPECT_THAT(ids({create(1, "a"), put(2, "a"), create(3, "b"), put(4, "b")}),
              ElementsAre(ElementsAre(1, 3), ElementsAre(2, 4)));
}

TEST(MutationGroups, WhatTouchesOneTableKeepsItsOrder) {
  EXPECT_THAT(
      ids({create(1, "a"), {2, RemoveTable{named("sales", "a")}}, create(3, "a"), create(4, "b")}),
      ElementsAre(ElementsAre(1, 4), ElementsAre(2), ElementsAre(3)));
}

TEST(MutationGroups, PartitionsOfOneTableArePutTogether) {
  EXPECT_THAT(ids({put(1, "a"),
                   put(2, "a"),
                   {3, RemovePartitions{named("sales", "a"), {{"1"}}}},
                   put(4, "a")}),
              ElementsAre(ElementsAre(1, 2), ElementsAre(3), ElementsAre(4)));
}

TEST(MutationGroups, ARenameStandsBetweenWhatTouchesEitherName) {
  EXPECT_THAT(ids({create(1, "a"),
                   create(2, "b"),
                   {3, RenameTable{named("sales", "a"), table("other", "c"), {}, {}}},
                   create(4, "a"),
                   {5, CreateTableRow{table("other", "c")}},
                   create(6, "d")}),
              ElementsAre(ElementsAre(1, 2, 6), ElementsAre(3), ElementsAre(4, 5)));
}

TEST(MutationGroups, ARemovedDatabaseStandsBetweenAllThatIsInIt) {
  EXPECT_THAT(ids({create(1, "a"),
                   {2, RemoveDatabase{{kDefaultCatalog, "sales"}}},
                   create(3, "b"),
                   {4, CreateTableRow{table("other", "c")}}}),
              ElementsAre(ElementsAre(1, 4), ElementsAre(2), ElementsAre(3)));
}

}  // namespace

}  // namespace hmsync::store
