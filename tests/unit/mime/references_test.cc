#include "lmtpd/mime/references.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

using Ids = std::vector<std::string>;

class References : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialise_gmime(); }
};

TEST_F(References, DistinctInOrder) {
  EXPECT_EQ(parse_references(" <a@x>\r\n\t<b@y> (comment) <a@x> <c@z>", 10), (Ids{"a@x", "b@y", "c@z"}));
  EXPECT_EQ(parse_references("<a@x> <b@y> <c@z>", 2), (Ids{"a@x", "b@y"}));
  EXPECT_EQ(parse_references("", 10), Ids());
}

TEST_F(References, FitTheColumn) {
  const Ids ids = parse_references("<" + std::string(254, 'a') + "\xC3\xA9@x> <\xFF@y>", 10);
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(ids[0], std::string(254, 'a')) << "cut before the character that does not fit";
  for (const std::string& id : ids) EXPECT_TRUE(is_utf8(id));
}

TEST_F(References, MessageId) {
  EXPECT_EQ(parse_message_id(" <a.b-c@example.org>"), "a.b-c@example.org");
  EXPECT_EQ(parse_message_id(" <a b@example.org> junk").find('<'), std::string::npos);
  EXPECT_EQ(parse_message_id(" a@example.org"), "a@example.org");
  EXPECT_EQ(parse_message_id(""), "");
  EXPECT_TRUE(is_utf8(parse_message_id("<\xFF@x>")));
}

}  // namespace
}  // namespace lmtpd::mime
