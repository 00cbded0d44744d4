#include "lmtpd/protocol/proxy_header.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lmtpd::protocol {
namespace {

using Kind = ProxyHeader::Kind;
using namespace std::string_literals;

std::string v2(char version_command, char family, const std::string& body) {
  std::string header = "\r\n\r\n\0\r\nQUIT\n"s;
  header += version_command;
  header += family;
  header += static_cast<char>(body.size() >> 8);
  header += static_cast<char>(body.size() & 0xff);
  return header + body;
}

const std::string v4_addresses = "\xc0\x00\x02\x01\xc0\x00\x02\x02\x30\x39\x00\x19"s;
const std::string v6_addresses =
    "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x01" + std::string(16, '\0') + "\x00\x50\x00\x19"s;

struct Valid {
  const char* name;
  std::string header;
  Kind kind;
  std::string peer;
  int port;
};

class ProxyHeaderIsRead : public ::testing::TestWithParam<Valid> {};

// A66: the header may be split over segments, and the client's first command may follow in the same one.
TEST_P(ProxyHeaderIsRead, WhereverItIsCut) {
  const Valid& expected = GetParam();
  const std::string stream = expected.header + "LHLO x\r\n";
  for (std::size_t cut = 0; cut < expected.header.size(); ++cut) {
    EXPECT_EQ(parse_proxy_header(std::string_view(stream).substr(0, cut)).kind, Kind::need_more) << "cut at " << cut;
  }
  for (std::size_t cut = expected.header.size(); cut <= stream.size(); ++cut) {
    const ProxyHeader header = parse_proxy_header(std::string_view(stream).substr(0, cut));
    EXPECT_EQ(header.kind, expected.kind);
    EXPECT_EQ(header.consumed, expected.header.size());
    EXPECT_EQ(header.peer, expected.peer);
    EXPECT_EQ(header.port, expected.port);
  }
}

const Valid valid[] = {
    {"V1Tcp4", "PROXY TCP4 192.0.2.1 192.0.2.2 12345 25\r\n", Kind::proxied, "192.0.2.1", 12345},
    {"V1Tcp6", "PROXY TCP6 2001:db8:0::1 ::1 1 65535\r\n", Kind::proxied, "2001:db8::1", 1},
    {"V1Unknown", "PROXY UNKNOWN\r\n", Kind::local, "", 0},
    {"V1UnknownWithMore", "PROXY UNKNOWN ffff::1 whatever 1 2\r\n", Kind::local, "", 0},
    {"V2Tcp4", v2(0x21, 0x11, v4_addresses), Kind::proxied, "192.0.2.1", 12345},
    {"V2Tcp4Tlv", v2(0x21, 0x11, v4_addresses + std::string(300, '\x04')), Kind::proxied, "192.0.2.1", 12345},
    {"V2Tcp6", v2(0x21, 0x21, v6_addresses), Kind::proxied, "2001:db8::1", 80},
    {"V2Local", v2(0x20, 0x00, ""), Kind::local, "", 0},
    {"V2LocalWithBody", v2(0x20, 0x11, v4_addresses), Kind::local, "", 0},
    {"V2Unspecified", v2(0x21, 0x00, ""), Kind::local, "", 0},
    {"V2Unix", v2(0x21, 0x31, std::string(216, 'u')), Kind::local, "", 0},
};
INSTANTIATE_TEST_SUITE_P(Valid, ProxyHeaderIsRead, ::testing::ValuesIn(valid),
                         [](const auto& tested) { return tested.param.name; });

struct Invalid {
  const char* name;
  std::string header;
};

class ProxyHeaderIsRefused : public ::testing::TestWithParam<Invalid> {};

TEST_P(ProxyHeaderIsRefused, AtOnce) {
  EXPECT_EQ(parse_proxy_header(GetParam().header).kind, Kind::invalid);
}

const Invalid invalid[] = {
    {"ACommand", "L"},
    {"LowerCase", "proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n"},
    {"AlmostV2", "\r\n\r\n\1"s},
    {"V1NoFields", "PROXY \r\n"},
    {"V1OtherProtocol", "PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n"},
    {"V1MissingPort", "PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n"},
    {"V1OneMore", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n"},
    {"V1DoubleBlank", "PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n"},
    {"V1WrongFamily", "PROXY TCP4 ::1 ::1 1 2\r\n"},
    {"V1Name", "PROXY TCP4 localhost 192.0.2.2 1 2\r\n"},
    {"V1PortTooLarge", "PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n"},
    {"V1PortPadded", "PROXY TCP4 192.0.2.1 192.0.2.2 000001 2\r\n"},
    {"V1PortNegative", "PROXY TCP4 192.0.2.1 192.0.2.2 -1 2\r\n"},
    {"V1BareLf", "PROXY UNKNOWN\nQUIT\r\n"},
    {"V1Nul", "PROXY TCP4 192.0.2.1\0 192.0.2.2 1 2\r\n"s},
    {"V1TooLong", "PROXY UNKNOWN " + std::string(200, 'x')},
    {"V1JustTooLong", "PROXY UNKNOWN " + std::string(92, 'x') + "\r\n"},
    {"V2Version", v2(0x11, 0x11, v4_addresses)},
    {"V2Command", v2(0x22, 0x11, v4_addresses)},
    {"V2TooShortForFamily", v2(0x21, 0x21, v4_addresses)},
    {"V2TooLong", v2(0x21, 0x11, std::string(proxy_header_limit, 'x')).substr(0, 16)},
};
INSTANTIATE_TEST_SUITE_P(Invalid, ProxyHeaderIsRefused, ::testing::ValuesIn(invalid),
                         [](const auto& tested) { return tested.param.name; });

TEST(ProxyHeader, IsDecidedWithinTheLimit) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string stream = round % 2 == 0 ? "PROXY TCP4 "s : v2(0x21, static_cast<char>(random()), "").substr(0, 14);
    while (stream.size() < proxy_header_limit) stream += static_cast<char>(random());
    const ProxyHeader header = parse_proxy_header(stream);
    EXPECT_NE(header.kind, Kind::need_more);
    EXPECT_LE(header.consumed, stream.size());
  }
}

}  // namespace
}  // namespace lmtpd::protocol
