#include "lmtpd/mime/layout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::mime {
namespace {

storage::Message message_of(std::string text) {
  storage::Message message;
  message.text = std::move(text);
  return message;
}

TEST(Layout, PartsThatReproduceTheTextAreKept) {
  auto message = message_of("A: b\n\nbody");
  const std::vector<storage::Part> parts = {{1, 0, 0, true, {0, 5}, "h1"}, {1, 0, 1, false, {6, 4}, "h2"}};
  choose_layout(parts, {5, 6, true}, Options(), message);
  EXPECT_EQ(message.parts, parts);
  EXPECT_FALSE(message.facts.two_rows);
}

TEST(Layout, ElseHeaderAndRest) {
  auto message = message_of("A: b\n\nbody");
  choose_layout({{1, 0, 0, true, {0, 5}, "h1"}, {1, 0, 1, false, {6, 2}, "h2"}, {2, 1, 0, true, {8, 2}, "h3"}},
                {5, 6, true}, Options(), message);
  ASSERT_EQ(message.parts.size(), 2u);
  EXPECT_EQ(message.parts[0].hash, "h1");
  EXPECT_EQ(message.blob(message.parts[1]), "body");
  EXPECT_EQ(message.parts[1].hash, "02083f4579e08a612425c0c1a17ee47add783b94") << "SHA-1 of body";
  EXPECT_TRUE(message.facts.two_rows);
}

TEST(Layout, NoRestNoRow) {
  auto message = message_of("A: b\n");
  choose_layout({{1, 0, 0, true, {0, 5}, "h1"}}, {5, 5, false}, Options(), message);
  EXPECT_EQ(message.parts.size(), 1u);
  EXPECT_TRUE(message.facts.two_rows) << "readers add a blank line";
}

TEST(Layout, NulIsNeverReadBack) {
  auto message = message_of(std::string("A: b\n\nx\0y", 9));
  choose_layout({{1, 0, 0, true, {0, 5}, "h1"}, {1, 0, 1, false, {6, 3}, "h2"}}, {5, 6, true}, Options(), message);
  EXPECT_TRUE(message.facts.two_rows);
  EXPECT_EQ(message.parts[1].hash, "h2") << "the same row keeps its hash";
}

}  // namespace
}  // namespace lmtpd::mime
