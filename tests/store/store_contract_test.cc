#include "tests/store/store_contract.h"

#include "tests/store/postgres_under_test.h"
#include "tests/store/snapshot_contract.h"

namespace hmsync::store {

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, StoreContract, testing::Types<PostgresUnderTest>);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SnapshotContract, testing::Types<PostgresUnderTest>);

}  // namespace hmsync::store
