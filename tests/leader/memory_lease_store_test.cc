#include "tests/leader/memory_lease_store.h"

#include "tests/leader/lease_store_contract.h"

namespace hmsync::leader {
namespace {

class MemoryWorld {
 public:
  LeaseStore& first() { return first_; }
  LeaseStore& second() { return second_; }
  Token follower_token() { return database_.follower_token; }

 private:
  MemoryLeaseDatabase database_;
  MemoryLeaseStore first_{database_};
  MemoryLeaseStore second_{database_};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, LeaseStoreContract, MemoryWorld);

}  // namespace
}  // namespace hmsync::leader
