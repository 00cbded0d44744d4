#include "lmtpd/server/unix_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lmtpd/server/address_unavailable.h"
#include "tests/support/scratch_folder.h"

namespace lmtpd::server {
namespace {

using testing::HasSubstr;
using testing_support::ScratchFolder;

class UnixSocketTest : public testing::Test {
 protected:
  UnixSocketOptions options() const {
    UnixSocketOptions options;
    options.path = path_;
    return options;
  }
  bool can_connect() const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
  }
  std::string failure(const UnixSocketOptions& wanted) const {
    try {
      const UnixSocket socket(wanted);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  // A socket file whose process has gone.
  void leave_stale_socket() const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(fd, 1), 0);
    ::close(fd);
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++count;
    return count;
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.path() + "/lmtp.sock";
};

TEST_F(UnixSocketTest, ListensWithTheModeAskedForAndLeavesNothingBehind) {
  UnixSocketOptions wanted = options();
  wanted.mode = 0620;
  {
    const UnixSocket socket(wanted);
    struct stat found {};
    ASSERT_EQ(::stat(path_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0620u);
    EXPECT_TRUE(can_connect());
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(UnixSocketTest, GivesTheSocketAway) {
  if (::geteuid() != 0) {
    UnixSocketOptions wanted = options();
    wanted.group = ::getegid();
    EXPECT_EQ(failure(wanted), "");
    return;
  }
  UnixSocketOptions wanted = options();
  wanted.owner = 1;
  wanted.group = 2;
  const UnixSocket socket(wanted);
  struct stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 1u);
  EXPECT_EQ(found.st_gid, 2u);
}

TEST_F(UnixSocketTest, ReplacesAStaleSocket) {
  leave_stale_socket();
  EXPECT_FALSE(unix_socket_problem(path_));
  const UnixSocket socket(options());
  EXPECT_TRUE(can_connect());
  EXPECT_EQ(files(), 1u);
}

TEST_F(UnixSocketTest, NeverTouchesALivingSocket) {
  const UnixSocket first(options());
  EXPECT_THAT(failure(options()), HasSubstr("listen.lmtp: another process listens at " + path_));
  EXPECT_THROW(UnixSocket{options()}, AddressUnavailable);
  EXPECT_THAT(unix_socket_problem(path_).value_or(""), HasSubstr("another process listens"));
  EXPECT_TRUE(can_connect());
  EXPECT_EQ(files(), 1u);
}

TEST_F(UnixSocketTest, NeverTouchesAnotherFile) {
  std::ofstream(path_) << "mail";
  EXPECT_THAT(failure(options()), HasSubstr("is not a socket"));
  try {
    const UnixSocket socket(options());
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(dynamic_cast<const AddressUnavailable*>(&error), nullptr) << "nothing that passes by itself";
  }
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
  EXPECT_EQ(files(), 1u);
}

TEST_F(UnixSocketTest, DoesNotRemoveItsSuccessor) {
  {
    const UnixSocket first(options());
    std::filesystem::remove(path_);
    leave_stale_socket();
  }
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(UnixSocketTest, NamesWhatIsWrongWithTheFolder) {
  UnixSocketOptions missing = options();
  missing.path = folder_.path() + "/missing/lmtp.sock";
  EXPECT_THAT(failure(missing), HasSubstr("the socket folder " + folder_.path() + "/missing/ cannot be used"));

  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_THAT(failure(options()), HasSubstr("writable by everybody"));
  EXPECT_THAT(unix_socket_problem(path_).value_or(""), HasSubstr("writable by everybody"));
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  EXPECT_EQ(failure(options()), "");
}

// Whatever the order in which starting processes meet, exactly one gets the path, and it can be connected to.
TEST_F(UnixSocketTest, OneOfManyWins) {
  for (int round = 0; round < 20; ++round) {
    leave_stale_socket();
    std::atomic<int> winners{0};
    std::atomic<int> ready{0};
    std::vector<std::unique_ptr<UnixSocket>> sockets(4);
    std::vector<std::thread> threads;
    for (auto& place : sockets) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        try {
          place = std::make_unique<UnixSocket>(options());
          ++winners;
        } catch (const std::runtime_error&) {
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_TRUE(can_connect());
    EXPECT_EQ(files(), 1u);
    sockets.clear();
    EXPECT_EQ(files(), 0u);
  }
}

TEST(Accounts, OnlyRootGivesASocketToStrangers) {
  EXPECT_FALSE(ownership_problem(std::nullopt, std::nullopt));
  EXPECT_FALSE(ownership_problem(::geteuid(), ::getegid()));
  const bool root = ::geteuid() == 0;
  const std::string owner = ownership_problem(54321, std::nullopt).value_or("");
  const std::string group = ownership_problem(std::nullopt, 54321).value_or("");
  EXPECT_EQ(owner.substr(0, owner.find(':')), root ? "" : "listen.socket_owner");
  EXPECT_EQ(group.substr(0, group.find(':')), root ? "" : "listen.socket_group");
}

TEST(Accounts, AreFoundByNameAndNumber) {
  EXPECT_EQ(find_user("root"), 0u);
  EXPECT_EQ(find_user("4711"), 4711u);
  EXPECT_FALSE(find_user("no-such-user-here"));
  EXPECT_EQ(find_group("root"), 0u);
  EXPECT_FALSE(find_group(""));
}

}  // namespace
}  // namespace lmtpd::server
