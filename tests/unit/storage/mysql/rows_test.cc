#include "storage/mysql/rows.h"

#include <gtest/gtest.h>

namespace storage::mysql {
namespace {

const batch::ContentIds ids{{10, 11}, {20, 21}, {30}};

TEST(RowsTest, ReferToNewRowsByTheirIds) {
  const std::vector<batch::PartlistRow> partlists{{1, true, 1, 2, 3, {0, 1}}, {0, false, 4, 5, 6, {99, 0}}};
  EXPECT_EQ(rows_of(partlists, ids),
            (std::vector<Value>{std::int64_t{11}, std::int64_t{1}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                                std::int64_t{21}, std::int64_t{10}, std::int64_t{0}, std::int64_t{4}, std::int64_t{5},
                                std::int64_t{6}, std::int64_t{99}}));
  const std::vector<batch::HeaderRow> headers{{0, 7, {0, 0}}};
  EXPECT_EQ(rows_of(headers, ids), (std::vector<Value>{std::int64_t{10}, std::int64_t{7}, std::int64_t{30}}));
  const std::vector<batch::HeaderRow> stranger{{2, 7, {0, 0}}};
  EXPECT_THROW((void)rows_of(stranger, ids), std::out_of_range);
}

TEST(RowsTest, AnEmptyDateIsNull) {
  const std::vector<batch::ValueRow> rows{{"h", "v", "s", ""}, {"h", "v", "s", "2024-02-29"}};
  const auto values = rows_of(rows);
  ASSERT_EQ(values.size(), 8u);
  EXPECT_EQ(values[3], Value());
  EXPECT_EQ(values[7], Value(std::string_view("2024-02-29")));
}

TEST(RowsTest, AnEnvelopeBeyondItsColumnIsEmpty) {
  const std::string fits(65535, 'x');
  const std::string longer(65536, 'x');
  const std::vector<batch::TextRow> rows{{0, fits}, {1, longer}};
  const auto values = envelope_rows(rows, ids);
  EXPECT_EQ(values.at(1), Value(std::string_view(fits)));
  EXPECT_EQ(values.at(3), Value(std::string_view("(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)")));
}

TEST(RowsTest, AChangeHasItsKeysTwice) {
  const std::vector<batch::QuotaUpdate> updates{{1, 100}, {2, 200}};
  const Changes changes = changes_of(updates);
  EXPECT_EQ(changes.rows, (std::vector<Value>{std::int64_t{1}, std::int64_t{100}, std::int64_t{2}, std::int64_t{200}}));
  EXPECT_EQ(changes.keys, (std::vector<Value>{std::int64_t{1}, std::int64_t{2}}));
}

}  // namespace
}  // namespace storage::mysql
