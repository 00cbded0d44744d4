#include "lmtpd/protocol/xforward.h"

#include <gtest/gtest.h>

namespace lmtpd::protocol {
namespace {

TEST(Xforward, ReadsEveryAttribute) {
  Origin origin;
  ASSERT_TRUE(apply_xforward(
      "NAME=mx.example.org ADDR=192.0.2.1 PORT=25 PROTO=ESMTP HELO=h.example IDENT=4bX SOURCE=REMOTE", origin));
  EXPECT_EQ(origin.name, "mx.example.org");
  EXPECT_EQ(origin.addr, "192.0.2.1");
  EXPECT_EQ(origin.port, "25");
  EXPECT_EQ(origin.proto, "ESMTP");
  EXPECT_EQ(origin.helo, "h.example");
  EXPECT_EQ(origin.ident, "4bX");
  EXPECT_EQ(origin.source, "REMOTE");
}

TEST(Xforward, DecodesAndAddsUp) {
  Origin origin;
  ASSERT_TRUE(apply_xforward("name=a+3Db  helo=x+20y", origin));
  ASSERT_TRUE(apply_xforward("IDENT=q1", origin));
  EXPECT_EQ(origin.name, "a=b");
  EXPECT_EQ(origin.helo, "x y");
  EXPECT_EQ(origin.ident, "q1");
}

TEST(Xforward, UnavailableEmptiesAValue) {
  Origin origin;
  ASSERT_TRUE(apply_xforward("NAME=a ADDR=b", origin));
  ASSERT_TRUE(apply_xforward("NAME=[UNAVAILABLE] ADDR=[tempunavail]", origin));
  EXPECT_EQ(origin, Origin());
}

// No message can forge a log line through it; a bad attribute changes nothing.
TEST(Xforward, RefusesBadAttributes) {
  Origin origin;
  ASSERT_TRUE(apply_xforward("NAME=kept", origin));
  const Origin before = origin;
  const std::string too_long = "NAME=" + std::string(xforward_value_limit + 1, 'x');
  for (const std::string& bad :
       {std::string(""), std::string("  "), std::string("NAME"), std::string("LOGIN=x"), std::string("=x"),
        std::string("NAME=new IDENT=a+0Ab"), std::string("NAME=new IDENT=+00"), std::string("IDENT=+7F"),
        std::string("IDENT=+"), std::string("IDENT=+4"), std::string("IDENT=+GG"), std::string("IDENT=+E9"),
        too_long}) {
    EXPECT_FALSE(apply_xforward(bad, origin)) << bad;
    EXPECT_EQ(origin, before) << bad;
  }
}

TEST(Xforward, LimitsTheDecodedValue) {
  Origin origin;
  std::string encoded;
  for (std::size_t i = 0; i < xforward_value_limit; ++i) encoded += "+41";
  ASSERT_TRUE(apply_xforward("NAME=" + encoded, origin));
  EXPECT_EQ(origin.name, std::string(xforward_value_limit, 'A'));
}

}  // namespace
}  // namespace lmtpd::protocol
