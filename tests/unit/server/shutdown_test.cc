#include "lmtpd/server/shutdown.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace lmtpd::server {
namespace {

bool becomes(const std::atomic<int>& value, int wanted) {
  for (int i = 0; i < 6000 && value != wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  return value == wanted;
}

// Signals are the process's own affair, so each case has a process of its own.
void run_in_child(int (*body)(), int wanted_exit, int wanted_signal) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (wanted_signal != 0) {
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), wanted_signal);
  } else {
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), wanted_exit);
  }
}

TEST(ControlSignals, HupReloadsEachTimeAndTermStopsOnce) {
  run_in_child(
      [] {
        ControlSignals signals;
        std::atomic<int> stops{0};
        std::atomic<int> reloads{0};
        signals.start([&] { ++stops; }, [&] { ++reloads; });
        ::kill(::getpid(), SIGHUP);
        if (!becomes(reloads, 1)) return 1;
        ::kill(::getpid(), SIGHUP);
        if (!becomes(reloads, 2) || stops != 0) return 2;
        ::kill(::getpid(), SIGTERM);
        return becomes(stops, 1) ? 0 : 3;
      },
      0, 0);
}

TEST(ControlSignals, ASecondTermEndsTheProcess) {
  run_in_child(
      [] {
        ControlSignals signals;
        std::atomic<int> stops{0};
        signals.start([&] { ++stops; }, [] {});
        ::kill(::getpid(), SIGTERM);
        if (!becomes(stops, 1)) return 1;
        ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(60));
        return 2;
      },
      0, SIGTERM);
}

TEST(ControlSignals, StopsWithoutASignal) {
  run_in_child(
      [] {
        ControlSignals never_started;
        ControlSignals signals;
        signals.start([] {}, [] {});
        signals.stop();
        signals.stop();
        return 0;
      },
      0, 0);
}

}  // namespace
}  // namespace lmtpd::server
