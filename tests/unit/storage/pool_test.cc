#include "storage/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/gate.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_driver.h"

namespace storage {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing_support::Gate;
using testing_support::ManualClock;
using testing_support::ScriptedDriver;

class PoolTest : public testing::Test {
 protected:
  PoolTest() {
    options_.size = 2;
    options_.max_age = seconds(1800);
    options_.idle_check = seconds(30);
    options_.backoff_min = milliseconds(100);
    options_.backoff_max = milliseconds(1000);
  }
  Pool& pool() {
    if (pool_ == nullptr) pool_ = std::make_unique<Pool>(driver_, options_, clock_);
    return *pool_;
  }
  // Takes what is there or connects once; never waits.
  Status lease_now(Lease& out) { return pool().lease({clock_.now()}, out); }
  void use_once() {
    Lease lease;
    EXPECT_EQ(lease_now(lease), Status());
  }
  void expect_nothing_lent() { EXPECT_EQ(pool().state().leased, 0); }

  PoolOptions options_;
  ManualClock clock_;
  ScriptedDriver driver_;
  std::unique_ptr<Pool> pool_;
};

constexpr Patience for_ever{Instant::max()};

TEST_F(PoolTest, ConnectsWhenNeededAndUsesConnectionsAgain) {
  EXPECT_EQ(driver_.counts().connects, 0);
  EXPECT_EQ(pool().state().open, 0);
  use_once();
  use_once();
  EXPECT_EQ(driver_.counts().connects, 1);
  expect_nothing_lent();
}

TEST_F(PoolTest, NeverOpensMoreThanItsSize) {
  Lease a, b, c;
  EXPECT_EQ(lease_now(a), Status());
  EXPECT_EQ(lease_now(b), Status());
  EXPECT_EQ(lease_now(c).reason(), Reason::busy);
  EXPECT_FALSE(c);
  EXPECT_EQ(pool().state().leased, 2);
  a.give_back();
  EXPECT_EQ(lease_now(c), Status());
  EXPECT_EQ(driver_.counts().most_open, 2);
}

TEST_F(PoolTest, AMovedLeaseGoesBackOnce) {
  {
    Lease a;
    ASSERT_EQ(lease_now(a), Status());
    Lease b = std::move(a);
    EXPECT_FALSE(a);
    EXPECT_TRUE(b);
    a = std::move(b);
    EXPECT_EQ(pool().state().leased, 1);
  }
  expect_nothing_lent();
  EXPECT_EQ(pool().state().open, 1);
}

TEST_F(PoolTest, AnUnusableConnectionIsThrownAway) {
  driver_.on_store = [](auto) { return Status(Reason::unavailable); };
  {
    Lease lease;
    ASSERT_EQ(lease_now(lease), Status());
    EXPECT_FALSE(lease->store({}, {}).ok());
  }
  EXPECT_EQ(driver_.counts().open, 0);
  use_once();
  EXPECT_EQ(driver_.counts().connects, 2);
}

TEST_F(PoolTest, ADiscardedConnectionIsThrownAwayThoughUsable) {
  Lease lease;
  ASSERT_EQ(lease_now(lease), Status());
  lease.discard();
  EXPECT_FALSE(lease);
  EXPECT_EQ(driver_.counts().open, 0);
  expect_nothing_lent();
}

// Field report A52: wait_timeout, a server that was restarted while the connection was idle.
TEST_F(PoolTest, AConnectionThatWasIdleForLongIsPingedFirst) {
  use_once();
  clock_.advance(milliseconds(29999));
  use_once();
  EXPECT_EQ(driver_.counts().pings, 0);
  clock_.advance(seconds(30));
  use_once();
  EXPECT_EQ(driver_.counts().pings, 1);
  EXPECT_EQ(driver_.counts().connects, 1);
}

TEST_F(PoolTest, AnIdleConnectionThatDiedIsReplacedUnseen) {
  use_once();
  driver_.on_ping = [] { return Status(Reason::unavailable, "server closed the connection"); };
  clock_.advance(seconds(30));
  use_once();
  EXPECT_EQ(driver_.counts().connects, 2);
  EXPECT_FALSE(pool().state().down);
}

TEST_F(PoolTest, OneBrokenConnectionMakesTheIdleOnesSuspect) {
  driver_.on_store = [](auto) { return Status(Reason::unavailable); };
  {
    Lease a, b;
    ASSERT_EQ(lease_now(a), Status());
    ASSERT_EQ(lease_now(b), Status());
    b.give_back();
    EXPECT_FALSE(a->store({}, {}).ok());
  }
  use_once();
  EXPECT_EQ(driver_.counts().pings, 1);
}

TEST_F(PoolTest, AnOldConnectionIsReplaced) {
  use_once();
  clock_.advance(seconds(1800));
  use_once();
  EXPECT_EQ(driver_.counts().connects, 2);
  {
    Lease lease;
    ASSERT_EQ(lease_now(lease), Status());
    clock_.advance(seconds(1800));
  }
  EXPECT_EQ(driver_.counts().open, 0);  // too old when it came back
}

TEST_F(PoolTest, ADeadStoreIsAskedWithGrowingPauses) {
  driver_.on_connect = [] { return Status(Reason::unavailable, "connection refused"); };
  Lease lease;
  milliseconds longest = options_.backoff_min;
  for (int failures = 1; failures <= 6; ++failures) {
    const Status status = lease_now(lease);
    EXPECT_EQ(status, Status(Reason::unavailable, "connection refused"));
    EXPECT_EQ(driver_.counts().connects, failures);
    clock_.advance(longest / 2 - milliseconds(1));
    EXPECT_FALSE(lease_now(lease).ok());
    EXPECT_EQ(driver_.counts().connects, failures) << "hammered";
    clock_.advance(longest / 2 + milliseconds(1));
    longest = std::min(options_.backoff_max, longest * 2);
  }
  EXPECT_EQ(pool().state().connects_failed, 6);
  expect_nothing_lent();
}

TEST_F(PoolTest, KnowsSinceWhenTheStoreIsDownAndThatItIsBack) {
  bool alive = false;
  driver_.on_connect = [&] { return alive ? Status() : Status(Reason::unavailable); };
  Lease lease;
  EXPECT_EQ(pool().down_for(), seconds(0));
  EXPECT_FALSE(lease_now(lease).ok());
  clock_.advance(seconds(2));
  EXPECT_FALSE(lease_now(lease).ok());
  EXPECT_EQ(pool().down_for(), seconds(2));
  EXPECT_TRUE(pool().state().down);
  alive = true;
  clock_.advance(seconds(2));
  EXPECT_EQ(lease_now(lease), Status());
  EXPECT_FALSE(pool().state().down);
  EXPECT_EQ(pool().down_for(), seconds(0));
  EXPECT_EQ(pool().state().connects_failed, 0);
}

TEST_F(PoolTest, AConnectionThatStillWorksMeansTheStoreIsNotDown) {
  Lease working;
  ASSERT_EQ(lease_now(working), Status());
  driver_.on_connect = [] { return Status(Reason::unavailable, "too many clients"); };
  Lease other;
  EXPECT_FALSE(lease_now(other).ok());
  EXPECT_TRUE(pool().state().down);
  working.give_back();
  EXPECT_FALSE(pool().state().down);
  EXPECT_EQ(lease_now(other), Status());
}

TEST_F(PoolTest, PatienceEndsWithTheOutage) {
  driver_.on_connect = [] { return Status(Reason::unavailable); };
  Lease lease;
  EXPECT_FALSE(lease_now(lease).ok());
  clock_.advance(seconds(10));
  const int before = driver_.counts().connects;
  EXPECT_FALSE(pool().lease({Instant::max(), seconds(10)}, lease).ok());
  EXPECT_LE(driver_.counts().connects, before + 1);
}

TEST_F(PoolTest, CloseEndsWaitingAndClosesIdleConnections) {
  options_.size = 1;
  Lease held;
  ASSERT_EQ(lease_now(held), Status());
  std::thread waiting([&] {
    Lease lease;
    EXPECT_EQ(pool().lease(for_ever, lease).reason(), Reason::unavailable);
  });
  pool().close();
  waiting.join();
  held.give_back();
  EXPECT_EQ(driver_.counts().open, 0);
  EXPECT_EQ(pool().state().open, 0);
}

// The rest runs on real time: pauses of a millisecond or two, and conditions instead of sleeps.
class BusyPool : public testing::Test {
 protected:
  BusyPool() {
    options_.size = 4;
    options_.backoff_min = milliseconds(1);
    options_.backoff_max = milliseconds(2);
  }
  PoolOptions options_;
  ScriptedDriver driver_;
};

// Field report A53: 500 clients, a pool of 4, the database paused and resumed.
TEST_F(BusyPool, FiveHundredBorrowersOfFourConnectionsAreAllServed) {
  Gate gate;
  driver_.on_ping = [&] {
    gate.pass();
    return Status();
  };
  Pool pool(driver_, options_);
  std::atomic<int> served = 0;
  std::vector<std::thread> borrowers;
  for (int i = 0; i < 500; ++i) {
    borrowers.emplace_back([&] {
      Lease lease;
      if (!pool.lease(for_ever, lease).ok()) return;
      if (lease->ping().ok()) ++served;
    });
  }
  gate.await_waiting(4);
  EXPECT_EQ(pool.state().leased, 4);
  gate.open();
  for (auto& borrower : borrowers) borrower.join();
  EXPECT_EQ(served, 500);
  EXPECT_EQ(driver_.counts().connects, 4);
  EXPECT_EQ(pool.state().leased, 0);
  EXPECT_EQ(pool.state().open, 4);
}

TEST_F(BusyPool, ADeadStoreIsAskedByOneBorrowerAtATimeAndEverybodyIsServedWhenItIsBack) {
  std::atomic<int> asking = 0;
  std::atomic<int> refusals = 20;
  std::atomic<bool> hammered = false;
  driver_.on_connect = [&] {
    const int now_asking = ++asking;
    const int left = refusals--;
    // Nobody can know before the first refusal came back; the first four may ask together.
    if (left > 0 && left <= 16 && now_asking > 1) hammered = true;
    --asking;
    return left > 0 ? Status(Reason::unavailable) : Status();
  };
  Pool pool(driver_, options_);
  std::vector<std::thread> borrowers;
  std::atomic<int> served = 0;
  for (int i = 0; i < 50; ++i) {
    borrowers.emplace_back([&] {
      Lease lease;
      if (pool.lease(for_ever, lease).ok()) ++served;
    });
  }
  for (auto& borrower : borrowers) borrower.join();
  EXPECT_FALSE(hammered);
  EXPECT_EQ(served, 50);
  EXPECT_EQ(pool.state().leased, 0);
}

TEST_F(BusyPool, BorrowersAreServedInTheOrderTheyCame) {
  options_.size = 1;
  Pool pool(driver_, options_);
  Lease held;
  ASSERT_TRUE(pool.lease(for_ever, held).ok());
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> borrowers;
  for (int i = 0; i < 5; ++i) {
    borrowers.emplace_back([&, i] {
      Lease lease;
      ASSERT_TRUE(pool.lease(for_ever, lease).ok());
      const std::lock_guard lock(mutex);
      order.push_back(i);
    });
    while (pool.state().waiting <= i) std::this_thread::yield();
  }
  held.give_back();
  for (auto& borrower : borrowers) borrower.join();
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4));
}

// Closing may take long; meanwhile nobody gets a connection more than the pool has places for.
TEST_F(BusyPool, AConnectionKeepsItsPlaceUntilItIsClosed) {
  Gate gate;
  options_.size = 1;
  driver_.on_close = [&] { gate.pass(); };
  driver_.on_store = [](auto) { return Status(Reason::unavailable); };
  Pool pool(driver_, options_);
  std::thread borrower([&] {
    Lease lease;
    ASSERT_TRUE(pool.lease(for_ever, lease).ok());
    static_cast<void>(lease->store({}, {}));
  });
  gate.await_waiting(1);
  Lease second;
  EXPECT_EQ(pool.lease({storage::system_clock().now()}, second).reason(), Reason::busy);
  EXPECT_EQ(pool.state().open, 1);
  gate.open();
  borrower.join();
  EXPECT_TRUE(pool.lease(for_ever, second).ok());
  EXPECT_EQ(driver_.counts().most_open, 1);
}

// Breaking connections at random while many borrow: the count of lent connections always comes back to zero, none
// leaks.
TEST_F(BusyPool, NothingLeaksWhileConnectionsBreak) {
  std::atomic<unsigned> number = 0;
  driver_.on_store = [&](auto) { return number++ % 3 == 0 ? Status(Reason::unavailable) : Status(); };
  driver_.on_connect = [&] { return number++ % 5 == 0 ? Status(Reason::unavailable) : Status(); };
  driver_.on_ping = [&] { return number++ % 4 == 0 ? Status(Reason::unavailable) : Status(); };
  Pool pool(driver_, options_);
  std::vector<std::thread> borrowers;
  for (int i = 0; i < 8; ++i) {
    borrowers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        Lease lease;
        ASSERT_TRUE(pool.lease(for_ever, lease).ok());
        static_cast<void>(lease->store({}, {}));
      }
    });
  }
  for (auto& borrower : borrowers) borrower.join();
  EXPECT_EQ(pool.state().leased, 0);
  EXPECT_EQ(pool.state().open, driver_.counts().open);
  EXPECT_LE(driver_.counts().most_open, 4);
}

}  // namespace
}  // namespace storage
