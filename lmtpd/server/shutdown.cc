#include "lmtpd/server/shutdown.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <stdexcept>

#include "lmtpd/server/socket_activation.h"

namespace lmtpd::server {
namespace {

sigset_t control_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

// Ends the process the way the signal would have without us.
void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

ControlSignals::ControlSignals() : wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::runtime_error("cannot make an eventfd");
  const sigset_t set = control_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

ControlSignals::~ControlSignals() {
  stop();
  ::close(wake_);
}

void ControlSignals::start(std::function<void()> on_stop, std::function<void()> on_reload) {
  thread_ = std::thread([this, stop = std::move(on_stop), reload = std::move(on_reload)] { loop(stop, reload); });
}

void ControlSignals::stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  thread_.join();
}

void ControlSignals::loop(const std::function<void()>& on_stop, const std::function<void()>& on_reload) {
  const sigset_t set = control_signals();
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  bool stopping = false;
  pollfd waits[2] = {{signals, POLLIN, 0}, {wake_, POLLIN, 0}};
  while (true) {
    if (::poll(waits, 2, -1) < 0) continue;
    if (waits[1].revents != 0) break;
    signalfd_siginfo got{};
    if (::read(signals, &got, sizeof got) != static_cast<ssize_t>(sizeof got)) continue;
    const int signal = static_cast<int>(got.ssi_signo);
    if (signal == SIGHUP) {
      notify_reloading();
      on_reload();
      notify_supervisor("READY=1");
    } else if (stopping) {
      die_of(signal);
    } else {
      stopping = true;
      on_stop();
    }
  }
  ::close(signals);
}

}  // namespace lmtpd::server
