#include "lmtpd/mime/splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::mime {
namespace {

// The bodies found in a multipart with that boundary around these lines.
std::vector<std::string> bodies(std::string_view boundary, std::string_view text) {
  const Options options;
  TextBuffer buffer;
  Splitter splitter(options, buffer, 0);
  buffer.append("Content-Type: multipart/mixed; boundary=\"" + std::string(boundary) + "\"\r\n\r\n", splitter);
  buffer.append(text, splitter);
  buffer.finish(splitter);
  splitter.finish();
  std::vector<std::string> found;
  for (const storage::Part& part : splitter.parts()) {
    if (!part.is_header) found.push_back(buffer.text().substr(part.data.offset, part.data.length));
  }
  return found;
}

using Bodies = std::vector<std::string>;

TEST(Splitter, BoundaryLines) {
  EXPECT_EQ(bodies("b", "--b\r\n\r\nx\r\n--b--\r\n"), (Bodies{"x"}));
  EXPECT_EQ(bodies("b", "--b \t\r\n\r\nx\r\n--b-- \t\r\nend"), (Bodies{"x", "end"}));
  EXPECT_EQ(bodies("b", "--b\r\n\r\nx\r\n--bb\r\n--b-\r\n--b --\r\n--b--x\r\n --b\r\n-b\r\n--b--"),
            (Bodies{"x\n--bb\n--b-\n--b --\n--b--x\n --b\n-b"}));
  EXPECT_EQ(bodies("b--", "--b--\r\n\r\nx\r\n--b----\r\n"), (Bodies{"x"}));
}

TEST(Splitter, LineBreakBeforeTheBoundaryIsNotBody) {
  EXPECT_EQ(bodies("b", "pre\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n\r\n--b--\r\n\r\n"), (Bodies{"pre", "", "\n", "\n"}));
  EXPECT_EQ(bodies("b", "--b\r\n\r\n--b\r\nX: y\r\n--b--\r\n"), (Bodies{})) << "no body at all";
}

TEST(Splitter, OuterBoundaryEndsInnerMultiparts) {
  EXPECT_EQ(
      bodies("o",
             "--o\r\nContent-Type: multipart/x; boundary=i\r\n\r\n--i\r\n\r\nx\r\n--o\r\n\r\ny\r\n--i\r\n--o--\r\n"),
      (Bodies{"x", "y\n--i"}));
}

TEST(Splitter, InnerBoundaryHasPrecedenceOverAPrefix) {
  EXPECT_EQ(bodies("a",
                   "--a\r\nContent-Type: multipart/x; "
                   "boundary=ab\r\n\r\n--ab\r\n\r\n1\r\n--ab--\r\n\r\n--a\r\n\r\n2\r\n--a--\r\n"),
            (Bodies{"1", "", "2"}));
}

TEST(Splitter, MultipartWithoutBoundaryIsALeaf) {
  const Options options;
  TextBuffer buffer;
  Splitter splitter(options, buffer, 0);
  buffer.append("Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\ny\r\n--x--\r\n", splitter);
  splitter.finish();
  ASSERT_EQ(splitter.parts().size(), 2u);
  EXPECT_EQ(splitter.parts()[1].data.length, 13u);
}

// (key, depth, order) is unique in the store, also for a multipart that ends before it has children.
TEST(Splitter, NumberingWithoutChildren) {
  const Options options;
  TextBuffer buffer;
  Splitter splitter(options, buffer, 0);
  buffer.append("Content-Type: multipart/mixed; boundary=b\r\n\r\n\r\n--b--\r\n\r\n--b--\r\n", splitter);
  splitter.finish();
  ASSERT_EQ(splitter.parts().size(), 3u);
  EXPECT_EQ(splitter.parts()[1].order, 1);
  EXPECT_EQ(splitter.parts()[2].order, 3);
}

TEST(Splitter, TopHeader) {
  const auto top = [](std::string_view text) {
    const Options options;
    TextBuffer buffer;
    Splitter splitter(options, buffer, 0);
    buffer.append(text, splitter);
    buffer.finish(splitter);
    splitter.finish();
    return splitter.top();
  };
  EXPECT_EQ(top("A: b\r\n\r\nx").end, 5u);
  EXPECT_EQ(top("A: b\r\n\r\nx").body, 6u);
  EXPECT_TRUE(top("A: b\r\n\r\nx").separated);
  EXPECT_EQ(top("A: b\r\nx\r\n").end, 5u) << "the first line that is no header";
  EXPECT_EQ(top("A: b\r\nx\r\n").body, 5u);
  EXPECT_FALSE(top("A: b\r\nx\r\n").separated);
  EXPECT_EQ(top("A: b\r\nx\r\n\r\n").end, 7u) << "with a blank line it stays in the header";
  EXPECT_EQ(top("A: b\r\n\r\nx\ny").body, 8u) << "verbatim";
}

}  // namespace
}  // namespace lmtpd::mime
