// Every dialogue file against the program lmtpd with a SQLite store: its own process, its configuration file, SIGTERM
// in the end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/admin.h"
#include "tests/dialogues/dialogue_files.h"
#include "tests/support/mail_world.h"
#include "tests/support/scratch_db.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/script_client.h"

namespace test {
namespace {

// A running lmtpd. Its log goes to a file beside its socket.
class Daemon {
 public:
  Daemon(const std::string& config, const std::string& log) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<std::string> words = {LMTPD_PROGRAM, "-c", config};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failed = ::posix_spawn(&pid_, LMTPD_PROGRAM, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " LMTPD_PROGRAM);
  }
  ~Daemon() {
    if (pid_ > 0) stop();
  }
  // SIGTERM; the exit status.
  int stop() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Until somebody listens, or the process has ended.
  bool wait_for(const std::string& socket) {
    for (int i = 0; i < 12000; ++i) {
      const int fd = connect_unix(socket);
      if (fd >= 0) {
        ::close(fd);
        return true;
      }
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return false;
      }
      ::usleep(5000);
    }
    return false;
  }

 private:
  pid_t pid_ = -1;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DaemonDialogue : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(driver_->open_admin(admin_).ok());
    testing_support::populate(*admin_);
    store_.sql().execute("UPDATE dbmail_users SET curmail_size = maxmail_size WHERE userid = 'full'");
  }

  testing_support::ScratchFolder folder_;
  const std::string socket_ = folder_.path() + "/s";
  const std::string config_ = folder_.path() + "/lmtpd.toml";
  const std::string log_ = folder_.path() + "/log";
  testing_support::ScratchStore store_{testing_support::Engine::sqlite};
  std::unique_ptr<storage::Driver> driver_ = store_.driver();
  std::unique_ptr<storage::Admin> admin_;
};

TEST_P(DaemonDialogue, GoesAsWritten) {
  const Script script = Script::load(GetParam());
  std::ofstream(config_) << configuration(script, store_.uri(), "unix:" + socket_);
  Daemon daemon(config_, log_);
  ASSERT_TRUE(daemon.wait_for(socket_)) << text_of(log_);
  EXPECT_EQ(ScriptClient([this] { return connect_unix(socket_); }).play(script), "") << text_of(log_);
  EXPECT_EQ(daemon.stop(), 0) << text_of(log_);
  EXPECT_NE(::access(socket_.c_str(), F_OK), 0) << "the socket was left behind";
  expect_stored(script, [this](const std::string& user) { return testing_support::messages_of(*admin_, user); });
}

INSTANTIATE_TEST_SUITE_P(Files, DaemonDialogue, ::testing::ValuesIn(dialogue_files()), dialogue_name);

}  // namespace
}  // namespace test
