// lmtpd/server/server.h: the listeners, the I/O threads and the sessions. Comes in: connections. Goes out: deliveries
// to the pipeline, replies to the client. Built in main after the pipeline and destroyed before it; every session has
// ended when run() returns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lmtpd/server/options.h"

namespace lmtpd::delivery {
class Pipeline;
}
namespace lmtpd::observe {
class MailLog;
struct Metrics;
}  // namespace lmtpd::observe

namespace lmtpd::server {

class Server {
 public:
  // Opens the listeners (and takes over systemd's). Throws std::runtime_error with one sentence for the operator: a
  // wrong option, a missing socket folder; AddressUnavailable: an address in use, or not of this machine (yet).
  // REQUIRES pipeline, metrics and mail_log outlive the server.
  Server(const Options& options, delivery::Pipeline& pipeline, observe::Metrics& metrics, observe::MailLog& mail_log);
  ~Server();  // REQUIRES run() has returned, or was never called
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves until begin_drain() was called and the last session has ended; blocking. Says READY=1 to systemd.
  void run();

  // --- any thread, never blocking ---

  // Accept nothing new; sessions between transactions get 421 4.3.2; open transactions may go on for Limits::drain,
  // accepted data gets its replies in any case. Says STOPPING=1.
  void begin_drain();
  // New limits for running and new sessions. The rest of Options needs a restart.
  void reload(const Limits& limits);

  // What an operator should know though it is no mistake: a TCP listener beyond loopback, a backlog above
  // net.core.somaxconn …
  [[nodiscard]] const std::vector<std::string>& remarks() const;
  // The addresses in use, in the syntax of Options::listen (with the port that the kernel chose for port 0).
  [[nodiscard]] const std::vector<std::string>& addresses() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// lmtpd --check: what would keep the listeners from being opened (folder missing or writable by others, somebody
// listens there, a port or a group that this user may not have …), without accepting, making or removing anything.
// Also reports problems(options).
[[nodiscard]] std::vector<std::string> check_listeners(const Options& options);

}  // namespace lmtpd::server
