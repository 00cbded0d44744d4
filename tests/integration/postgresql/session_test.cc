#include "storage/postgresql/session.h"

#include <gmock/gmock.h>

#include "tests/integration/postgresql/database.h"

namespace storage::postgresql {
namespace {

using testing::HasSubstr;
using testing::Not;

class SessionTest : public Database {};

std::string shown(Session& session, const std::string& name) {
  const Rows rows = session.execute_script("SHOW " + name);
  return std::string(rows.octets(0, 0));
}

TEST_F(SessionTest, EveryStatementPrepares) {
  const auto session = connect();
  for (const StatementText& statement : statements) {
    if (statement.sql.empty() || statement.name == "commit" || statement.name == "rollback") continue;
    std::string text(statement.sql);
    for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}"))
      text.replace(at, 2, "dbmail_");
    EXPECT_NO_THROW(session->execute_script("PREPARE \"" + std::string(statement.name) + "\" AS " + text))
        << statement.name;
  }
}

TEST_F(SessionTest, IsPinned) {
  const auto session = connect();
  EXPECT_EQ(shown(*session, "client_encoding"), "UTF8");
  EXPECT_EQ(shown(*session, "timezone"), "UTC");
  EXPECT_EQ(shown(*session, "statement_timeout"), "30s");
  EXPECT_EQ(shown(*session, "lock_timeout"), "50s");
  EXPECT_EQ(shown(*session, "default_transaction_isolation"), "read committed");
  EXPECT_EQ(shown(*session, "standard_conforming_strings"), "on");
  EXPECT_EQ(shown(*session, "application_name"), "lmtpd");
}

// Field report A54, PgBouncer in transaction mode: no server-side prepared statement and no session setting may be left
// behind.
TEST_F(SessionTest, WithoutPreparedStatementsNothingStaysOnTheServer) {
  options_.server_prepared_statements = false;
  options_.statement_timeout = std::chrono::seconds(17);
  const auto session = connect();
  session->begin();
  EXPECT_EQ(session->execute(Statement::ping).size(), 1);
  EXPECT_EQ(shown(*session, "statement_timeout"), "17s");
  session->rollback();
  EXPECT_EQ(shown(*session, "statement_timeout"), "0");
  Store store(*session);
  EXPECT_EQ(store.header_names(false).count("subject"), 1u);
  EXPECT_EQ(session->execute_script("SELECT count(*) FROM pg_prepared_statements").octets(0, 0), "0");
}

TEST_F(SessionTest, RefusedConnectionsNameTheFault) {
  Options wrong = options();
  wrong.uri.replace(wrong.uri.find("lmtpd_engine_"), 13, "lmtpd_no_such");
  try {
    Session session(wrong);
    FAIL();
  } catch (...) {
    const Translation translation = translate(std::current_exception(), false);
    EXPECT_EQ(translation.status.reason(), Reason::internal);
    EXPECT_THAT(translation.status.detail(), HasSubstr("create the database"));
  }
}

TEST_F(SessionTest, WrongPasswordIsNamedAndNotShown) {
  Options wrong = options();
  sql("CREATE ROLE lmtpd_mistyped LOGIN PASSWORD 'right'");
  wrong.uri.replace(wrong.uri.find("lmtpd:lmtpd@"), 12, "lmtpd_mistyped:sesame@");
  try {
    Session session(wrong);
    ADD_FAILURE() << "a wrong password was accepted";
  } catch (...) {
    const Translation translation = translate(std::current_exception(), false);
    EXPECT_EQ(translation.status.reason(), Reason::internal);
    EXPECT_THAT(translation.status.detail(), HasSubstr("check user and password"));
    EXPECT_THAT(translation.status.detail(), Not(HasSubstr("sesame")));
  }
  sql("DROP ROLE lmtpd_mistyped");
}

}  // namespace
}  // namespace storage::postgresql
