#include "daemon/idle_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/fixtures/eventually.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

struct Session {
  explicit Session(int number_made) : number(number_made) {}

  void interrupt() { interrupted = true; }
  /// As a call to something that never answers.
  void hang() {
    if (!fixtures::eventually(seconds(30), [this] { return interrupted.load(); })) return;
    throw Error(ErrorKind::transient, "interrupted");
  }

  const int number;
  std::atomic<bool> interrupted{false};
};

class IdlePoolTest : public ::testing::Test {
 protected:
  std::atomic<int> made_{0};
  IdlePool<Session> pool_{[this] { return std::make_unique<Session>(++made_); }};
};

TEST_F(IdlePoolTest, LendsWhatWasGivenBack) {
  EXPECT_EQ(pool_.with([](Session& session) { return session.number; }), 1);
  EXPECT_EQ(pool_.with([](Session& session) { return session.number; }), 1);
}

TEST_F(IdlePoolTest, ThrowsAwayWhatFailed) {
  EXPECT_THROW(pool_.with([](Session&) { throw Error(ErrorKind::transient, "lost"); }), Error);
  EXPECT_EQ(pool_.with([](Session& session) { return session.number; }), 2);
}

TEST_F(IdlePoolTest, InterruptsWhatIsStillLentWhenTheTimeIsOver) {
  std::atomic<bool> began{false};
  std::atomic<bool> interrupted{false};
  std::jthread worker([&] {
    try {
      pool_.with([&](Session& session) {
        began = true;
        session.hang();
      });
    } catch (const Error&) {
      interrupted = true;
    }
  });
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return began.load(); }));
  pool_.close(steady_clock::now() + milliseconds(20));
  worker.join();
  EXPECT_TRUE(interrupted);
}

TEST_F(IdlePoolTest, LetsWhatIsLentComeToItsEnd) {
  std::atomic<bool> began{false};
  std::atomic<bool> go_on{false};
  std::atomic<bool> interrupted{true};
  std::jthread worker([&] {
    pool_.with([&](Session& session) {
      began = true;
      fixtures::eventually(seconds(30), [&] { return go_on.load(); });
      interrupted = session.interrupted.load();
    });
  });
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return began.load(); }));
  std::jthread closer([&] { pool_.close(steady_clock::now() + seconds(30)); });
  // Closed, as the refusal of others shows.
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] {
    try {
      pool_.with([](Session&) {});
      return false;
    } catch (const Error&) {
      return true;
    }
  }));
  go_on = true;
  worker.join();
  closer.join();
  EXPECT_FALSE(interrupted);
}

TEST_F(IdlePoolTest, LendsNoMoreOnceClosed) {
  pool_.with([](Session&) {});
  pool_.close(steady_clock::now());
  EXPECT_THROW(pool_.with([](Session&) {}), Error);
}

}  // namespace
}  // namespace hmsync::daemon
