#include "lmtpd/protocol/parameters.h"

#include <gtest/gtest.h>

namespace lmtpd::protocol {
namespace {

using Parameters = std::vector<Parameter>;

TEST(Parameters, MayBeAbsent) {
  EXPECT_EQ(parse_parameters(""), Parameters{});
  EXPECT_EQ(parse_parameters("   "), Parameters{});
}

TEST(Parameters, AreReadInOrder) {
  const Parameters expected = {{"SIZE", "1"}, {"SMTPUTF8", std::nullopt}, {"BODY", "8bitmime"}};
  EXPECT_EQ(parse_parameters(" size=1  SmtpUtf8 BODY=8bitmime "), expected);
}

// A45: values as they come in the wild.
TEST(Parameters, TolerateOddValues) {
  const Parameters expected = {{"ORCPT", "rfc822;a=b+2Bc@\xc3\xa9.example"}};
  EXPECT_EQ(parse_parameters(" ORCPT=rfc822;a=b+2Bc@\xc3\xa9.example"), expected);
}

TEST(Parameters, RefuseWhatIsMalformed) {
  for (const char* malformed : {"SIZE=1", " =1", " SIZE=", " -A=1", " A_B=1", " SIZE=1\t", " A=\x01", " A=\xff", " A A",
                                " a=1 A=2", " \xc3\xa9=1"}) {
    EXPECT_FALSE(parse_parameters(malformed)) << malformed;
  }
}

TEST(Parameters, AreBoundedInNumber) {
  std::string many;
  for (int i = 0; i < 20; ++i) many += " A" + std::to_string(i);
  EXPECT_TRUE(parse_parameters(many));
  EXPECT_FALSE(parse_parameters(many + " B"));
}

}  // namespace
}  // namespace lmtpd::protocol
