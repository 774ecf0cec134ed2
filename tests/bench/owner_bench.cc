#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/bench/bare_session.h"
#include "tests/bench/event_log.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"

namespace hmsync::bench {

namespace {

constexpr int kClients = 32;

/// One connection that stays open, for one thread.
class KeptConnection {
 public:
  explicit KeptConnection(int port)
      : port_(port), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("the daemon takes no connection");
    }
  }
  ~KeptConnection() { close(socket_); }
  KeptConnection(const KeptConnection&) = delete;
  KeptConnection& operator=(const KeptConnection&) = delete;

  std::string get(const std::string& target) {
    const std::string request =
        "GET " + target + fmt::format(" HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port_);
    if (send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      throw std::runtime_error("the daemon takes no request");
    }
    std::string answer;
    while (!whole(answer)) {
      char part[4096];
      const ssize_t size = recv(socket_, part, sizeof part, 0);
      if (size <= 0) throw std::runtime_error("the daemon ends the connection");
      answer.append(part, static_cast<size_t>(size));
    }
    return answer;
  }

 private:
  static bool whole(const std::string& answer) {
    const size_t head = answer.find("\r\n\r\n");
    const size_t length = answer.find("Content-Length: ");
    return head != std::string::npos && length != std::string::npos &&
           answer.size() >= head + 4 + std::stoul(answer.substr(length + 16));
  }

  int port_;
  int socket_;
};

struct Load {
  double per_second;
  double p99_ms;
};

/// `make` makes a client, which does its work each time that it is called with a path.
using Client = std::function<void(const std::string& path)>;
Load run(const std::function<Client()>& make, int64_t paths, int each) {
  std::vector<double> took;
  std::mutex mutex;
  std::string failure;
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::jthread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      try {
        const Client client = make();
        std::mt19937_64 random(static_cast<uint64_t>(i));
        std::vector<double> mine;
        for (int n = 0; n < each; ++n) {
          const std::string path =
              fmt::format("/warehouse/other.db/table_{}",
                          1 + static_cast<int64_t>(random() % static_cast<uint64_t>(paths)));
          const auto asked = std::chrono::steady_clock::now();
          client(path);
          mine.push_back(1000 * seconds_since(asked));
        }
        const std::lock_guard lock(mutex);
        took.insert(took.end(), mine.begin(), mine.end());
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failure = error.what();
      }
    });
  }
  clients.clear();
  if (!failure.empty()) throw std::runtime_error(failure);
  return {static_cast<double>(took.size()) / seconds_since(begun), at_share(took, 0.99)};
}

}  // namespace

void measure_owner(Report& report, const Size& size) {
  const int64_t paths = size.of(1'000'000);
  const int each = size.quick ? 20 : 500;
  MemoryDeployment deployment;
  const EventLog log = log_of_one_table(deployment);
  const std::string database = "owners";
  make_origin(deployment, log, database, paths);
  const auto daemon = deployment.start_daemon(database);

  Figure bare{"10", "indexed look-ups through libpq, 32 clients", "1/s", {}};
  Figure owner{"10", "owner PATH over HTTP, 32 clients", "1/s", {}};
  Figure slowest{"10", "owner PATH over HTTP: p99", "ms", {}};
  for (int i = 0; i < size.rounds; ++i) {
    bare.values.push_back(
        run(
            [&]() -> Client {
              auto session = std::make_shared<BareSession>(deployment.pg().dsn(database));
              session->prepare(
                  "SELECT o.* FROM paths p JOIN objects o USING (object_id)"
                  " WHERE hashtextextended(path, 0) = hashtextextended($1, 0)"
                  " AND path = $1");
              return [session](const std::string& path) { session->look_up(path); };
            },
            paths, each)
            .per_second);
    const Load load = run(
        [&]() -> Client {
          auto connection = std::make_shared<KeptConnection>(daemon->admin_port());
          return [connection](const std::string& path) {
            const std::string answer = connection->get("/v1/owner?path=hdfs://nn:8020" + path);
            if (answer.find("\"database\":\"other\"") == std::string::npos) {
              throw std::runtime_error("owner of " + path + ": " + answer);
            }
          };
        },
        paths, each);
    owner.values.push_back(load.per_second);
    slowest.values.push_back(load.p99_ms);
  }
  for (const Figure& figure : {bare, owner, slowest}) report.add(figure);
  report.compare("10", "owner PATH against the look-ups", owner, bare);
}

}  // namespace hmsync::bench
