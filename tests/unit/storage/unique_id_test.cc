#include <gtest/gtest.h>

#include "storage/delivery.h"

namespace storage {
namespace {

// SHA-256("hello\r\n").
const Digest content = {0xcd, 0x2e, 0xca, 0x35, 0x35, 0x74, 0x1f, 0x27, 0xa8, 0xae, 0x40, 0xc3, 0x1b, 0x0c, 0x41, 0xd4,
                        0x05, 0x7a, 0x7a, 0x7b, 0x91, 0x2b, 0x33, 0xb9, 0xae, 0xd8, 0x64, 0x85, 0xd1, 0xc8, 0x46, 0x76};

// Part of the store's format: the expected values come from another implementation (Python's hashlib) and never change.
TEST(UniqueId, KnownValues) {
  EXPECT_EQ(unique_id("a@example.org", 7, content, ""), "f98e7f9fe17ab56211b92a50a3857ff4");
  EXPECT_EQ(unique_id("", 12345678901, content, ""), "0770573e0cffc2ed496a42ddd33f05b0");
  EXPECT_EQ(unique_id("a@example.org", 7, content, "pepper"), "73b365a5f7d94deafc3bbb17d8bb9c82");
}

TEST(UniqueId, EachFieldCounts) {
  const std::string id = unique_id("a@example.org", 7, content, "");
  Digest other = content;
  other[31] ^= 1;
  EXPECT_NE(unique_id("A@example.org", 7, content, ""), id);
  EXPECT_NE(unique_id("a@example.org", 8, content, ""), id);
  EXPECT_NE(unique_id("a@example.org", 7, other, ""), id);
  EXPECT_NE(unique_id("a@example.org", 7, content, "x"), id);
}

}  // namespace
}  // namespace storage
