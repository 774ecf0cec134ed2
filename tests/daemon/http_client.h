// A plain HTTP client over one socket, so that tests decide on every byte and its time.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace hmsync::daemon {

struct Answer {
  int status = 0;                              ///< 0: the connection ended before an answer
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;                            ///< chunks joined
  bool complete = false;
};

class HttpClient {
 public:
  /// Connects to 127.0.0.1; throws std::runtime_error where that fails.
  explicit HttpClient(int port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  HttpClient(HttpClient&& other) noexcept;

  void send(const std::string& bytes);
  /// The next answer; not complete at the deadline or where the connection ends first.
  Answer receive(std::chrono::milliseconds deadline = std::chrono::seconds(10),
                 bool to_head = false);
  /// True once the server has closed the connection, within the deadline.
  bool closed_by_server(std::chrono::milliseconds deadline);
  void set_receive_buffer(int bytes);
  void close();

  /// A request with the right Host.
  [[nodiscard]] std::string request(const std::string& method, const std::string& target,
                                    const std::string& headers = "",
                                    const std::string& body = "") const;
  Answer ask(const std::string& method, const std::string& target, const std::string& headers = "",
             const std::string& body = "");

 private:
  bool fill(std::chrono::steady_clock::time_point deadline);

  int port_;
  int socket_ = -1;
  bool ended_ = false;  ///< by the server
  std::string unread_;
};

}  // namespace hmsync::daemon
