// The reader of the schema files, and the parity of the three engines: the same tables and columns but for a list of
// differences.
#include "storage/schema/blueprint.h"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>
#include <string>

#include "tests/unit/schema/full_catalog.h"

namespace storage::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> statements(std::initializer_list<const char*> texts) {
  return {texts.begin(), texts.end()};
}

TEST(ReadBlueprint, ReadsColumnsAndConstraints) {
  const auto blueprint = read_blueprint(
      statements(
          {"CREATE TABLE p_a (\n  id bigint NOT NULL DEFAULT nextval('x'),\n  b varchar(10) UNIQUE,\n  PRIMARY KEY "
           "(id),\n"
           "  CONSTRAINT c UNIQUE (b, id),\n  KEY k (b(255)),\n  FOREIGN KEY (id) REFERENCES p_z (id)\n) ENGINE=InnoDB",
           "CREATE UNIQUE INDEX i ON p_a (lower(b))", "CREATE INDEX j ON p_a (id) WHERE id < 2",
           "CREATE VIEW p_v AS SELECT 1", "INSERT INTO p_a (b) VALUES (1)"}),
      "p_");
  ASSERT_EQ(blueprint.tables.size(), 1U);
  const auto& table = blueprint.tables[0];
  EXPECT_EQ(table.name, "a");
  ASSERT_NE(table.column("id"), nullptr);
  EXPECT_EQ(table.column("id")->definition, "bigint NOT NULL DEFAULT nextval('x')");
  EXPECT_EQ(table.columns.size(), 2U);
  ASSERT_EQ(table.indexes.size(), 5U);
  EXPECT_THAT(table.indexes[0].columns, ElementsAre("b"));
  EXPECT_THAT(table.indexes[2].columns, ElementsAre("b", "id"));
  EXPECT_FALSE(table.indexes[3].unique);
  EXPECT_THAT(table.indexes[4].columns, ElementsAre("lower(b)"));
  EXPECT_TRUE(table.indexes[4].unique);
  EXPECT_THAT(blueprint.views, ElementsAre("v"));
}

TEST(ReadBlueprint, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THROW((void)read_blueprint(statements({"CREATE TABLE x_a (id bigint)"}), "p_"), std::logic_error);
  EXPECT_THROW((void)read_blueprint(statements({"CREATE TABLE p_a (id bigint"}), "p_"), std::logic_error);
  EXPECT_THROW((void)read_blueprint(statements({"CREATE INDEX i ON p_b (id)"}), "p_"), std::logic_error);
}

std::set<std::string> columns_of(const Blueprint& blueprint) {
  std::set<std::string> names;
  for (const auto& table : blueprint.tables) {
    for (const auto& column : table.columns) names.insert(table.name + "." + column.name);
  }
  return names;
}

std::set<std::string> lacking(const std::set<std::string>& all, const std::set<std::string>& some) {
  std::set<std::string> names;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::inserter(names, names.end()));
  return names;
}

TEST(Parity, TablesAndColumnsAreTheSameButForAList) {
  const auto postgresql = columns_of(blueprint_of(Engine::postgresql, IndexSet::dbmail));
  const auto mysql = columns_of(blueprint_of(Engine::mysql, IndexSet::dbmail));
  const auto sqlite = columns_of(blueprint_of(Engine::sqlite, IndexSet::dbmail));
  // DBMail's MySQL schema never had the message store of version 2.2.
  EXPECT_THAT(lacking(postgresql, mysql),
              UnorderedElementsAre("messageblks.messageblk_idnr", "messageblks.physmessage_id",
                                   "messageblks.messageblk", "messageblks.blocksize", "messageblks.is_header"));
  // DBMail's SQLite schema has no Sieve quota and no id for scripts.
  EXPECT_THAT(lacking(postgresql, sqlite),
              UnorderedElementsAre("users.maxsieve_size", "users.cursieve_size", "sievescripts.id"));
  EXPECT_THAT(lacking(mysql, postgresql), UnorderedElementsAre());
  EXPECT_THAT(lacking(sqlite, postgresql), UnorderedElementsAre());
}

TEST(Parity, ViewsAreTheSame) {
  for (const auto engine : {Engine::postgresql, Engine::mysql, Engine::sqlite}) {
    EXPECT_THAT(blueprint_of(engine, IndexSet::lean).views,
                ElementsAre("fromfield", "tofield", "ccfield", "subjectfield", "datefield"));
  }
}

// Every index of lean is one of dbmail's.
TEST(Parity, LeanOnlyLeavesOut) {
  for (const auto engine : {Engine::postgresql, Engine::mysql, Engine::sqlite}) {
    const auto full = blueprint_of(engine, IndexSet::dbmail);
    for (const auto& table : blueprint_of(engine, IndexSet::lean).tables) {
      for (const auto& index : table.indexes) {
        const auto& candidates = full.table(table.name)->indexes;
        const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const auto& other) {
          return other.columns == index.columns && other.unique == index.unique && other.statement == index.statement;
        });
        EXPECT_TRUE(known) << table.name << " " << index.statement;
      }
    }
  }
}

TEST(Parity, RequiredRowsAreTheSame) {
  const auto rows_of = [](Engine engine) {
    std::string rows;
    for (const auto& statement : create_statements(engine, IndexSet::lean, "")) {
      if (statement.starts_with("INSERT INTO users") || statement.starts_with("INSERT INTO headername"))
        rows += statement;
    }
    return rows;
  };
  EXPECT_EQ(rows_of(Engine::postgresql), rows_of(Engine::mysql));
  EXPECT_EQ(rows_of(Engine::postgresql), rows_of(Engine::sqlite));
  for (const auto name : needs::header_names) EXPECT_NE(rows_of(Engine::mysql).find(name), std::string::npos) << name;
}

// The table of needs speaks of things that exist.
TEST(Needs, NameOnlyWhatTheSchemaHas) {
  const auto postgresql = blueprint_of(Engine::postgresql, IndexSet::lean);
  const auto mysql = blueprint_of(Engine::mysql, IndexSet::lean);
  for (const auto name : needs::tables) EXPECT_NE(postgresql.table(name), nullptr) << name;
  for (const auto& column : needs::optional_columns) {
    EXPECT_NE(postgresql.table(column.table)->column(column.column), nullptr) << column.column;
  }
  for (const auto& needed : needs::indexes) {
    const auto has = [&](const Blueprint& blueprint) {
      const auto& indexes = blueprint.table(needed.table)->indexes;
      return std::any_of(indexes.begin(), indexes.end(), [&](const auto& index) {
        std::string columns;
        for (const auto& column : index.columns) columns += (columns.empty() ? "" : ",") + column;
        return columns == needed.columns && index.unique == needed.unique;
      });
    };
    EXPECT_TRUE(has(postgresql) || has(mysql)) << needed.table << " " << needed.columns;
  }
}

}  // namespace
}  // namespace storage::schema
