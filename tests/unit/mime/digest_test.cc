#include "lmtpd/mime/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace lmtpd::mime {
namespace {

struct Case {
  HashAlgorithm algorithm;
  const char* empty;
  const char* abc;
};

TEST(Digest, KnownValues) {
  for (const Case& c : {
           Case{HashAlgorithm::md5, "d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72"},
           Case{HashAlgorithm::sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d"},
           Case{HashAlgorithm::sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
           Case{HashAlgorithm::sha512,
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931"
                "bd47417a8"
                "1a538327af927da3e",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d44"
                "23643ce80"
                "e2a9ac94fa54ca49f"},
       }) {
    Digest digest(c.algorithm);
    EXPECT_EQ(digest.hex(), c.empty);
    digest.update("a");
    digest.update("bc");
    EXPECT_EQ(digest.hex(), c.abc);
    digest.update("forgotten");
    EXPECT_EQ(digest.hex_of("abc"), c.abc);
    EXPECT_EQ(digest.hex(), c.empty) << "it starts afresh";
  }
}

TEST(ContentDigest, Sha256OfAllPieces) {
  ContentDigest digest;
  digest.update("a");
  digest.update("bc");
  const storage::Digest raw = digest.finish();
  EXPECT_EQ(raw[0], 0xba);
  EXPECT_EQ(raw[31], 0xad);
}

}  // namespace
}  // namespace lmtpd::mime
