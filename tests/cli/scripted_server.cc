#include "tests/cli/scripted_server.h"

#include <sys/socket.h>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace hmsync::cli {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

}  // namespace

ScriptedServer::ScriptedServer(Handler handler, asio::ssl::context* tls)
    : handler_(std::move(handler)),
      tls_(tls),
      acceptor_(context_, {asio::ip::make_address("127.0.0.1"), 0}),
      port_(acceptor_.local_endpoint().port()),
      thread_([this] { serve(); }) {}

ScriptedServer::~ScriptedServer() {
  shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes accept
  thread_.join();
}

std::vector<SeenRequest> ScriptedServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void ScriptedServer::serve() {
  while (true) {
    error_code error;
    asio::ip::tcp::socket socket(context_);
    acceptor_.accept(socket, error);
    if (error) return;
    if (tls_ == nullptr) {
      answer(socket);
    } else {
      asio::ssl::stream<asio::ip::tcp::socket&> stream(socket, *tls_);
      stream.handshake(asio::ssl::stream_base::server, error);
      if (!error) answer(stream);
    }
    socket.shutdown(asio::socket_base::shutdown_both, error);
  }
}

template <typename Stream>
void ScriptedServer::answer(Stream& stream) {
  error_code error;
  boost::beast::flat_buffer buffer;
  http::request<http::string_body> request;
  http::read(stream, buffer, request, error);
  if (error) return;
  const SeenRequest seen{std::string(request.method_string()), std::string(request.target()),
                         std::string(request[http::field::authorization]), request.body(),
                         std::string(request[http::field::host])};
  {
    const std::lock_guard lock(mutex_);
    seen_.push_back(seen);
  }
  const Reply reply = handler_(seen);
  if (reply.fault == Reply::Fault::no_answer) return;
  if (reply.fault == Reply::Fault::no_http) {
    asio::write(stream, asio::buffer(std::string("220 mail.example ESMTP\r\n")), error);
    return;
  }
  http::response<http::string_body> response(http::int_to_status(reply.status), 11);
  response.set(http::field::content_type, reply.content_type);
  response.body() = reply.body;
  response.prepare_payload();
  if (reply.fault == Reply::Fault::cut_short) response.content_length(reply.body.size() + 1000);
  http::write(stream, response, error);
}

}  // namespace hmsync::cli
