#include "lmtpd/mime/header_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::mime {
namespace {

std::vector<std::string> fields(std::string_view block) {
  std::vector<std::string> out;
  FieldReader reader(block);
  for (Field field; reader.next(field);) out.push_back(std::string(field.name) + "|" + std::string(field.value));
  return out;
}

using Fields = std::vector<std::string>;

TEST(FieldReader, FieldsWithFolds) {
  EXPECT_EQ(fields("A: 1\nB:2\n\t3\n 4\nC:\n"), (Fields{"A| 1", "B|2\n\t3\n 4", "C|"}));
  EXPECT_EQ(fields("A: 1\r\nB:2\r\n 3\r\nC: 4"), (Fields{"A| 1", "B|2\r\n 3", "C| 4"}));
}

TEST(FieldReader, LinesThatAreNoFieldsArePassedOver) {
  EXPECT_EQ(fields("From a@example.org\nA: 1\nno field\n fold of it\n: x\nB: 2\n"), (Fields{"A| 1", "B| 2"}));
  EXPECT_EQ(fields(" fold first\nA: 1\n"), (Fields{"A| 1"}));
  EXPECT_EQ(fields("\xC3\xA9: 1\n"), (Fields{}));
  EXPECT_EQ(fields(""), (Fields{}));
}

TEST(FieldReader, BlanksBeforeTheColonStayInTheName) {
  EXPECT_EQ(fields("A \t: 1\n"), (Fields{"A \t| 1"}));
}

TEST(HeaderReader, BeginsField) {
  for (const char* line : {"A:", "A: b", "A :b", "X-%&: 1"}) EXPECT_TRUE(begins_field(line)) << line;
  for (const char* line : {"", ":", " A: b", "A b: c", "A", "\x7F: b"}) EXPECT_FALSE(begins_field(line)) << line;
}

TEST(HeaderReader, TrimAndCompare) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_TRUE(equals_nocase("DaTe", "date"));
  EXPECT_FALSE(equals_nocase("dates", "date"));
}

}  // namespace
}  // namespace lmtpd::mime
