#include "storage/schema/statements.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "storage/schema/schema.h"

namespace storage::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitStatements, CutsAtSemicolons) {
  EXPECT_THAT(split_statements("SELECT 1;\n\nSELECT 2 ;SELECT 3"), ElementsAre("SELECT 1", "SELECT 2", "SELECT 3"));
  EXPECT_THAT(split_statements(" ;\n; "), IsEmpty());
}

TEST(SplitStatements, LeavesCommentsOut) {
  EXPECT_THAT(split_statements("-- one; two\nSELECT 1; -- it's over\n-- end"), ElementsAre("SELECT 1"));
}

TEST(SplitStatements, KeepsQuotedText) {
  EXPECT_THAT(split_statements("SELECT 'a;b--c', 'it''s; x';SELECT \";\""),
              ElementsAre("SELECT 'a;b--c', 'it''s; x'", "SELECT \";\""));
  EXPECT_THAT(split_statements("SELECT 'never closed; x"), ElementsAre("SELECT 'never closed; x"));
}

TEST(SplitStatements, KeepsTriggersWhole) {
  const auto trigger = "CREATE TRIGGER t BEFORE DELETE ON weekEND BEGIN\n  DELETE FROM a;\n  DELETE FROM THE_END;\nEND";
  EXPECT_THAT(split_statements(std::string(trigger) + ";\nSELECT 1;"), ElementsAre(trigger, "SELECT 1"));
}

TEST(FillPrefix, ReplacesEveryMarker) {
  EXPECT_EQ(fill_prefix("{prefix}a JOIN {prefix}b", "x_"), "x_a JOIN x_b");
  EXPECT_EQ(fill_prefix("{prefix}a", ""), "a");
}

TEST(FillPrefix, RefusesWhatIsNoIdentifier) {
  for (const auto* prefix : {"a b", "x;", "\"", "it's", "ä"})
    EXPECT_THROW((void)fill_prefix("", prefix), std::invalid_argument);
}

TEST(CreateStatements, AreCompleteOnEveryEngine) {
  for (const auto engine : {Engine::sqlite, Engine::postgresql, Engine::mysql}) {
    const auto lean = create_statements(engine, IndexSet::lean, "p_");
    const auto full = create_statements(engine, IndexSet::dbmail, "p_");
    EXPECT_GT(full.size(), lean.size());
    for (const auto& statement : full) {
      EXPECT_EQ(statement.find("{prefix}"), std::string::npos) << statement;
      EXPECT_FALSE(statement.ends_with(";")) << statement;
    }
  }
}

}  // namespace
}  // namespace storage::schema
