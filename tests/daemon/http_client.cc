#include "tests/daemon/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace hmsync::daemon {

HttpClient::HttpClient(int port) : port_(port), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect to 127.0.0.1:" + std::to_string(port));
  }
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : port_(other.port_),
      socket_(std::exchange(other.socket_, -1)),
      ended_(other.ended_),
      unread_(std::move(other.unread_)) {}

HttpClient::~HttpClient() { close(); }

void HttpClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void HttpClient::set_receive_buffer(int bytes) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void HttpClient::send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;  // what the server does then is what tests look at
    sent += static_cast<size_t>(n);
  }
}

bool HttpClient::fill(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd polled{socket_, POLLIN, 0};
  // Bytes of an endless answer are always there.
  if (left.count() <= 0 || poll(&polled, 1, static_cast<int>(left.count())) <= 0) return false;
  char buffer[65536];
  const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
  if (n <= 0) {
    ended_ = true;
    return false;
  }
  unread_.append(buffer, static_cast<size_t>(n));
  return true;
}

bool HttpClient::closed_by_server(std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (fill(end)) {
  }
  return ended_;
}

Answer HttpClient::receive(std::chrono::milliseconds deadline, bool to_head) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  Answer answer;
  while (unread_.find("\r\n\r\n") == std::string::npos) {
    if (!fill(end)) return answer;
  }
  const size_t head_end = unread_.find("\r\n\r\n");
  const std::string head = unread_.substr(0, head_end + 2);
  unread_.erase(0, head_end + 4);
  answer.status = std::stoi(head.substr(head.find(' ') + 1, 3));
  for (size_t at = head.find("\r\n") + 2; at < head.size();) {
    const size_t line_end = head.find("\r\n", at);
    const size_t colon = head.find(':', at);
    std::string name = head.substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers[name] = head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  if (to_head) {
    answer.complete = true;
    return answer;
  }
  if (answer.headers.count("transfer-encoding") == 0) {
    const size_t length = std::stoul(answer.headers.at("content-length"));
    while (unread_.size() < length) {
      if (!fill(end)) return answer;
    }
    answer.body = unread_.substr(0, length);
    unread_.erase(0, length);
    answer.complete = true;
    return answer;
  }
  while (true) {
    while (unread_.find("\r\n") == std::string::npos) {
      if (!fill(end)) return answer;
    }
    const size_t line_end = unread_.find("\r\n");
    const size_t length = std::stoul(unread_.substr(0, line_end), nullptr, 16);
    while (unread_.size() < line_end + 2 + length + 2) {
      if (!fill(end)) return answer;
    }
    answer.body += unread_.substr(line_end + 2, length);
    unread_.erase(0, line_end + 2 + length + 2);
    if (length == 0) break;
  }
  answer.complete = true;
  return answer;
}

std::string HttpClient::request(const std::string& method, const std::string& target,
                                const std::string& headers, const std::string& body) const {
  std::string text = method + " " + target +
                     " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + headers;
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

Answer HttpClient::ask(const std::string& method, const std::string& target,
                       const std::string& headers, const std::string& body) {
  send(request(method, target, headers, body));
  return receive(std::chrono::seconds(10), method == "HEAD");
}

}  // namespace hmsync::daemon
