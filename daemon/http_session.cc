#include "daemon/http_session.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <mutex>

namespace hmsync::daemon {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kLinger = std::chrono::seconds(2);
constexpr size_t kLingerBytes = 1 << 20;

// One connection: reads a request, has it handled, writes the answer, and so on. All but the
// constructor runs on the server's thread.
class Session : public HttpSession, public std::enable_shared_from_this<Session> {
 public:
  Session(const HttpSessionHost& host, tcp::socket socket)
      : host_(host),
        executor_(socket.get_executor()),
        socket_(std::move(socket)),
        deadline_(executor_) {}

  void begin() override { await_request(); }
  void turn_away(const std::string& why) override;
  void send(HttpResponse response) override;
  std::shared_ptr<ConnectionExchange> exchange(HttpRequest request) override;
  void close() override;
  [[nodiscard]] bool idle() const override { return idle_; }

  void post_reply(HttpResponse response) override {
    asio::post(executor_, [self = shared_from_this(), answer = std::move(response)]() mutable {
      self->send(std::move(answer));
    });
  }
  void post_pump(std::shared_ptr<StreamState> stream) override {
    asio::post(executor_,
               [self = shared_from_this(), stream = std::move(stream)] { self->pump(stream); });
  }

 private:
  void await_request();
  void read_header();
  void read_body();
  void refuse_request(error_code failure);
  void handle();
  void watch();
  void pump(const std::shared_ptr<StreamState>& stream);
  void written(error_code failure);
  void linger(size_t read_so_far);
  void write_stream_header(const std::shared_ptr<StreamState>& stream);
  void write_chunk(const std::shared_ptr<StreamState>& stream);
  void write_last_chunk();
  void arm(std::chrono::milliseconds duration);
  void disarm() { deadline_.cancel(); }

  const HttpSessionHost& host_;
  const asio::any_io_executor executor_;
  tcp::socket socket_;
  asio::steady_timer deadline_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response<http::empty_body>> stream_header_;
  std::optional<http::response_serializer<http::empty_body>> stream_serializer_;
  std::shared_ptr<ConnectionExchange> exchange_;  // the request being handled
  std::string chunk_;
  uint64_t watch_number_ = 0;
  bool idle_ = true;
  bool head_only_ = false;
  bool keep_alive_ = true;
  bool chunked_ = true;
  bool header_sent_ = false;
  bool closed_ = false;
  std::array<char, 4096> scratch_{};
};

void Session::arm(std::chrono::milliseconds duration) {
  deadline_.expires_after(duration);
  deadline_.async_wait([self = shared_from_this()](error_code failure) {
    if (failure) return;
    // A completion that was already queued when the deadline was moved finds it in the future.
    if (self->deadline_.expiry() > std::chrono::steady_clock::now()) return;
    self->close();
  });
}

void Session::await_request() {
  idle_ = true;
  header_sent_ = false;
  response_.reset();
  stream_serializer_.reset();
  stream_header_.reset();
  if (host_.stopping()) return close();
  if (buffer_.size() > 0) return read_header();
  arm(host_.options.idle_deadline);
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code failure) {
    if (failure) return self->close();
    self->read_header();
  });
}

void Session::read_header() {
  if (closed_) return;
  idle_ = false;
  arm(host_.options.request_deadline);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(host_.options.header_bytes));
  parser_->body_limit(host_.options.body_bytes);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](error_code failure, size_t) {
                            if (failure) return self->refuse_request(failure);
                            self->read_body();
                          });
}

void Session::read_body() {
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](error_code failure, size_t) {
                     if (failure) return self->refuse_request(failure);
                     self->disarm();
                     self->handle();
                   });
}

void Session::refuse_request(error_code failure) {
  const bool protocol =
      failure.category() == http::make_error_code(http::error::end_of_stream).category();
  if (closed_ || !protocol || failure == http::error::end_of_stream ||
      failure == http::error::partial_message) {
    return close();
  }
  keep_alive_ = false;
  head_only_ = false;
  if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
    return send(problem(431, "the request's headers are too large"));
  }
  if (failure == http::error::body_limit) {
    return send(problem(413, "the request's body is too large"));
  }
  send(problem(400, fmt::format("this is not an HTTP request: {}", failure.message())));
}

std::shared_ptr<ConnectionExchange> Session::exchange(HttpRequest request) {
  exchange_ = std::make_shared<ConnectionExchange>(
      std::move(request), head_only_, shared_from_this(), host_.options.stream_buffer_bytes);
  watch();
  return exchange_;
}

void Session::turn_away(const std::string& why) {
  keep_alive_ = false;
  send(problem(503, why));
}

void Session::handle() {
  const auto& message = parser_->get();
  keep_alive_ = message.keep_alive();
  chunked_ = message.version() >= 11;
  head_only_ = message.method() == http::verb::head;
  const auto host = message.find(http::field::host);
  const auto origin = message.find(http::field::origin);
  const auto text = [](auto field) {
    return std::string_view(field->value().data(), field->value().size());
  };
  auto refused = host_.refuse(
      host == message.end() ? std::string_view() : text(host),
      origin == message.end() ? std::nullopt : std::optional<std::string_view>(text(origin)));
  if (refused) return send(std::move(*refused));

  HttpRequest request;
  request.method = head_only_ ? "GET" : std::string(message.method_string());
  if (!parse_target({message.target().data(), message.target().size()}, request)) {
    return send(problem(400, "the request's target cannot be read"));
  }
  const auto authorization = message.find(http::field::authorization);
  if (authorization != message.end()) request.authorization = text(authorization);
  request.body = std::move(parser_->get().body());
  host_.dispatch(std::move(request), *this);
}

// While a request is being handled the client's leaving is noticed, so that nothing waits for it.
void Session::watch() {
  socket_.async_wait(tcp::socket::wait_read,
                     [self = shared_from_this(), number = ++watch_number_](error_code failure) {
                       if (failure || number != self->watch_number_ || self->closed_) return;
                       char byte = 0;
                       error_code peeked;
                       self->socket_.non_blocking(true, peeked);
                       const size_t got = self->socket_.receive(asio::buffer(&byte, 1),
                                                                tcp::socket::message_peek, peeked);
                       if (peeked == asio::error::would_block) return self->watch();
                       if (peeked || got == 0) return self->close();
                       // The next request is there already: the watch ends, the answer's writing
                       // will tell.
                     });
}

void Session::send(HttpResponse response) {
  if (closed_) return;
  ++watch_number_;
  exchange_.reset();
  response_.emplace(static_cast<http::status>(response.status), 11);
  response_->set(http::field::content_type, response.content_type);
  response_->set(http::field::cache_control, "no-store");
  response_->set("X-Content-Type-Options", "nosniff");
  if (response.status == 401) response_->set(http::field::www_authenticate, "Bearer");
  if (host_.stopping()) keep_alive_ = false;
  response_->keep_alive(keep_alive_);
  // To HEAD on a stream the length is not known and left out.
  if (!head_only_ || !response.body.empty()) response_->content_length(response.body.size());
  if (!head_only_) response_->body() = std::move(response.body);
  arm(host_.options.write_deadline);
  http::async_write(socket_, *response_, [self = shared_from_this()](error_code failure, size_t) {
    self->written(failure);
  });
}

void Session::written(error_code failure) {
  if (closed_) return;
  if (failure) return close();
  disarm();
  if (keep_alive_) return await_request();
  // Closing with unread bytes would reset the connection, and the client might lose the answer.
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  arm(kLinger);
  linger(0);
}

void Session::linger(size_t read_so_far) {
  socket_.async_read_some(asio::buffer(scratch_), [self = shared_from_this(), read_so_far](
                                                      error_code failure, size_t read) {
    if (failure || read_so_far + read > kLingerBytes) return self->close();
    self->linger(read_so_far + read);
  });
}

void Session::pump(const std::shared_ptr<StreamState>& stream) {
  if (closed_) return;
  bool finished = false;
  bool failed = false;
  {
    const std::lock_guard lock(stream->mutex);
    chunk_.clear();
    chunk_.swap(stream->pending);
    finished = stream->finished;
    failed = stream->failed;
    if (chunk_.empty() && !finished && !failed) stream->scheduled = false;
  }
  stream->changed.notify_all();
  if (failed) return close();
  if (!header_sent_) return write_stream_header(stream);
  if (!chunk_.empty()) return write_chunk(stream);
  if (finished) write_last_chunk();
}

void Session::write_stream_header(const std::shared_ptr<StreamState>& stream) {
  ++watch_number_;
  header_sent_ = true;
  if (!chunked_) keep_alive_ = false;
  stream_header_.emplace(http::status::ok, 11);
  stream_header_->set(http::field::content_type, stream->content_type);
  stream_header_->set(http::field::cache_control, "no-store");
  stream_header_->keep_alive(keep_alive_);
  stream_header_->chunked(chunked_);
  stream_serializer_.emplace(*stream_header_);
  arm(host_.options.write_deadline);
  http::async_write_header(socket_, *stream_serializer_,
                           [self = shared_from_this(), stream](error_code failure, size_t) {
                             if (failure) return self->close();
                             if (self->chunk_.empty()) return self->pump(stream);
                             self->write_chunk(stream);
                           });
}

void Session::write_chunk(const std::shared_ptr<StreamState>& stream) {
  if (closed_) return;
  arm(host_.options.write_deadline);
  auto done = [self = shared_from_this(), stream](error_code failure, size_t) {
    if (failure) return self->close();
    self->disarm();
    self->pump(stream);
  };
  if (chunked_) {
    asio::async_write(socket_, http::make_chunk(asio::buffer(chunk_)), std::move(done));
  } else {
    asio::async_write(socket_, asio::buffer(chunk_), std::move(done));
  }
}

void Session::write_last_chunk() {
  exchange_.reset();
  if (!chunked_) return written({});
  arm(host_.options.write_deadline);
  asio::async_write(
      socket_, http::make_chunk_last(),
      [self = shared_from_this()](error_code failure, size_t) { self->written(failure); });
}

void Session::close() {
  if (closed_) return;
  closed_ = true;
  const auto self = shared_from_this();
  disarm();
  error_code ignored;
  socket_.close(ignored);
  if (exchange_) std::exchange(exchange_, nullptr)->client_left();
  host_.closed(self);
}

}  // namespace

std::shared_ptr<HttpSession> make_http_session(const HttpSessionHost& host, tcp::socket socket) {
  return std::make_shared<Session>(host, std::move(socket));
}

}  // namespace hmsync::daemon
