#include "lmtpd/protocol/reply.h"

#include <gtest/gtest.h>

namespace lmtpd::protocol {
namespace {

TEST(Reply, WritesOneLine) {
  EXPECT_EQ(Reply(250, "2.1.0", "Ok").wire(), "250 2.1.0 Ok\r\n");
}

TEST(Reply, WritesNoEnhancedCodeWhereNoneBelongs) {
  EXPECT_EQ(Reply(354, "", "Go on").wire(), "354 Go on\r\n");
}

TEST(Reply, WritesSeveralLines) {
  EXPECT_EQ(Reply(250, "", std::vector<std::string>{"a", "b", "c"}).wire(), "250-a\r\n250-b\r\n250 c\r\n");
  EXPECT_EQ(Reply(550, "5.1.1", std::vector<std::string>{"a", "b"}).wire(), "550-5.1.1 a\r\n550 5.1.1 b\r\n");
}

TEST(Reply, NeverHasNoLine) {
  EXPECT_EQ(Reply(250, "", std::vector<std::string>{}).wire(), "250 \r\n");
}

// No text can forge a second reply.
TEST(Reply, MakesTextPrintable) {
  EXPECT_EQ(Reply(550, "5.1.1", "x\r\n250 2.0.0 ok").wire(), "550 5.1.1 x??250 2.0.0 ok\r\n");
  EXPECT_EQ(Reply(550, "5.1.1", std::string_view("\0\x7f\xc3\xa9\t", 5)).wire(), "550 5.1.1 ?????\r\n");
}

TEST(Reply, CutsLongText) {
  const std::string wire = Reply(550, "5.1.1", std::string(5000, 'x')).wire();
  EXPECT_LE(wire.size(), 512u);
  EXPECT_GT(wire.size(), 480u);
}

TEST(Reply, IsOurTemporaryFaultByDefault) {
  EXPECT_EQ(Reply().code(), 451);
  EXPECT_FALSE(Reply().positive());
  EXPECT_TRUE(Reply(354, "", "").positive());
}

}  // namespace
}  // namespace lmtpd::protocol
