// lmtpd/server/peer.h: who is at the other end of a connection, and whether he may talk to us. Small system calls, any
// thread.
#pragma once

#include <utility>

#include <boost/asio/ip/address.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

#include "lmtpd/server/sweeper.h"

namespace lmtpd::server {

class Peer {
 public:
  bool is_unix = false;
  uid_t uid = 0;  // unix only, here and below: of the process that connected (SO_PEERCRED)
  gid_t gid = 0;
  pid_t pid = 0;
  std::vector<gid_t> groups;         // its supplementary groups
  boost::asio::ip::address address;  // TCP only; behind a proxy: what its header says
  std::string text;                  // for the log: "unix uid=106 pid=4711", "192.0.2.1"
};

[[nodiscard]] Peer peer_of(Socket& socket);
[[nodiscard]] Peer peer_at(const boost::asio::ip::address& address);

// The allow list of unix sockets; empty: everybody whom the file mode lets in.
struct PeerPolicy {
  std::vector<uid_t> users;
  std::vector<gid_t> groups;

  [[nodiscard]] bool admits(const Peer& peer) const;
};

}  // namespace lmtpd::server
