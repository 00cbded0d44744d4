#include "lmtpd/server/server.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lmtpd/server/listener.h"
#include "lmtpd/server/service.h"
#include "lmtpd/server/socket_activation.h"
#include "lmtpd/server/unix_socket.h"
#include "lmtpd/server/worker.h"

namespace lmtpd::server {

class Server::Impl {
 public:
  Impl(const Options& options, delivery::Pipeline& pipeline, observe::Metrics& metrics, observe::MailLog& mail_log)
      : service_(options, pipeline, metrics, mail_log) {
    for (int i = 0; i < options.io_threads; ++i) workers_.push_back(std::make_unique<Worker>(options.limits));
    open_listeners(options);
    remark_backlog(options);
  }

  void run();
  void begin_drain();
  void reload(const Limits& limits) {
    for (const auto& worker : workers_) worker->set_limits(limits);
  }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  void open_listeners(const Options& options);
  void add_listener(ListeningSocket socket);
  void remark_backlog(const Options& options);

  Service service_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Listener>> listeners_;  // refer to workers_
  std::vector<std::string> remarks_;
  std::vector<std::string> addresses_;
  std::atomic<bool> draining_{false};
};

void Server::Impl::open_listeners(const Options& options) {
  for (const ActivatedSocket& activated : activated_sockets(remarks_)) {
    add_listener(ListeningSocket::adopt(activated.fd));
  }
  const std::vector<std::string> adopted = addresses_;
  for (const std::string& text : options.listen) {
    const ListenAddress address = parse_listen_address(text).value();  // Service has checked the options
    // The same lmtpd.toml works with and without lmtpd.socket.
    if (std::find(adopted.begin(), adopted.end(), address.text()) != adopted.end()) continue;
    add_listener(ListeningSocket::open(address, options));
  }
  if (!listeners_.empty()) return;
  throw std::runtime_error("listen.lmtp: there is no address to listen at, and systemd hands over no socket");
}

void Server::Impl::add_listener(ListeningSocket socket) {
  addresses_.push_back(socket.address());
  if (socket.beyond_loopback()) {
    remarks_.push_back(socket.address() +
                       " can be reached from other machines, and LMTP has no authentication: guard it by a firewall");
  }
  listeners_.push_back(std::make_unique<Listener>(std::move(socket), workers_, service_));
}

void Server::Impl::remark_backlog(const Options& options) {
  int most = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> most;
  if (most <= 0 || most >= options.backlog) return;
  remarks_.push_back("net.core.somaxconn is " + std::to_string(most) + ", below the backlog of " +
                     std::to_string(options.backlog) + ": clients may be refused when many connect at once");
}

void Server::Impl::run() {
  for (const auto& listener : listeners_) listener->start();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i)
    threads.emplace_back([worker = workers_[i].get()] { worker->run(); });
  notify_supervisor("READY=1");
  workers_.front()->run();
  for (std::thread& thread : threads) thread.join();
}

// The listeners close first, on their thread; connections that were accepted by then have their turn before the drain begins: sessions
// are in their worker's queue before its drain is.
void Server::Impl::begin_drain() {
  if (draining_.exchange(true)) return;
  notify_supervisor("STOPPING=1");
  boost::asio::post(workers_.front()->context(), [this] {
    for (const auto& listener : listeners_) listener->stop();
    boost::asio::post(workers_.front()->context(), [this] {
      for (const auto& worker : workers_) worker->begin_drain();
    });
  });
}

Server::Server(const Options& options, delivery::Pipeline& pipeline, observe::Metrics& metrics,
               observe::MailLog& mail_log)
    : impl_(std::make_unique<Impl>(options, pipeline, metrics, mail_log)) {}

Server::~Server() = default;

void Server::run() {
  impl_->run();
}
void Server::begin_drain() {
  impl_->begin_drain();
}
void Server::reload(const Limits& limits) {
  impl_->reload(limits);
}
const std::vector<std::string>& Server::remarks() const {
  return impl_->remarks();
}
const std::vector<std::string>& Server::addresses() const {
  return impl_->addresses();
}

std::vector<std::string> check_listeners(const Options& options) {
  std::vector<std::string> found = problems(options);
  bool files = false;
  for (const std::string& text : options.listen) {
    const auto address = parse_listen_address(text);
    if (!address) continue;
    files = files || address->is_unix();
    auto problem = address->is_unix() ? unix_socket_problem(address->path) : tcp_problem(*address);
    if (problem) found.push_back(*std::move(problem));
  }
  if (!files) return found;
  const auto problem = ownership_problem(find_user(options.socket_owner), find_group(options.socket_group));
  if (problem) found.push_back(*problem);
  return found;
}

}  // namespace lmtpd::server
