// One connection of the admin endpoint, as its server sees it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/http_exchange.h"

namespace hmsync::daemon {

class HttpSession;

/// What a connection needs of its server; called on the server's thread.
struct HttpSessionHost {
  const HttpOptions& options;
  /// The answer that the headers Host and Origin earn before any handler sees the request.
  std::function<std::optional<HttpResponse>(std::string_view host,
                                            std::optional<std::string_view> origin)>
      refuse;
  std::function<void(HttpRequest request, HttpSession& session)> dispatch;
  std::function<void(const std::shared_ptr<HttpSession>&)> closed;
  std::function<bool()> stopping;
};

/// Reads a request, has it handled, writes the answer, and so on. All but AnswerTarget's calls run
/// on the server's thread.
class HttpSession : public AnswerTarget {
 public:
  virtual void begin() = 0;
  /// Answers 503 without reading, and closes.
  virtual void turn_away(const std::string& why) = 0;
  /// Answers what has no exchange.
  virtual void send(HttpResponse response) = 0;
  /// The exchange of the request that was just dispatched; it is told when the client leaves.
  virtual std::shared_ptr<ConnectionExchange> exchange(HttpRequest request) = 0;
  virtual void close() = 0;
  [[nodiscard]] virtual bool idle() const = 0;  ///< between two requests
};

/// `host` outlives the session.
std::shared_ptr<HttpSession> make_http_session(const HttpSessionHost& host,
                                               boost::asio::ip::tcp::socket socket);

}  // namespace hmsync::daemon
