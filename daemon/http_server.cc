#include "daemon/http_server.h"

#include <fmt/format.h>

#include <boost/asio.hpp>
#include <optional>
#include <set>
#include <thread>

#include "daemon/http_session.h"
#include "daemon/worker_pool.h"
#include "processor/error.h"

namespace hmsync::daemon {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

HttpResponse answer_for_exception(const HttpServer::Complain& complain) {
  try {
    throw;
  } catch (const HttpProblem& refused) {
    return problem(refused.status(), refused.what());
  } catch (const Error& error) {
    switch (error.kind()) {
      case ErrorKind::poison:
        return problem(400, error.what());
      case ErrorKind::fatal:
        complain(fmt::format("a request failed: {}", error.what()));
        return problem(503, error.what());
      case ErrorKind::transient:
      case ErrorKind::fenced:
        return problem(503, error.what());
    }
    return problem(500, error.what());
  } catch (const std::exception& error) {
    complain(fmt::format("a request failed: {}", error.what()));
    return problem(500, error.what());
  }
}

}  // namespace

class HttpServer::Impl {
 public:
  struct Route {
    std::string method;
    std::string pattern;
    HttpPlace place;
    HttpHandler handler;
  };

  Impl(HttpOptions options, Complain complain)
      : options_(std::move(options)),
        complain_(std::move(complain)),
        host_{options_, [this](auto host, auto origin) { return refuse(host, origin); },
              [this](HttpRequest request, HttpSession& session) {
                dispatch(std::move(request), session);
              },
              [this](const auto& session) { closed(session); }, [this] { return stopping_; }},
        acceptor_(io_),
        pause_(io_),
        work_(options_.workers, options_.queued_jobs),
        streams_(options_.streams, options_.queued_streams) {}

  void add_route(Route route) { routes_.push_back(std::move(route)); }
  void start();
  void stop(std::chrono::milliseconds grace);
  [[nodiscard]] uint16_t port() const { return port_; }

 private:
  std::optional<HttpResponse> refuse(std::string_view host, std::optional<std::string_view> origin);
  void dispatch(HttpRequest request, HttpSession& session);
  void closed(const std::shared_ptr<HttpSession>& session);
  void run();
  void accept();
  void accepted(error_code failure, tcp::socket socket);
  void run_handler(const Route& route, const std::shared_ptr<Exchange>& exchange);

  const HttpOptions options_;
  const Complain complain_;
  const HttpSessionHost host_;
  std::vector<Route> routes_;  // constant once started
  uint16_t port_ = 0;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::set<std::shared_ptr<HttpSession>> sessions_;  // the server's thread only
  bool stopping_ = false;                            // the server's thread only
  WorkerPool work_;
  WorkerPool streams_;
  std::thread thread_;
};

std::optional<HttpResponse> HttpServer::Impl::refuse(std::string_view host,
                                                     std::optional<std::string_view> origin) {
  if (!is_own_host(host, options_.host, port_)) {
    complain_(fmt::format("refused a request for the foreign host `{}`", host));
    return problem(403, "the Host header does not name this endpoint");
  }
  if (origin && !is_own_origin(*origin, options_.host, port_)) {
    complain_(fmt::format("refused a request from the foreign origin `{}`", *origin));
    return problem(403, "requests from pages of another origin are refused");
  }
  return std::nullopt;
}

void HttpServer::Impl::dispatch(HttpRequest request, HttpSession& session) {
  bool path_known = false;
  for (const Route& route : routes_) {
    auto captures = match_path(route.pattern, request.path);
    if (!captures) continue;
    path_known = true;
    if (route.method != request.method) continue;
    request.captures = std::move(*captures);
    const auto exchange = session.exchange(std::move(request));
    if (route.place == HttpPlace::at_once) return run_handler(route, exchange);
    WorkerPool& pool = route.place == HttpPlace::worker ? work_ : streams_;
    if (!pool.submit([this, &route, exchange] { run_handler(route, exchange); })) {
      exchange->reply(problem(503, "too many requests are being worked on; try again"));
    }
    return;
  }
  session.send(path_known ? problem(405, "this path does not know the method " + request.method)
                          : problem(404, "there is nothing at " + request.path));
}

void HttpServer::Impl::closed(const std::shared_ptr<HttpSession>& session) {
  sessions_.erase(session);
  if (stopping_ && sessions_.empty()) pause_.cancel();
}

void HttpServer::Impl::run_handler(const Route& route, const std::shared_ptr<Exchange>& exchange) {
  try {
    route.handler(exchange);
  } catch (...) {
    exchange->reply(answer_for_exception(complain_));
  }
}

void HttpServer::Impl::start() {
  try {
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(options_.host, std::to_string(options_.port),
                                        tcp::resolver::passive | tcp::resolver::numeric_service);
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(4096);
    port_ = acceptor_.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorKind::fatal,
                fmt::format("cannot listen on {}:{}: {}; set admin.listen to a free address",
                            options_.host, options_.port, error.code().message()));
  }
  accept();
  thread_ = std::thread([this] { run(); });
}

// One connection's failure, such as memory that ran out, is not that of all.
void HttpServer::Impl::run() {
  while (true) {
    try {
      io_.run();
      return;
    } catch (const std::exception& error) {
      complain_(fmt::format("a connection failed: {}", error.what()));
    }
  }
}

void HttpServer::Impl::accept() {
  acceptor_.async_accept(
      [this](error_code failure, tcp::socket socket) { accepted(failure, std::move(socket)); });
}

void HttpServer::Impl::accepted(error_code failure, tcp::socket socket) {
  if (stopping_ || failure == asio::error::operation_aborted) return;
  if (failure) {
    // Mostly no file descriptors left: others have to be closed first.
    complain_(fmt::format("cannot accept a connection: {}", failure.message()));
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code cancelled) {
      if (!cancelled && !stopping_) accept();
    });
    return;
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const auto session = make_http_session(host_, std::move(socket));
  sessions_.insert(session);
  if (sessions_.size() > options_.connections) {
    session->turn_away("too many connections");
  } else {
    session->begin();
  }
  accept();
}

void HttpServer::Impl::stop(std::chrono::milliseconds grace) {
  if (!thread_.joinable()) return;
  const auto end = std::chrono::steady_clock::now() + grace;
  const auto cut = [this](bool only_idle) {
    const auto all = sessions_;
    for (const auto& session : all) {
      if (!only_idle || session->idle()) session->close();
    }
  };
  asio::post(io_, [this, cut, end] {
    stopping_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    cut(true);
    if (sessions_.empty()) return;
    pause_.expires_at(end);
    pause_.async_wait([cut](error_code) { cut(false); });
  });
  // Runs out of work when the last session has ended.
  thread_.join();
  work_.stop();
  streams_.stop();
  // Answers that came too late.
  io_.restart();
  io_.poll();
}

HttpServer::HttpServer(HttpOptions options, Complain complain)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(complain))) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::route(const std::string& method, const std::string& pattern, HttpPlace place,
                       HttpHandler handler) {
  impl_->add_route({method, pattern, place, std::move(handler)});
}

void HttpServer::start() { impl_->start(); }

uint16_t HttpServer::port() const { return impl_->port(); }

void HttpServer::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace hmsync::daemon
