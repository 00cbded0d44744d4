#include "lmtpd/server/listening_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "lmtpd/server/address_unavailable.h"

namespace lmtpd::server {
namespace {

namespace ip = boost::asio::ip;

// The caller keeps errno before it puts the sentence together, which may change it.
[[noreturn]] void fail(int error, const std::string& what) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

std::string remedy(int error) {
  if (error == EADDRINUSE) return ": another process listens there: end it, or choose another address";
  if (error == EADDRNOTAVAIL) return ": no interface of this machine has this address (yet)";
  if (error == EACCES) return ": a port below 1024 must come from systemd (lmtpd.socket), or choose a higher one";
  return "";
}

std::string sentence(int error, const ListenAddress& address) {
  return "listen.lmtp: cannot listen at " + address.text() + ": " + std::generic_category().message(error) + remedy(error);
}

socklen_t fill(const ListenAddress& address, sockaddr_storage& raw) {
  if (address.host.is_v4()) {
    auto& four = reinterpret_cast<sockaddr_in&>(raw);
    four.sin_family = AF_INET;
    four.sin_port = htons(address.port);
    four.sin_addr.s_addr = htonl(address.host.to_v4().to_uint());
    return sizeof four;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(raw);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(address.port);
  const ip::address_v6::bytes_type bytes = address.host.to_v6().to_bytes();
  std::memcpy(six.sin6_addr.s6_addr, bytes.data(), bytes.size());
  six.sin6_scope_id = static_cast<std::uint32_t>(address.host.to_v6().scope_id());
  return sizeof six;
}

// Returns the error, 0: none. Takes no connection before it listens.
int bind_tcp(const ListenAddress& address, int& fd) {
  sockaddr_storage raw{};
  const socklen_t size = fill(address, raw);
  fd = ::socket(raw.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (raw.ss_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&raw), size) == 0 ? 0 : errno;
}

int open_tcp(const ListenAddress& address, int backlog) {
  int fd = -1;
  int error = bind_tcp(address, fd);
  if (error == 0 && ::listen(fd, backlog) != 0) error = errno;
  if (error == 0) return fd;
  if (fd >= 0) ::close(fd);
  if (error == EADDRINUSE || error == EADDRNOTAVAIL) throw AddressUnavailable(sentence(error, address));
  throw std::runtime_error(sentence(error, address));
}

UnixSocket open_unix(const ListenAddress& address, const Options& options) {
  UnixSocketOptions wanted;
  wanted.path = address.path;
  wanted.mode = options.socket_mode;
  wanted.backlog = options.backlog;
  if (!options.socket_owner.empty()) wanted.owner = find_user(options.socket_owner);
  if (!options.socket_group.empty()) wanted.group = find_group(options.socket_group);
  return UnixSocket(wanted);
}

ListenAddress tcp_address(const sockaddr_storage& raw) {
  ListenAddress address;
  if (raw.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(raw);
    address.host = ip::address_v4(ntohl(four.sin_addr.s_addr));
    address.port = ntohs(four.sin_port);
    return address;
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(raw);
  ip::address_v6::bytes_type bytes{};
  std::memcpy(bytes.data(), six.sin6_addr.s6_addr, bytes.size());
  address.host = ip::address_v6(bytes, six.sin6_scope_id);
  address.port = ntohs(six.sin6_port);
  return address;
}

std::string unix_path(const sockaddr_storage& raw, socklen_t size) {
  const auto& local = reinterpret_cast<const sockaddr_un&>(raw);
  if (size <= offsetof(sockaddr_un, sun_path)) return "unix:(unnamed)";
  const std::size_t length = size - offsetof(sockaddr_un, sun_path);
  if (local.sun_path[0] == '\0') return "unix:@" + std::string(local.sun_path + 1, length - 1);
  return "unix:" + std::string(local.sun_path, ::strnlen(local.sun_path, length));
}

}  // namespace

ListeningSocket::ListeningSocket(int fd) : fd_(fd) {}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      family_(other.family_),
      address_(std::move(other.address_)),
      beyond_loopback_(other.beyond_loopback_),
      file_(std::move(other.file_)) {}

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) ::close(fd_);
}

void ListeningSocket::describe() {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&raw), &size) != 0) fail(errno, "cannot name a listening socket");
  family_ = raw.ss_family;
  if (family_ == AF_UNIX) {
    address_ = unix_path(raw, size);
    return;
  }
  const ListenAddress address = tcp_address(raw);
  address_ = address.text();
  beyond_loopback_ = !address.host.is_loopback();
}

ListeningSocket ListeningSocket::open(const ListenAddress& address, const Options& options) {
  if (!address.is_unix()) {
    ListeningSocket opened(open_tcp(address, options.backlog));
    opened.describe();
    return opened;
  }
  UnixSocket file = open_unix(address, options);
  ListeningSocket opened(file.release_fd());
  opened.family_ = AF_UNIX;
  opened.address_ = address.text();
  opened.file_.emplace(std::move(file));
  return opened;
}

ListeningSocket ListeningSocket::adopt(int fd) {
  ListeningSocket adopted(fd);
  adopted.describe();
  return adopted;
}

std::optional<std::string> tcp_problem(const ListenAddress& address) {
  int fd = -1;
  const int error = bind_tcp(address, fd);
  if (fd >= 0) ::close(fd);
  if (error == 0) return std::nullopt;
  return sentence(error, address);
}

}  // namespace lmtpd::server
