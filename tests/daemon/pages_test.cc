// The pages that answer from memory, over the real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "daemon/api.h"
#include "daemon/system_clock.h"
#include "metrics/exposition.h"
#include "tests/daemon/http_client.h"
#include "tests/fixtures/eventually.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class FixedLog : public follower::NotificationLog {
 public:
  int64_t head() override { return 42; }
  follower::EventPage events(const follower::EventRequest&) override { return {}; }
  std::optional<std::string> uuid() override { return std::nullopt; }
  bool plain_listener() override { return false; }
};

class PagesTest : public ::testing::Test {
 protected:
  PagesTest() {
    add_page_routes(server_, {board_, exposition_, watchdog_, desk_, refresher_,
                              [this] { return ready_.load(); }});
    refresher_.start();
    server_.start();
  }
  ~PagesTest() override {
    desk_.abandon_all();
    refresher_.stop();
    server_.stop(milliseconds(100));
  }

  Answer get(const std::string& target) { return HttpClient(server_.port()).ask("GET", target); }

  /// Once there are some.
  std::vector<WaitDesk::Arrival> arrivals() {
    std::vector<WaitDesk::Arrival> found;
    EXPECT_TRUE(fixtures::eventually(seconds(5), [&] {
      found = desk_.take_arrivals();
      return !found.empty();
    }));
    return found;
  }

  SystemClock clock_;
  FixedLog log_;
  StatusBoard board_{"server1", "host:1", "0.1.0", clock_};
  metrics::Exposition exposition_{"server1"};
  LoopWatchdog watchdog_;
  WaitDesk desk_{10, [] {}};
  HeadRefresher refresher_{{log_, [](int64_t) {}, [] {}}, board_, milliseconds(1000)};
  std::atomic<bool> ready_{true};
  HttpServer server_{{}, [](const std::string&) {}};
};

TEST_F(PagesTest, LeaderAnswers200OnTheLeaderOnly) {
  EXPECT_EQ(get("/leader").status, 503);
  board_.elected(1);
  EXPECT_EQ(get("/leader").status, 200);
  board_.deposed();
  EXPECT_EQ(get("/leader").status, 503);
}

TEST_F(PagesTest, ReadyOnceTheStoreWasReached) {
  ready_ = false;
  EXPECT_EQ(get("/readyz").status, 503);
  ready_ = true;
  EXPECT_EQ(get("/readyz").status, 200);
}

TEST_F(PagesTest, AliveUntilTheLoopIsFarPastItsDeadline) {
  EXPECT_EQ(get("/livez").status, 200);
  watchdog_.expect_within(seconds(0));
  EXPECT_EQ(get("/livez").status, 200);
  watchdog_.expect_within(seconds(-31));
  EXPECT_EQ(get("/livez").status, 503);
  watchdog_.rest();
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(PagesTest, StatusIsJsonAndTheStartPageLinksToIt) {
  const Answer status = get("/v1/status");
  EXPECT_EQ(status.headers.at("content-type"), "application/json");
  EXPECT_THAT(status.body, HasSubstr(R"("server":"server1")"));
  const Answer start = get("/");
  EXPECT_THAT(start.body, HasSubstr("href=\"/v1/status\""));
  EXPECT_THAT(start.body, HasSubstr("href=\"/metrics\""));
  EXPECT_EQ(get("/v1/openapi.json").status, 404);
}

TEST_F(PagesTest, MetricsAreTextForPrometheus) {
  const Answer metrics = get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.headers.at("content-type"), HasSubstr("text/plain; version=0.0.4"));
}

TEST_F(PagesTest, WaitRefusesWhatIsNoNumber) {
  EXPECT_EQ(get("/v1/wait?event=x").status, 400);
  EXPECT_EQ(get("/v1/wait?event=-1").status, 400);
  EXPECT_EQ(get("/v1/wait?event=").status, 400);
  EXPECT_EQ(get("/v1/wait?event=1&timeout_ms=1e3").status, 400);
  EXPECT_EQ(get("/v1/wait?event=99999999999999999999").status, 400);
}

TEST_F(PagesTest, WaitWithoutAnEventIsForTheHeadNow) {
  HttpClient client(server_.port());
  client.send(client.request("GET", "/v1/wait"));
  desk_.admit(arrivals(), {0, 42});
  EXPECT_THAT(client.receive().body, HasSubstr(R"("event":42,"reached":true)"));
}

TEST_F(PagesTest, WaitForAHeadBelowTheCursorIsAConflictOnceItWasAReset) {
  follower::PollReport report;
  report.state.cursor = 50;
  report.state.generation = 1;
  report.head = 50;
  board_.polled(report);
  HttpClient client(server_.port());
  client.send(client.request("GET", "/v1/wait"));
  desk_.admit(arrivals(), {1, 50});
  EXPECT_EQ(desk_.size(), 1U);
  desk_.admit(desk_.take_arrivals(), {2, 42});
  EXPECT_EQ(client.receive().status, 409);
}

TEST_F(PagesTest, AWaiterThatLeavesIsForgotten) {
  {
    HttpClient client(server_.port());
    client.send(client.request("GET", "/v1/wait?event=50"));
    ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return desk_.size() == 1; }));
    desk_.admit(desk_.take_arrivals(), {0, 42});
    EXPECT_EQ(desk_.size(), 1U);
  }
  EXPECT_TRUE(fixtures::eventually(seconds(5), [&] { return desk_.size() == 0; }));
}

TEST_F(PagesTest, WaitIsRefusedUntilTheStoreWasReached) {
  ready_ = false;
  EXPECT_EQ(get("/v1/wait?event=1").status, 503);
}

}  // namespace
}  // namespace hmsync::daemon
