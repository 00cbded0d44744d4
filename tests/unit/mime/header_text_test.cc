#include "lmtpd/mime/header_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lmtpd::mime {
namespace {

struct Case {
  std::string raw;
  std::string text;
};

class HeaderText : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialise_gmime(); }
};

TEST_F(HeaderText, ForTheCache) {
  for (const Case& c : {
           Case{" plain ", "plain"},
           Case{" a\r\n  fold", "a\r\n  fold"},
           Case{" =?utf-8?Q?caf=C3=A9?= =?iso-8859-1?Q?_=E9?= x", "caf\xC3\xA9 \xC3\xA9 x"},
           Case{" raw caf\xC3\xA9", "raw caf\xC3\xA9"},
           Case{" caf\xE9 \xC3\xA9", "caf? ??"},
           Case{" =?nonsense?Q?a?= =?utf-8?Z?b?=", "a =?utf-8?Z?b?="},
           Case{" =?utf-8?Q?=00b?=", "?b"},
           Case{std::string(" a\0b", 4), "a?b"},
           Case{"", ""},
       }) {
    EXPECT_EQ(decode_for_cache(c.raw, Decoding::text), c.text) << c.raw;
  }
  EXPECT_EQ(decode_for_cache(" =?utf-8?Q?A=2C_B?= <a@example.org>", Decoding::phrase), "A, B <a@example.org>");
}

TEST_F(HeaderText, ForTheEnvelope) {
  for (const Case& c : {
           Case{" a\r\n  fold\r\n\tb ", "a  fold\tb"},
           Case{" caf\xE9", "caf\xC3\xA9"},
           Case{" =?utf-8?Q?caf=C3=A9?=", "caf\xC3\xA9"},
           Case{std::string(" a\0b", 4), "a?b"},
       }) {
    EXPECT_EQ(decode_for_envelope(c.raw), c.text) << c.raw;
  }
}

// The short cut must give what the decoder would: text without encoded words is its own decoding.
TEST_F(HeaderText, TextWithoutEncodedWordsIsUnchanged) {
  for (const std::string text : {"a  b\tc", "\"q\\\" (c) <a@b>, =x? ?=", "\xE4\xB8\x96 \xF0\x9F\x8C\x8D"}) {
    EXPECT_EQ(decode_for_cache(text, Decoding::text), text);
    EXPECT_EQ(decode_for_cache(text, Decoding::phrase), text);
    EXPECT_EQ(decode_for_cache("=?utf-8?Q?x?= " + text, Decoding::text), "x " + text);
  }
}

TEST(HeaderTextOctets, InvalidOctetsBecomeQuestionMarks) {
  for (const Case& c :
       {Case{"a\xFFz", "a?z"}, Case{"\xC1\xBE", "??"}, Case{"\xED\xA0\x80", "???"}, Case{"\xE2\x80", "??"},
        Case{std::string("a\0", 2), "a?"}, Case{"\xC3\xA9", "\xC3\xA9"}, Case{"", ""}}) {
    std::string text = c.raw;
    replace_invalid(text);
    EXPECT_EQ(text, c.text);
    EXPECT_EQ(is_utf8(c.raw), c.raw == c.text);
  }
}

TEST(HeaderTextOctets, CutsBetweenCharacters) {
  EXPECT_EQ(cut_octets("a\xC3\xA9z", 2), "a");
  EXPECT_EQ(cut_octets("a\xC3\xA9z", 3), "a\xC3\xA9");
  EXPECT_EQ(cut_octets("abc", 3), "abc");
  EXPECT_EQ(cut_octets("\x80\x80\x80", 2), "") << "not valid: some prefix";
  EXPECT_EQ(cut_characters("a\xC3\xA9z", 2), "a\xC3\xA9");
  EXPECT_EQ(cut_characters("a\xC3\xA9z", 3), "a\xC3\xA9z");
  EXPECT_EQ(cut_characters("abc", 0), "");
}

TEST(HeaderTextOctets, LowerCase) {
  EXPECT_EQ(lower_case("ABC-x"), "abc-x");
  EXPECT_EQ(lower_case("\xC3\x89"
                       "A"),
            "\xC3\xA9"
            "a");
}

}  // namespace
}  // namespace lmtpd::mime
