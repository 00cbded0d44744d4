// lmtpd/protocol/proxy_header.h: the PROXY protocol, versions 1 and 2 (haproxy's proxy-protocol.txt), as sent before
// the greeting by a listed network. In: what has arrived so far, from the first octet on. Out: the peer's address, or
// "more", or "this is none". Stateless: call again with a longer buffer. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lmtpd::protocol {

class ProxyHeader {
 public:
  enum class Kind : std::uint8_t {
    need_more,  // a header so far, but not all of it
    proxied,    // peer is the client's address
    local,      // v2 LOCAL, v1 UNKNOWN, or an address family without text: the peer is the connection's own
    invalid,    // no header, or a broken one: close the connection without a word
  };

  Kind kind = Kind::need_more;
  std::size_t consumed = 0;  // octets of the header; what follows is the client's
  std::string peer;          // "192.0.2.1" or "2001:db8::1"
  std::uint16_t port = 0;
};

// The most octets that a header may have; with as many buffered the answer is never need_more.
inline constexpr std::size_t proxy_header_limit = 4096;

[[nodiscard]] ProxyHeader parse_proxy_header(std::string_view received);

}  // namespace lmtpd::protocol
