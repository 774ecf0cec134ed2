// The admin endpoint's HTTP/1.1 server: asynchronous on one thread of its own, so that thousands of
// idle waiters and slow clients cost no thread; what may block runs on a few worker threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/http_message.h"

namespace hmsync::daemon {

struct HttpOptions {
  std::string host = "127.0.0.1";  ///< an address or `localhost`; IPv6 without brackets
  uint16_t port = 0;               ///< zero: any free one
  size_t header_bytes = 16 << 10;
  size_t body_bytes = 1 << 20;
  /// For the whole of a request, from its first byte to its last, however the client spreads them.
  std::chrono::milliseconds request_deadline{10'000};
  std::chrono::milliseconds idle_deadline{60'000};   ///< between requests of one connection
  std::chrono::milliseconds write_deadline{60'000};  ///< for an answer or one chunk to be taken
  size_t connections = 12'000;
  size_t workers = 4;
  size_t queued_jobs = 256;
  size_t streams = 4;  ///< answers streamed at the same time, on threads of their own
  size_t queued_streams = 16;
  size_t stream_buffer_bytes = 256 << 10;  ///< most that a stream holds for a slow client
};

/// Where an answer in pieces is written to. write() blocks while the client is slow and throws
/// Error(transient) when it is gone.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual void write(std::string_view text) = 0;
};

/// One request and its answer. Thread-safe. Whoever may still call it must have ended before the
/// server is destroyed.
class Exchange {
 public:
  virtual ~Exchange() = default;

  [[nodiscard]] virtual const HttpRequest& request() const = 0;
  /// The first answer counts; none does any more once the client is gone.
  virtual void reply(HttpResponse response) = 0;
  /// Called once, by the server's thread, if the client leaves before the answer; at once, by the
  /// caller, if it has left already.
  virtual void on_gone(std::function<void()> gone) = 0;
  /// Answers 200 with what `produce` writes, in bounded memory; blocks until it is handed over. If
  /// `produce` throws before much was written, so does this, and reply() may still be called; later
  /// the connection is cut, which a client sees as an incomplete answer.
  virtual void stream(const std::string& content_type,
                      const std::function<void(ResponseStream&)>& produce) = 0;
};

/// May keep the exchange and answer later. What it throws becomes a problem answer: HttpProblem as
/// it says, Error(poison) 400, any other Error 503, anything else 500.
using HttpHandler = std::function<void(const std::shared_ptr<Exchange>&)>;

/// Where a handler runs.
enum class HttpPlace {
  at_once,  ///< on the server's thread: must not block
  worker,
  stream,
};

class HttpServer {
 public:
  /// Told of what is worth a log line: a refused Host, an internal error.
  using Complain = std::function<void(const std::string&)>;

  HttpServer(HttpOptions options, Complain complain);
  ~HttpServer();  ///< stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Before start(). `pattern` as match_path() takes it; the first that matches counts.
  void route(const std::string& method, const std::string& pattern, HttpPlace place,
             HttpHandler handler);
  /// Listens and begins to serve. Throws Error(fatal) where the address cannot be had.
  void start();
  /// Valid after start().
  [[nodiscard]] uint16_t port() const;
  /// Takes no more connections and requests, lets answers under way finish for `grace`, then cuts
  /// every connection and waits for the handlers that run.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(500));

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hmsync::daemon
