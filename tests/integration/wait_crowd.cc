#include "tests/integration/wait_crowd.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace hmsync::integration {

namespace {

/// On loopback neither the connection nor so short a request has to wait.
int ask(int port, const std::string& request) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) throw std::runtime_error("no file descriptor is left");
  sockaddr_in daemon{};
  daemon.sin_family = AF_INET;
  daemon.sin_port = htons(static_cast<uint16_t>(port));
  daemon.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool sent = connect(made, reinterpret_cast<const sockaddr*>(&daemon), sizeof daemon) == 0 &&
                    send(made, request.data(), request.size(), MSG_NOSIGNAL) ==
                        static_cast<ssize_t>(request.size());
  if (sent) return made;
  ::close(made);
  throw std::runtime_error(fmt::format("nobody takes a request at port {}", port));
}

}  // namespace

WaitCrowd::WaitCrowd() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

WaitCrowd::~WaitCrowd() {
  for (Waiter& waiter : waiters_) close(waiter);
}

size_t WaitCrowd::wait(int port, int64_t event, std::chrono::milliseconds timeout) {
  waiters_.push_back({ask(port, fmt::format("GET /v1/wait?event={}&timeout_ms={} HTTP/1.1\r\n"
                                            "Host: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
                                            event, timeout.count(), port))});
  ++waiting_;
  return waiters_.size() - 1;
}

void WaitCrowd::close(Waiter& waiter) {
  if (waiter.socket < 0) return;
  ::close(waiter.socket);
  waiter.socket = -1;
  --waiting_;
}

void WaitCrowd::leave(size_t waiter) { close(waiters_.at(waiter)); }

// True at the answer's end, which is the connection's.
bool WaitCrowd::read(Waiter& waiter) {
  std::array<char, 4096> piece{};
  ssize_t length = 0;
  while ((length = recv(waiter.socket, piece.data(), piece.size(), MSG_DONTWAIT)) > 0) {
    waiter.received.append(piece.data(), static_cast<size_t>(length));
  }
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close(waiter);
  Answer answer;
  if (waiter.received.starts_with("HTTP/1.1 ")) {
    answer.status = std::atoi(waiter.received.c_str() + 9);
    const size_t head = waiter.received.find("\r\n\r\n");
    if (head != std::string::npos) answer.body = waiter.received.substr(head + 4);
  }
  waiter.answer = std::move(answer);
  return true;
}

std::vector<size_t> WaitCrowd::run(std::chrono::milliseconds time) {
  std::vector<pollfd> sockets;
  std::vector<size_t> owners;
  for (size_t i = 0; i < waiters_.size(); ++i) {
    if (waiters_[i].socket < 0) continue;
    sockets.push_back({waiters_[i].socket, POLLIN, 0});
    owners.push_back(i);
  }
  std::vector<size_t> answered;
  if (poll(sockets.data(), sockets.size(), static_cast<int>(time.count())) <= 0) return answered;
  for (size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0 && read(waiters_[owners[i]])) answered.push_back(owners[i]);
  }
  return answered;
}

const WaitCrowd::Answer& WaitCrowd::answer(size_t waiter) const {
  const auto& answer = waiters_.at(waiter).answer;
  if (!answer) throw std::logic_error("the waiter was not answered yet");
  return *answer;
}

}  // namespace hmsync::integration
