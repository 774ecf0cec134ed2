#include "tests/store/memory_under_test.h"

namespace hmsync::store {

std::unique_ptr<StoreUnderTest> make_store_under_test() {
  return std::make_unique<MemoryUnderTest>();
}

}  // namespace hmsync::store
