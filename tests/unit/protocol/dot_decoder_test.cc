#include "lmtpd/protocol/dot_decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace lmtpd::protocol {
namespace {

using namespace std::string_literals;

struct Decoded {
  std::string content;
  std::string rest;  // behind the end
  bool finished = false;
  bool too_large = false;
  bool doubtful = false;
  std::uint64_t octets = 0;
};

// Feeds `stream` in the pieces that `next_size` chooses. Each piece is a buffer of its own, gone before the next comes.
template <typename NextSize>
Decoded decode(std::string_view stream, NextSize next_size, std::uint64_t limit = UINT64_MAX) {
  DotDecoder decoder(limit);
  Decoded result;
  while (!stream.empty() && !decoder.finished()) {
    const std::string piece(stream.substr(0, next_size()));
    std::vector<std::string_view> views;
    const std::size_t consumed = decoder.decode(piece, views);
    for (const std::string_view view : views) result.content += view;
    EXPECT_TRUE(consumed == piece.size() || decoder.finished());
    stream.remove_prefix(consumed);
  }
  result.rest = stream;
  result.finished = decoder.finished();
  result.too_large = decoder.too_large();
  result.doubtful = decoder.doubtful_end();
  result.octets = decoder.octets();
  return result;
}

// RFC 5321 §4.5.2, written the slow way: the client's side.
std::string encode(const std::string& content) {
  std::string out;
  bool line_start = true;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (line_start && content[i] == '.') out += '.';
    out += content[i];
    line_start = i > 0 && content[i] == '\n' && content[i - 1] == '\r';
  }
  return out + ".\r\n";
}

struct Case {
  const char* name;
  std::string stream;
  std::string content;
  std::string rest;
};

class DotDecoderCase : public ::testing::TestWithParam<Case> {};

// A26: in pieces of every size, one octet included.
TEST_P(DotDecoderCase, GivesTheSameForEveryChunking) {
  const Case& expected = GetParam();
  for (std::size_t size = 1; size <= expected.stream.size(); ++size) {
    const Decoded decoded = decode(expected.stream, [size] { return size; });
    EXPECT_TRUE(decoded.finished);
    EXPECT_EQ(decoded.content, expected.content) << "pieces of " << size;
    EXPECT_EQ(decoded.rest, expected.rest) << "pieces of " << size;
    EXPECT_EQ(decoded.octets, expected.content.size());
  }
}

const Case cases[] = {
    {"Empty", ".\r\n", "", ""},
    {"EmptyThenCommand", ".\r\nQUIT\r\n", "", "QUIT\r\n"},
    {"OneLine", "a\r\n.\r\n", "a\r\n", ""},
    {"Pipelined", "a\r\n.\r\nMAIL FROM:<>\r\n.\r\n", "a\r\n", "MAIL FROM:<>\r\n.\r\n"},
    {"FirstLineStuffed", "..x\r\n.\r\n", ".x\r\n", ""},
    {"ThreeDots", "...\r\n.\r\n", "..\r\n", ""},
    {"OnlyADot", "..\r\n.\r\n", ".\r\n", ""},
    {"DotThenText", ".x\r\n.\r\n", "x\r\n", ""},
    {"DotInside", "a.\r\n.\r\n", "a.\r\n", ""},
    {"BlankLines", "\r\n\r\n.\r\n", "\r\n\r\n", ""},
    {"DotCrText", ".\rx\r\n.\r\n", "\rx\r\n", ""},
    {"DotCrCrLf", ".\r\r\n.\r\n", "\r\r\n", ""},
    {"StuffedDotCr", "..\r\n..\r\n.\r\n", ".\r\n.\r\n", ""},
    {"Nul", "a\0b\r\n.\r\n"s, "a\0b\r\n"s, ""},
    {"BareEnds", "a\nb\rc\n\rd\r\n.\r\n", "a\nb\rc\n\rd\r\n", ""},
    {"LoneCrAtTheEnd", "a\r\r\n.\r\n", "a\r\r\n", ""},
    {"LfFirst", "\n.\r\n\r\n.\r\n", "\n.\r\n\r\n", ""},
};
INSTANTIATE_TEST_SUITE_P(Streams, DotDecoderCase, ::testing::ValuesIn(cases),
                         [](const auto& tested) { return tested.param.name; });

// A31: what looks like an end to a careless reader, followed by a second mail. Exactly one message, whatever the
// chunking.
const std::string second_mail = "MAIL FROM:<evil@example.org>\r\nRCPT TO:<bob@example.test>\r\nDATA\r\nsecond\r\n";

struct Smuggling {
  const char* name;
  std::string form;
};

class SmugglingForm : public ::testing::TestWithParam<Smuggling> {};

TEST_P(SmugglingForm, IsContent) {
  const std::string stream = "first" + GetParam().form + second_mail + ".\r\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const Decoded decoded = decode(stream, [size] { return size; });
    EXPECT_TRUE(decoded.finished);
    EXPECT_EQ(decoded.rest, "");
    EXPECT_NE(decoded.content.find("second"), std::string::npos);
    EXPECT_FALSE(decoded.doubtful);
  }
}

const Smuggling smuggling[] = {
    {"LfDotLf", "\n.\n"},
    {"LfDotCrLf", "\n.\r\n"},
    {"CrLfDotLf", "\r\n.\n"},
    {"CrDotCr", "\r.\r"},
    {"CrDotCrLf", "\r.\r\n"},
    {"CrLfDotCr", "\r\n.\r"},
    {"CrLfDotCrCrLf", "\r\n.\r\r\n"},
    {"LfCrDotCrLf", "\n\r.\r\n"},
    {"CrLfNulDotCrLf", "\r\n\0.\r\n"s},
    {"CrLfDotNulCrLf", "\r\n.\0\r\n"s},
    {"CrLfBlankDotCrLf", "\r\n .\r\n"},
    {"CrLfDotBlankCrLf", "\r\n. \r\n"},
    {"LfLfDotCrLf", "\n\n.\r\n"},
    {"CrCrDotCrLf", "\r\r.\r\n"},
};
INSTANTIATE_TEST_SUITE_P(A31, SmugglingForm, ::testing::ValuesIn(smuggling),
                         [](const auto& tested) { return tested.param.name; });

// CR CRLF . CRLF holds the real end: a message whose last line ends in CR must not wait for ever. But what follows is
// not trusted.
TEST(DotDecoder, EndsAfterADoubledCrAndDoubtsTheRest) {
  const std::string stream = "first\r\r\n.\r\n" + second_mail;
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const Decoded decoded = decode(stream, [size] { return size; });
    EXPECT_TRUE(decoded.finished);
    EXPECT_EQ(decoded.content, "first\r\r\n");
    EXPECT_TRUE(decoded.doubtful) << "pieces of " << size;
  }
}

TEST(DotDecoder, DoubtsOnlyTheLastLineEnd) {
  for (const char* stream :
       {"a\r\r\nb\r\n.\r\n", "\r\r\n..\r\n.\r\n", "\r\r\n.\rx\r\n.\r\n", ".\r\r\n\r\n.\r\n", ".\r\n"}) {
    for (std::size_t size = 1; size < 12; ++size) {
      EXPECT_FALSE(decode(stream, [size] { return size; }).doubtful) << stream;
    }
  }
  EXPECT_TRUE(decode(".\r\r\n.\r\n", [] { return 1; }).doubtful);
}

// A25: without the end there is no message.
TEST(DotDecoder, IsNotFinishedEarly) {
  for (const char* stream : {"", "a", "a\r\n", "a\r\n.", "a\r\n.\r", ".", ".\r", "a\n.\n", "\r\n.\r\r\n"}) {
    EXPECT_FALSE(decode(stream, [] { return 1; }).finished) << stream;
  }
}

// A20: past the limit everything up to the real end is consumed, nothing is handed out, and the next command stays.
TEST(DotDecoder, ReadsOnToTheEndBeyondTheLimit) {
  const std::string stream = "0123456789\r\nRCPT TO:<x@example.org>\r\nQUIT\r\n.\r\nRSET\r\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const Decoded decoded = decode(
        stream, [size] { return size; }, 12);
    EXPECT_TRUE(decoded.finished);
    EXPECT_TRUE(decoded.too_large);
    EXPECT_LE(decoded.content.size(), 12u);
    EXPECT_EQ(decoded.rest, "RSET\r\n");
    EXPECT_EQ(decoded.octets, 12u + 25u + 6u);
  }
}

TEST(DotDecoder, TakesExactlyTheLimit) {
  const Decoded fits = decode(
      "..23456789\r\n.\r\n", [] { return 3; }, 11);
  EXPECT_FALSE(fits.too_large);
  EXPECT_EQ(fits.content, ".23456789\r\n");
  EXPECT_TRUE(decode(
                  "..23456789\r\n.\r\n", [] { return 3; }, 10)
                  .too_large);
}

// Law: decode(encode(content)) = content, for any content that ends a line and any chunking.
TEST(DotDecoder, UndoesTheEncoding) {
  std::mt19937 random(42);
  for (int round = 0; round < 20000; ++round) {
    std::string content;
    for (std::size_t left = random() % 40; left > 0; --left) content += "..\r\n\r\nx\0"[random() % 8];
    if (!content.empty()) content += "\r\n";
    const Decoded decoded = decode(encode(content) + "NOOP\r\n", [&random] { return 1 + random() % 7; });
    ASSERT_TRUE(decoded.finished);
    ASSERT_EQ(decoded.content, content);
    ASSERT_EQ(decoded.rest, "NOOP\r\n");
  }
}

// Law: the chunking never matters, whatever the octets.
TEST(DotDecoder, IsTheSameForAnyChunkingOfAnything) {
  std::mt19937 random(43);
  for (int round = 0; round < 20000; ++round) {
    std::string stream;
    for (std::size_t left = random() % 60; left > 0; --left) stream += ".\r\n\r\n.a"[random() % 7];
    const Decoded whole = decode(stream, [&stream] { return stream.size(); });
    const Decoded cut = decode(stream, [&random] { return 1 + random() % 5; });
    ASSERT_EQ(whole.content, cut.content);
    ASSERT_EQ(whole.rest, cut.rest);
    ASSERT_EQ(whole.finished, cut.finished);
    ASSERT_EQ(whole.doubtful, cut.doubtful);
  }
}

}  // namespace
}  // namespace lmtpd::protocol
