// Fresh installs and damaged ones on real engines: create_schema and check_schema of each driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "storage/admin.h"
#include "storage/registry.h"
#include "tests/contract/engines.h"
#include "tests/support/scratch_db.h"
#include "tests/support/server_uri.h"

namespace testing_support {
namespace {

using storage::IndexSet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

storage::SchemaReport check(const storage::Driver& driver) {
  storage::SchemaReport report;
  const storage::Status status = const_cast<storage::Driver&>(driver).check_schema(report);
  EXPECT_TRUE(status.ok()) << status.detail();
  return report;
}

storage::SchemaReport check(const ScratchStore& store) {
  return check(*store.driver());
}

using Install = std::tuple<Engine, IndexSet, std::string>;

std::string install_name(const ::testing::TestParamInfo<Install>& parameter) {
  const auto& [engine, indexes, prefix] = parameter.param;
  return to_string(engine) + (indexes == IndexSet::lean ? "_lean" : "_dbmail") +
         (prefix == "dbmail_" ? "" : "_other_prefix");
}

class FreshInstall : public ::testing::TestWithParam<Install> {};

INSTANTIATE_TEST_SUITE_P(Engines, FreshInstall,
                         ::testing::Combine(::testing::ValuesIn(all_engines),
                                            ::testing::Values(IndexSet::dbmail, IndexSet::lean),
                                            ::testing::Values("dbmail_", "mail1_")),
                         install_name);

// One store for all questions: making one is what takes the time.
TEST_P(FreshInstall, IsWhatLmtpdAndDbmailLookForAndIsNeverMadeTwice) {
  const auto& [engine, indexes, prefix] = GetParam();
  ScratchStore store(engine, {.indexes = indexes, .prefix = prefix});
  const auto report = check(store);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.remarks, IsEmpty());
  EXPECT_FALSE(report.server.empty());

  EXPECT_EQ(store.sql().value("SELECT count(*) FROM " + prefix + "upgrade_steps"), "8");
  EXPECT_EQ(store.sql().value("SELECT count(*) FROM " + prefix + "headername"), "13");
  EXPECT_THAT(
      store.sql().query("SELECT user_idnr, userid FROM " + prefix + "users ORDER BY user_idnr"),
      ElementsAre(SqlRow{"1", "__@!internal_delivery_user!@__"}, SqlRow{"2", "anyone"}, SqlRow{"3", "__public__"}));

  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(store.driver()->open_admin(admin).ok());
  EXPECT_FALSE(admin->create_schema(indexes).ok());
  EXPECT_THAT(check(store).problems, IsEmpty());
}

// Field report A63: upgrades that stopped half-way. Each fault is named with its remedy, and nothing is altered.
class DamagedStore : public ::testing::TestWithParam<Engine> {
 protected:
  void damage(const std::string& statement) { store_.sql().execute(statement); }
  [[nodiscard]] std::vector<std::string> problems() const { return check(store_).problems; }

  ScratchStore store_{GetParam(), {.indexes = IndexSet::lean}};
};

INSTANTIATE_TEST_SUITE_P(Engines, DamagedStore, ::testing::ValuesIn(all_engines), engine_name);

TEST_P(DamagedStore, MissingColumnIsNamed) {
  damage("ALTER TABLE dbmail_messages DROP COLUMN seq");
  EXPECT_THAT(
      problems(),
      ElementsAre(HasSubstr("column dbmail_messages.seq is missing: ALTER TABLE dbmail_messages ADD COLUMN seq ")));
}

TEST_P(DamagedStore, TheRemedyForAColumnWorks) {
  damage("ALTER TABLE dbmail_messages DROP COLUMN seq");
  const std::string line = problems().at(0);
  damage(line.substr(line.find("ALTER TABLE")));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_P(DamagedStore, MissingUniqueIndexIsNamed) {
  switch (GetParam()) {
    case Engine::postgresql:
      damage("DROP INDEX dbmail_headername_lower");
      break;
    case Engine::mysql:
      damage("ALTER TABLE dbmail_headername DROP INDEX headername");
      break;
    case Engine::sqlite:
      damage("CREATE TABLE copy AS SELECT * FROM dbmail_headername");
      damage("DROP TABLE dbmail_headername");
      damage("CREATE TABLE dbmail_headername (id INTEGER PRIMARY KEY, headername TEXT NOT NULL)");
      damage("INSERT INTO dbmail_headername SELECT * FROM copy");
      break;
  }
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("unique index on dbmail_headername (")));
}

TEST_P(DamagedStore, MissingIndexIsNamedAndItsRemedyWorks) {
  damage(GetParam() == Engine::mysql ? "DROP INDEX hash ON dbmail_mimeparts" : "DROP INDEX dbmail_mimeparts_hash");
  const auto lines = problems();
  ASSERT_THAT(lines, ElementsAre(HasSubstr("index on dbmail_mimeparts (hash) is missing: CREATE INDEX ")));
  damage(lines[0].substr(lines[0].find("CREATE INDEX")));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_P(DamagedStore, AnEquivalentIndexCounts) {
  damage(GetParam() == Engine::mysql ? "DROP INDEX hash ON dbmail_mimeparts" : "DROP INDEX dbmail_mimeparts_hash");
  damage("CREATE INDEX of_another_name ON dbmail_mimeparts (hash, size)");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_P(DamagedStore, MissingTableIsNamed) {
  damage("DROP TABLE dbmail_envelope");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("table dbmail_envelope is missing")));
}

TEST_P(DamagedStore, MissingRowsAreNamed) {
  damage("DELETE FROM dbmail_upgrade_steps WHERE to_version = 32003");
  damage("DELETE FROM dbmail_users WHERE userid = 'anyone'");
  damage("DELETE FROM dbmail_headername WHERE headername = 'subject'");
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("upgrade step 32001 to 32003"), HasSubstr("\"anyone\""), HasSubstr("\"subject\"")));
}

TEST_P(DamagedStore, A63AHalfAppliedUpgradeIsListedWhole) {
  damage("ALTER TABLE dbmail_messages DROP COLUMN seq");
  damage("ALTER TABLE dbmail_users DROP COLUMN active");
  damage("DELETE FROM dbmail_upgrade_steps WHERE to_version = 32004");
  EXPECT_THAT(problems(), UnorderedElementsAre(HasSubstr("column dbmail_messages.seq is missing"),
                                               HasSubstr("column dbmail_users.active is missing"),
                                               HasSubstr("upgrade step 32001 to 32004")));
}

TEST_P(DamagedStore, AnotherPrefixFindsNothing) {
  storage::Options options = store_.options();
  options.table_prefix = "nothing_";
  EXPECT_THAT(check(*storage::make_driver(options)).problems,
              ElementsAre(AllOf(HasSubstr("the database is empty"), HasSubstr("nothing_messages"))));
}

TEST(DamagedMysqlStore, AnotherCharsetIsNamedAndItsRemedyWorks) {
  ScratchStore store(Engine::mysql);
  store.sql().execute("ALTER TABLE dbmail_headervalue CONVERT TO CHARACTER SET latin1");
  const auto lines = check(store).problems;
  ASSERT_THAT(lines, ElementsAre(HasSubstr("table dbmail_headervalue holds text (headervalue, sortfield) in latin1")));
  store.sql().execute(lines[0].substr(lines[0].find("ALTER TABLE")));
  // CONVERT makes a text column one size larger, so that everything fits; that is fine.
  EXPECT_THAT(check(store).problems, IsEmpty());
}

TEST(DamagedMysqlStore, SmallBlobsAreNamed) {
  ScratchStore store(Engine::mysql);
  store.sql().execute("ALTER TABLE dbmail_mimeparts MODIFY data blob");
  EXPECT_THAT(check(store).problems, ElementsAre(HasSubstr("column dbmail_mimeparts.data is blob")));
}

TEST(DamagedPostgresqlStore, AnotherEncodingIsNamed) {
  const std::string server = server_uri("LMTPD_TEST_POSTGRESQL_URI");
  const std::string name = "lmtpd_sql_ascii";
  const auto client = open_sql_client(server);
  client->execute("DROP DATABASE IF EXISTS " + name);
  client->execute("CREATE DATABASE " + name + " ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  storage::Options options;
  options.uri = with_database(server, name);
  EXPECT_THAT(check(*storage::make_driver(options)).problems.at(0), HasSubstr("encoding is SQL_ASCII, UTF8 is needed"));
  client->execute("DROP DATABASE " + name + " WITH (FORCE)");
}

}  // namespace
}  // namespace testing_support
