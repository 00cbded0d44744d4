#include "storage/postgresql/conninfo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <map>

namespace storage::postgresql {
namespace {

using testing::HasSubstr;
using testing::Not;

// libpq's own reading of the string is the oracle.
std::map<std::string, std::string> parsed(const std::string& conninfo) {
  std::map<std::string, std::string> values;
  char* fault = nullptr;
  PQconninfoOption* const options = PQconninfoParse(conninfo.c_str(), &fault);
  EXPECT_NE(options, nullptr) << (fault ? fault : "");
  if (fault) PQfreemem(fault);
  for (const PQconninfoOption* option = options; option && option->keyword; ++option) {
    if (option->val) values[option->keyword] = option->val;
  }
  PQconninfoFree(options);
  return values;
}

Options with_uri(std::string uri) {
  Options options;
  options.uri = std::move(uri);
  return options;
}

TEST(Conninfo, TakesTheUriApart) {
  auto values =
      parsed(conninfo(with_uri("postgresql://mail%40er:p%27a%5C%20ss@db.example.org:6432/store?sslmode=require")));
  EXPECT_EQ(values["host"], "db.example.org");
  EXPECT_EQ(values["port"], "6432");
  EXPECT_EQ(values["dbname"], "store");
  EXPECT_EQ(values["user"], "mail@er");
  EXPECT_EQ(values["password"], "p'a\\ ss");
  EXPECT_EQ(values["sslmode"], "require");
}

TEST(Conninfo, PinsTheSession) {
  Options options = with_uri("postgresql:///store?host=/run/postgresql");
  options.statement_timeout = std::chrono::seconds(7);
  options.lock_timeout = std::chrono::seconds(3);
  auto values = parsed(conninfo(options));
  EXPECT_EQ(values["host"], "/run/postgresql");
  EXPECT_EQ(values["client_encoding"], "UTF8");
  EXPECT_EQ(values["application_name"], "lmtpd");
  EXPECT_THAT(values["options"], HasSubstr("-c statement_timeout=7000"));
  EXPECT_THAT(values["options"], HasSubstr("-c lock_timeout=3000"));
  EXPECT_THAT(values["options"], HasSubstr("-c timezone=UTC"));
  EXPECT_THAT(values["options"], Not(HasSubstr("synchronous_commit")));
  EXPECT_EQ(begin_text(options), "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
}

TEST(Conninfo, BehindAPoolerEveryTransactionIsPinned) {
  Options options = with_uri("postgresql://pooler.example.org/store");
  options.server_prepared_statements = false;
  EXPECT_FALSE(parsed(conninfo(options)).contains("options"));
  EXPECT_THAT(begin_text(options), HasSubstr("; SET LOCAL statement_timeout = 30000"));
  EXPECT_THAT(begin_text(options), HasSubstr("; SET LOCAL lock_timeout = 10000"));
}

TEST(Conninfo, UnknownParametersAreRefused) {
  EXPECT_THROW((void)conninfo(with_uri("postgresql://h/d?sslmod=require")), std::invalid_argument);
  // Would undo what pins the session.
  EXPECT_THROW((void)conninfo(with_uri("postgresql://h/d?options=-csynchronous_commit%3Doff")), std::invalid_argument);
}

}  // namespace
}  // namespace storage::postgresql
