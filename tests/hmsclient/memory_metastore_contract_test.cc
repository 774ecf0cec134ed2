// The contract on the metastore's double.
#include "tests/hmsclient/metastore_contract.h"

namespace hmsync::hmsclient {

namespace {

class MemoryUnderTest : public MetastoreUnderTest {
 public:
  explicit MemoryUnderTest(doubles::Generation generation, bool plain = false)
      : metastore_(generation) {
    metastore_.plain = plain;
    metastore_.run(doubles::ddl::CreateDatabase{.database = "default"});
  }

  [[nodiscard]] doubles::Generation generation() const override { return metastore_.generation(); }
  [[nodiscard]] processor::Location warehouse() const override { return metastore_.warehouse; }
  follower::NotificationLog& log() override { return metastore_; }
  follower::ObjectReader& objects() override { return metastore_; }
  bool run(const doubles::Change& change) override {
    const int transaction = metastore_.begin(change);
    if (transaction == doubles::MemoryMetastore::kRefused) return false;
    metastore_.commit(transaction);
    return true;
  }
  void let_a_second_pass() override {}  // its creations are numbered

 private:
  doubles::MemoryMetastore metastore_;
};

MetastoreKind memory(const char* name, doubles::Generation generation) {
  return {name, [generation] { return std::make_unique<MemoryUnderTest>(generation); }};
}

INSTANTIATE_TEST_SUITE_P(Memory, MetastoreContract,
                         testing::Values(memory("As2_3_10", doubles::Generation::v2_3),
                                         memory("As3_1_3", doubles::Generation::v3_1),
                                         memory("As4_0_1", doubles::Generation::v4_0)),
                         [](const auto& kind) { return kind.param.name; });

INSTANTIATE_TEST_SUITE_P(Memory, PlainListenerContract,
                         testing::Values(MetastoreKind{"As3_1_3",
                                                       [] {
                                                         return std::make_unique<MemoryUnderTest>(
                                                             doubles::Generation::v3_1, true);
                                                       }}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace

}  // namespace hmsync::hmsclient
