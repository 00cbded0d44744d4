#include "lmtpd/config/value.h"

#include <gtest/gtest.h>

namespace lmtpd::config {
namespace {

TEST(Octets, AreReadWithTheirUnit) {
  std::int64_t octets = 0;
  EXPECT_TRUE(parse_octets("50MiB", octets));
  EXPECT_EQ(octets, 50 << 20);
  EXPECT_TRUE(parse_octets("64 KiB", octets));
  EXPECT_EQ(octets, 65536);
  EXPECT_TRUE(parse_octets("7B", octets));
  EXPECT_EQ(octets, 7);
}

TEST(Octets, RefuseWhatIsNoSize) {
  std::int64_t octets = 0;
  for (const char* text : {"", "5", "MiB", "-5MiB", "5MB", "5 mib", "9999999999999GiB", "1.5GiB", "5MiBx"}) {
    EXPECT_FALSE(parse_octets(text, octets)) << text;
  }
}

TEST(Duration, IsReadWithItsUnit) {
  std::int64_t us = 0;
  EXPECT_TRUE(parse_duration("250ms", us));
  EXPECT_EQ(us, 250'000);
  EXPECT_TRUE(parse_duration("5m", us));
  EXPECT_EQ(us, 300'000'000);
  EXPECT_TRUE(parse_duration("0s", us));
  EXPECT_EQ(us, 0);
  for (const char* text : {"", "5", "m", "5 minutes", "-1s", "9999999999999d"}) EXPECT_FALSE(parse_duration(text, us)) << text;
}

TEST(Mode, IsOctal) {
  std::int64_t mode = 0;
  EXPECT_TRUE(parse_mode("0660", mode));
  EXPECT_EQ(mode, 0660);
  for (const char* text : {"", "0888", "rw", "10000"}) EXPECT_FALSE(parse_mode(text, mode)) << text;
}

TEST(Literal, UsesTheLargestUnitThatIsExact) {
  EXPECT_EQ(to_literal(Type::octets, std::int64_t{50 << 20}), "\"50MiB\"");
  EXPECT_EQ(to_literal(Type::octets, std::int64_t{1025}), "\"1025B\"");
  EXPECT_EQ(to_literal(Type::octets, std::int64_t{0}), "\"0B\"");
  EXPECT_EQ(to_literal(Type::duration, std::int64_t{300'000'000}), "\"5m\"");
  EXPECT_EQ(to_literal(Type::duration, std::int64_t{1'500}), "\"1500us\"");
  EXPECT_EQ(to_literal(Type::mode, std::int64_t{0660}), "\"0660\"");
  EXPECT_EQ(to_literal(Type::text, std::string("a\"b\\")), R"("a\"b\\")");
  EXPECT_EQ(to_literal(Type::texts, std::vector<std::string>{"a", "b"}), R"(["a", "b"])");
}

}  // namespace
}  // namespace lmtpd::config
