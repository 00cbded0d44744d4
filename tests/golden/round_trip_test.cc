// 10,000 generated messages on each engine, in batches: what comes back through the admin door is what was received.
// Several cases with a store of their own each, which CTest runs side by side.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "storage/reassembly.h"
#include "tests/golden/stored_mail.h"
#include "tests/support/message_builder.h"
#include "tests/support/received_text.h"

namespace golden {
namespace {

using testing_support::Engine;
using testing_support::has_blank_line;
using testing_support::random_message;
using testing_support::to_crlf;
using testing_support::without_nul;

constexpr int shares = 4;
constexpr std::uint64_t messages_per_share = 2'500;
constexpr std::uint64_t messages_per_batch = 100;

class RoundTrip : public ::testing::TestWithParam<std::tuple<Engine, int>> {
 protected:
  RoundTrip() : mail_(std::get<0>(GetParam())) {}

  void store_and_read_back(std::uint64_t first_seed);
  void expect_unchanged(const storage::StoredMessage& stored, const std::string& received);

  StoredMail mail_;
  std::uint64_t read_back_ = 0;
  std::uint64_t reassembled_ = 0;    // … as received, by the readers' rules
  std::uint64_t several_parts_ = 0;  // more rows than the two-row layout has
};

// Decision 7.
void RoundTrip::expect_unchanged(const storage::StoredMessage& stored, const std::string& received) {
  const std::vector<storage::PartView> rows = views_of(stored);
  const std::string whole = std::string(return_path) + without_nul(received);
  EXPECT_EQ(storage::export_message(rows, stored.message_size), whole);
  EXPECT_EQ(stored.rfc_size, stored.message_size + return_path.size());
  // Without a blank line no layout can bring the text back: the readers put one after the header.
  if (has_blank_line(received)) {
    EXPECT_EQ(to_crlf(storage::reassemble(rows)), to_crlf(whole));
    ++reassembled_;
  }
  several_parts_ += rows.size() > 2;
  ++read_back_;
}

void RoundTrip::store_and_read_back(std::uint64_t first_seed) {
  std::vector<std::string> received;
  std::vector<storage::Message> messages;
  for (std::uint64_t seed = first_seed; seed < first_seed + messages_per_batch; ++seed) {
    received.push_back(random_message(seed));
    messages.push_back(decompose(received.back(), 1 + seed % 997));
  }
  const std::vector<storage::MessageId> uids = mail_.store(std::move(messages));
  for (std::size_t i = 0; i < uids.size(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(first_seed + i));
    expect_unchanged(mail_.load(uids[i]), received[i]);
  }
}

TEST_P(RoundTrip, ExportEqualsReceivedAndReadersGetTheText) {
  const std::uint64_t first = static_cast<std::uint64_t>(std::get<1>(GetParam())) * messages_per_share;
  for (std::uint64_t done = 0; done < messages_per_share && !HasFailure(); done += messages_per_batch)
    store_and_read_back(first + done);
  EXPECT_EQ(read_back_, messages_per_share);
  EXPECT_EQ(mail_.count(), messages_per_share);
  // The laws would hold for a generator without imagination too.
  EXPECT_GT(reassembled_, messages_per_share * 3 / 4);
  EXPECT_GT(several_parts_, messages_per_share / 10);
  RecordProperty("reassembled", static_cast<int>(reassembled_));
  RecordProperty("several_parts", static_cast<int>(several_parts_));
}

static_assert(shares * messages_per_share == 10'000 && messages_per_share % messages_per_batch == 0);
INSTANTIATE_TEST_SUITE_P(Generated, RoundTrip,
                         ::testing::Combine(::testing::Values(Engine::sqlite, Engine::postgresql, Engine::mysql),
                                            ::testing::Range(0, shares)),
                         [](const auto& tested) {
                           return testing_support::to_string(std::get<0>(tested.param)) + "_" +
                                  std::to_string(std::get<1>(tested.param) + 1) + "_of_" + std::to_string(shares);
                         });

}  // namespace
}  // namespace golden
