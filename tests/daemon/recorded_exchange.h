// A request without a network, and the answer it got.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "daemon/http_server.h"

namespace hmsync::daemon {

/// Used by one thread.
class RecordedExchange : public Exchange {
 public:
  explicit RecordedExchange(HttpRequest request = {}) : request_(std::move(request)) {}

  [[nodiscard]] const HttpRequest& request() const override { return request_; }
  void reply(HttpResponse response) override {
    if (left_ || answer) return;
    answer = std::move(response);
    gone_ = nullptr;
  }
  void on_gone(std::function<void()> gone) override {
    if (left_) return gone();
    if (!answer) gone_ = std::move(gone);
  }
  void stream(const std::string& content_type,
              const std::function<void(ResponseStream&)>& produce) override {
    Collected collected;
    produce(collected);
    answer = HttpResponse{200, content_type, std::move(collected.text)};
  }

  void leave() {
    left_ = true;
    if (gone_) std::exchange(gone_, nullptr)();
  }

  std::optional<HttpResponse> answer;

 private:
  struct Collected : ResponseStream {
    void write(std::string_view piece) override { text += piece; }
    std::string text;
  };

  const HttpRequest request_;
  std::function<void()> gone_;
  bool left_ = false;
};

}  // namespace hmsync::daemon
