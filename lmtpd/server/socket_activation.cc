#include "lmtpd/server/socket_activation.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace lmtpd::server {
namespace {

constexpr int first_fd = 3;
constexpr int most_fds = 256;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string take_name(std::string_view& names) {
  const std::size_t colon = names.find(':');
  std::string name(names.substr(0, colon));
  names = colon == std::string_view::npos ? std::string_view{} : names.substr(colon + 1);
  return name.empty() ? "unknown" : name;
}

int socket_option(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_listening_stream(int fd) {
  const int domain = socket_option(fd, SO_DOMAIN);
  const bool known_domain = domain == AF_UNIX || domain == AF_INET || domain == AF_INET6;
  return known_domain && socket_option(fd, SO_TYPE) == SOCK_STREAM && socket_option(fd, SO_ACCEPTCONN) == 1;
}

}  // namespace

std::vector<ActivatedSocket> activated_sockets(std::vector<std::string>& rejected) {
  std::vector<ActivatedSocket> sockets;
  const auto pid = number(variable("LISTEN_PID"));
  const auto count = number(variable("LISTEN_FDS"));
  if (!pid || *pid != ::getpid() || !count || *count < 1 || *count > most_fds) return sockets;
  std::string_view names = variable("LISTEN_FDNAMES");
  for (int fd = first_fd; fd < first_fd + *count; ++fd) {
    std::string name = take_name(names);
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0) ::fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    if (flags < 0 || !is_listening_stream(fd)) {
      rejected.push_back("activated descriptor " + std::to_string(fd) + " (" + name +
                         ") is no listening stream socket");
      continue;
    }
    sockets.emplace_back(fd, std::move(name));
  }
  return sockets;
}

void notify_supervisor(std::string_view state) {
  const std::string_view path = variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path.size() < 2 || path.size() >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@')) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';  // abstract name
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  [[maybe_unused]] const ssize_t sent = ::sendto(fd, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                                 reinterpret_cast<const sockaddr*>(&address), size);
  ::close(fd);
}

void notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const long long microseconds = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  notify_supervisor("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

}  // namespace lmtpd::server
