#include "lmtpd/mime/decomposer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "tests/support/message_builder.h"
#include "tests/unit/mime/decompose.h"

namespace lmtpd::mime {
namespace {

// schema/README.md: the numbering of partlists.

TEST(DecomposerRows, PlainText) {
  const auto message = decompose("Subject: s\r\n\r\nHello\r\n.dot\r\n");
  EXPECT_EQ(rows(message), (Rows{"1 0 0 H Return-Path: sender@example.org\nSubject: s\n", "1 0 1 Hello\n.dot\n"}));
  EXPECT_EQ(message.message_size, 27u);
  EXPECT_EQ(message.rfc_size, 27u + return_path.size());
  EXPECT_FALSE(message.facts.two_rows);
}

TEST(DecomposerRows, NullSender) {
  const auto message = decompose("Subject: s\r\n\r\n", Options(), "");
  EXPECT_EQ(rows(message), (Rows{"1 0 0 H Return-Path: \nSubject: s\n"}));
  EXPECT_EQ(find_header(message, "return-path"), nullptr);
}

TEST(DecomposerRows, PreambleAndEpilogue) {
  const auto message = decompose(
      "Content-Type: multipart/mixed; boundary=OUT\r\n\r\npre\r\n\r\n--OUT\r\nContent-Type: "
      "text/plain\r\n\r\none\r\n--OUT--\r\n"
      "epilogue text\r\n");
  EXPECT_EQ(rows(message),
            (Rows{"1 0 0 H Return-Path: sender@example.org\nContent-Type: multipart/mixed; boundary=OUT\n",
                  "1 0 1 pre\n", "2 1 0 H Content-Type: text/plain\n", "2 1 1 one", "2 0 3 epilogue text\n"}));
}

TEST(DecomposerRows, NestedMultipart) {
  const auto message = decompose(
      "Content-Type: multipart/mixed; boundary=OUT\r\n\r\n--OUT\r\nContent-Type: multipart/alternative; "
      "boundary=IN\r\n\r\n"
      "--IN\r\n\r\nplain\r\n--IN\r\nX: y\r\n\r\nhtml\r\n--IN--\r\n\r\n--OUT\r\nX: png\r\n\r\niVBO\r\n--OUT--\r\n");
  EXPECT_EQ(rows(message),
            (Rows{"1 0 0 H Return-Path: sender@example.org\nContent-Type: multipart/mixed; boundary=OUT\n",
                  "2 1 0 H Content-Type: multipart/alternative; boundary=IN\n", "3 2 0 H ", "3 2 1 plain",
                  "4 2 0 H X: y\n", "4 2 1 html", "4 1 3 ", "5 1 0 H X: png\n", "5 1 1 iVBO"}));
}

TEST(DecomposerRows, AttachedMessage) {
  const auto message = decompose(
      "Content-Type: multipart/mixed; boundary=OUT\r\n\r\n--OUT\r\nContent-Type: message/rfc822\r\n\r\nSubject: "
      "inner\r\n"
      "Content-Type: multipart/alternative; boundary=IN\r\n\r\n--IN\r\nX: y\r\n\r\nplain\r\n--IN--\r\n\r\n--OUT--\r\n");
  EXPECT_EQ(rows(message),
            (Rows{"1 0 0 H Return-Path: sender@example.org\nContent-Type: multipart/mixed; boundary=OUT\n",
                  "2 1 0 H Content-Type: message/rfc822\n",
                  "3 1 0 H Subject: inner\nContent-Type: multipart/alternative; boundary=IN\n", "4 2 0 H X: y\n",
                  "4 2 1 plain", "4 1 3 "}));
}

TEST(DecomposerRows, EncodedMessageIsALeaf) {
  const auto message =
      decompose("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nU3ViamVjdA==\r\n");
  EXPECT_EQ(message.parts.size(), 2u);
}

TEST(DecomposerRows, BinaryPartKeepsItsLineEnds) {
  const std::string received =
      "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: "
      "BINARY\r\n\r\none\r\ntwo\r\n--b\r\n"
      "X: y\r\n\r\nthree\r\nfour\r\n--b--\r\n";
  const auto message = decompose(received);
  EXPECT_EQ(message.blob(message.parts[2]), "one\r\ntwo");
  EXPECT_EQ(message.blob(message.parts[4]), "three\nfour");
  EXPECT_EQ(exported(message), return_path + received);
}

TEST(DecomposerRows, TwoRowsWhereReadersWouldChangeTheText) {
  const auto message = decompose("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nno end\r\n");
  EXPECT_TRUE(message.facts.two_rows);
  EXPECT_EQ(rows(message), (Rows{"1 0 0 H Return-Path: sender@example.org\nContent-Type: multipart/mixed; boundary=b\n",
                                 "1 0 1 --b\n\nno end\n"}));
}

// Made so that preamble and epilogue reassemble without any child between them.
TEST(DecomposerRows, KeysAreUniqueWithoutChildren) {
  const auto message = decompose("Content-Type: multipart/mixed; boundary=b\r\n\r\n\r\n--b--\r\n\r\n--b--\r\n");
  ASSERT_EQ(message.parts.size(), 3u);
  EXPECT_FALSE(message.facts.two_rows);
  EXPECT_NE(message.parts[1].order, message.parts[2].order);
}

TEST(DecomposerRows, IrregularLineEndsAreKept) {
  const auto message = decompose("Subject: s\r\n\r\none\ntwo\r\r\nthree\rfour\r\n");
  EXPECT_EQ(rows(message),
            (Rows{"1 0 0 H Return-Path: sender@example.org\r\nSubject: s\r\n", "1 0 1 one\ntwo\r\r\nthree\rfour\r\n"}));
  EXPECT_TRUE(message.facts.two_rows);
  EXPECT_EQ(message.facts.bare_line_ends, 3u);
}

// The shapes that the size in physmessage tells apart.
TEST(DecomposerExport, ShapesWithoutBodyOrEnd) {
  for (const std::string received : {"",
                                     "\r\n",
                                     "\n",
                                     "\r",
                                     "\r\r\n",
                                     "a",
                                     "\r\n\r\n",
                                     "Subject: x",
                                     "Subject: x\r",
                                     "Subject: x\r\n",
                                     "Subject: x\n",
                                     "Subject: x\r\n\r\n",
                                     "Subject: x\n\n",
                                     "Subject: x\r\n\n",
                                     "Subject: x\n\r\n",
                                     "Subject: x\r\n\r\nb",
                                     "Subject: x\r\n\r\nb\r",
                                     "no header",
                                     "no header\r\n",
                                     "no header\r\n\r\nbody\r\n",
                                     " fold first\r\nSubject: x\r\n\r\n",
                                     "Subject: x\r\nno header\r\nrest\r\n",
                                     "Subject: x\nno header\nrest\n",
                                     "Subject: x\r\n\r\n\r\n"}) {
    expect_exported(received);
  }
}

TEST(DecomposerExport, EmptyMessageCountsAsOneOctet) {
  const auto message = decompose("");
  EXPECT_EQ(rows(message), (Rows{"1 0 0 H Return-Path: sender@example.org\n"}));
  EXPECT_EQ(message.message_size, 1u);
  EXPECT_EQ(message.rfc_size, 1u + return_path.size());
  EXPECT_EQ(exported(message), return_path);
}

TEST(DecomposerExport, SenderIsOneLine) {
  const auto message = decompose("Subject: x\r\n\r\n", Options(), std::string("a\r\nX: y\0@b", 10));
  EXPECT_TRUE(exported(message).starts_with("Return-Path: a??X: y?@b\r\n"));
}

// Limits choose the layout or leave rows out; they never refuse.

TEST(DecomposerLimits, TooManyPartsMakeTwoRows) {
  Options options;
  options.max_parts = 10;
  const auto build = [](int parts) {
    return "Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
           repeated("--b\r\n\r\nx\r\n", static_cast<std::size_t>(parts)) + "--b--\r\n";
  };
  EXPECT_EQ(decompose(build(9), options).parts.size(), 19u);
  const auto message = decompose(build(10), options);
  EXPECT_EQ(message.parts.size(), 2u);
  EXPECT_EQ(exported(message), return_path + build(10));
}

TEST(DecomposerLimits, DepthOfRows) {
  Options options;
  options.max_depth = 3;
  const auto message = decompose(testing_support::nested_multiparts(5), options);
  int deepest = 0;
  for (const auto& part : message.parts) deepest = std::max(deepest, int{part.depth});
  EXPECT_EQ(deepest, 2);
  EXPECT_FALSE(message.facts.two_rows);
}

TEST(DecomposerLimits, HeaderFieldsAndOctets) {
  Options options;
  options.max_header_fields = 5;
  EXPECT_EQ(decompose(repeated("X-A: 1\r\n", 5) + "X-B: 2\r\n\r\n", options).headers.size(),
            4u);  // return-path, x-a, date, type
  options = Options();
  options.max_header_octets = 100;
  const auto message = decompose("X-A: " + std::string(200, 'a') + "\r\nX-B: b\r\n\r\n", options);
  EXPECT_EQ(header_value(message, "x-a"), "(none)");
  EXPECT_EQ(header_value(message, "return-path"), " <sender@example.org>");
}

// What a hostile sender can make us spend: 128 KiB each, a generous bound for slow machines under sanitizers.
TEST(DecomposerLimits, HostileMailCostsLittle) {
  constexpr std::size_t octets = 1u << 17;
  for (const std::string_view pattern :
       {"a,", "To: a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,\r\n\t",
        "a:", "a,(@)", "a,\"@\"", ",", "=?a?q?", "(", "\"", "<", "\xE9 ", "X:\r\n", "X: y\r\n",
        "Content-Type: multipart/mixed; boundary=b\r\n"}) {
    SCOPED_TRACE(pattern);
    const std::clock_t begin = std::clock();
    for (const std::string_view name : {"To: ", "Subject: ", "Content-Disposition: a; ", "References: ", "Date: "}) {
      const auto message =
          decompose(std::string(name) + repeated(pattern, octets / pattern.size()) + "\r\n\r\nbody\r\n");
      EXPECT_FALSE(message.envelope.empty());
    }
    EXPECT_LT(std::clock() - begin, 30 * CLOCKS_PER_SEC);
  }
}

// A line of blanks behind what begins like a boundary was read once for each multipart around it. The same line outside of multiparts is
// the measure; 63 times as much would be the fault.
TEST(DecomposerLimits, BlanksBehindABoundaryAreReadOnce) {
  const auto cost = [](const std::string& text) {
    const std::clock_t begin = std::clock();
    EXPECT_FALSE(decompose(text).parts.empty());
    return std::clock() - begin;
  };
  const std::string line = "--a" + std::string(4u << 20, ' ') + "x\r\n";
  const std::string nested = repeated("Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n", 63);
  const std::clock_t alone = cost("Subject: s\r\n\r\n" + line);
  EXPECT_LT(cost(nested + "\r\n" + line), 10 * alone + CLOCKS_PER_SEC / 10);
}

TEST(DecomposerHash, Algorithms) {
  const std::vector<std::pair<HashAlgorithm, std::size_t>> cases = {
      {HashAlgorithm::md5, 32}, {HashAlgorithm::sha1, 40}, {HashAlgorithm::sha256, 64}, {HashAlgorithm::sha512, 128}};
  for (const auto& [algorithm, digits] : cases) {
    Options options;
    options.hash = algorithm;
    const auto message = decompose("Subject: s\r\n\r\nb\r\n", options);
    EXPECT_EQ(message.parts[1].hash.size(), digits);
    EXPECT_EQ(message.headers[0].hash.size(), digits);
  }
}

TEST(Decomposer, TellsWhatItHasSeenSoFar) {
  const Options options;
  Decomposer decomposer(options, "", "2026-11-30 10:57:45");
  decomposer.expect(1000);
  decomposer.feed(std::string_view("a\0b", 3));
  EXPECT_EQ(decomposer.octets(), 3u);
  EXPECT_EQ(decomposer.nul_octets(), 1u);
  Decomposer moved = std::move(decomposer);
  EXPECT_EQ(moved.finish().message_size, 3u);
}

}  // namespace
}  // namespace lmtpd::mime
