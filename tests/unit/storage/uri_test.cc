#include "storage/uri.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace storage {
namespace {

TEST(Uri, SqlitePathIsAbsolute) {
  const Uri uri = parse_uri("sqlite:///var/lib/lmtpd/my%20store.db");
  EXPECT_EQ(uri.scheme, "sqlite");
  EXPECT_EQ(uri.host, "");
  EXPECT_EQ(uri.path, "/var/lib/lmtpd/my store.db");
}

TEST(Uri, AllComponentsAreDecoded) {
  const Uri uri = parse_uri("PostgreSQL://al%40ice:p%3A%2F%3f@db.example.org:5433/mail%2fbox?sslmode=verify-full&x=a%26b+c");
  EXPECT_EQ(uri.scheme, "postgresql");
  EXPECT_EQ(uri.user, "al@ice");
  EXPECT_EQ(uri.password, "p:/?");
  EXPECT_EQ(uri.host, "db.example.org");
  EXPECT_EQ(uri.port, 5433);
  EXPECT_EQ(uri.database(), "mail/box");
  EXPECT_EQ(uri.parameter("sslmode"), "verify-full");
  EXPECT_EQ(uri.parameter("x"), "a&b+c");
  EXPECT_EQ(uri.parameter("y"), std::nullopt);
}

TEST(Uri, UnixSocketsAsHostOrParameter) {
  EXPECT_EQ(parse_uri("postgresql://%2Frun%2Fpostgresql/dbmail").host, "/run/postgresql");
  EXPECT_EQ(parse_uri("postgresql:///dbmail?host=/run/postgresql").parameter("host"), "/run/postgresql");
  EXPECT_EQ(parse_uri("mysql://u@/dbmail?socket=/run/mysqld/mysqld.sock").parameter("socket"), "/run/mysqld/mysqld.sock");
}

TEST(Uri, Ipv6HostsLoseTheirBrackets) {
  const Uri uri = parse_uri("mysql://u@[::1]:3307/dbmail");
  EXPECT_EQ(uri.host, "::1");
  EXPECT_EQ(uri.port, 3307);
}

// A password with an unescaped @ belongs to the credentials: the last @ separates.
TEST(Uri, TheLastAtSignEndsTheCredentials) {
  const Uri uri = parse_uri("mysql://u:p@ss@localhost/dbmail");
  EXPECT_EQ(uri.password, "p@ss");
  EXPECT_EQ(uri.host, "localhost");
}

struct Bad {
  const char* name;
  const char* uri;
  const char* fault;
};
class BadUri : public testing::TestWithParam<Bad> {};

TEST_P(BadUri, NamesTheFaultAndNotThePassword) {
  try {
    (void)parse_uri(GetParam().uri);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& fault) {
    EXPECT_NE(std::string(fault.what()).find(GetParam().fault), std::string::npos) << fault.what();
    EXPECT_EQ(std::string(fault.what()).find("secret"), std::string::npos) << fault.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Uri, BadUri,
                         testing::Values(Bad{"empty", "", "scheme://"}, Bad{"path", "/var/lib/store.db", "scheme://"},
                                         Bad{"one_slash", "sqlite:/store.db", "scheme://"},
                                         Bad{"port", "mysql://u:secret@h:port/d", "port"},
                                         Bad{"slash_in_password", "mysql://u:secret/x@h/d", "%2F"},
                                         Bad{"port_zero", "mysql://u:secret@h:0/d", "port"},
                                         Bad{"port_large", "mysql://u:secret@h:65536/d", "port"},
                                         Bad{"percent", "mysql://u:secret%4@h/d", "%"},
                                         Bad{"nul", "sqlite:///a%00b", "%00"},
                                         Bad{"bracket", "mysql://[::1/d", "]"},
                                         Bad{"fragment", "mysql://u:secret#1@h/d", "%23"},
                                         Bad{"twice", "mysql://h/d?a=1&a=2", "twice"},
                                         Bad{"no_value", "mysql://h/d?a", "no value"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(Uri, UnknownParametersNameTheNearest) {
  const Uri uri = parse_uri("mysql://h/d?soket=/x");
  try {
    require_known_parameters(uri, {"socket", "ssl_ca"});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& fault) {
    EXPECT_NE(std::string(fault.what()).find("\"socket\""), std::string::npos) << fault.what();
  }
}

TEST(Uri, PasswordFileWinsAndIsOneLine) {
  const std::string file = testing::TempDir() + "lmtpd_password_file";
  std::ofstream(file) << "s3cr#t \nsecond line\n";
  Options options;
  const Uri uri = parse_uri("mysql://u:other@h/d");
  EXPECT_EQ(password_for(options, uri), "other");
  options.password_file = file;
  EXPECT_EQ(password_for(options, uri), "s3cr#t ");
  std::remove(file.c_str());
}

std::string password_fault(const std::string& file) {
  Options options;
  options.password_file = file;
  try {
    (void)password_for(options, Uri());
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "none";
}

TEST(Uri, APasswordFileThatCannotBeUsedSaysWhy) {
  const std::string file = testing::TempDir() + "lmtpd_no_password_file";
  std::remove(file.c_str());
  EXPECT_EQ(password_fault(file), "storage.password_file: cannot read " + file + ": No such file or directory");
  EXPECT_EQ(password_fault(testing::TempDir()),
            "storage.password_file: cannot read " + testing::TempDir() + ": Is a directory");
  std::ofstream(file).close();
  EXPECT_EQ(password_fault(file), "storage.password_file: " + file + " is empty");
  std::remove(file.c_str());
}

}  // namespace
}  // namespace storage
