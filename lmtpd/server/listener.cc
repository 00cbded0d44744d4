#include "lmtpd/server/listener.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <string_view>

#include "lmtpd/observe/mail_log.h"
#include "lmtpd/observe/metrics.h"
#include "lmtpd/protocol/reply.h"
#include "lmtpd/server/session.h"

namespace lmtpd::server {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> serve_connection(Socket socket, Worker& worker, Service& service) {
  Session session(std::move(socket), worker, service);
  co_await session.run();
}

// Errors of one connection, or of the network, that say nothing about the listener.
bool concerns_one_connection(const boost::system::error_code& ec) {
  return ec == asio::error::connection_aborted || ec == asio::error::connection_reset || ec == asio::error::try_again ||
         ec == asio::error::interrupted || ec == asio::error::network_down || ec == asio::error::host_unreachable;
}

}  // namespace

Listener::Listener(ListeningSocket socket, std::span<const std::unique_ptr<Worker>> workers, Service& service)
    : socket_(std::move(socket)),
      workers_(workers),
      service_(service),
      acceptor_(workers.front()->context()),
      pause_(workers.front()->context()) {
  acceptor_.assign(asio::generic::stream_protocol(socket_->family(), 0), socket_->release_fd());
}

void Listener::start() {
  asio::co_spawn(workers_.front()->context(), accept_loop(), asio::detached);
}

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  socket_.reset();
}

Worker& Listener::least_busy() const {
  const auto fewer = [](const auto& a, const auto& b) { return a->sessions() < b->sessions(); };
  return **std::min_element(workers_.begin(), workers_.end(), fewer);
}

std::size_t Listener::sessions() const {
  std::size_t sum = 0;
  for (const auto& worker : workers_) sum += worker->sessions();
  return sum;
}

asio::awaitable<void> Listener::accept_loop() {
  while (acceptor_.is_open()) {
    Worker& worker = least_busy();
    Socket socket(worker.context());
    boost::system::error_code ec;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await acceptor_.async_accept(socket, token);
    if (!ec) {
      begin_session(std::move(socket), worker);
    } else if (acceptor_.is_open() && !concerns_one_connection(ec)) {
      // Out of descriptors or memory: those who wait in the backlog are served when others have gone.
      observe::EventLine line;
      line.event = observe::Event::session_refused;
      const std::string message = ec.message();
      line.detail = message;
      service_.mail_log.event(line);
      pause_.expires_after(std::chrono::milliseconds(250));
      co_await pause_.async_wait(token);
    }
  }
}

void Listener::begin_session(Socket socket, Worker& worker) {
  if (sessions() >= workers_.front()->limits()->sessions) {
    refuse(socket);
    return;
  }
  worker.session_begins();
  asio::co_spawn(worker.context(), serve_connection(std::move(socket), worker, service_), asio::detached);
}

// A new connection's send buffer is empty: one line always fits, nobody has to wait.
void Listener::refuse(Socket& socket) {
  const std::string text = protocol::Reply(421, "4.3.2", "Too many sessions, try again later").wire();
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(asio::socket_base::shutdown_send, ignored);
  service_.metrics.sessions_refused.add();
  observe::EventLine line;
  line.event = observe::Event::session_refused;
  line.reply = "421 4.3.2";
  line.detail = "as many sessions as allowed are open";
  service_.mail_log.event(line);
}

}  // namespace lmtpd::server
