#include "daemon/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "processor/error.h"
#include "tests/daemon/http_client.h"
#include "tests/fixtures/eventually.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

HttpOptions small_options() {
  HttpOptions options;
  options.header_bytes = 4096;
  options.body_bytes = 10'000;
  options.request_deadline = milliseconds(500);
  return options;
}

class HttpServerTest : public ::testing::Test {
 protected:
  explicit HttpServerTest(HttpOptions options = small_options())
      : server_(std::move(options), [](const std::string&) {}) {
    server_.route("GET", "/hello", HttpPlace::at_once, [](const std::shared_ptr<Exchange>& e) {
      e->reply({200, "text/plain", "hello " + e->request().parameter("to").value_or("you")});
    });
    server_.route("POST", "/echo/*", HttpPlace::worker, [](const std::shared_ptr<Exchange>& e) {
      e->reply({200, "text/plain", e->request().captures[0] + "=" + e->request().body});
    });
    server_.route("GET", "/later", HttpPlace::at_once, [this](const std::shared_ptr<Exchange>& e) {
      e->on_gone([this] { ++left_; });
      const std::lock_guard lock(mutex_);
      waiting_.push_back(e);
    });
  }

  void start() { server_.start(); }
  HttpClient client() { return HttpClient(server_.port()); }

  size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> waiting_;
  std::atomic<int> left_{0};
  HttpServer server_;
};

TEST_F(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
  start();
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("GET", "/hello?to=the%20world").body, "hello the world");
  const Answer echoed = client.ask("POST", "/echo/a%2Fb", "", "text");
  EXPECT_EQ(echoed.status, 200);
  EXPECT_EQ(echoed.body, "a/b=text");
  EXPECT_EQ(client.ask("GET", "/hello").body, "hello you");
}

TEST_F(HttpServerTest, AnswersRequestsThatWereSentWithoutWaiting) {
  start();
  HttpClient client = this->client();
  client.send(client.request("POST", "/echo/1", "", "a") + client.request("GET", "/hello") +
              client.request("POST", "/echo/2", "", "b"));
  EXPECT_EQ(client.receive().body, "1=a");
  EXPECT_EQ(client.receive().body, "hello you");
  EXPECT_EQ(client.receive().body, "2=b");
}

TEST_F(HttpServerTest, AnswersHeadWithTheLengthAndWithoutTheBody) {
  start();
  HttpClient client = this->client();
  const Answer head = client.ask("HEAD", "/hello");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), "9");
  EXPECT_EQ(client.ask("GET", "/hello").body, "hello you");
}

TEST_F(HttpServerTest, TellsUnknownPathsFromUnknownMethods) {
  start();
  HttpClient client = this->client();
  const Answer missing = client.ask("GET", "/nothing");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.at("content-type"), "application/problem+json");
  EXPECT_THAT(missing.body, HasSubstr("\"status\":404"));
  EXPECT_EQ(client.ask("DELETE", "/hello").status, 405);
}

TEST_F(HttpServerTest, RefusesForeignHostsAndOrigins) {
  start();
  const std::string port = std::to_string(server_.port());
  const auto status_for = [&](const std::string& host, const std::string& more) {
    HttpClient client(server_.port());
    client.send("GET /hello HTTP/1.1\r\n" + (host.empty() ? "" : "Host: " + host + "\r\n") + more +
                "\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status_for("127.0.0.1:" + port, ""), 200);
  EXPECT_EQ(status_for("LocalHost:" + port, ""), 200);
  EXPECT_EQ(status_for("[::1]:" + port, ""), 200);
  EXPECT_EQ(status_for("evil.example:" + port, ""), 403);
  EXPECT_EQ(status_for("127.0.0.1", ""), 403);
  EXPECT_EQ(status_for("127.0.0.1:1", ""), 403);
  EXPECT_EQ(status_for("", ""), 403);
  EXPECT_EQ(status_for("localhost:" + port, "Origin: http://localhost:" + port + "\r\n"), 200);
  EXPECT_EQ(status_for("localhost:" + port, "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status_for("localhost:" + port, "Origin: null\r\n"), 403);
}

TEST_F(HttpServerTest, AnswersMalformedRequestsWith400AndCloses) {
  start();
  for (const char* bytes :
       {"nonsense\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -3\r\n\r\n",
        "\x16\x03\x01\x02"
        "\r\n\r\n"}) {
    HttpClient client = this->client();
    client.send(bytes);
    EXPECT_EQ(client.receive().status, 400) << bytes;
    EXPECT_TRUE(client.closed_by_server(seconds(5))) << bytes;
  }
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("GET", "/hello?to=%zz").status, 400);
}

TEST_F(HttpServerTest, RefusesTooLargeHeadersAndBodies) {
  start();
  HttpClient header = client();
  header.send("GET /hello HTTP/1.1\r\nX-Long: " + std::string(8000, 'x') + "\r\n\r\n");
  EXPECT_EQ(header.receive().status, 431);

  HttpClient body = client();
  EXPECT_EQ(body.ask("POST", "/echo/x", "", std::string(20'000, 'x')).status, 413);

  HttpClient chunked = client();
  chunked.send(chunked.request("POST", "/echo/x", "Transfer-Encoding: chunked\r\n") + "4e20\r\n" +
               std::string(20'000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 413);

  HttpClient within = client();
  EXPECT_EQ(within.ask("POST", "/echo/x", "", std::string(9'000, 'x')).status, 200);
}

TEST_F(HttpServerTest, CutsAClientThatDripsBytesWhileOthersAreServed) {
  start();
  HttpClient slow = client();
  slow.send("GET /hello HTTP/1.1\r\n");
  const auto begun = std::chrono::steady_clock::now();
  std::promise<void> cut;
  auto is_cut = cut.get_future();
  // A byte every few milliseconds: a time-out per read would never end this.
  std::thread drip([&] {
    while (!slow.closed_by_server(milliseconds(5))) slow.send("x");
    cut.set_value();
  });
  HttpClient other = client();
  while (is_cut.wait_for(milliseconds(20)) != std::future_status::ready &&
         std::chrono::steady_clock::now() - begun < seconds(10)) {
    ASSERT_EQ(other.ask("GET", "/hello").status, 200);
  }
  drip.join();
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, milliseconds(400));
  EXPECT_LT(took, seconds(5));
}

TEST_F(HttpServerTest, ForgetsWhoLeavesBeforeTheAnswer) {
  start();
  {
    HttpClient client = this->client();
    client.send(client.request("GET", "/later"));
    ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return waiting() == 1; }));
    EXPECT_EQ(left_, 0);
  }
  EXPECT_TRUE(fixtures::eventually(seconds(5), [&] { return left_ == 1; }));
  // Its answer goes nowhere, and hurts nobody.
  waiting_[0]->reply({200, "text/plain", "too late"});
  EXPECT_EQ(client().ask("GET", "/hello").status, 200);
}

TEST_F(HttpServerTest, TellsAtOnceOfAClientThatHasLeftAlready) {
  start();
  {
    HttpClient client = this->client();
    client.send(client.request("GET", "/later"));
    ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return waiting() == 1; }));
  }
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return left_ == 1; }));
  bool told = false;
  waiting_[0]->on_gone([&] { told = true; });
  EXPECT_TRUE(told);
}

TEST_F(HttpServerTest, HoldsTwoThousandIdleWaitersAndAnswersEach) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  start();
  std::vector<HttpClient> clients;
  constexpr size_t kClients = 2000;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(client());
    clients.back().send(clients.back().request("GET", "/later"));
  }
  ASSERT_TRUE(fixtures::eventually(seconds(30), [&] { return waiting() == kClients; }));
  EXPECT_EQ(client().ask("GET", "/hello").status, 200);
  for (const auto& exchange : waiting_) exchange->reply({200, "text/plain", "now"});
  for (HttpClient& each : clients) ASSERT_EQ(each.receive().body, "now");
  EXPECT_EQ(left_, 0);
}

TEST_F(HttpServerTest, TurnsFailuresIntoProblems) {
  server_.route("GET", "/refused", HttpPlace::worker,
                [](const auto&) { throw HttpProblem(409, "the role exists"); });
  server_.route("GET", "/away", HttpPlace::worker,
                [](const auto&) { throw Error(ErrorKind::transient, "the database is away"); });
  server_.route("GET", "/broken", HttpPlace::at_once,
                [](const auto&) { throw std::runtime_error("a fault"); });
  start();
  HttpClient client = this->client();
  const Answer refused = client.ask("GET", "/refused");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("\"detail\":\"the role exists\""));
  const Answer away = client.ask("GET", "/away");
  EXPECT_EQ(away.status, 503);
  EXPECT_THAT(away.body, HasSubstr("the database is away"));
  EXPECT_EQ(client.ask("GET", "/broken").status, 500);
}

TEST_F(HttpServerTest, StreamsMoreThanItsBufferAndStaysWithinIt) {
  std::atomic<size_t> written{0};
  server_.route("GET", "/stream", HttpPlace::stream, [&](const std::shared_ptr<Exchange>& e) {
    e->stream("text/plain", [&](ResponseStream& out) {
      const std::string line(1000, 'x');
      for (int i = 0; i < 30'000; ++i) {
        out.write(line);
        written += line.size();
      }
    });
  });
  start();
  HttpClient client = this->client();
  client.set_receive_buffer(16 << 10);
  client.send(client.request("GET", "/stream"));
  // Nothing is read: writing stops when the buffers on the way are full.
  size_t before = 0;
  ASSERT_TRUE(fixtures::eventually(seconds(20), [&] {
    const size_t now = written;
    const bool still = now > 0 && now == before;
    before = now;
    return still;
  }));
  EXPECT_LT(written, 20'000'000u);
  // With a window below one segment the kernel waits 0.2 s and more before each next one.
  client.set_receive_buffer(4 << 20);
  const Answer answer = client.receive(seconds(60));
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.body.size(), 30'000'000u);
  EXPECT_EQ(client.ask("GET", "/hello").status, 200);
}

TEST_F(HttpServerTest, CutsAStreamThatFailsHalfWayAndExplainsOneThatFailsAtOnce) {
  server_.route("GET", "/half", HttpPlace::stream, [](const std::shared_ptr<Exchange>& e) {
    e->stream("text/plain", [](ResponseStream& out) {
      out.write(std::string(100'000, 'x'));
      throw Error(ErrorKind::transient, "the database is away");
    });
  });
  server_.route("GET", "/none", HttpPlace::stream, [](const std::shared_ptr<Exchange>& e) {
    e->stream("text/plain",
              [](ResponseStream&) { throw Error(ErrorKind::transient, "the database is away"); });
  });
  start();
  const Answer half = client().ask("GET", "/half");
  EXPECT_FALSE(half.complete);
  const Answer none = client().ask("GET", "/none");
  EXPECT_EQ(none.status, 503);
}

TEST_F(HttpServerTest, StopsAStreamWhoseClientLeft) {
  std::promise<void> stopped;
  server_.route("GET", "/endless", HttpPlace::stream, [&](const std::shared_ptr<Exchange>& e) {
    e->stream("text/plain", [&](ResponseStream& out) {
      try {
        while (true) out.write(std::string(10'000, 'x'));
      } catch (const Error&) {
        stopped.set_value();
        throw;
      }
    });
  });
  start();
  {
    HttpClient client = this->client();
    client.send(client.request("GET", "/endless"));
    client.receive(milliseconds(50));
  }
  EXPECT_EQ(stopped.get_future().wait_for(seconds(10)), std::future_status::ready);
}

TEST_F(HttpServerTest, StopsWithWaitersAndStreamsUnderWay) {
  server_.route("GET", "/endless", HttpPlace::stream, [&](const std::shared_ptr<Exchange>& e) {
    e->stream("text/plain", [&](ResponseStream& out) {
      while (true) out.write(std::string(10'000, 'x'));
    });
  });
  start();
  HttpClient waiter = client();
  waiter.send(waiter.request("GET", "/later"));
  HttpClient reader = client();
  reader.send(reader.request("GET", "/endless"));
  HttpClient idle = client();
  ASSERT_EQ(idle.ask("GET", "/hello").status, 200);
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return waiting() == 1; }));
  server_.stop(milliseconds(100));
  EXPECT_EQ(left_, 1);
  EXPECT_TRUE(waiter.closed_by_server(seconds(5)));
  EXPECT_TRUE(idle.closed_by_server(seconds(5)));
}

class FullServerTest : public HttpServerTest {
 protected:
  FullServerTest() : HttpServerTest(tight()) {}
  static HttpOptions tight() {
    HttpOptions options = small_options();
    options.workers = 1;
    options.queued_jobs = 1;
    options.connections = 4;
    return options;
  }
};

TEST_F(FullServerTest, Answers503WhenTooMuchIsQueued) {
  std::promise<void> go_on;
  auto may_go_on = go_on.get_future().share();
  std::atomic<int> begun{0};
  server_.route("GET", "/busy", HttpPlace::worker,
                [&, may_go_on](const std::shared_ptr<Exchange>& e) {
                  ++begun;
                  may_go_on.wait();
                  e->reply({200, "text/plain", "done"});
                });
  start();
  HttpClient first = client();
  first.send(first.request("GET", "/busy"));
  ASSERT_TRUE(fixtures::eventually(seconds(5), [&] { return begun == 1; }));
  HttpClient second = client();
  HttpClient third = client();
  second.send(second.request("GET", "/busy"));
  third.send(third.request("GET", "/busy"));
  // One of the two found the queue's only place.
  HttpClient probe = client();
  EXPECT_EQ(probe.ask("GET", "/hello").status, 200);
  const int second_status = second.receive(milliseconds(300)).status;
  const int third_status = third.receive(milliseconds(300)).status;
  EXPECT_EQ(second_status + third_status, 503);
  go_on.set_value();
  EXPECT_EQ(first.receive().body, "done");
}

TEST_F(FullServerTest, TurnsAwayConnectionsAboveTheLimit) {
  start();
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(client());
    ASSERT_EQ(clients.back().ask("GET", "/hello").status, 200);
  }
  HttpClient fifth = client();
  EXPECT_EQ(fifth.receive().status, 503);
  EXPECT_TRUE(fifth.closed_by_server(seconds(5)));
  EXPECT_EQ(clients[0].ask("GET", "/hello").status, 200);
}

TEST(HttpServer, NamesTheAddressThatIsTaken) {
  HttpServer first({}, [](const std::string&) {});
  first.start();
  HttpOptions same;
  same.port = first.port();
  HttpServer second(same, [](const std::string&) {});
  try {
    second.start();
    FAIL() << "the port was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::fatal);
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:" + std::to_string(first.port())));
  }
}

}  // namespace
}  // namespace hmsync::daemon
