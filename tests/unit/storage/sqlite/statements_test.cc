#include "storage/sqlite/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <sstream>
#include <string>

#include "storage/schema/schema.h"

namespace storage::sqlite {
namespace {

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Database with_schema(IndexSet indexes) {
  sqlite3* raw = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
  Database database(raw, &sqlite3_close);
  for (const std::string& sql : schema::create_statements(schema::Engine::sqlite, indexes, "dbmail_")) {
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  }
  return database;
}

std::string filled(std::string_view sql) {
  std::string text(sql);
  for (auto at = text.find("{}"); at != std::string::npos; at = text.find("{}")) text.replace(at, 2, "dbmail_");
  return text;
}

std::string plan_of(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &raw, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database) << ": " << sql;
  const Prepared statement(raw, &sqlite3_finalize);
  std::string plan;
  while (sqlite3_step(raw) == SQLITE_ROW) {
    plan += std::string(reinterpret_cast<const char*>(sqlite3_column_text(raw, 3))) + "\n";
  }
  return plan;
}

class Plans : public testing::TestWithParam<IndexSet> {};

// What runs for each RCPT and each batch reads by key or index, never a whole table; without statistics, as in a new
// store.
TEST_P(Plans, NoStatementOfADeliveryScansATable) {
  const Database database = with_schema(GetParam());
  for (const StatementText& text : statements) {
    if (text.statement < Statement::aliases || text.statement > Statement::add_quota) continue;
    if (text.statement == Statement::header_names) continue;  // the whole dictionary, once per connection
    if (text.statement == Statement::add_header_name) continue;
    std::istringstream plan(plan_of(database.get(), filled(text.sql)));
    for (std::string step; std::getline(plan, step);) {
      const bool reads_all =
          step.starts_with("SCAN ") && !step.starts_with("SCAN json_each") && step != "SCAN CONSTANT ROW";
      EXPECT_FALSE(reads_all) << text.name << ": " << step;
    }
  }
}

TEST_P(Plans, TheSelectiveIndexIsChosen) {
  const Database database = with_schema(GetParam());
  const auto plan = [&](Statement statement) {
    return plan_of(database.get(), filled(statements[static_cast<std::size_t>(statement)].sql));
  };
  EXPECT_THAT(plan(Statement::find_message), testing::HasSubstr("messages_unique_id (unique_id=?)"));
  EXPECT_THAT(plan(Statement::find_part), testing::HasSubstr("mimeparts_hash (hash=?)"));
  EXPECT_THAT(plan(Statement::find_part), testing::HasSubstr("partlists_part (part_id=?)"));
  EXPECT_THAT(plan(Statement::find_value), testing::HasSubstr("headervalue_hash (hash=?)"));
  EXPECT_THAT(plan(Statement::find_value), testing::HasSubstr("header_value (headervalue_id=?)"));
  EXPECT_THAT(plan(Statement::aliases), testing::HasSubstr("aliases_lower_alias"));
  EXPECT_THAT(plan(Statement::users_by_name), testing::HasSubstr("users_lower_userid"));
}

INSTANTIATE_TEST_SUITE_P(Sqlite, Plans, testing::Values(IndexSet::dbmail, IndexSet::lean),
                         [](const auto& tested) { return tested.param == IndexSet::lean ? "lean" : "dbmail"; });

TEST(Statements, EveryOneIsValid) {
  const Database database = with_schema(IndexSet::lean);
  for (const StatementText& text : statements) {
    sqlite3_stmt* raw = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database.get(), filled(text.sql).c_str(), -1, &raw, nullptr), SQLITE_OK)
        << text.name << ": " << sqlite3_errmsg(database.get());
    sqlite3_finalize(raw);
  }
}

}  // namespace
}  // namespace storage::sqlite
