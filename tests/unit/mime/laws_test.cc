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
#include "tests/unit/mime/decompose.h"

namespace lmtpd::mime {
namespace {

using testing_support::random_message;

constexpr std::uint64_t messages_per_case = 3000;

std::string to_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' && !out.ends_with('\r')) out += '\r';
    out += c;
  }
  return out;
}

// INVARIANT of the input: every LF has one CR, and the header ends with a blank line.
bool is_regular(std::string_view received) {
  for (std::size_t lf = received.find('\n'); lf != received.npos; lf = received.find('\n', lf + 1)) {
    if (lf == 0 || received[lf - 1] != '\r' || (lf > 1 && received[lf - 2] == '\r')) return false;
  }
  return received.starts_with("\r\n") || received.find("\r\n\r\n") != received.npos;
}

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
    std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    std::replace(received.begin(), received.end(), '\0', '\x80');
    EXPECT_EQ(exported(message), "Return-Path: sender@example.org\r\n" + received);
    EXPECT_EQ(message.message_size, std::max<std::size_t>(received.size(), 1));
    EXPECT_EQ(message.rfc_size, message.message_size + 33);
    expect_valid_rows(message);
    expect_valid_text(message);
  }
}

TEST_P(Laws, ReadersGetTheReceivedText) {
  for (std::uint64_t seed = first(); seed < first() + messages_per_case && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    std::replace(received.begin(), received.end(), '\0', '\x80');
    const std::string text = storage::reassemble(rows_of(message));
    EXPECT_TRUE(message.facts.two_rows || text == message.text);
    if (is_regular(received)) {
      EXPECT_EQ(to_crlf(text), "Return-Path: sender@example.org\r\n" + received);
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
  int regular = 0;
  for (std::uint64_t seed = 0; seed < messages_per_case; ++seed) {
    const std::string received = random_message(seed);
    const storage::Message message = decompose(received);
    several_parts += message.parts.size() > 2;
    two_rows += message.facts.two_rows;
    verbatim += message.text.starts_with("Return-Path: sender@example.org\r\n");
    regular += is_regular(received);
  }
  EXPECT_GT(several_parts, 500);
  EXPECT_GT(two_rows, 500);
  EXPECT_GT(verbatim, 100);
  EXPECT_GT(regular, 1500);
}

INSTANTIATE_TEST_SUITE_P(Generated, Laws, ::testing::Range(0, 4));

}  // namespace
}  // namespace lmtpd::mime
