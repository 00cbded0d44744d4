#include "storage/mysql/multi_row.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace storage::mysql {
namespace {

TEST(MultiRowTest, PadsToPowersOfTwoWithTheLastRow) {
  EXPECT_EQ(padded(1), 1u);
  EXPECT_EQ(padded(5), 8u);
  EXPECT_EQ(padded(4096), 4096u);
  std::vector<Value> values{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}};
  pad(values, 2, 4);
  const std::vector<Value> expected{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4},
                                    std::int64_t{3}, std::int64_t{4}, std::int64_t{3}, std::int64_t{4}};
  EXPECT_EQ(values, expected);
}

// Law: pieces cover all rows, and no piece of more than one row exceeds the limit.
TEST(MultiRowTest, EveryRowFitsSomewhere) {
  const std::string text(1000, 'x');
  std::vector<Value> values;
  for (std::size_t i = 0; i < 100; ++i)
    values.insert(values.end(), {std::string_view(text).substr(0, i * 10), Value()});
  for (const std::size_t limit : {1u, 500u, 1024u, 5000u, 1000000u}) {
    std::span<const Value> rest(values);
    while (!rest.empty()) {
      const std::size_t rows = rows_that_fit(rest, 2, limit);
      ASSERT_GE(rows, 1u);
      std::size_t octets = 0;
      for (const Value& value : rest.first(rows * 2)) octets += wire_size(value);
      EXPECT_TRUE(rows == 1 || octets <= limit);
      rest = rest.subspan(rows * 2);
    }
  }
}

TEST(MultiRowTest, TheProtocolHas65535Placeholders) {
  const std::vector<Value> values(6 * 20000);
  EXPECT_EQ(rows_that_fit(values, 6, 1u << 30), 65535u / 6);
}

TEST(MultiRowTest, IdsFollowTheFirstByTheIncrement) {
  std::vector<std::int64_t> ids{1};
  add_ids(10, 3, 2, ids);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{1, 10, 12, 14}));
}

}  // namespace
}  // namespace storage::mysql
