// What users of comparable software suffered from, by the number of the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/message_builder.h"
#include "tests/unit/mime/decompose.h"

namespace lmtpd::mime {
namespace {

TEST(FieldReports, A1EmptyPartIsAnEmptyRow) {
  const auto message = decompose(
      "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nX: 1\r\n\r\n\r\n--b\r\nX: "
      "2\r\n\r\ntext\r\n--b--\r\n");
  ASSERT_EQ(message.parts.size(), 5u);
  EXPECT_EQ(message.parts[2].data.length, 0u);
  EXPECT_FALSE(message.parts[2].is_header);
  EXPECT_EQ(message.parts[2].hash, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(FieldReports, A4EveryEndOfAMultipartComesBack) {
  const std::string head = "Content-Type: multipart/mixed; boundary=b\r\n\r\npreamble\r\n--b\r\n\r\none\r\n";
  for (const std::string end :
       {"--b--", "--b--\r\n", "--b--  \t\r\n", "", "--b\r\n", "--b--\r\nepilogue", "--b--\r\n\r\n", "--b-- x\r\n"}) {
    expect_exported(head + end);
  }
}

TEST(FieldReports, A6EqualHeadersMakeOneRow) {
  const auto message = decompose(
      "Return-Path: <x@example.org>\r\nReturn-Path: <x@example.org>\r\nX-A: v\r\nX-A: v\r\nX-A: V\r\nX-A: v \r\nX-A: "
      "\xC3\xA9\r\n"
      "Received: a\r\nReceived: a\r\nReceived: b\r\n\r\n");
  std::vector<std::string> values;
  for (const auto& header : message.headers) values.push_back(header.name + "=" + header.value);
  const std::vector<std::string> expected = {"return-path= <sender@example.org>",
                                             "return-path= <x@example.org>",
                                             "x-a=v",
                                             "x-a=V",
                                             "x-a=\xC3\xA9",
                                             "received=a",
                                             "received=b"};
  EXPECT_TRUE(std::includes(values.begin(), values.end(), expected.begin(), expected.begin()));
  EXPECT_EQ(std::vector<std::string>(values.begin(), values.begin() + 7), expected);
  EXPECT_EQ(message.facts.received_headers, 3u);
}

TEST(FieldReports, A7FourByteCharactersInHeaders) {
  const auto message = decompose("Subject: =?utf-8?B?8J+MjQ==?= \xF0\x9F\x8C\x8D\r\n\r\n");
  EXPECT_EQ(header_value(message, "subject"), "\xF0\x9F\x8C\x8D \xF0\x9F\x8C\x8D");
}

TEST(FieldReports, A8InvalidUtf8AndCutsInsideCharacters) {
  for (const std::string bad : {"\xE9", "\xC1\xBE", "\xE2\x80 ", "\xED\xA0\x80"}) {
    const auto message = decompose("Subject: x" + bad + "y\r\n\r\n");
    const std::string value = header_value(message, "subject");
    EXPECT_TRUE(value.starts_with("x?")) << value;
    EXPECT_EQ(value.find_first_not_of("x?y "), std::string::npos) << value;
  }
  for (const std::size_t count : {253u, 254u, 255u, 1000u, 70000u}) {
    const auto message = decompose("Subject: " + std::string(count, 'a') + "\xC3\xA9\xC3\xA9\r\n\r\n");
    const auto* header = find_header(message, "subject");
    ASSERT_NE(header, nullptr);
    EXPECT_EQ(header->sortfield,
              std::string(std::min<std::size_t>(count, 254), 'a') + (count == 253 ? "\xC3\xA9" : ""));
    EXPECT_LE(header->value.size(), 65535u);
  }
}

TEST(FieldReports, A9NulAnywhere) {
  const std::string nul(1, '\0');
  const std::string received =
      "X" + nul + ": a\r\nSubject: a" + nul + "b\r\n c" + nul + "\r\n\r\nbody" + nul + "\r\nlast" + nul;
  const auto message = decompose(received);
  EXPECT_EQ(message.facts.nul_bytes, 5u);
  EXPECT_EQ(message.message_size, received.size());
  EXPECT_EQ(header_value(message, "subject"), "a?b\r\n c?");
  std::string replaced = received;
  std::replace(replaced.begin(), replaced.end(), '\0', '\x80');
  EXPECT_EQ(exported(message), return_path + replaced);
  EXPECT_NE(message.content_digest, decompose(replaced).content_digest) << "the digest is of the received octets";
}

TEST(FieldReports, A9NulKeptIfWanted) {
  Options keep;
  keep.nul = NulPolicy::keep;
  const std::string received =
      "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\na" + std::string(1, '\0') + "c\r\n--b--\r\n";
  const auto message = decompose(received, keep);
  EXPECT_TRUE(message.facts.two_rows);
  EXPECT_EQ(exported(message), return_path + received);
}

TEST(FieldReports, A27MailThatIsHardlyAMessage) {
  for (const std::string received :
       {"no headers\r\nat all\r\n", "Subject: no blank line\r\ntext\r\n", "\tfolded first\r\nSubject: x\r\n\r\nb\r\n",
        "From a@example.org Mon Nov 30 10:00:00 2026\r\nSubject: x\r\n\r\nb\r\n", "\r\nbody only\r\n"}) {
    expect_exported(received);
  }
  EXPECT_EQ(header_value(decompose("From a@example.org x\r\nSubject: mbox\r\n\r\nb\r\n"), "subject"), "mbox");
}

// Without a blank line readers would drop what is no header; in the body it is served.
TEST(FieldReports, A27TextWithoutHeaderIsServed) {
  const auto message = decompose("Subject: x\r\nno header\r\nmore\r\n");
  EXPECT_EQ(rows(message), (Rows{"1 0 0 H Return-Path: sender@example.org\nSubject: x\n", "1 0 1 no header\nmore\n"}));
}

TEST(FieldReports, A33AnyDepthIsStored) {
  for (const int depth : {10, 100, 1000, 100000}) {
    SCOPED_TRACE(depth);
    for (const std::string& received :
         {testing_support::nested_multiparts(depth), testing_support::nested_messages(depth)}) {
      const auto message = decompose(received);
      EXPECT_EQ(exported(message), return_path + received);
      for (const auto& part : message.parts) EXPECT_LT(part.depth, 64);
    }
  }
}

TEST(FieldReports, A37LinesOfAnyLength) {
  for (const std::size_t length : {998u, 999u, 65535u, 65536u, 65537u, 1048576u, 20000000u}) {
    const std::string received = "Subject: x\r\n\r\n" + std::string(length, 'x') + "\r\n";
    const auto message = decompose_in_chunks(received, 65536);
    EXPECT_EQ(message.parts[1].data.length, length + 1);
    EXPECT_TRUE(exported(message) == return_path + received) << length;
  }
}

}  // namespace
}  // namespace lmtpd::mime
