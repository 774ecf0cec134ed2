// An HTTP server on loopback that answers as a test tells it, and remembers what it was asked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hmsync::cli {

struct SeenRequest {
  std::string method, target, authorization, body, host;
};

struct Reply {
  enum class Fault { none, no_answer, cut_short, no_http };

  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  Fault fault = Fault::none;
};

/// Serves one connection after another in a thread of its own. The handler runs in that thread.
class ScriptedServer {
 public:
  using Handler = std::function<Reply(const SeenRequest&)>;

  /// `tls`: speak https with this context, which must outlive the server.
  explicit ScriptedServer(Handler handler, boost::asio::ssl::context* tls = nullptr);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<SeenRequest> seen() const;

 private:
  void serve();
  template <typename Stream>
  void answer(Stream& stream);

  Handler handler_;
  boost::asio::ssl::context* tls_;
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  uint16_t port_;
  mutable std::mutex mutex_;
  std::vector<SeenRequest> seen_;  ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace hmsync::cli
