// What storage::schema::compare says of a catalog that lacks one thing: exactly one line, which names it.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/schema/full_catalog.h"

namespace storage::schema {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

SchemaReport report_of(Engine engine, const Catalog& found) {
  SchemaReport report;
  compare(engine, found, "dbmail_", report);
  return report;
}

class CompareTest : public ::testing::TestWithParam<Engine> {
 protected:
  [[nodiscard]] SchemaReport report() const { return report_of(GetParam(), catalog_); }
  [[nodiscard]] std::vector<std::string> all_lines() const {
    SchemaReport found = report();
    found.problems.insert(found.problems.end(), found.remarks.begin(), found.remarks.end());
    return found.problems;
  }

  Catalog catalog_ = full_catalog(GetParam(), IndexSet::lean);
};

std::string engine_name(const ::testing::TestParamInfo<Engine>& parameter) {
  switch (parameter.param) {
    case Engine::sqlite:
      return "sqlite";
    case Engine::postgresql:
      return "postgresql";
    case Engine::mysql:
      return "mysql";
  }
  return {};
}

INSTANTIATE_TEST_SUITE_P(Engines, CompareTest, ::testing::Values(Engine::sqlite, Engine::postgresql, Engine::mysql),
                         engine_name);

TEST_P(CompareTest, FreshInstallsAreFine) {
  for (const auto set : {IndexSet::dbmail, IndexSet::lean}) {
    const auto report = report_of(GetParam(), full_catalog(GetParam(), set));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_THAT(report.remarks, IsEmpty());
  }
}

TEST_P(CompareTest, NamesAMissingTable) {
  for (const auto& [name, table] : full_catalog(GetParam(), IndexSet::lean).tables) {
    catalog_.tables.erase(name);
    EXPECT_THAT(all_lines(), ElementsAre(HasSubstr(" dbmail_" + name + " is missing: ")));
    EXPECT_EQ(report().problems.size(), needs::contains(needs::tables, name) ? 1U : 0U) << name;
    catalog_.tables[name] = table;
  }
}

TEST_P(CompareTest, NamesAMissingColumnWithItsRemedy) {
  for (auto& [name, table] : catalog_.tables) {
    const auto columns = table.columns;
    for (const auto& [column, definition] : columns) {
      table.columns.erase(column);
      EXPECT_THAT(all_lines(),
                  ElementsAre(HasSubstr("column dbmail_" + name + "." + column + " is missing: ALTER TABLE dbmail_" +
                                        name + " ADD COLUMN " + column + " ")));
      table.columns = columns;
    }
  }
}

TEST_P(CompareTest, NamesAMissingIndexWithItsRemedy) {
  for (auto& [name, table] : catalog_.tables) {
    const auto indexes = table.indexes;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      table.indexes.erase(table.indexes.begin() + static_cast<std::ptrdiff_t>(i));
      const auto& gone = indexes[i];
      const std::string kind = gone.unique ? "unique index" : "index";
      EXPECT_THAT(all_lines(),
                  ElementsAre(::testing::AllOf(HasSubstr(kind + " on dbmail_" + name + " (" + gone.columns[0]),
                                               HasSubstr(" ON dbmail_" + name + " ("))));
      table.indexes = indexes;
    }
  }
}

TEST_P(CompareTest, MissingIndexesOfADeliveryAreProblems) {
  const std::pair<const char*, const char*> needed[] = {{"messages", "unique_id"},
                                                        {"mimeparts", "hash"},
                                                        {"headervalue", "hash"},
                                                        {"partlists", "part_id"},
                                                        {"header", "headervalue_id"}};
  for (const auto& [name, column] : needed) {
    auto& indexes = catalog_.tables[name].indexes;
    std::erase_if(indexes, [&](const Index& index) { return index.columns == std::vector<std::string>{column}; });
  }
  EXPECT_EQ(report().problems.size(), std::size(needed));
  EXPECT_THAT(report().remarks, IsEmpty());
}

TEST_P(CompareTest, AnIndexThatBeginsWithTheColumnsCounts) {
  for (auto& [name, table] : catalog_.tables) {
    for (Index& index : table.indexes) {
      if (!index.unique) index.columns.push_back("anything");
    }
  }
  EXPECT_THAT(all_lines(), IsEmpty());
}

TEST_P(CompareTest, TheOrderOfAUniqueIndexDoesNotMatter) {
  for (auto& [name, table] : catalog_.tables) {
    for (Index& index : table.indexes) std::reverse(index.columns.begin(), index.columns.end());
  }
  EXPECT_THAT(all_lines(), IsEmpty());
}

TEST_P(CompareTest, AWiderUniqueIndexIsNoSubstitute) {
  for (Index& index : catalog_.tables["mailboxes"].indexes) {
    if (index.columns.size() == 2) index.columns.push_back("seq");
  }
  EXPECT_THAT(report().problems,
              ElementsAre(HasSubstr("unique index on dbmail_mailboxes (owner_idnr, name) is missing: ")));
}

TEST_P(CompareTest, AnIndexThatIsNotUniqueIsNoSubstitute) {
  for (Index& index : catalog_.tables["mailboxes"].indexes) {
    if (index.columns.size() == 2) index.unique = false;
  }
  EXPECT_THAT(report().problems,
              ElementsAre(HasSubstr("unique index on dbmail_mailboxes (owner_idnr, name) is missing: ")));
}

TEST_P(CompareTest, ExpressionsCountAsTheServersPrintThem) {
  for (auto& [name, table] : catalog_.tables) {
    for (Index& index : table.indexes) {
      if (index.columns[0].starts_with("lower(")) {
        const std::string column = index.columns[0].substr(6, index.columns[0].size() - 7);
        index.columns[0] = "lower((" + column + ")::text)";
      }
    }
  }
  EXPECT_THAT(all_lines(), IsEmpty());
}

TEST_P(CompareTest, NamesAColumnThatEveryInsertWouldMiss) {
  catalog_.tables["messages"].columns["extra"] = {"bigint", "", false, false};
  EXPECT_THAT(all_lines(), ElementsAre(HasSubstr("column dbmail_messages.extra is NOT NULL without a default")));
  catalog_.tables["messages"].columns["extra"] = {"bigint", "", false, true};
  EXPECT_THAT(all_lines(), IsEmpty());
  catalog_.tables["messages"].columns["extra"] = {"bigint", "", true, false};
  EXPECT_THAT(all_lines(), IsEmpty());
  catalog_.tables["sievescripts"].columns["extra"] = {"bigint", "", false, false};
  EXPECT_THAT(all_lines(), IsEmpty());
}

TEST_P(CompareTest, HeadersWithoutADateNeedANullableColumn) {
  catalog_.tables["headervalue"].columns["datefield"].nullable = false;
  EXPECT_THAT(report().problems, ElementsAre(HasSubstr("column dbmail_headervalue.datefield is NOT NULL")));
}

TEST_P(CompareTest, NullableBlobsAreFine) {
  catalog_.tables["mimeparts"].columns["data"].nullable = true;
  EXPECT_THAT(all_lines(), IsEmpty());
}

TEST_P(CompareTest, NamesMissingUpgradeSteps) {
  const auto steps = catalog_.upgrade_steps;
  for (const auto& step : steps) {
    std::erase(catalog_.upgrade_steps, step);
    EXPECT_THAT(all_lines(),
                ElementsAre(HasSubstr("upgrade step " + std::to_string(step.first) + " to " +
                                      std::to_string(step.second) + " is not recorded in dbmail_upgrade_steps")));
    EXPECT_EQ(report().problems.size(), step.second > 35000 ? 0U : 1U);
    catalog_.upgrade_steps = steps;
  }
}

TEST_P(CompareTest, NamesMissingRows) {
  catalog_.users.erase(catalog_.users.begin() + 1);
  EXPECT_THAT(all_lines(), ElementsAre(HasSubstr("internal user \"anyone\" is missing: INSERT INTO dbmail_users")));
  catalog_ = full_catalog(GetParam(), IndexSet::lean);
  std::erase(catalog_.header_names, "subject");
  EXPECT_THAT(report().problems, ElementsAre(HasSubstr("header name \"subject\" is missing")));
  catalog_ = full_catalog(GetParam(), IndexSet::lean);
  std::erase(catalog_.header_names, "message-id");
  EXPECT_THAT(report().problems, IsEmpty());
  EXPECT_THAT(report().remarks, ElementsAre(HasSubstr("header name \"message-id\" is missing")));
}

TEST_P(CompareTest, AnEmptyDatabaseIsToldApartFromADamagedOne) {
  Catalog empty;
  empty.database_charset = catalog_.database_charset;
  const auto report = report_of(GetParam(), empty);
  EXPECT_THAT(report.problems, ElementsAre(AllOf(StartsWith("the database is empty: run \"lmtpctl schema create\""),
                                                 HasSubstr("dbmail_users, "), HasSubstr("dbmail_upgrade_steps"))));
  EXPECT_THAT(report.remarks, IsEmpty());
  Catalog damaged = empty;
  damaged.tables["acl"] = catalog_.tables["acl"];
  EXPECT_EQ(report_of(GetParam(), damaged).problems.size(), needs::tables.size());
}

TEST(CompareMysqlTest, NamesTablesInAnotherCharset) {
  auto catalog = full_catalog(Engine::mysql, IndexSet::lean);
  for (auto& [name, column] : catalog.tables["headervalue"].columns) {
    if (!column.charset.empty()) column.charset = "utf8mb3";
  }
  const auto report = report_of(Engine::mysql, catalog);
  EXPECT_THAT(report.problems,
              ElementsAre("table dbmail_headervalue holds text (headervalue, sortfield) in utf8mb3, utf8mb4 is needed: "
                          "ALTER TABLE dbmail_headervalue CONVERT TO CHARACTER SET utf8mb4"));
}

TEST(CompareMysqlTest, AnyCharsetHoldsDigests) {
  auto catalog = full_catalog(Engine::mysql, IndexSet::lean);
  catalog.tables["mimeparts"].columns["hash"].charset = "ascii";
  catalog.tables["messages"].columns["unique_id"].charset = "latin1";
  EXPECT_THAT(report_of(Engine::mysql, catalog).problems, IsEmpty());
}

TEST(CompareMysqlTest, BlobsMustHoldMail) {
  auto catalog = full_catalog(Engine::mysql, IndexSet::lean);
  catalog.tables["mimeparts"].columns["data"].type = "blob";
  EXPECT_THAT(report_of(Engine::mysql, catalog).problems,
              ElementsAre(HasSubstr("column dbmail_mimeparts.data is blob")));
}

TEST(CompareMysqlTest, CompressedBlobsAreARemark) {
  auto catalog = full_catalog(Engine::mysql, IndexSet::lean);
  catalog.tables["mimeparts"].row_format = "compressed";
  const auto report = report_of(Engine::mysql, catalog);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.remarks, ElementsAre(HasSubstr("ALTER TABLE dbmail_mimeparts ROW_FORMAT=DYNAMIC")));
}

TEST(ComparePostgresqlTest, TheDatabaseMustBeUtf8) {
  auto catalog = full_catalog(Engine::postgresql, IndexSet::lean);
  catalog.database_charset = "SQL_ASCII";
  EXPECT_THAT(report_of(Engine::postgresql, catalog).problems,
              ElementsAre(HasSubstr("encoding is SQL_ASCII, UTF8 is needed")));
}

}  // namespace
}  // namespace storage::schema
