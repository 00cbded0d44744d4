#include "lmtpd/ctl/password.h"

#include <crypt.h>
#include <gtest/gtest.h>

#include "lmtpd/ctl/session.h"

namespace lmtpd::ctl {
namespace {

TEST(Password, CryptIsSaltedSha512ThatCryptAccepts) {
  const StoredPassword first = hash_password("correct horse", "crypt");
  const StoredPassword second = hash_password("correct horse", "crypt");
  EXPECT_EQ(first.encryption_type, "crypt");
  EXPECT_TRUE(first.passwd.starts_with("$6$"));
  EXPECT_LE(first.passwd.size(), 130u) << "users.passwd is varchar(130)";
  EXPECT_NE(first.passwd, second.passwd);
  EXPECT_EQ(crypt("correct horse", first.passwd.c_str()), first.passwd);
  EXPECT_NE(crypt("correct house", first.passwd.c_str()), first.passwd);
}

TEST(Password, Sha512IsTheHexDigest) {
  const StoredPassword stored = hash_password("abc", "sha512");
  EXPECT_EQ(stored.encryption_type, "sha512");
  EXPECT_EQ(stored.passwd,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST(Password, NoneIsKeptAsGiven) { EXPECT_EQ(hash_password("abc", "none").passwd, "abc"); }

TEST(Password, BadOnesAreRefused) {
  EXPECT_THROW((void)hash_password("", "crypt"), Refused);
  EXPECT_THROW((void)hash_password("a\nb", "crypt"), Refused);
  EXPECT_THROW((void)hash_password("abc", "rot13"), Refused);
}

}  // namespace
}  // namespace lmtpd::ctl
