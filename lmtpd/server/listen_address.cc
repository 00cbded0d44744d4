#include "lmtpd/server/listen_address.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace lmtpd::server {
namespace {

using boost::asio::ip::address;

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<address> parse_host(std::string_view text) {
  boost::system::error_code ec;
  const address parsed = boost::asio::ip::make_address(std::string(text), ec);
  if (ec) return std::nullopt;
  return parsed;
}

std::optional<ListenAddress> parse_inet(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto parsed = parse_host(host);
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!parsed || !port || parsed->is_v6() != bracketed) return std::nullopt;
  return ListenAddress{{}, *parsed, *port};
}

bool same_prefix(std::span<const unsigned char> a, std::span<const unsigned char> b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

}  // namespace

std::string ListenAddress::text() const {
  if (is_unix()) return "unix:" + path;
  const std::string name = host.to_string();
  return "inet:" + (host.is_v6() ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  constexpr std::string_view unix_scheme = "unix:";
  constexpr std::string_view inet_scheme = "inet:";
  if (text.starts_with(inet_scheme)) return parse_inet(text.substr(inet_scheme.size()));
  if (!text.starts_with(unix_scheme)) return std::nullopt;
  text.remove_prefix(unix_scheme.size());
  if (text.size() < 2 || text.front() != '/' || text.back() == '/') return std::nullopt;
  if (text.find('\0') != std::string_view::npos || text.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
  return ListenAddress{std::string(text), {}, 0};
}

bool Network::contains(const address& other) const {
  address plain = other;
  if (other.is_v6() && other.to_v6().is_v4_mapped()) {
    plain = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, other.to_v6());
  }
  if (plain.is_v4() != base_.is_v4()) return false;
  if (plain.is_v4()) return same_prefix(plain.to_v4().to_bytes(), base_.to_v4().to_bytes(), prefix_);
  return same_prefix(plain.to_v6().to_bytes(), base_.to_v6().to_bytes(), prefix_);
}

std::optional<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = parse_host(text.substr(0, slash));
  if (!base) return std::nullopt;
  const unsigned longest = base->is_v4() ? 32 : 128;
  if (slash == std::string_view::npos) return Network(*base, longest);
  const auto prefix = parse_number<unsigned>(text.substr(slash + 1));
  if (!prefix || *prefix > longest) return std::nullopt;
  return Network(*base, *prefix);
}

bool contains(const std::vector<Network>& networks, const address& address) {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& n) { return n.contains(address); });
}

}  // namespace lmtpd::server
