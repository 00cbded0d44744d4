#include "storage/reassembly.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace storage {
namespace {

using Rows = std::vector<PartView>;

PartView header(int key, int depth, std::string_view data) {
  return {key, depth, 0, true, data};
}
PartView body(int key, int depth, int order, std::string_view data) {
  return {key, depth, order, false, data};
}

const PartView top = header(1, 0, "Return-Path: a@example.org\nContent-Type: multipart/mixed; boundary=\"B\"\n");
const std::string top_text = "Return-Path: a@example.org\nContent-Type: multipart/mixed; boundary=\"B\"\n\n";

TEST(Reassemble, HeaderAndBody) {
  EXPECT_EQ(reassemble(Rows{header(1, 0, "A: b\n"), body(1, 0, 1, "text\n")}), "A: b\n\ntext\n");
  EXPECT_EQ(reassemble(Rows{header(1, 0, "A: b\n")}), "A: b\n\n");
  EXPECT_EQ(reassemble(Rows{}), "");
}

TEST(Reassemble, PartsPreambleAndEpilogue) {
  const Rows rows{top,
                  body(1, 0, 1, "pre"),
                  header(2, 1, "X: 1\n"),
                  body(2, 1, 1, "one"),
                  header(3, 1, ""),
                  body(3, 1, 1, "two"),
                  body(3, 0, 3, "epilogue\n")};
  EXPECT_EQ(reassemble(rows), top_text + "pre\n--B\nX: 1\n\none\n--B\n\ntwo\n--B--\nepilogue\n");
}

TEST(Reassemble, EndBoundaryOnlyBeyondTwoRows) {
  EXPECT_EQ(reassemble(Rows{top, body(1, 0, 1, "--B\n\nx\n")}), top_text + "--B\n\nx\n");
  EXPECT_EQ(reassemble(Rows{top, header(2, 1, "X: 1\n"), body(2, 1, 1, "x")}), top_text + "--B\nX: 1\n\nx\n--B--\n");
}

TEST(Reassemble, EmptyBodyRowMakesALineBreak) {
  const Rows without{top, header(2, 1, "X: 1\n"), header(3, 1, "X: 2\n")};
  EXPECT_EQ(reassemble(without), top_text + "--B\nX: 1\n\n--B\nX: 2\n\n\n--B--\n");
  const Rows with{top, header(2, 1, "X: 1\n"), body(2, 1, 1, ""), header(3, 1, "X: 2\n")};
  EXPECT_EQ(reassemble(with), top_text + "--B\nX: 1\n\n\n--B\nX: 2\n\n\n--B--\n");
}

TEST(Reassemble, NestedMessageFollowsItsHeaderDirectly) {
  const Rows rows{top,
                  header(2, 1, "Content-Type: message/rfc822\n"),
                  header(3, 1, "Subject: inner\n"),
                  body(3, 1, 1, "x"),
                  header(4, 1, "X: 2\n"),
                  body(4, 1, 1, "y")};
  EXPECT_EQ(reassemble(rows),
            top_text + "--B\nContent-Type: message/rfc822\n\nSubject: inner\n\nx\n--B\nX: 2\n\ny\n--B--\n");
}

TEST(Reassemble, LeavingLevelsClosesThem) {
  const Rows rows{top,
                  header(2, 1, "Content-Type: multipart/x; boundary=C\n"),
                  header(3, 2, "X: 1\n"),
                  body(3, 2, 1, "x"),
                  body(3, 1, 3, ""),
                  header(4, 1, "X: 2\n"),
                  body(4, 1, 1, "y")};
  EXPECT_EQ(
      reassemble(rows),
      top_text + "--B\nContent-Type: multipart/x; boundary=C\n\n--C\nX: 1\n\nx\n--C--\n\n--B\nX: 2\n\ny\n--B--\n");
}

// The readers want exactly one blank after the colon, at the start of a line.
TEST(Reassemble, WhatCountsAsContentType) {
  const auto separator = [](std::string_view type) {
    const std::string head = "A: b\n" + std::string(type) + "\n";
    const std::string text = reassemble(Rows{header(1, 0, head), header(2, 1, "X: 1\n"), body(2, 1, 1, "x")});
    return text.substr(head.size() + 1, text.find("X: 1") - head.size() - 1);
  };
  EXPECT_EQ(separator("Content-Type: multipart/mixed; boundary=B"), "--B\n");
  EXPECT_EQ(separator("content-type: multipart/mixed;\n\tBOUNDARY = \"B C\""), "--B C\n");
  EXPECT_EQ(separator("Content-Type: multipart/mixed; boundary=" + std::string(130, 'x')),
            "--" + std::string(127, 'x') + "\n");
  EXPECT_EQ(separator("Content-Type:multipart/mixed; boundary=B"), "");
  EXPECT_EQ(separator("Content-Type:\n multipart/mixed; boundary=B"), "");
  EXPECT_EQ(separator("X-Content-Type: multipart/mixed; boundary=B"), "");
  EXPECT_EQ(separator("Content-Type: multipart/mixed; boundary=\"B"), "");
  EXPECT_EQ(separator("Content-Type: multipart/mixed; boundary="), "");
}

TEST(Reassemble, ReadersStopAtNul) {
  EXPECT_EQ(reassemble(Rows{header(1, 0, "A: b\n"), body(1, 0, 1, std::string_view("x\0y", 3))}), "A: b\n\nx");
}

TEST(ReassemblesTo, AgreesWithReassemble) {
  const Rows rows{top, header(2, 1, "X: 1\n"), body(2, 1, 1, "x")};
  const std::string text = reassemble(rows);
  EXPECT_TRUE(reassembles_to(rows, text));
  EXPECT_FALSE(reassembles_to(rows, text + "\n"));
  EXPECT_FALSE(reassembles_to(rows, text.substr(0, text.size() - 1)));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] ^= 1;
    EXPECT_FALSE(reassembles_to(rows, other)) << at;
  }
  const std::string nul("A: b\n\nx\0y", 9);
  EXPECT_FALSE(reassembles_to(Rows{header(1, 0, "A: b\n"), body(1, 0, 1, std::string_view(nul).substr(6))}, nul));
}

constexpr std::string_view return_path = "Return-Path: a@b\n";

TEST(ExportMessage, LineEndsOfLfRows) {
  const std::string head = std::string(return_path) + "A: b\n";
  EXPECT_EQ(export_message(Rows{header(1, 0, head), body(1, 0, 1, "x\n")}, 6 + 2 + 3),
            "Return-Path: a@b\r\nA: b\r\n\r\nx\r\n");
  EXPECT_EQ(export_message(Rows{header(1, 0, head)}, 6 + 2), "Return-Path: a@b\r\nA: b\r\n\r\n");
  EXPECT_EQ(export_message(Rows{header(1, 0, head)}, 6), "Return-Path: a@b\r\nA: b\r\n") << "no blank line";
  EXPECT_EQ(export_message(Rows{header(1, 0, head), body(1, 0, 1, "x\n")}, 6 + 3), "Return-Path: a@b\r\nA: b\r\nx\r\n");
}

TEST(ExportMessage, EmptyMessageAndBlankLine) {
  EXPECT_EQ(export_message(Rows{header(1, 0, return_path)}, 1), "Return-Path: a@b\r\n");
  EXPECT_EQ(export_message(Rows{header(1, 0, return_path)}, 2), "Return-Path: a@b\r\n\r\n");
}

TEST(ExportMessage, VerbatimRowsAreLeftAlone) {
  const std::string head = "Return-Path: a@b\r\nA: b\n";
  const Rows rows{header(1, 0, head), body(1, 0, 1, "x\ny\r\n")};
  EXPECT_EQ(export_message(rows, 5 + 1 + 5), head + "\nx\ny\r\n");
  EXPECT_EQ(export_message(rows, 5 + 2 + 5), head + "\r\nx\ny\r\n");
  EXPECT_EQ(export_message(rows, 5 + 5), head + "x\ny\r\n");
}

TEST(ExportMessage, RowsOfOtherWriters) {
  const std::string folded = "Return-Path: =?us-ascii?Q?aaaa?=\n =?us-ascii?Q?=40b?=\nA: b\n";
  EXPECT_EQ(export_message(Rows{header(1, 0, folded)}, 6),
            "Return-Path: =?us-ascii?Q?aaaa?=\r\n =?us-ascii?Q?=40b?=\r\nA: b\r\n");
  EXPECT_EQ(export_message(Rows{header(1, 0, folded), body(1, 0, 1, "x\n")}, 12345),
            "Return-Path: =?us-ascii?Q?aaaa?=\r\n =?us-ascii?Q?=40b?=\r\nA: b\r\n\r\nx\r\n")
      << "a size that fits nothing";
  EXPECT_EQ(export_message(Rows{}, 0), "");
}

}  // namespace
}  // namespace storage
