// The contract on real metastores.
#include <map>
#include <utility>

#include "tests/fixtures/mini_hms.h"
#include "tests/hmsclient/metastore_contract.h"
#include "tests/hmsclient/real_metastore_under_test.h"

namespace hmsync::hmsclient {

namespace {

using doubles::Generation;

/// One metastore at a time: that of the suite which runs.
std::unique_ptr<MetastoreUnderTest> reach(Generation generation, bool plain = false) {
  using Key = std::pair<Generation, bool>;
  static std::map<Key, std::shared_ptr<fixtures::MiniHms>> running;
  const Key key{generation, plain};
  if (!running.contains(key)) {
    running.clear();
    running.emplace(key, start_metastore(generation, {.plain_listener = plain}));
  }
  return std::make_unique<RealUnderTest>(generation, running.at(key));
}

INSTANTIATE_TEST_SUITE_P(Hive2_3_10, MetastoreContract,
                         testing::Values(MetastoreKind{"2_3_10",
                                                       [] { return reach(Generation::v2_3); }}),
                         [](const auto& kind) { return kind.param.name; });
INSTANTIATE_TEST_SUITE_P(Hive3_1_3, MetastoreContract,
                         testing::Values(MetastoreKind{"3_1_3",
                                                       [] { return reach(Generation::v3_1); }}),
                         [](const auto& kind) { return kind.param.name; });
INSTANTIATE_TEST_SUITE_P(Hive4_0_1, MetastoreContract,
                         testing::Values(MetastoreKind{"4_0_1",
                                                       [] { return reach(Generation::v4_0); }}),
                         [](const auto& kind) { return kind.param.name; });

INSTANTIATE_TEST_SUITE_P(Hive3_1_3, PlainListenerContract,
                         testing::Values(MetastoreKind{
                             "3_1_3", [] { return reach(Generation::v3_1, true); }}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace

}  // namespace hmsync::hmsclient
