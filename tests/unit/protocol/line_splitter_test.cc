#include "lmtpd/protocol/line_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::protocol {
namespace {

using Kind = LineSplitter::Kind;

// What a client that writes `stream` in pieces of `step` octets gets to see; "!" stands for an over-long line.
std::vector<std::string> lines_of(std::string_view stream, std::size_t step, std::size_t limit) {
  LineSplitter splitter(limit);
  std::vector<std::string> lines;
  std::string buffer;
  for (std::size_t at = 0; at < stream.size(); at += step) {
    buffer += stream.substr(at, step);
    for (;;) {
      const auto taken = splitter.take(buffer);
      if (taken.kind == Kind::line) lines.emplace_back(taken.line);
      if (taken.kind == Kind::too_long) lines.emplace_back("!");
      buffer.erase(0, taken.consumed);
      if (taken.kind == Kind::need_more) break;
    }
    EXPECT_LE(buffer.size(), limit);
  }
  return lines;
}

struct Case {
  const char* name;
  std::string stream;
  std::vector<std::string> lines;
};

class LineSplitterCase : public ::testing::TestWithParam<Case> {};

TEST_P(LineSplitterCase, SplitsTheSameForEveryChunking) {
  for (std::size_t step = 1; step <= GetParam().stream.size(); ++step) {
    EXPECT_EQ(lines_of(GetParam().stream, step, 10), GetParam().lines) << "pieces of " << step;
  }
}

using Lines = std::vector<std::string>;
const Case cases[] = {
    {"Pipelined", "a\r\nb\r\n\r\nc", Lines{"a", "b", ""}},
    {"BareLineEndsStayInside", "a\nb\rc\r\nd\r\n", Lines{"a\nb\rc", "d"}},
    {"DoubledCr", "a\r\r\nb\r\n", Lines{"a\r", "b"}},
    {"JustFits", "12345678\r\nx\r\n", Lines{"12345678", "x"}},
    {"OneTooLong", "123456789\r\nx\r\n", Lines{"!", "x"}},
    {"FarTooLong", std::string(100, 'y') + "\r\nx\r\n", Lines{"!", "x"}},
    {"LongWithBareEnds", std::string(20, '\n') + "\rQUIT\n\r\nx\r\n", Lines{"!", "x"}},
    {"TwoLongOnes", std::string(30, 'y') + "\r\n" + std::string(30, 'z') + "\r\nx\r\n", Lines{"!", "!", "x"}},
    {"LongWithoutEnd", std::string(30, 'y'), Lines{}},
};
INSTANTIATE_TEST_SUITE_P(Streams, LineSplitterCase, ::testing::ValuesIn(cases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lmtpd::protocol
