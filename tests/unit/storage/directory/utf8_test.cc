#include "storage/directory/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace storage::directory {
namespace {

TEST(NextCharacter, TakesOneCharacterOfEachLength) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x93\xA7";
  std::size_t at = 0;
  EXPECT_EQ(next_character(text, at), U'a');
  EXPECT_EQ(next_character(text, at), U'\u00E9');
  EXPECT_EQ(next_character(text, at), U'\u20AC');
  EXPECT_EQ(next_character(text, at), U'\U0001F4E7');
  EXPECT_EQ(at, text.size());
}

TEST(NextCharacter, StaysAtWhatIsNoUtf8) {
  for (const std::string text : {"\x80", "\xC3", "\xC3(", "\xE2\x82", "\xF0\x9F\x93", "\xC0\x80", "\xE0\x80\x80",
                                 "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
    std::size_t at = 0;
    EXPECT_EQ(next_character(text, at), std::nullopt)
        << text.size() << " octets, first " << int(static_cast<unsigned char>(text[0]));
    EXPECT_EQ(at, 0U);
  }
}

TEST(NextCharacter, UndoesAppendCharacter) {
  for (char32_t value = 0; value < 0x110000; value += value < 0x1000 ? 1 : 61) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_character(value, text);
    std::size_t at = 0;
    ASSERT_EQ(next_character(text, at), value);
    ASSERT_EQ(at, text.size());
  }
}

}  // namespace
}  // namespace storage::directory
