// The election's thread, in real time but for jumps of its clock, over the lease in memory.
#include "leader/election.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/fixtures/eventually.h"
#include "tests/leader/memory_lease_store.h"

namespace hmsync::leader {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Long beside what a busy machine delays a thread by, short beside a test's patience.
constexpr milliseconds kLength{3000};
constexpr seconds kPatience{20};

/// What an election told its owner.
class Owner {
 public:
  ElectionCallbacks callbacks() {
    return {.elected = [this](const Token& token) { add(elected_, token); },
            .deposed = [this](const std::string& reason) { add(deposed_, reason); },
            .failed = [this](const Error& error) { add(failed_, std::string(error.what())); }};
  }

  std::vector<Token> elected() const { return copy(elected_); }
  std::vector<std::string> deposed() const { return copy(deposed_); }
  std::vector<std::string> failed() const { return copy(failed_); }

  Token wait_for_election(size_t number) const {
    EXPECT_TRUE(fixtures::eventually(kPatience, [&] { return elected().size() >= number; }));
    const auto tokens = elected();
    return tokens.size() >= number ? tokens[number - 1] : Token{};
  }

  bool wait_for_deposition(size_t number) const {
    return fixtures::eventually(kPatience, [&] { return deposed().size() >= number; });
  }

 private:
  template <typename T>
  void add(std::vector<T>& list, T value) {
    const std::lock_guard lock(mutex_);
    list.push_back(std::move(value));
  }

  template <typename T>
  std::vector<T> copy(const std::vector<T>& list) const {
    const std::lock_guard lock(mutex_);
    return list;
  }

  mutable std::mutex mutex_;
  std::vector<Token> elected_;
  std::vector<std::string> deposed_;
  std::vector<std::string> failed_;
};

class ElectionTest : public ::testing::Test {
 protected:
  /// Its clock runs ahead by `jump_`.
  std::unique_ptr<Election> election(Owner& owner, const std::string& instance,
                                     std::unique_ptr<MemoryLeaseStore> store = nullptr) {
    if (!store) store = std::make_unique<MemoryLeaseStore>(database_);
    auto made = std::make_unique<Election>(
        std::move(store), lease_times(length_), instance, owner.callbacks(),
        [this] { return std::chrono::steady_clock::now() + jump_.load(); });
    made->start();
    return made;
  }

  LeaseRow row() {
    const std::lock_guard lock(database_.mutex);
    return database_.row;
  }

  MemoryLeaseDatabase database_;
  milliseconds length_ = kLength;
  std::atomic<milliseconds> jump_{milliseconds(0)};
};

TEST_F(ElectionTest, TellsItsTokenAndShowsItselfAsLeader) {
  Owner owner;
  const auto election = this->election(owner, "host-1");
  const Token token = owner.wait_for_election(1);
  EXPECT_TRUE(election->holds(token));
  EXPECT_FALSE(election->holds({token.epoch, "another"}));
  const ElectionStatus status = election->status();
  EXPECT_TRUE(status.leads);
  ASSERT_TRUE(status.row);
  EXPECT_EQ(status.row->token, token);
  EXPECT_EQ(status.row->instance, "host-1");
  election->stop();
}

TEST_F(ElectionTest, StandbyShowsWhoLeads) {
  Owner one;
  Owner two;
  const auto first = election(one, "host-1");
  const Token token = one.wait_for_election(1);
  const auto second = election(two, "host-2");
  ASSERT_TRUE(fixtures::eventually(kPatience, [&] { return second->status().row.has_value(); }));
  EXPECT_FALSE(second->status().leads);
  EXPECT_EQ(second->status().row->instance, "host-1");
  EXPECT_FALSE(second->holds(token));
  second->stop();
  first->stop();
}

TEST_F(ElectionTest, StopHandsTheLeaseOverWithoutADeposition) {
  length_ = minutes(5);  // far beyond what is waited for here
  Owner one;
  Owner two;
  const auto first = election(one, "host-1");
  const Token token = one.wait_for_election(1);
  const auto second = election(two, "host-2");
  ASSERT_TRUE(fixtures::eventually(kPatience, [&] { return second->status().row.has_value(); }));
  first->stop();
  EXPECT_FALSE(first->holds(token));
  EXPECT_FALSE(first->status().leads);
  EXPECT_NE(two.wait_for_election(1), Token{});
  EXPECT_TRUE(one.deposed().empty());
  second->stop();
}

TEST_F(ElectionTest, AnotherTokenInTheRowDeposes) {
  Owner owner;
  const auto election = this->election(owner, "host-1");
  const Token token = owner.wait_for_election(1);
  {
    const std::lock_guard lock(database_.mutex);
    database_.row.token = {9, "taken"};
  }
  EXPECT_TRUE(owner.wait_for_deposition(1));
  EXPECT_FALSE(election->holds(token));
  election->stop();
  EXPECT_EQ(row().token, (Token{9, "taken"}));
  EXPECT_FALSE(row().released);
}

TEST_F(ElectionTest, TokenRunsOutEvenWhileTheThreadIsStuckInACall) {
  Owner owner;
  auto store = std::make_unique<MemoryLeaseStore>(database_);
  std::promise<void> stuck;
  std::promise<void> go_on;
  bool first = true;
  store->before = [&, answer = go_on.get_future().share()](const std::string& call) {
    if (call != "renew" || !std::exchange(first, false)) return;
    stuck.set_value();
    answer.wait();
  };
  const auto election = this->election(owner, "host-1", std::move(store));
  const Token token = owner.wait_for_election(1);
  ASSERT_EQ(stuck.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(election->holds(token));
  jump_ = kLength;
  EXPECT_FALSE(election->holds(token));
  EXPECT_FALSE(election->status().leads);
  // The renewal succeeds after all; the token stays dead, and a new one is made.
  go_on.set_value();
  EXPECT_TRUE(owner.wait_for_deposition(1));
  const Token next = owner.wait_for_election(2);
  EXPECT_FALSE(election->holds(token));
  EXPECT_TRUE(election->holds(next));
  election->stop();
}

TEST_F(ElectionTest, ResignedTokenCountsNoMoreAndIsFollowedByANewOne) {
  Owner owner;
  const auto election = this->election(owner, "host-1");
  const Token token = owner.wait_for_election(1);
  election->resign(token);
  EXPECT_FALSE(election->holds(token));
  EXPECT_TRUE(owner.wait_for_deposition(1));
  const Token next = owner.wait_for_election(2);
  EXPECT_GT(next.epoch, token.epoch);
  // A late word about the old term does not end the new one.
  election->resign(token);
  EXPECT_TRUE(election->holds(next));
  election->stop();
  EXPECT_EQ(owner.deposed().size(), 1U);
}

TEST_F(ElectionTest, FailuresAreToldAndDoNotEndTheThread) {
  Owner owner;
  auto store = std::make_unique<MemoryLeaseStore>(database_);
  std::atomic<bool> away = true;
  store->before = [&](const std::string&) {
    if (away) throw Error(ErrorKind::transient, "the database is away");
  };
  const auto election = this->election(owner, "host-1", std::move(store));
  ASSERT_TRUE(fixtures::eventually(kPatience, [&] { return owner.failed().size() >= 2; }));
  EXPECT_EQ(owner.failed().front(), "the database is away");
  EXPECT_FALSE(election->status().row);
  away = false;
  owner.wait_for_election(1);
  away = true;
  const size_t before = owner.failed().size();
  election->stop();
  EXPECT_GT(owner.failed().size(), before) << "a release that failed was not told";
}

TEST_F(ElectionTest, StopOfAnElectionThatNeverStartedOrStoppedBeforeDoesNothing) {
  Owner owner;
  Election never(std::make_unique<MemoryLeaseStore>(database_), lease_times(kLength), "host-1",
                 owner.callbacks());
  never.stop();
  EXPECT_EQ(row().token.epoch, 0);
  const auto election = this->election(owner, "host-2");
  owner.wait_for_election(1);
  election->stop();
  const auto renewal = row().renewal;
  election->stop();
  EXPECT_EQ(row().renewal, renewal);
}

}  // namespace
}  // namespace hmsync::leader
