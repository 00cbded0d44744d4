#include "lmtpd/ctl/text.h"

#include <gtest/gtest.h>

#include "lmtpd/ctl/session.h"

namespace lmtpd::ctl {
namespace {

TEST(Text, DatesAreRfc3339InUtc) {
  EXPECT_EQ(rfc3339("2024-11-05 23:30:00"), "2024-11-05T23:30:00Z");
  EXPECT_EQ(rfc3339(""), "");
}

TEST(Text, FoldsAreUndone) { EXPECT_EQ(unfolded("Re: Hello\r\n World\tagain"), "Re: Hello World again"); }

TEST(Text, TheBlankBeforeANamelessAddressGoes) { EXPECT_EQ(unfolded(" <a@example.org>"), "<a@example.org>"); }

TEST(Text, NamesAreNeitherEmptyNorForged) {
  EXPECT_NO_THROW(require_name("the name of a user", "two words"));
  EXPECT_THROW(require_name("the name of a user", ""), Refused);
  EXPECT_THROW(require_name("the name of a user", "alice\n5  root"), Refused);
}

TEST(Text, AddressesAreSplitAtTheLastAt) {
  EXPECT_EQ(parse_address("alice@example.org"), storage::Address("alice", "example.org"));
  EXPECT_EQ(parse_address("<alice@example.org>"), storage::Address("alice", "example.org"));
  EXPECT_EQ(parse_address("alice"), storage::Address("alice", ""));
  EXPECT_EQ(parse_address("\"a \\\"b@c\"@example.org"), storage::Address("a \"b@c", "example.org"));
  EXPECT_THROW((void)parse_address("\"open@example.org"), Refused);
}

TEST(Text, OctetsThatAreNoUtf8AreTold) {
  EXPECT_TRUE(is_utf8("Grüße"));
  EXPECT_FALSE(is_utf8("Gr\xfc\xdf"));
  EXPECT_FALSE(is_utf8("\xc3"));
}

TEST(Text, Base64HasTheVectorsOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Text, ColumnsAreCountedInCharacters) { EXPECT_EQ(table({{"A", "B"}, {"é", "x"}}), "A  B\né  x\n"); }

TEST(Text, CellsCannotForgeRowsOrSpeakToTheTerminal) {
  EXPECT_EQ(table({{"A", "B"}, {"x\n9  y", "\x1B[2Jz"}}), "A      B\nx9  y  [2Jz\n");
}

// SQLite would store any octets; those who read the column expect text.
TEST(Text, NamesAreUtf8) {
  EXPECT_THROW(require_name("an alias", "\xFF@example.org"), Refused);
  EXPECT_THROW(require_name("an alias", "a\xED\xA0\x80"), Refused);
  EXPECT_NO_THROW(require_name("an alias", "\xC3\xA4@example.org"));
}

}  // namespace
}  // namespace lmtpd::ctl
