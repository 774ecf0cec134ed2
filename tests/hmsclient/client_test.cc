#include "hmsclient/client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "hmsclient/connection.h"
#include "hmsclient/thrift_output.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/hmsclient/expect_error.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::FakeHms;
using fixtures::Reaction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;

Options options_for(std::vector<std::string> uris) {
  Options options;
  options.uris = std::move(uris);
  options.user = "hmsync";
  options.connect_timeout = milliseconds(2000);
  options.call_timeout = milliseconds(5000);
  options.first_backoff = milliseconds(1);
  options.longest_backoff = milliseconds(4);
  return options;
}

milliseconds time_of(const std::function<void()>& action) {
  const auto started = steady_clock::now();
  action();
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - started);
}

TEST(Client, TellsTheConfiguredUserOnceForEachConnection) {
  FakeHms hms;
  Client client(options_for({hms.uri()}));
  EXPECT_EQ(client.version(), "3.0");
  EXPECT_EQ(client.version(), "3.0");
  EXPECT_THAT(hms.asked("set_ugi"), ElementsAre("hmsync"));
  EXPECT_EQ(hms.connections(), 1);
}

TEST(Client, TellsTheProcessUserWhereNoneIsConfigured) {
  FakeHms hms;
  Options options = options_for({hms.uri()});
  options.user = "";
  Client(options).version();
  const std::vector<std::string> users = hms.asked("set_ugi");
  ASSERT_EQ(users.size(), 1U);
  EXPECT_NE(users[0], "");
}

TEST(Client, WithoutAnAddressOrWithABadOneItIsRefused) {
  expect_error(ErrorKind::fatal, "metastore.uris is empty", [] { Client(options_for({})); });
  expect_error(ErrorKind::fatal, "'hms:1'", [] { Client(options_for({"hms:1"})); });
}

TEST(Client, TriesAgainOnANewConnectionAfterTheServerClosedOne) {
  FakeHms hms;
  hms.on("getVersion", [](int call) {
    return Reaction{.kind = call == 1 ? Reaction::Kind::close : Reaction::Kind::answer};
  });
  Client client(options_for({hms.uri()}));
  EXPECT_EQ(client.version(), "3.0");
  EXPECT_EQ(hms.connections(), 2);
}

TEST(Client, GivesUpAfterTheConfiguredAttempts) {
  FakeHms hms;
  hms.on("getVersion", {.kind = Reaction::Kind::close});
  Options options = options_for({hms.uri()});
  options.attempts = 4;
  Client client(options);
  expect_error(ErrorKind::transient, "closed the connection", [&] { client.version(); });
  EXPECT_EQ(hms.calls("getVersion"), 4);
}

TEST(Client, MovesOnToTheNextAddressAndStaysThere) {
  FakeHms first;
  FakeHms second;
  Client client(options_for({first.uri(), second.uri()}));
  EXPECT_EQ(client.uri(), first.uri());
  client.version();
  EXPECT_EQ(client.uri(), first.uri());
  first.stop();
  client.version();
  EXPECT_EQ(client.uri(), second.uri());
  first.start();
  client.version();
  EXPECT_EQ(client.uri(), second.uri());
  second.stop();
  client.version();
  EXPECT_EQ(client.uri(), first.uri());
}

TEST(Client, NamesTheAddressThatCannotBeReached) {
  std::string uri;
  int port = 0;
  {
    FakeHms gone;
    uri = gone.uri();
    port = gone.port();
  }
  Client client(options_for({uri}));
  expect_error(ErrorKind::transient,
               "127.0.0.1:" + std::to_string(port) + ": cannot connect: Connection refused",
               [&] { client.version(); });
}

TEST(Client, ACallEndsAtItsDeadlineAlthoughBytesKeepComing) {
  FakeHms hms;
  // The answer has over 30 bytes: more than six seconds.
  hms.on("getVersion", {.kind = Reaction::Kind::trickle, .delay = milliseconds(200)});
  Options options = options_for({hms.uri()});
  options.call_timeout = milliseconds(500);
  options.attempts = 1;
  Client client(options);
  const milliseconds took = time_of([&] {
    expect_error(ErrorKind::transient, "getVersion: timed out", [&] { client.version(); });
  });
  EXPECT_GE(took, milliseconds(500));
  EXPECT_LT(took, milliseconds(3000));
}

TEST(Client, ACallEndsAtItsDeadlineWhenNothingComes) {
  FakeHms hms;
  hms.on("getVersion", {.delay = milliseconds(60000)});
  Options options = options_for({hms.uri()});
  options.call_timeout = milliseconds(200);
  options.attempts = 1;
  Client client(options);
  const milliseconds took =
      time_of([&] { expect_error(ErrorKind::transient, "timed out", [&] { client.version(); }); });
  EXPECT_LT(took, milliseconds(3000));
}

TEST(Client, InterruptEndsACallInProgressAndAllLaterOnes) {
  FakeHms hms;
  hms.on("getVersion", {.delay = milliseconds(60000)});
  Options options = options_for({hms.uri()});
  options.call_timeout = milliseconds(60000);
  Client client(options);
  std::thread other([&] {
    fixtures::eventually(milliseconds(10000), [&] { return hms.calls("getVersion") == 1; });
    client.interrupt();
  });
  const milliseconds took = time_of(
      [&] { expect_error(ErrorKind::transient, "interrupted", [&] { client.version(); }); });
  other.join();
  EXPECT_LT(took, milliseconds(10000));
  expect_error(ErrorKind::transient, "told to stop", [&] { client.version(); });
  EXPECT_EQ(hms.calls("getVersion"), 1);
}

TEST(Client, InterruptEndsAWaitBetweenTries) {
  FakeHms hms;
  hms.on("getVersion", {.kind = Reaction::Kind::close});
  Options options = options_for({hms.uri()});
  options.first_backoff = milliseconds(60000);
  options.longest_backoff = milliseconds(60000);
  Client client(options);
  std::thread other([&] {
    fixtures::eventually(milliseconds(10000), [&] { return hms.calls("getVersion") == 1; });
    client.interrupt();
  });
  const milliseconds took = time_of([&] { EXPECT_THROW(client.version(), Error); });
  other.join();
  EXPECT_LT(took, milliseconds(10000));
}

TEST(Client, GarbageIsAClearErrorWhateverItIs) {
  // TLS alert, HTTP, a header of another message, a string of 2 GiB, nothing but zeros.
  const std::string cases[] = {
      std::string("\x15\x03\x03\x00\x02\x02\x0a", 7),
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      std::string("\x80\x01\x00\x02\x00\x00\x00\x05other\x00\x00\x00\x00\x00", 18),
      std::string("\x80\x01\x00\x02\x7f\xff\xff\xffgetVersion", 18),
      std::string(64, '\0'),
  };
  for (const std::string& bytes : cases) {
    FakeHms hms;
    hms.on("getVersion", {.kind = Reaction::Kind::bytes, .text = bytes});
    Options options = options_for({hms.uri()});
    options.attempts = 1;
    options.call_timeout = milliseconds(300);
    Client client(options);
    EXPECT_THROW(client.version(), Error);
    hms.off("getVersion");
    EXPECT_EQ(client.version(), "3.0") << "the next call has a connection of its own";
  }
}

TEST(Client, AnAnswerCutInTheMiddleIsTransient) {
  FakeHms hms;
  hms.on("getVersion", {.kind = Reaction::Kind::half_answer});
  Options options = options_for({hms.uri()});
  options.attempts = 1;
  Client client(options);
  expect_error(ErrorKind::transient, "closed the connection", [&] { client.version(); });
}

TEST(Client, AnAnswerAboveTheLimitNamesTheSetting) {
  FakeHms hms;
  Options options = options_for({hms.uri()});
  options.max_message = 1000;
  Client client(options);
  expect_error(ErrorKind::fatal, "metastore.max_message",
               [&] { client.config_value("hive.some.key", std::string(2000, 'x')); });
  EXPECT_EQ(client.config_value("hive.some.key", "short"), "short");
}

TEST(Client, WhateverAnAnswerMakesTheLibraryThrowIsATransientErrorWithItsPlace) {
  FakeHms hms;
  Options options = options_for({hms.uri()});
  options.attempts = 1;
  Client client(options);
  const auto while_reading = [&](const std::exception_ptr& thrown) {
    client.run([&](Connection& connection) {
      connection.call("get_table", [&](const auto&) { std::rethrow_exception(thrown); });
    });
  };
  const std::string where = "metastore 127.0.0.1:" + std::to_string(hms.port()) + ": get_table: ";
  expect_error(ErrorKind::transient, where + "no memory",
               [&] { while_reading(std::make_exception_ptr(std::bad_alloc())); });
  expect_error(ErrorKind::transient, where + "vector too long", [&] {
    while_reading(std::make_exception_ptr(std::length_error("vector too long")));
  });
}

TEST(Client, ASettingThatMayNotBeAskedForIsTheFallback) {
  FakeHms hms;
  hms.on("get_config_value",
         {.kind = Reaction::Kind::exception, .number = 1, .text = "not allowed"});
  Client client(options_for({hms.uri()}));
  EXPECT_EQ(client.config_value("metastore.x", "fallback"), "fallback");
  EXPECT_EQ(hms.connections(), 1);
}

TEST(Client, EveryCallIsToldToTheObserver) {
  FakeHms hms;
  hms.on("getVersion", [](int call) {
    return Reaction{.kind = call == 1 ? Reaction::Kind::close : Reaction::Kind::answer};
  });
  std::map<std::pair<std::string, std::string>, int> seen;
  Options options = options_for({hms.uri()});
  options.on_call = [&](const std::string& method, const std::string& outcome,
                        steady_clock::duration took) {
    ++seen[{method, outcome}];
    EXPECT_GT(took.count(), 0);
  };
  Client(options).version();
  const std::map<std::pair<std::string, std::string>, int> expected = {
      {{"set_ugi", "ok"}, 2}, {{"getVersion", "error"}, 1}, {{"getVersion", "ok"}, 1}};
  EXPECT_EQ(seen, expected);
}

std::atomic<int> thrift_lines = 0;

TEST(ThriftOutput, LinesOfTheLibraryGoWhereTheyAreRouted) {
  route_thrift_output([](const char*) { ++thrift_lines; });
  FakeHms hms;
  hms.on("getVersion", {.delay = milliseconds(60000)});
  Options options = options_for({hms.uri()});
  options.call_timeout = milliseconds(50);
  options.attempts = 1;
  EXPECT_THROW(Client(options).version(), Error);
  EXPECT_GT(thrift_lines, 0);
}

TEST(Client, TheTransportFactoryIsAskedForEachConnection) {
  FakeHms hms;
  int made = 0;
  Options options = options_for({hms.uri()});
  options.transport = [&](std::shared_ptr<apache::thrift::transport::TTransport> socket) {
    ++made;
    return socket;
  };
  Client client(options);
  client.version();
  hms.on("getVersion", [](int call) {
    return Reaction{.kind = call == 2 ? Reaction::Kind::close : Reaction::Kind::answer};
  });
  client.version();
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace hmsync::hmsclient
