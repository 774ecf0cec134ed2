// The exchange between a handler, on whatever thread, and the connection that its answer goes to.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/http_server.h"

namespace hmsync::daemon {

/// An answer in pieces on its way from the thread that makes it to the server's thread.
struct StreamState {
  std::string content_type;
  std::mutex mutex;
  std::condition_variable changed;
  std::string pending;     ///< guarded by mutex, as all below
  bool scheduled = false;  ///< the server's thread will look at it
  bool finished = false;
  bool failed = false;
  bool gone = false;  ///< the client
};

/// The connection as an exchange sees it. Both may be called by any thread and return at once.
class AnswerTarget {
 public:
  virtual ~AnswerTarget() = default;
  virtual void post_reply(HttpResponse response) = 0;
  /// There is something new in the stream.
  virtual void post_pump(std::shared_ptr<StreamState> stream) = 0;
};

class ConnectionExchange : public Exchange {
 public:
  ConnectionExchange(HttpRequest request, bool head_only, std::shared_ptr<AnswerTarget> target,
                     size_t stream_buffer_bytes);

  [[nodiscard]] const HttpRequest& request() const override { return request_; }
  void reply(HttpResponse response) override;
  void on_gone(std::function<void()> gone) override;
  void stream(const std::string& content_type,
              const std::function<void(ResponseStream&)>& produce) override;

  /// By the connection, when the client has left or the server stops.
  void client_left();

 private:
  std::shared_ptr<AnswerTarget> take_target();

  const HttpRequest request_;
  const bool head_only_;
  const size_t stream_buffer_bytes_;
  std::mutex mutex_;
  std::shared_ptr<AnswerTarget> target_;  ///< guarded by mutex_; empty once answered or gone
  std::function<void()> on_gone_;         ///< guarded by mutex_
  std::shared_ptr<StreamState> stream_;   ///< guarded by mutex_
  bool gone_ = false;                     ///< guarded by mutex_
};

}  // namespace hmsync::daemon
