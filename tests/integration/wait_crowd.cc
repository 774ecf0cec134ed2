#include "tests/integration/wait_crowd.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <stdexcept>

namespace hmsync::integration {

using boost::asio::ip::tcp;
using Failure = boost::system::error_code;

struct WaitCrowd::Waiter {
  Waiter(boost::asio::io_context& context, size_t own_number)
      : socket(context), number(own_number) {}

  tcp::socket socket;
  const size_t number;
  std::string request;
  std::string received;
  std::optional<Answer> answer;
  bool left = false;
};

WaitCrowd::WaitCrowd() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

WaitCrowd::~WaitCrowd() = default;

size_t WaitCrowd::wait(int port, int64_t event, std::chrono::milliseconds timeout) {
  auto waiter = std::make_shared<Waiter>(context_, waiters_.size());
  waiter->request = fmt::format(
      "GET /v1/wait?event={}&timeout_ms={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
      "Connection: close\r\n\r\n",
      event, timeout.count(), port);
  waiters_.push_back(waiter);
  ++waiting_;
  const tcp::endpoint daemon(boost::asio::ip::make_address("127.0.0.1"),
                             static_cast<uint16_t>(port));
  waiter->socket.async_connect(daemon, [this, waiter](const Failure& refused) {
    if (refused) return ended(*waiter);
    boost::asio::async_write(waiter->socket, boost::asio::buffer(waiter->request),
                             [this, waiter](const Failure& broken, size_t) {
                               if (broken) return ended(*waiter);
                               // Its end is the connection's.
                               boost::asio::async_read(
                                   waiter->socket, boost::asio::dynamic_buffer(waiter->received),
                                   [this, waiter](const Failure&, size_t) { ended(*waiter); });
                             });
  });
  return waiter->number;
}

void WaitCrowd::ended(Waiter& waiter) {
  if (waiter.left || waiter.answer) return;
  Answer answer;
  if (waiter.received.starts_with("HTTP/1.1 ")) {
    answer.status = std::atoi(waiter.received.c_str() + 9);
    const size_t head = waiter.received.find("\r\n\r\n");
    if (head != std::string::npos) answer.body = waiter.received.substr(head + 4);
  }
  waiter.answer = std::move(answer);
  Failure ignored;
  waiter.socket.close(ignored);
  answered_.push_back(waiter.number);
  --waiting_;
}

void WaitCrowd::leave(size_t waiter) {
  Waiter& leaving = *waiters_.at(waiter);
  if (leaving.left || leaving.answer) return;
  leaving.left = true;
  Failure ignored;
  leaving.socket.close(ignored);
  --waiting_;
}

std::vector<size_t> WaitCrowd::run(std::chrono::milliseconds time) {
  answered_.clear();
  context_.restart();
  if (context_.poll() == 0) context_.run_one_for(time);
  context_.poll();
  return answered_;
}

const WaitCrowd::Answer& WaitCrowd::answer(size_t waiter) const {
  const auto& answer = waiters_.at(waiter)->answer;
  if (!answer) throw std::logic_error("the waiter was not answered yet");
  return *answer;
}

}  // namespace hmsync::integration
