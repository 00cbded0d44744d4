#include "lmtpd/server/listen_address.h"

#include <gtest/gtest.h>

#include <string>

namespace lmtpd::server {
namespace {

using boost::asio::ip::make_address;

TEST(ListenAddress, ReadsWhatItWrites) {
  for (const char* text : {"unix:/run/lmtpd/lmtp.sock", "inet:127.0.0.1:24", "inet:[::1]:2424", "inet:0.0.0.0:0"}) {
    const auto address = parse_listen_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
}

TEST(ListenAddress, RefusesTheRest) {
  const std::string long_path = "unix:/" + std::string(108, 'a');
  for (const std::string& text :
       {std::string(""), std::string("/run/lmtp.sock"), std::string("unix:relative"), std::string("unix:/"),
        std::string("unix:/a/"), std::string("inet:localhost:24"), std::string("inet:127.0.0.1"),
        std::string("inet:127.0.0.1:65536"), std::string("inet:127.0.0.1:"), std::string("inet:::1:24"),
        std::string("inet:[127.0.0.1]:24"), std::string("inet:127.0.0.1:24 "), std::string("tcp:127.0.0.1:24"),
        std::string("unix:/a\0b", 9), long_path}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
}

struct NetworkCase {
  const char* network;
  const char* inside;
  const char* outside;
};

TEST(Network, ContainsItsPrefix) {
  const NetworkCase cases[] = {
      {"10.0.0.0/8", "10.255.1.2", "11.0.0.0"},
      {"192.0.2.129/25", "192.0.2.255", "192.0.2.127"},
      {"192.0.2.1", "192.0.2.1", "192.0.2.2"},
      {"0.0.0.0/0", "203.0.113.9", "2001:db8::1"},
      {"2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"},
      {"::1", "::1", "::2"},
      {"127.0.0.0/8", "::ffff:127.0.0.1", "::ffff:128.0.0.1"},
  };
  for (const NetworkCase& given : cases) {
    const auto network = parse_network(given.network);
    ASSERT_TRUE(network) << given.network;
    EXPECT_TRUE(network->contains(make_address(given.inside))) << given.network;
    EXPECT_FALSE(network->contains(make_address(given.outside))) << given.network;
  }
}

TEST(Network, RefusesTheRest) {
  for (const char* text :
       {"", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/-1", "all", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(parse_network(text)) << text;
  }
}

}  // namespace
}  // namespace lmtpd::server
