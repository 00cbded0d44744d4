#include "storage/mysql/endpoint.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace storage::mysql {
namespace {

Options with_uri(std::string uri) {
  Options options;
  options.uri = std::move(uri);
  return options;
}

std::string text(const sql::ConnectOptionsMap& map, const char* name) {
  const auto found = map.find(name);
  return found == map.end() ? "(none)" : found->second.get<sql::SQLString>()->asStdString();
}

std::string host_option(const std::string& uri) {
  const Options options = with_uri(uri);
  return text(connect_options(parse_endpoint(options), options), "hostName");
}

TEST(EndpointTest, ChoosesSocketOrTcp) {
  EXPECT_EQ(host_option("mysql://mail@/dbmail"), "unix:///run/mysqld/mysqld.sock");
  EXPECT_EQ(host_option("mysql://mail@/dbmail?socket=/tmp/a.sock"), "unix:///tmp/a.sock");
  EXPECT_EQ(host_option("mysql://mail@localhost/dbmail?socket=/tmp/a.sock"), "unix:///tmp/a.sock");
  EXPECT_EQ(host_option("mysql://mail@%2Ftmp%2Fa.sock/dbmail"), "unix:///tmp/a.sock");
  EXPECT_EQ(host_option("mysql://mail@db.example.org/dbmail"), "tcp://db.example.org:3306");
  EXPECT_EQ(host_option("mysql://mail@localhost:3307/dbmail"), "tcp://localhost:3307");
  EXPECT_EQ(host_option("mysql://mail@[2001:db8::1]:3307/dbmail"), "tcp://[2001:db8::1]:3307");
}

TEST(EndpointTest, PassesUserPasswordAndDatabase) {
  const Options options = with_uri("mysql://mail:se%40cret@db.example.org/dbmail");
  const auto map = connect_options(parse_endpoint(options), options);
  EXPECT_EQ(text(map, "userName"), "mail");
  EXPECT_EQ(text(map, "password"), "se@cret");
  EXPECT_EQ(text(map, "schema"), "dbmail");
}

TEST(EndpointTest, TlsIsOffRequiredOrVerified) {
  const Options off = with_uri("mysql://mail@db.example.org/dbmail");
  const auto plain = connect_options(parse_endpoint(off), off);
  EXPECT_FALSE(plain.contains("sslEnforce"));

  const Options required = with_uri("mysql://mail@db.example.org/dbmail?ssl_mode=required");
  const auto encrypted = connect_options(parse_endpoint(required), required);
  EXPECT_TRUE(*encrypted.at("sslEnforce").get<bool>());
  EXPECT_FALSE(encrypted.contains("sslVerify"));

  const Options verify = with_uri("mysql://mail@db.example.org/dbmail?ssl_mode=verify&ssl_ca=/etc/ca.pem");
  const auto verified = connect_options(parse_endpoint(verify), verify);
  EXPECT_TRUE(*verified.at("sslEnforce").get<bool>());
  EXPECT_TRUE(*verified.at("sslVerify").get<bool>());
  EXPECT_EQ(text(verified, "sslCA"), "/etc/ca.pem");
}

class BadUriTest : public testing::TestWithParam<const char*> {};

TEST_P(BadUriTest, IsRefusedWithoutTellingThePassword) {
  try {
    (void)parse_endpoint(with_uri(GetParam()));
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()).find("hunter2"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadUriTest,
                         testing::Values("mysql://db.example.org/dbmail", "mysql://mail:hunter2@db.example.org",
                                         "mysql://mail:hunter2@db.example.org/",
                                         "mysql://mail:hunter2@db.example.org/dbmail?socket=/tmp/a.sock",
                                         "mysql://mail:hunter2@db.example.org/dbmail?ssl_mode=preferred",
                                         "mysql://mail:hunter2@db.example.org/dbmail?ssl_mode=verify",
                                         "mysql://mail:hunter2@db.example.org/dbmail?ssl_ca=/etc/ca.pem",
                                         "mysql://mail:hunter2@db.example.org/dbmail?ssl-mode=required"));

}  // namespace
}  // namespace storage::mysql
