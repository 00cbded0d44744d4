#include "lmtpd/server/socket_activation.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/support/scratch_folder.h"

namespace lmtpd::server {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// Descriptors 3 and 4 as systemd leaves them; what the test runner had there comes back.
class ActivationTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int fd = 3; fd <= 4; ++fd) saved_[fd - 3] = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_of(folder_.path() + "/a");
    ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listening, 1), 0);
    place(listening, 3);
    place(::socket(AF_UNIX, SOCK_DGRAM, 0), 4);
  }
  void TearDown() override {
    for (int fd = 3; fd <= 4; ++fd) {
      ::close(fd);
      if (saved_[fd - 3] < 0) continue;
      ::dup2(saved_[fd - 3], fd);
      ::close(saved_[fd - 3]);
    }
  }
  static void place(int fd, int wanted) {
    if (fd == wanted) return;
    ASSERT_EQ(::dup2(fd, wanted), wanted);
    ::close(fd);
  }

  testing_support::ScratchFolder folder_;
  int saved_[2] = {-1, -1};
};

TEST_F(ActivationTest, TakesListeningStreamsAndNamesTheRest) {
  const Variable pid("LISTEN_PID", std::to_string(::getpid()));
  const Variable count("LISTEN_FDS", "2");
  const Variable names("LISTEN_FDNAMES", "lmtp:other");
  std::vector<std::string> rejected;
  const auto sockets = activated_sockets(rejected);
  ASSERT_THAT(sockets, SizeIs(1));
  EXPECT_EQ(sockets[0].fd, 3);
  EXPECT_EQ(sockets[0].name, "lmtp");
  EXPECT_TRUE((::fcntl(3, F_GETFD) & FD_CLOEXEC) != 0);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_THAT(rejected[0], HasSubstr("(other)"));
}

TEST_F(ActivationTest, IgnoresWhatIsMeantForOthers) {
  std::vector<std::string> rejected;
  const Variable count("LISTEN_FDS", "1");
  EXPECT_THAT(activated_sockets(rejected), IsEmpty());
  const Variable pid("LISTEN_PID", std::to_string(::getpid() + 1));
  EXPECT_THAT(activated_sockets(rejected), IsEmpty());
  for (const char* nonsense : {"", "-1", "x", "100000"}) {
    const Variable own("LISTEN_PID", std::to_string(::getpid()));
    const Variable odd("LISTEN_FDS", nonsense);
    EXPECT_THAT(activated_sockets(rejected), IsEmpty()) << nonsense;
  }
  EXPECT_THAT(rejected, IsEmpty());
}

class NotifyTest : public testing::TestWithParam<bool> {};

TEST_P(NotifyTest, SendsTheState) {
  const testing_support::ScratchFolder folder;
  const bool abstract = GetParam();
  const std::string name = folder.path() + "/notify";
  const int receiver = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  sockaddr_un address = address_of(name);
  if (abstract) address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(::bind(receiver, reinterpret_cast<const sockaddr*>(&address), size), 0);

  const Variable variable("NOTIFY_SOCKET", abstract ? "@" + name.substr(1) : name);
  notify_supervisor("READY=1");
  char text[128] = {};
  ASSERT_EQ(::recv(receiver, text, sizeof text, 0), 7);
  EXPECT_STREQ(text, "READY=1");
  notify_reloading();
  ASSERT_GT(::recv(receiver, text, sizeof text, 0), 0);
  EXPECT_THAT(text, HasSubstr("RELOADING=1\nMONOTONIC_USEC="));
  ::close(receiver);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NotifyTest, testing::Bool(),
                         [](const auto& given) { return given.param ? "abstract" : "path"; });

TEST(Notify, WithoutASupervisorNothingHappens) {
  notify_supervisor("READY=1");
  const Variable nowhere("NOTIFY_SOCKET", "/nonexistent/notify");
  notify_supervisor("READY=1");
  const Variable relative("NOTIFY_SOCKET", "notify");
  notify_supervisor("READY=1");
}

}  // namespace
}  // namespace lmtpd::server
