#include "daemon/head_refresher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <new>

#include "daemon/system_clock.h"
#include "processor/error.h"
#include "tests/fixtures/eventually.h"

namespace hmsync::daemon {
namespace {

using fixtures::eventually;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ScriptedLog : public follower::NotificationLog {
 public:
  int64_t head() override {
    ++asked;
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return !blocked_; });
    if (out_of_memory) throw std::bad_alloc();
    if (away) throw Error(ErrorKind::transient, "the metastore is away");
    if (another) throw follower::AnotherMetastore("it is another metastore");
    return head_now;
  }
  follower::EventPage events(const follower::EventRequest& request) override {
    follower::EventPage page;
    for (int64_t id = request.after + 1; id <= newest; ++id) page.events.emplace_back().id = id;
    return page;
  }
  std::optional<std::string> uuid() override { return std::nullopt; }
  bool plain_listener() override { return false; }

  void block(bool blocked) {
    const std::lock_guard lock(mutex_);
    blocked_ = blocked;
    free_.notify_all();
  }

  std::atomic<int> asked{0};
  std::atomic<bool> away{false};
  std::atomic<bool> another{false};
  std::atomic<bool> out_of_memory{false};
  std::atomic<int64_t> head_now{7};
  std::atomic<int64_t> newest{0};  ///< where the head is below it

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool blocked_ = false;
};

class HeadRefresherTest : public ::testing::Test {
 protected:
  void ask() {
    refresher_.ask([this](const HeadAnswer& answer) {
      const std::lock_guard lock(mutex_);
      answers_.push_back(answer);
    });
  }
  size_t answered() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }

  SystemClock clock_;
  StatusBoard board_{"server1", "host:1", "0.1.0", clock_};
  ScriptedLog log_;
  std::atomic<bool> store_away_{false};
  std::atomic<int> recorded_{0};
  std::atomic<int64_t> last_recorded_{-1};
  std::mutex mutex_;
  std::vector<HeadAnswer> answers_;
  HeadRefresher refresher_{{log_,
                            [this](int64_t head) {
                              if (store_away_) throw Error(ErrorKind::transient, "no database");
                              last_recorded_ = head;
                              ++recorded_;
                            },
                            [] {}},
                           board_,
                           milliseconds(10)};
};

TEST_F(HeadRefresherTest, AnotherMetastoreIsAProblemOfItsOwnUntilTheRightOneAnswers) {
  const auto problems = [this] {
    std::vector<ProblemCode> codes;
    for (const Problem& problem : board_.status().problems) codes.push_back(problem.code);
    return codes;
  };
  log_.another = true;
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(10), [&] { return answered() == 1; }));
  EXPECT_EQ(answers_[0].failure, "it is another metastore");
  EXPECT_EQ(problems(), std::vector{ProblemCode::another_metastore});
  log_.another = false;
  ask();
  ASSERT_TRUE(eventually(seconds(10), [&] { return answered() == 2; }));
  EXPECT_TRUE(problems().empty());
}

TEST_F(HeadRefresherTest, AStoreThatFailedIsNoProblemOnceNothingIsRecorded) {
  const auto shows = [this](ProblemCode code) {
    const auto problems = board_.status().problems;
    return std::any_of(problems.begin(), problems.end(),
                       [&](const Problem& problem) { return problem.code == code; });
  };
  store_away_ = true;
  board_.elected(1);
  refresher_.start();
  ASSERT_TRUE(eventually(seconds(10), [&] { return shows(ProblemCode::store_unreachable); }));
  board_.deposed();
  EXPECT_TRUE(eventually(seconds(10), [&] { return !shows(ProblemCode::store_unreachable); }));
  board_.elected(2);
  ASSERT_TRUE(eventually(seconds(10), [&] { return shows(ProblemCode::store_unreachable); }));
  log_.away = true;
  ask();
  EXPECT_TRUE(eventually(seconds(10), [&] { return !shows(ProblemCode::store_unreachable); }));
}

TEST_F(HeadRefresherTest, AnswersWithAHeadAskedForAfterTheQuestion) {
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  EXPECT_EQ(answers_[0].head, 7);
  log_.head_now = 9;
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 2; }));
  EXPECT_EQ(answers_[1].head, 9);
}

TEST_F(HeadRefresherTest, AnswersWithTheNewestEventWhereTheHeadIsBelowIt) {
  log_.newest = 9;
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  EXPECT_EQ(answers_[0].head, 9);
}

TEST_F(HeadRefresherTest, ThoseWhoAskTogetherShareOneCall) {
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  log_.block(true);
  const int before = log_.asked;
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return log_.asked == before + 1; }));
  for (int i = 0; i < 100; ++i) ask();
  log_.block(false);
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 102; }));
  EXPECT_EQ(log_.asked, before + 2);
}

TEST_F(HeadRefresherTest, SaysWhyTheHeadIsNotKnown) {
  log_.away = true;
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  EXPECT_EQ(answers_[0].head, std::nullopt);
  EXPECT_EQ(answers_[0].failure, "the metastore is away");
  ASSERT_EQ(board_.status().problems.size(), 1U);
  EXPECT_EQ(board_.status().problems[0].code, ProblemCode::metastore_unreachable);
  log_.away = false;
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 2; }));
  EXPECT_TRUE(eventually(seconds(5), [&] { return board_.status().problems.empty(); }));
}

TEST_F(HeadRefresherTest, GoesOnAfterAFailureThatNobodyForesaw) {
  log_.out_of_memory = true;
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  EXPECT_EQ(answers_[0].head, std::nullopt);
  log_.out_of_memory = false;
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 2; }));
  EXPECT_EQ(answers_[1].head, 7);
}

TEST_F(HeadRefresherTest, KeepsTheHeadFreshAndRecordedWhileTheLoopIsBusy) {
  board_.elected(1);
  refresher_.start();
  EXPECT_TRUE(eventually(seconds(5), [&] { return last_recorded_ == 7; }));
  log_.head_now = 20;
  EXPECT_TRUE(eventually(seconds(5), [&] { return board_.status().head == 20; }));
  EXPECT_TRUE(eventually(seconds(5), [&] { return last_recorded_ == 20; }));
}

TEST_F(HeadRefresherTest, RecordsNothingWhileTheMetastoreIsAway) {
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  log_.away = true;
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 2; }));
  ASSERT_TRUE(eventually(
      seconds(5), [&] { return clock_.now() - board_.head_seen()->asked > milliseconds(10); }));
  board_.elected(1);
  // Twenty turns of the refresher.
  EXPECT_FALSE(eventually(milliseconds(200), [&] { return recorded_ > 0; }));
  EXPECT_EQ(board_.status().head, 7);
  log_.away = false;
  ask();
  EXPECT_TRUE(eventually(seconds(5), [&] { return recorded_ == 1; }));
}

TEST_F(HeadRefresherTest, RecordsNothingOnAStandby) {
  refresher_.start();
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 1; }));
  ask();
  ASSERT_TRUE(eventually(seconds(5), [&] { return answered() == 2; }));
  EXPECT_EQ(recorded_, 0);
}

TEST_F(HeadRefresherTest, AnswersAllWhenItStops) {
  refresher_.stop();
  ask();
  EXPECT_EQ(answered(), 1U);
  EXPECT_EQ(answers_[0].head, std::nullopt);
}

}  // namespace
}  // namespace hmsync::daemon
