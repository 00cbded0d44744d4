// Laws of the decomposition over generated messages. Each failure names the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lmtpd/mime/decomposer.h"
#include "lmtpd/mime/digest.h"
#include "lmtpd/mime/header_text.h"
#include "storage/reassembly.h"
#include "tests/support/message_builder.h"
#include "tests/support/received_text.h"
#include "tests/unit/mime/decompose.h"

namespace lmtpd::mime {
namespace {

using testing_support::has_blank_line;
using testing_support::random_message;
using testing_support::to_crlf;
using testing_support::without_nul;

constexpr std::uint64_t messages_per_case = 3000;

void expect_valid_rows(const storage::Message& message) {
  std::set<std::tuple<int, int, int>> keys;
  std::tuple<int, int, int> previous{0, 0, 0};
  Digest digest(HashAlgorithm::sha1);
  for (const storage::Part& part : message.parts) {
    const std::tuple<int, int, int> place{part.key, part.order, -part.depth};
    EXPECT_LT(previous, place) << "reading order";
    previous = place;
    EXPECT_TRUE(keys.emplace(part.key, part.depth, part.order).second) << "unique";
    EXPECT_LE(part.data.offset + part.data.length, message.text.size());
    EXPECT_EQ(part.hash, digest.hex_of(message.blob(part)));
  }
  ASSERT_FALSE(message.parts.empty());
  EXPECT_EQ(std::make_tuple(1, 0, 0, true), std::make_tuple(message.parts[0].key, message.parts[0].depth,
                                                            message.parts[0].order, message.parts[0].is_header));
  EXPECT_TRUE(!message.facts.two_rows || message.parts.size() <= 2);
}

void expect_valid_text(const storage::Message& message) {
  std::set<std::pair<std::string, std::string>> seen;
  Digest digest(HashAlgorithm::sha1);
  for (const storage::HeaderField& header : message.headers) {
    EXPECT_TRUE(is_utf8(header.name) && is_utf8(header.value) && is_utf8(header.sortfield)) << header.name;
    EXPECT_LE(header.name.size(), 100u);
    EXPECT_LE(header.value.size(), 65535u);
    EXPECT_EQ(cut_characters(header.sortfield, 254), header.sortfield);
    EXPECT_EQ(header.hash, digest.hex_of(header.value));
    EXPECT_TRUE(seen.emplace(header.name, header.value).second) << "distinct " << header.name;
  }
  for (const std::string& reference : message.references) EXPECT_TRUE(is_utf8(reference) && reference.size() <= 255);
  EXPECT_TRUE(is_utf8(message.envelope));
  EXPECT_LE(message.envelope.size(), 65535u);
  EXPECT_TRUE(is_utf8(message.facts.message_id));
}

class Laws : public ::testing::TestWithParam<int> {
 protected:
  std::uint64_t first() const { return static_cast<std::uint64_t>(GetParam()) * messages_per_case; }
};

TEST_P(Laws, ExportEqualsReceived) {
  for (std::uint64_t seed = first(); seed < first() + messages_per_case && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    EXPECT_EQ(exported(message), return_path + without_nul(received));
    EXPECT_EQ(message.message_size, std::max<std::size_t>(received.size(), 1));
    EXPECT_EQ(message.rfc_size, message.message_size + 33);
    expect_valid_rows(message);
    expect_valid_text(message);
  }
}

TEST_P(Laws, ReadersGetTheReceivedText) {
  for (std::uint64_t seed = first(); seed < first() + messages_per_case && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    const std::string text = storage::reassemble(rows_of(message));
    EXPECT_TRUE(message.facts.two_rows || text == message.text);
    if (has_blank_line(received)) {
      EXPECT_EQ(to_crlf(text), to_crlf(return_path + without_nul(received)));
    }
  }
}

TEST_P(Laws, ChunksNeverMatter) {
  for (std::uint64_t seed = first(); seed < first() + messages_per_case && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const std::string received = random_message(seed);
    const storage::Message whole = decompose(received);
    EXPECT_EQ(whole, decompose_in_chunks(received, 1));
    EXPECT_EQ(whole, decompose_in_chunks(received, 2 + seed % 90));
  }
}

// The laws would hold for a generator without imagination too.
TEST(LawsCover, EveryKindOfLayout) {
  int several_parts = 0;
  int two_rows = 0;
  int verbatim = 0;
  int served_exactly = 0;
  for (std::uint64_t seed = 0; seed < messages_per_case; ++seed) {
    const std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    several_parts += message.parts.size() > 2;
    two_rows += message.facts.two_rows;
    verbatim += message.text.starts_with("Return-Path: sender@example.org\r\n");
    served_exactly += has_blank_line(received);
  }
  EXPECT_GT(several_parts, 500);
  EXPECT_GT(two_rows, 500);
  EXPECT_GT(verbatim, 100);
  EXPECT_GT(served_exactly, 2250);
}

INSTANTIATE_TEST_SUITE_P(Generated, Laws, ::testing::Range(0, 4));

}  // namespace
}  // namespace lmtpd::mime
