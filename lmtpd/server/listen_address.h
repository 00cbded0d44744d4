// lmtpd/server/listen_address.h: the syntax of Options::listen and of the network lists. Pure values; parse functions
// answer nullopt for what they do not understand.
#pragma once

#include <utility>

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::server {

// "unix:/path", "inet:127.0.0.1:24", "inet:[::1]:24". Host names are not looked up.
struct ListenAddress {
  std::string path;  // unix: absolute; empty: TCP
  boost::asio::ip::address host;
  std::uint16_t port = 0;  // 0: the kernel chooses

  [[nodiscard]] bool is_unix() const { return !path.empty(); }
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

// An address prefix. IPv4 addresses that come mapped into IPv6 match as IPv4.
class Network {
 public:
  Network(boost::asio::ip::address base, unsigned prefix) : base_(std::move(base)), prefix_(prefix) {}
  [[nodiscard]] bool contains(const boost::asio::ip::address& address) const;

 private:
  boost::asio::ip::address base_;
  unsigned prefix_;
};
// "10.0.0.0/8", "192.0.2.1" (= /32), "2001:db8::/32". Bits behind the prefix are ignored.
[[nodiscard]] std::optional<Network> parse_network(std::string_view text);
[[nodiscard]] bool contains(const std::vector<Network>& networks, const boost::asio::ip::address& address);

}  // namespace lmtpd::server
