// lmtpd/server/listening_socket.h: opens what Options::listen names, and takes over what systemd opened. Start-up code.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "lmtpd/server/listen_address.h"
#include "lmtpd/server/options.h"
#include "lmtpd/server/unix_socket.h"

namespace lmtpd::server {

// An open listening descriptor; closes it, and removes the file of a unix socket that we made.
class ListeningSocket {
 public:
  // Both throw std::runtime_error with one sentence for the operator; open: AddressUnavailable when a later try may succeed.
  static ListeningSocket open(const ListenAddress& address, const Options& options);
  static ListeningSocket adopt(int fd);  // from systemd
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  [[nodiscard]] const std::string& address() const { return address_; }  // in the syntax of Options::listen
  [[nodiscard]] bool beyond_loopback() const { return beyond_loopback_; }
  [[nodiscard]] int family() const { return family_; }
  [[nodiscard]] int release_fd() { return std::exchange(fd_, -1); }

 private:
  explicit ListeningSocket(int fd);
  void describe();

  int fd_;
  int family_ = 0;
  std::string address_;
  bool beyond_loopback_ = false;
  std::optional<UnixSocket> file_;
};

// What would keep a TCP address from being listened at, as one sentence; nullopt: nothing. Binds for a moment and never listens: a client
// that connects meanwhile is refused as before, and a running daemon does not notice.
[[nodiscard]] std::optional<std::string> tcp_problem(const ListenAddress& address);

}  // namespace lmtpd::server
