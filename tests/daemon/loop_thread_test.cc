#include "daemon/loop_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <new>

#include "tests/fixtures/eventually.h"

namespace hmsync::daemon {
namespace {

using fixtures::eventually;
using std::chrono::milliseconds;
using std::chrono::seconds;

// What happens in the terms of a test: counted, and told what to do next.
struct Script {
  std::atomic<int> made{0};
  std::atomic<int> alive{0};
  std::atomic<int> steps{0};
  std::atomic<int> resigned{0};
  std::atomic<int> failed{0};
  std::atomic<bool> holds{true};
  std::atomic<bool> block{false};  ///< step() returns only when interrupted
  std::atomic<bool> fail_to_make{false};
  std::atomic<bool> out_of_memory{false};  ///< of the next step
  std::atomic<int> next_error{-1};         ///< an ErrorKind, thrown by the next step
  std::atomic<int64_t> pause_ms{3'600'000};
  std::atomic<int64_t> poll_interval_ms{0};
};

class ScriptedTerm : public Term {
 public:
  explicit ScriptedTerm(Script& script) : script_(script) { ++script_.alive; }
  ~ScriptedTerm() override { --script_.alive; }

  milliseconds step() override {
    ++script_.steps;
    const int error = script_.next_error.exchange(-1);
    if (script_.out_of_memory.exchange(false)) throw std::bad_alloc();
    if (error >= 0) throw Error(static_cast<ErrorKind>(error), "as told");
    std::unique_lock lock(mutex_);
    interrupted_or_free_.wait(lock, [this] { return interrupted_ || !script_.block; });
    return milliseconds(script_.pause_ms);
  }
  void interrupt() override {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    interrupted_or_free_.notify_all();
  }
  void set_poll_interval(milliseconds interval) override {
    script_.poll_interval_ms = interval.count();
  }

 private:
  Script& script_;
  std::mutex mutex_;
  std::condition_variable interrupted_or_free_;
  bool interrupted_ = false;
};

class LoopThreadTest : public ::testing::Test {
 protected:
  LoopThread::Ports ports() {
    return {[this](const leader::Token&) -> std::unique_ptr<Term> {
              ++script_.made;
              if (script_.fail_to_make.exchange(false)) {
                throw Error(ErrorKind::transient, "no database");
              }
              return std::make_unique<ScriptedTerm>(script_);
            },
            [this](const leader::Token&) { return script_.holds.load(); },
            [this](const leader::Token&) { ++script_.resigned; },
            [this](const Error&) { ++script_.failed; }, [](std::optional<milliseconds>) {}};
  }

  Script script_;
  LoopThread loop_{ports()};
  const leader::Token token_{1, "n"};
};

TEST_F(LoopThreadTest, StepsOnlyWithinATerm) {
  EXPECT_EQ(script_.made, 0);
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 1; }));
  loop_.end_term();
  EXPECT_EQ(script_.alive, 0);
  loop_.begin_term({2, "m"});
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 2; }));
  EXPECT_EQ(script_.made, 2);
}

TEST_F(LoopThreadTest, BeginsAnewAfterAFailureThatNobodyForesaw) {
  script_.out_of_memory = true;
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.failed == 1; }));
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.steps == 2; }));
  EXPECT_EQ(script_.made, 2);
}

TEST_F(LoopThreadTest, WakesFromItsPause) {
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 1; }));
  loop_.wake();
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.steps == 2; }));
}

TEST_F(LoopThreadTest, EndOfTheTermInterruptsAStepThatHangs) {
  script_.block = true;
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 1; }));
  loop_.end_term();
  EXPECT_EQ(script_.alive, 0);
}

TEST_F(LoopThreadTest, StopInterruptsAStepThatOutlastsTheGrace) {
  script_.block = true;
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 1; }));
  const auto begun = std::chrono::steady_clock::now();
  loop_.stop(milliseconds(100));
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, milliseconds(100));
  EXPECT_LT(took, seconds(10));
  EXPECT_EQ(script_.alive, 0);
}

TEST_F(LoopThreadTest, BeginsNoTermAfterStop) {
  loop_.stop();
  loop_.begin_term(token_);
  EXPECT_EQ(script_.made, 0);
}

TEST_F(LoopThreadTest, ResignsWhenTheStoreKnowsAnotherLeader) {
  script_.next_error = static_cast<int>(ErrorKind::fenced);
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.resigned == 1; }));
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.alive == 0; }));
  loop_.end_term();
  EXPECT_EQ(script_.steps, 1);
}

TEST_F(LoopThreadTest, DoesNotStepWithoutTheLease) {
  script_.pause_ms = 1;
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps > 3; }));
  script_.holds = false;
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.alive == 0; }));
  loop_.end_term();
}

TEST_F(LoopThreadTest, TriesAgainToMakeATerm) {
  script_.fail_to_make = true;
  loop_.begin_term(token_);
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.failed == 1; }));
  EXPECT_TRUE(eventually(seconds(10), [&] { return script_.steps == 1; }));
  EXPECT_EQ(script_.made, 2);
}

TEST_F(LoopThreadTest, ANewPollIntervalOutlivesTheTerm) {
  loop_.begin_term(token_);
  ASSERT_TRUE(eventually(seconds(5), [&] { return script_.steps == 1; }));
  loop_.set_poll_interval(milliseconds(70));
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.poll_interval_ms == 70; }));
  loop_.end_term();
  script_.poll_interval_ms = 0;
  loop_.begin_term({2, "m"});
  EXPECT_TRUE(eventually(seconds(5), [&] { return script_.poll_interval_ms == 70; }));
}

}  // namespace
}  // namespace hmsync::daemon
