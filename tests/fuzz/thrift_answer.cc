// Answers of a metastore, element by element, over a real connection whose other end sends the
// input.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "hmsclient/connection.h"
#include "hmsclient/connection_objects.h"
#include "hmsclient/notification_reader.h"
#include "processor/error.h"
#include "tests/fuzz/holds.h"

namespace hmsync::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr int64_t kMaxMessage = 64 << 10;
constexpr int64_t kMaxBytes = 4 << 10;

// A reply to set_ugi with an empty list: what every connection begins with.
constexpr std::string_view kWelcome =
    "\x80\x01\x00\x02\x00\x00\x00\x07set_ugi\x00\x00\x00\x00\x0f\x00\x00\x0b\x00\x00\x00\x00\x00"sv;

// Two ends of a connection; all that the metastore will ever send is on its way already.
struct Line {
  explicit Line(std::string_view answers) {
    int ends[2];
    holds(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "there is a connection");
    client = ends[0];
    metastore = ends[1];
    const int roomy = 1 << 20;
    setsockopt(metastore, SOL_SOCKET, SO_SNDBUFFORCE, &roomy, sizeof roomy);
    send(metastore, kWelcome.data(), kWelcome.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    send(metastore, answers.data(), answers.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(metastore, SHUT_WR);
  }
  ~Line() { close(metastore); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  int client = -1;  ///< the Connection's
  int metastore = -1;
};

void check(const std::optional<processor::Location>& location) {
  holds(!location || processor::normalize_location(to_string(*location)) == location,
        "a location is in its normal form");
}

void check(const follower::SnapshotPage& page) {
  for (const auto& database : page.databases) check(database.location);
  for (const auto& table : page.tables) check(table.location);
  for (const auto& read : page.partitions) {
    for (const auto& partition : read.partitions) check(partition.location);
  }
}

void check(const follower::EventPage& page) {
  size_t bytes = 0;
  size_t before_last = 0;
  for (const auto& event : page.events) {
    holds(static_cast<int64_t>(event.message.size()) <= kMaxMessage, "a message that is too long");
    before_last = bytes;
    bytes += event.message.size();
  }
  const bool one_id = page.events.empty() || page.events.front().id == page.events.back().id;
  holds(one_id || before_last < static_cast<size_t>(kMaxBytes), "a page's bytes are bounded");
}

void ask(char what, hmsclient::Connection& connection) {
  hmsclient::NotificationReader log(connection);
  hmsclient::ConnectionObjects objects(connection);
  switch (what) {
    case 'e':
      return check(log.events({.after = 1, .max_events = 100, .max_bytes = kMaxBytes}));
    case 'h':
      log.head();
      return;
    case 'u':
      log.uuid();
      return;
    case 'l':
      log.plain_listener();
      return;
    case 'd':
      if (const auto database = objects.database({"hive", "sales"})) check(database->location);
      return;
    case 't':
      if (const auto table = objects.table({"hive", "sales", "orders"})) check(table->location);
      return;
    case 'c':
      holds(objects.count_tables() >= 0, "a count is not negative");
      return;
    default:
      const auto stream = objects.snapshot({});
      while (const auto page = stream->next()) check(*page);
  }
}

}  // namespace
}  // namespace hmsync::fuzz

// The first byte tells what is asked for, the others are what the metastore answers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hmsync;
  if (size == 0) return 0;
  const fuzz::Line line({reinterpret_cast<const char*>(data) + 1, size - 1});
  hmsclient::Options options;
  options.user = "hmsync";
  options.max_message = fuzz::kMaxMessage;
  options.call_timeout = std::chrono::milliseconds(2000);
  try {
    hmsclient::Connection connection(line.client, {"metastore", 9083}, options,
                                     std::make_shared<hmsclient::Interrupt>());
    fuzz::ask(static_cast<char>(data[0]), connection);
  } catch (const Error& error) {
    fuzz::holds(std::string_view(error.what()).find("metastore:9083") != std::string_view::npos,
                "an error names the metastore");
  }
  return 0;
}
