#include "lmtpd/mime/text_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::mime {
namespace {

class Recorder final : public TextBuffer::Reader {
 public:
  explicit Recorder(TextBuffer& buffer) : buffer_(buffer) {}
  void line(const Line& line) override {
    lines.push_back(buffer_.text().substr(line.start, line.end - line.start));
    ends.push_back(line.next);
  }
  void turning_verbatim() override { before = buffer_.text(); }

  std::vector<std::string> lines;
  std::vector<std::size_t> ends;
  std::string before;

 private:
  TextBuffer& buffer_;
};

using Lines = std::vector<std::string>;

TEST(TextBuffer, CrlfIsKeptAsLf) {
  TextBuffer buffer;
  Recorder recorder(buffer);
  buffer.append("one\r\n\r\nth", recorder);
  buffer.append("ree\r", recorder);
  buffer.append("\nrest", recorder);
  EXPECT_EQ(recorder.lines, (Lines{"one", "", "three"}));
  buffer.finish(recorder);
  buffer.finish(recorder);
  EXPECT_EQ(recorder.lines, (Lines{"one", "", "three", "rest"}));
  EXPECT_EQ(buffer.text(), "one\n\nthree\nrest");
  EXPECT_EQ(recorder.ends, (std::vector<std::size_t>{4, 5, 11, 15}));
  EXPECT_FALSE(buffer.verbatim());
  EXPECT_EQ(buffer.lines(), 3u);
}

TEST(TextBuffer, BareCrStays) {
  TextBuffer buffer;
  Recorder recorder(buffer);
  buffer.append("a\rb\r\n\r", recorder);
  buffer.finish(recorder);
  EXPECT_EQ(buffer.text(), "a\rb\n\r");
  EXPECT_FALSE(buffer.verbatim());
}

TEST(TextBuffer, FirstIrregularLineEndBringsTheReceivedFormBack) {
  for (const std::string irregular : {"x\n", "x\r\r\n", "\n", "\r\r\n"}) {
    TextBuffer buffer;
    buffer.begin("Return-Path: \n");
    Recorder recorder(buffer);
    const std::string received = "one\r\n\r\n" + irregular + "two\r\nthree\n";
    for (const char c : received) buffer.append(std::string_view(&c, 1), recorder);
    EXPECT_TRUE(buffer.verbatim());
    EXPECT_EQ(buffer.text(), "Return-Path: \r\n" + received);
    EXPECT_TRUE(recorder.before.starts_with("Return-Path: \none\n\n"));
    EXPECT_EQ(recorder.lines.back(), "three");
    EXPECT_EQ(recorder.ends.back(), buffer.text().size());
  }
}

TEST(TextBuffer, BinaryLinesKeepCrlfUntilABoundaryTakesOne) {
  TextBuffer buffer;
  Recorder recorder(buffer);
  buffer.append("head\r\n", recorder);
  buffer.keep_crlf(true);
  buffer.append("one\r\ntwo\r\n", recorder);
  EXPECT_EQ(buffer.text(), "head\none\r\ntwo\r\n");
  const Line line = buffer.drop_cr_before({10, 13, 15});
  EXPECT_EQ(buffer.text(), "head\none\ntwo\r\n");
  EXPECT_EQ(line.start, 9u);
  EXPECT_EQ(line.end, 12u);
  EXPECT_EQ(line.next, 14u);
  EXPECT_EQ(buffer.line_start(), 14u);
}

TEST(TextBuffer, CountsBareLineEnds) {
  TextBuffer buffer;
  Recorder recorder(buffer);
  buffer.append("a\nb\r\nc\n", recorder);
  EXPECT_EQ(buffer.lines(), 3u);
  EXPECT_EQ(buffer.bare_lfs(), 2u);
}

}  // namespace
}  // namespace lmtpd::mime
