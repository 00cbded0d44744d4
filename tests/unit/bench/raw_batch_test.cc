#include "bench/ceiling/raw_batch.h"

#include <gtest/gtest.h>

#include <set>

namespace bench::ceiling {
namespace {

const storage::batch::HeaderNames& names() {
  static const storage::batch::HeaderNames dictionary = {
      {"date", 1},    {"from", 2}, {"message-id", 3}, {"mime-version", 4}, {"return-path", 5},
      {"subject", 6}, {"to", 7},   {"user-agent", 8}, {"content-type", 9}, {"received", 10}};
  return dictionary;
}

class RawBatches : public testing::Test {
 protected:
  RawBatches() {
    work_.recipients = {"a@example.org", "b@example.org", "c@example.org"};
    work_.recipients_per_message = 2;
    work_.batch = 7;
    batches_ = make_batches(
        work_, {storage::Target(1, "INBOX", 11), storage::Target(2, "INBOX", 12), storage::Target(3, "INBOX", 13)}, 30,
        0);
    raw_ = record(batches_, names(), next_);
  }

  Work work_;
  std::vector<Batch> batches_;
  NextIds next_{100, 200, 300};
  RawWork raw_;
};

TEST_F(RawBatches, BatchesHaveTheWantedSize) {
  ASSERT_EQ(batches_.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(batches_[i].size(), 7u);
  EXPECT_EQ(batches_.back().size(), 2u);
}

TEST_F(RawBatches, EachMessageHasItsRows) {
  std::uint64_t parts = 0;
  for (const Batch& batch : batches_) {
    for (const storage::Delivery& delivery : batch) parts += delivery.message.parts.size();
  }
  const auto rows = count_rows(raw_.batches);
  EXPECT_EQ(rows.at("physmessage"), 30u);
  EXPECT_EQ(rows.at("envelope"), 30u);
  EXPECT_EQ(rows.at("messages"), 60u);
  EXPECT_EQ(rows.at("partlists"), parts);
  EXPECT_GT(rows.at("header"), 30u * 6);
}

TEST_F(RawBatches, SharedValuesAreInsertedOnce) {
  std::set<std::string_view> hashes;
  std::size_t count = 0;
  const auto add = [&](const RawBatch& batch) {
    for (const auto& row : batch.content.values) hashes.insert(row.hash);
    count += batch.content.values.size();
  };
  add(raw_.shared);
  for (const RawBatch& batch : raw_.batches) add(batch);
  EXPECT_EQ(hashes.size(), count);
  EXPECT_FALSE(raw_.shared.content.values.empty()) << "User-Agent at least";
}

TEST_F(RawBatches, IdsAreDistinctAndReferencesPointToInsertedRows) {
  std::set<RowId> physmessages, parts, values;
  std::size_t inserted = 0;
  const auto add = [&](const RawBatch& batch) {
    physmessages.insert(batch.ids.physmessages.begin(), batch.ids.physmessages.end());
    parts.insert(batch.ids.parts.begin(), batch.ids.parts.end());
    values.insert(batch.ids.values.begin(), batch.ids.values.end());
    inserted += batch.ids.physmessages.size() + batch.ids.parts.size() + batch.ids.values.size();
    EXPECT_EQ(batch.ids.parts.size(), batch.content.parts.size());
    EXPECT_EQ(batch.ids.values.size(), batch.content.values.size());
  };
  add(raw_.shared);
  for (const RawBatch& batch : raw_.batches) {
    add(batch);  // what it refers to is its own or was inserted before
    for (const auto& row : batch.content.partlists) EXPECT_TRUE(parts.contains(batch.part(row.part)));
    for (const auto& row : batch.content.headers) EXPECT_TRUE(values.contains(batch.value(row.value)));
    for (const auto& row : batch.messages) EXPECT_TRUE(physmessages.contains(row.physmessage));
  }
  EXPECT_EQ(physmessages.size() + parts.size() + values.size(), inserted);
  EXPECT_EQ(*physmessages.begin(), 100);
  EXPECT_EQ(*parts.begin(), 200);
  EXPECT_EQ(*values.begin(), 300);
}

TEST_F(RawBatches, CopiesGoToDistinctMailboxesWithDistinctKeys) {
  std::set<std::string> keys;
  for (const RawBatch& batch : raw_.batches) {
    for (const auto& row : batch.messages) keys.insert(std::string(row.unique_id));
  }
  EXPECT_EQ(keys.size(), 60u);
}

}  // namespace
}  // namespace bench::ceiling
