#include "lmtpd/delivery/sweeper.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <string>

#include "tests/support/gate.h"

namespace lmtpd::delivery {
namespace {

TEST(Sweeper, CallsAtOnceOnANamedThreadAndAgain) {
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  std::string name(16, '\0');
  Sweeper sweeper("sweeper-of-test", std::chrono::milliseconds(1), [&] {
    const std::lock_guard lock(mutex);
    pthread_getname_np(pthread_self(), name.data(), name.size());
    ++calls;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return calls >= 3; });
  EXPECT_EQ(std::string(name.c_str()), "sweeper-of-test");
}

TEST(Sweeper, StopDoesNotWaitForTheInterval) {
  testing_support::Gate gate;
  gate.open();
  Sweeper sweeper("sweeper", std::chrono::hours(1), [&] { gate.pass(); });
  sweeper.stop();
  sweeper.stop();
}

}  // namespace
}  // namespace lmtpd::delivery
