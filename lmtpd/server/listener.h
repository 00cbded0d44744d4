// lmtpd/server/listener.h: the accept loop of one listening socket. Comes in: connections. Goes out: a session on the
// worker that has the fewest. All accept loops run on the first worker's thread.
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <span>

#include "lmtpd/server/listening_socket.h"
#include "lmtpd/server/service.h"
#include "lmtpd/server/worker.h"

namespace lmtpd::server {

class Listener {
 public:
  // REQUIRES service and workers outlive the listener; the first worker's thread runs the accept loop.
  Listener(ListeningSocket socket, std::span<const std::unique_ptr<Worker>> workers, Service& service);

  // Begins to accept. Call it before the workers run, or on the first worker's thread.
  void start();
  // On the first worker's thread: accepts nothing more and removes the socket file.
  void stop();

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

  boost::asio::awaitable<void> accept_loop();
  void begin_session(Socket socket, Worker& worker);
  void refuse(Socket& socket);
  [[nodiscard]] Worker& least_busy() const;
  [[nodiscard]] std::size_t sessions() const;

  std::optional<ListeningSocket> socket_;
  std::span<const std::unique_ptr<Worker>> workers_;
  Service& service_;
  Acceptor acceptor_;
  boost::asio::steady_timer pause_;
};

}  // namespace lmtpd::server
