// The store in memory, which simulations rely on, held to the same contract as the one on
// PostgreSQL.
#include "tests/store/memory_under_test.h"
#include "tests/store/snapshot_contract.h"
#include "tests/store/store_contract.h"

namespace hmsync::store {

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreContract, testing::Types<MemoryUnderTest>);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SnapshotContract, testing::Types<MemoryUnderTest>);

}  // namespace hmsync::store
