#include "lmtpd/protocol/proxy_header.h"

#include <arpa/inet.h>

#include <array>
#include <optional>

#include "lmtpd/protocol/text.h"

namespace lmtpd::protocol {
namespace {

using Kind = ProxyHeader::Kind;
using namespace std::string_view_literals;

constexpr std::string_view v1_start = "PROXY ";
constexpr std::string_view v2_signature = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t v1_limit = 107;  // octets, CRLF included
constexpr std::size_t v2_fixed = 16;

ProxyHeader answer(Kind kind, std::size_t consumed) {
  ProxyHeader header;
  header.kind = kind;
  header.consumed = consumed;
  return header;
}

ProxyHeader invalid() {
  return answer(Kind::invalid, 0);
}
ProxyHeader need_more() {
  return answer(Kind::need_more, 0);
}

// The address as inet_ntop writes it: one text per address, and nothing unchecked reaches the log.
std::optional<std::string> canonical(int family, const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_pton(family, text.c_str(), binary.data()) != 1) return std::nullopt;
  if (inet_ntop(family, binary.data(), out.data(), out.size()) == nullptr) return std::nullopt;
  return std::string(out.data());
}

std::optional<std::uint16_t> port_of(std::string_view digits) {
  const auto number = parse_number(digits);
  if (!number || *number > 65535 || digits.size() > 5) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

// Takes the field up to the next blank, or all of it.
std::string_view take_field(std::string_view& rest) {
  const std::size_t blank = rest.find(' ');
  const std::string_view field = rest.substr(0, blank);
  rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
  return field;
}

// `line` is what stands between "PROXY " and CRLF.
ProxyHeader parse_v1_line(std::string_view line, std::size_t consumed) {
  if (has_control(line)) return invalid();
  const std::string_view protocol = take_field(line);
  if (protocol == "UNKNOWN") return answer(Kind::local, consumed);
  if (protocol != "TCP4" && protocol != "TCP6") return invalid();
  const int family = protocol == "TCP4" ? AF_INET : AF_INET6;
  const auto source = canonical(family, std::string(take_field(line)));
  const auto destination = canonical(family, std::string(take_field(line)));
  const auto source_port = port_of(take_field(line));
  const auto destination_port = port_of(line);
  if (!source || !destination || !source_port || !destination_port) return invalid();
  ProxyHeader header = answer(Kind::proxied, consumed);
  header.peer = *source;
  header.port = *source_port;
  return header;
}

ProxyHeader parse_v1(std::string_view received) {
  const std::size_t end = received.substr(0, v1_limit).find("\r\n");
  if (end == std::string_view::npos) return received.size() < v1_limit ? need_more() : invalid();
  return parse_v1_line(received.substr(v1_start.size(), end - v1_start.size()), end + 2);
}

std::uint16_t big_endian(std::string_view two) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(two[0]) << 8 | static_cast<unsigned char>(two[1]));
}

ProxyHeader v2_peer(int family, std::string_view addresses, std::size_t consumed) {
  const std::size_t width = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (addresses.size() < 2 * width + 4) return invalid();
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_ntop(family, addresses.data(), out.data(), out.size()) == nullptr) return invalid();
  ProxyHeader header = answer(Kind::proxied, consumed);
  header.peer = out.data();
  header.port = big_endian(addresses.substr(2 * width, 2));
  return header;
}

ProxyHeader parse_v2(std::string_view received) {
  if (received.size() < v2_fixed) return need_more();
  const auto version_command = static_cast<unsigned char>(received[12]);
  const auto family_transport = static_cast<unsigned char>(received[13]);
  const std::size_t consumed = v2_fixed + big_endian(received.substr(14, 2));
  if (version_command >> 4 != 2 || (version_command & 0xf) > 1 || consumed > proxy_header_limit) return invalid();
  if (received.size() < consumed) return need_more();
  if ((version_command & 0xf) == 0) return answer(Kind::local, consumed);  // LOCAL: a health check of the proxy's own
  const std::string_view addresses = received.substr(v2_fixed, consumed - v2_fixed);
  switch (family_transport) {
    case 0x11:
      return v2_peer(AF_INET, addresses, consumed);
    case 0x21:
      return v2_peer(AF_INET6, addresses, consumed);
    default:
      return answer(Kind::local, consumed);  // unspecified, unix, datagram: to be accepted, addresses ignored
  }
}

bool begins(std::string_view received, std::string_view start) {
  return received.substr(0, start.size()) == start.substr(0, received.size());
}

}  // namespace

ProxyHeader parse_proxy_header(std::string_view received) {
  if (received.empty()) return need_more();
  if (begins(received, v2_signature)) return received.size() < v2_signature.size() ? need_more() : parse_v2(received);
  if (begins(received, v1_start)) return received.size() < v1_start.size() ? need_more() : parse_v1(received);
  return invalid();
}

}  // namespace lmtpd::protocol
