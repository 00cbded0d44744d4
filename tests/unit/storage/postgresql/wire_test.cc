#include "storage/postgresql/wire.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "storage/postgresql/errors.h"

namespace storage::postgresql::wire {
namespace {

TEST(SqlstateIn, FindsTheCodeWhateverTheLanguage) {
  EXPECT_EQ(sqlstate_in(
                "connection to server on socket \"/run/.s.PGSQL.5432\" failed: FATAL:  28P01: password authentication "
                "failed for user \"x\"\nLOCATION:  auth_failed, auth.c:335\n"),
            "28P01");
  EXPECT_EQ(sqlstate_in("Verbindung fehlgeschlagen: VERHÄNGNISVOLL:  3D000: Datenbank »x« existiert nicht\n"), "3D000");
}

TEST(SqlstateIn, EmptyWithoutAServer) {
  EXPECT_EQ(sqlstate_in(
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running?\n"),
            "");
  EXPECT_EQ(sqlstate_in("FATAL:  short"), "");
  EXPECT_EQ(sqlstate_in(""), "");
}

TEST(Dial, NobodyThere) {
  try {
    (void)dial("host='/nonexistent' dbname='x' user='u' password='sesame'", Timeout(2000));
    FAIL() << "connected to nobody";
  } catch (const Error& error) {
    EXPECT_TRUE(error.connection_lost());
    EXPECT_EQ(error.sqlstate(), "");
    EXPECT_EQ(std::string(error.what()).find("sesame"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

// A server that accepts and says nothing must not hold the caller longer than the deadline.
TEST(Dial, SilentServer) {
  std::string folder = "/tmp/lmtpd-wire-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder + "/.s.PGSQL.5432").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW((void)dial("host='" + folder + "' port='5432' dbname='x' user='u'", Timeout(200)), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  ::close(listener);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace storage::postgresql::wire
