// The daemon's end while a request hangs in a metastore that does not answer.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/daemon/http_client.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/mini_hmsync.h"
#include "tests/fixtures/mini_pg.h"

namespace hmsync::daemon {
namespace {

using std::chrono::seconds;

// Lets everybody connect and never says a word.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(socket_, 128) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    uri_ = "thrift://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  [[nodiscard]] const std::string& uri() const { return uri_; }

 private:
  int socket_;
  std::string uri_;
};

TEST(ShutdownTest, AGrantInASilentMetastoreDoesNotHoldItUp) {
  fixtures::MiniPg pg;
  pg.create_database("hmsync");
  const SilentServer metastore;
  fixtures::MiniHmsync hmsync({.metastores = {metastore.uri()}, .dsn = pg.dsn("hmsync")});
  hmsync.await_ready();
  ASSERT_EQ(hmsync.ctl({"role", "create", "analyst"}).exit, 0);
  HttpClient client(hmsync.admin_port());
  client.send(client.request("POST", "/v1/grants",
                             "Authorization: Bearer " + hmsync.token() + "\r\n",
                             R"({"role":"analyst","action":"SELECT","database":"sales"})"));
  // By now the request that came before has begun: it asks the store for the generation first.
  ASSERT_TRUE(fixtures::eventually(seconds(10), [&] {
    return pg.query(
               "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
               "'hmsyncd grants' AND query LIKE '%generation%'") != "0\n";
  }));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(hmsync.terminate(seconds(60)), 0) << hmsync.log();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(10)) << hmsync.log();
}

}  // namespace
}  // namespace hmsync::daemon
