// lmtpd/server/shutdown.h: from signals to control calls. SIGTERM and SIGINT: stop; SIGHUP: reload, told to systemd.
// Built first in main, before any thread is started, so that every thread inherits the blocked signals.
#pragma once

#include <functional>
#include <thread>

namespace lmtpd::server {

class ControlSignals {
 public:
  ControlSignals();   // blocks SIGTERM, SIGINT and SIGHUP in this thread and in those it starts from now on; ignores
                      // SIGPIPE
  ~ControlSignals();  // stop()s; the signals stay blocked
  ControlSignals(const ControlSignals&) = delete;
  ControlSignals& operator=(const ControlSignals&) = delete;

  // Starts the control thread. on_stop runs once, on_reload for each SIGHUP, both on that thread; neither may throw.
  // A second SIGTERM or SIGINT ends the process at once, as without a handler.
  void start(std::function<void()> on_stop, std::function<void()> on_reload);
  // Ends and joins the thread.
  void stop();

 private:
  void loop(const std::function<void()>& on_stop, const std::function<void()>& on_reload);

  std::thread thread_;
  int wake_ = -1;  // eventfd
};

}  // namespace lmtpd::server
