#include "lmtpd/protocol/text.h"

#include <gtest/gtest.h>

namespace lmtpd::protocol {
namespace {

TEST(Text, KnowsUtf8) {
  for (const char* valid :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x8c\x8d", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(valid)) << valid;
  }
}

// A8: a lone continuation, overlong forms, surrogates, beyond U+10FFFF, and cuts in the middle.
TEST(Text, RefusesWhatIsNoUtf8) {
  for (const char* invalid : {"\x80", "\xe9", "\xc1\xbe", "\xc0\x80", "\xe2\x80", "\xe2\x80 ", "\xe0\x9f\xbf",
                              "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff"}) {
    EXPECT_FALSE(is_utf8(invalid)) << invalid;
  }
}

TEST(Text, ParsesNumbers) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number("007"), 7u);
  EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number("18446744073709551616"), UINT64_MAX);
  EXPECT_EQ(parse_number("99999999999999999999999"), UINT64_MAX);
  for (const char* invalid : {"", "-1", "+1", " 1", "1 ", "0x1", "1.0"}) EXPECT_FALSE(parse_number(invalid)) << invalid;
}

TEST(Text, ComparesWithoutCase) {
  EXPECT_TRUE(equal_no_case("MaIl", "mAiL"));
  EXPECT_FALSE(equal_no_case("mail", "mai"));
  EXPECT_FALSE(equal_no_case("[", "{"));
}

TEST(Text, FindsControls) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(has_control("a\0"sv));
  EXPECT_TRUE(has_control("a\nb"));
  EXPECT_TRUE(has_control("\x7f"));
  EXPECT_FALSE(has_control("a \xc3\xa9~"));
}

}  // namespace
}  // namespace lmtpd::protocol
