#include "storage/mysql/statement.h"

#include <gtest/gtest.h>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

TEST(StatementTest, RepeatsRowsAndKeysAndFillsThePrefix) {
  constexpr Statement statement{"x", "UPDATE {p}a SET b = CASE c {rows} END WHERE c IN ({keys})", "WHEN ? THEN ?", " "};
  EXPECT_EQ(render(statement, "mail_", 2, false),
            "UPDATE mail_a SET b = CASE c WHEN ? THEN ? WHEN ? THEN ? END WHERE c IN (?, ?)");
  EXPECT_EQ(columns(statement), 2u);
}

TEST(StatementTest, FillsThePrefixInRowsToo) {
  constexpr Statement statement{"x", "{rows}", "(SELECT ? FROM {p}a)", " UNION ALL "};
  EXPECT_EQ(render(statement, "mail_", 2, false), "(SELECT ? FROM mail_a) UNION ALL (SELECT ? FROM mail_a)");
}

TEST(StatementTest, AppendsReturningOnlyWhenAsked) {
  EXPECT_EQ(render(statements::insert_parts, "", 1, true),
            "INSERT INTO mimeparts (hash, data, size) VALUES (?, ?, ?) RETURNING id");
  EXPECT_EQ(render(statements::insert_parts, "", 1, false),
            "INSERT INTO mimeparts (hash, data, size) VALUES (?, ?, ?)");
}

}  // namespace
}  // namespace storage::mysql
