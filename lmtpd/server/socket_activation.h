// lmtpd/server/socket_activation.h: systemd's two protocols, without its library: sockets that it opened for us
// (LISTEN_FDS, sd_listen_fds(3)) and state messages back to it (NOTIFY_SOCKET, sd_notify(3)). The environment is read,
// never changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::server {

class ActivatedSocket {
 public:
  ActivatedSocket(int fd, std::string name) : fd(fd), name(std::move(name)) {}
  int fd;            // close-on-exec; owned by the caller from now on
  std::string name;  // from LISTEN_FDNAMES, or "unknown"
};

// The listening stream sockets that were handed to this process; other kinds are named in rejected, one sentence each.
[[nodiscard]] std::vector<ActivatedSocket> activated_sockets(std::vector<std::string>& rejected);

// Sends e.g. "READY=1" if a supervisor listens; without one, or when sending fails, nothing happens.
void notify_supervisor(std::string_view state);
// "RELOADING=1" with the time stamp that Type=notify-reload asks for. Say READY=1 when the reload is done.
void notify_reloading();

}  // namespace lmtpd::server
