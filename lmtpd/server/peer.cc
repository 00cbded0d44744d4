#include "lmtpd/server/peer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

namespace lmtpd::server {
namespace {

namespace ip = boost::asio::ip;

void read_credentials(int fd, Peer& peer) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  peer.uid = static_cast<uid_t>(-1);  // nobody, should the kernel not tell
  peer.gid = static_cast<gid_t>(-1);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return;
  peer.uid = credentials.uid;
  peer.gid = credentials.gid;
  peer.pid = credentials.pid;
}

void read_groups(int fd, Peer& peer) {
  constexpr std::size_t most = 1024;
  peer.groups.resize(most);
  auto size = static_cast<socklen_t>(most * sizeof(gid_t));
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &size) != 0) size = 0;
  peer.groups.resize(size / sizeof(gid_t));
}

ip::address address_from(const sockaddr* raw) {
  if (raw->sa_family == AF_INET) {
    return ip::address_v4(ntohl(reinterpret_cast<const sockaddr_in*>(raw)->sin_addr.s_addr));
  }
  ip::address_v6::bytes_type bytes{};
  const auto* six = reinterpret_cast<const sockaddr_in6*>(raw);
  std::copy_n(six->sin6_addr.s6_addr, bytes.size(), bytes.begin());
  const ip::address_v6 address(bytes);
  if (address.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, address);
  return address;
}

template <typename Id>
bool has(const std::vector<Id>& list, Id id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

Peer peer_at(const ip::address& address) {
  Peer peer;
  peer.address = address;
  peer.text = address.to_string();
  return peer;
}

Peer peer_of(Socket& socket) {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  const int fd = socket.native_handle();
  const bool known = ::getpeername(fd, reinterpret_cast<sockaddr*>(&raw), &size) == 0;
  if (known && (raw.ss_family == AF_INET || raw.ss_family == AF_INET6)) {
    return peer_at(address_from(reinterpret_cast<const sockaddr*>(&raw)));
  }
  Peer peer;
  peer.is_unix = known && raw.ss_family == AF_UNIX;
  read_credentials(fd, peer);
  peer.text = "unix uid=" + std::to_string(peer.uid) + " pid=" + std::to_string(peer.pid);
  read_groups(fd, peer);
  return peer;
}

bool PeerPolicy::admits(const Peer& peer) const {
  if (!peer.is_unix || (users.empty() && groups.empty())) return true;
  if (has(users, peer.uid) || has(groups, peer.gid)) return true;
  return std::any_of(peer.groups.begin(), peer.groups.end(), [this](gid_t group) { return has(groups, group); });
}

}  // namespace lmtpd::server
