// Three replicas under faults: whatever happens, no two hold the lease by their own clocks.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "tests/leader/memory_lease_store.h"

namespace hmsync::leader {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// One thread, virtual time. While one replica waits in a call, the others go on.
class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {
    for (size_t i = 0; i < replicas_.size(); ++i) add(i);
  }

  void run(seconds duration) { run_until(now_ + duration, true); }
  void run_without_faults(seconds duration) { run_until(now_ + duration, false); }

  [[nodiscard]] size_t holders() const {
    size_t count = 0;
    for (const auto& replica : replicas_) {
      if (replica->lease->token() && own_time(*replica) < replica->lease->held_until()) ++count;
    }
    return count;
  }

  size_t most_holders = 0;
  size_t elections = 0;

 private:
  struct Replica {
    std::unique_ptr<MemoryLeaseStore> store;
    std::unique_ptr<Lease> lease;
    double rate = 1;  ///< of its clock
    milliseconds due{0};
    bool busy = false;
  };

  void add(size_t index) {
    auto& replica = *(replicas_[index] = std::make_unique<Replica>());
    replica.rate = std::uniform_real_distribution(0.95, 1.05)(random_);
    replica.store = std::make_unique<MemoryLeaseStore>(database_);
    const auto pass = [this](const std::string&) { disturb(); };
    replica.store->before = pass;
    replica.store->after = pass;
    replica.lease = std::make_unique<Lease>(*replica.store, lease_times(seconds(12)),
                                            "host-" + std::to_string(index),
                                            [this, &replica] { return own_time(replica); });
  }

  [[nodiscard]] Lease::Time own_time(const Replica& replica) const {
    return Lease::Time{} + std::chrono::duration_cast<Lease::Time::duration>(now_ * replica.rate);
  }

  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

  milliseconds up_to(milliseconds most) {
    return milliseconds(std::uniform_int_distribution<int64_t>(0, most.count())(random_));
  }

  void disturb() {
    if (!faults_) return;
    if (chance(0.2)) run_until(now_ + up_to(chance(0.2) ? seconds(20) : seconds(2)), true);
    if (chance(0.15)) throw Error(ErrorKind::transient, "lost");
  }

  void step(Replica& replica) {
    replica.busy = true;
    const LeaseStep step = replica.lease->step();
    if (step.change == LeaseStep::Change::elected) ++elections;
    if (replica.lease->token() && faults_ && chance(0.01)) release(replica);
    replica.busy = false;
    // Now and then a process stands still for a while between two steps.
    replica.due = now_ + step.wait + milliseconds(1);
    if (faults_ && chance(0.02)) replica.due += up_to(seconds(40));
  }

  void release(Replica& replica) {
    try {
      replica.lease->release();
    } catch (const Error&) {
      ASSERT_FALSE(replica.lease->token());
    }
  }

  void run_until(milliseconds end, bool faults) {
    const bool faults_before = std::exchange(faults_, faults);
    while (Replica* next = first_due(end)) {
      now_ = std::max(now_, next->due);
      step(*next);
      most_holders = std::max(most_holders, holders());
    }
    now_ = std::max(now_, end);
    most_holders = std::max(most_holders, holders());
    faults_ = faults_before;
  }

  Replica* first_due(milliseconds end) {
    Replica* first = nullptr;
    for (auto& replica : replicas_) {
      if (replica->busy || std::max(replica->due, now_) > end) continue;
      if (first == nullptr || replica->due < first->due) first = replica.get();
    }
    return first;
  }

  std::mt19937_64 random_;
  MemoryLeaseDatabase database_;
  std::array<std::unique_ptr<Replica>, 3> replicas_;
  milliseconds now_{1000};
  bool faults_ = true;
};

TEST(RandomLease, NoTwoReplicasHoldItUnderAnyFaultAndOneDoesWhenFaultsEnd) {
  size_t elections = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(seconds(600));
    EXPECT_LE(world.most_holders, 1U);
    world.run_without_faults(seconds(60));
    EXPECT_EQ(world.holders(), 1U);
    EXPECT_LE(world.most_holders, 1U);
    elections += world.elections;
  }
  EXPECT_GT(elections, 300U * 10) << "the faults moved the lease too seldom to show anything";
}

}  // namespace
}  // namespace hmsync::leader
