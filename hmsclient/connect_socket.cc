#include "hmsclient/connect_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "processor/error.h"

namespace hmsync::hmsclient {

namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Zero once the connection stands, else an errno.
int wait_connected(int socket, Clock::time_point deadline, const Interrupt& interrupt) {
  pollfd waited[2] = {{socket, POLLOUT, 0}, {*interrupt.descriptor(), POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int ready = poll(waited, 2, static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30)));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready < 0) {
      return errno;
    }
    if (ready == 0) {
      return ETIMEDOUT;
    }
    if (waited[1].revents != 0) {
      return ECANCELED;
    }
    int failure = 0;
    socklen_t size = sizeof failure;
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size);
    return failure;
  }
}

int connect_to(const addrinfo& address, int socket, Clock::time_point deadline,
               const Interrupt& interrupt) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0) {
    return 0;
  }
  return errno == EINPROGRESS ? wait_connected(socket, deadline, interrupt) : errno;
}

void prepare(int socket) {
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace

int connect_socket(const Endpoint& endpoint, std::chrono::milliseconds timeout,
                   const Interrupt& interrupt) {
  const auto deadline = Clock::now() + timeout;
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int looked_up =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &wanted, &found);
  if (looked_up != 0) {
    throw Error(ErrorKind::transient,
                std::string("cannot look up the host: ") + gai_strerror(looked_up));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);

  int failure = EHOSTUNREACH;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Descriptor socket(::socket(address->ai_family,
                               address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                               address->ai_protocol));
    failure = socket.get() < 0 ? errno : connect_to(*address, socket.get(), deadline, interrupt);
    if (failure == 0) {
      prepare(socket.get());
      return socket.release();
    }
    if (failure == ECANCELED) {
      throw Error(ErrorKind::transient, "interrupted while connecting");
    }
  }
  throw Error(ErrorKind::transient, std::string("cannot connect: ") + std::strerror(failure));
}

}  // namespace hmsync::hmsclient
