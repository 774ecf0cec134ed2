#include "tests/leader/memory_lease_store.h"

#include <algorithm>

#include "tests/leader/lease_store_contract.h"

namespace hmsync::leader {
namespace {

class MemoryWorld {
 public:
  LeaseStore& first() { return first_; }
  LeaseStore& second() { return second_; }
  Token follower_token() { return database_.follower_token; }

  WriterSession start_session() {
    const WriterSession session{next_pid_++, "2026-11-30 00:00:00+00"};
    database_.running_sessions.push_back(session);
    return session;
  }

  bool runs(const WriterSession& session) {
    const auto& running = database_.running_sessions;
    return std::find(running.begin(), running.end(), session) != running.end();
  }

 private:
  MemoryLeaseDatabase database_;
  MemoryLeaseStore first_{database_};
  MemoryLeaseStore second_{database_};
  int32_t next_pid_ = 100;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, LeaseStoreContract, MemoryWorld);

}  // namespace
}  // namespace hmsync::leader
