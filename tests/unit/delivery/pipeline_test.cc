#include "lmtpd/delivery/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <climits>
#include <thread>

#include "lmtpd/observe/metrics.h"
#include "storage/clock.h"
#include "tests/support/gate.h"
#include "tests/support/scripted_driver.h"

namespace lmtpd::delivery {
namespace {

namespace asio = boost::asio;
using storage::Reason;
using storage::Status;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing_support::Gate;
using testing_support::numbered_delivery;
using testing_support::ScriptedDriver;

storage::Instant soon() {
  return storage::system_clock().now() + std::chrono::seconds(60);
}

// Sessions on one I/O thread, as in the server.
class PipelineTest : public testing::Test {
 protected:
  void start() { pipeline_ = std::make_unique<Pipeline>(driver_, options_, pool_, metrics_); }

  // The store cannot be reached for that many connects, or until refusals_ is set to 0.
  void refuse_connects(int count) {
    refusals_ = count;
    driver_.on_connect = [this] {
      return refusals_.fetch_sub(1) > 0 ? Status(Reason::unavailable, "connection refused") : Status();
    };
  }

  // One coroutine that delivers message `number` and writes its outcome into outcomes_[number].
  void deliver(int number, int targets = 1) {
    const std::lock_guard lock(mutex_);
    outcomes_.emplace(number, Outcome());
    auto session = [this, number, targets]() -> asio::awaitable<void> {
      storage::Delivery delivery = numbered_delivery(number, targets);
      Reservation held;
      const bool fits = co_await pipeline_->reserve(held, 100);
      EXPECT_TRUE(fits);
      Outcome outcome = co_await pipeline_->deliver(std::move(delivery), std::move(held));
      const std::lock_guard guard(mutex_);
      outcomes_[number] = std::move(outcome);
    };
    asio::co_spawn(io_, session, asio::detached);
  }

  Options options_;
  storage::PoolOptions pool_;
  observe::Metrics metrics_;
  // The driver's hooks run on the pipeline's threads until the pipeline is gone, after the test's body has returned: what
  // they use stands here, before the driver, and is never a local of a test.
  std::atomic<int> refusals_ = 0;  // connects that fail from now on
  Gate gate_;
  ScriptedDriver driver_;
  asio::io_context io_;
  std::mutex mutex_;
  std::map<int, Outcome> outcomes_;
  std::unique_ptr<Pipeline> pipeline_;  // last: its threads end first
};

TEST_F(PipelineTest, ADeliveryIsStoredAndItsOutcomeComesBackOnTheSessionsThread) {
  start();
  std::thread::id resumed;
  auto session = [&]() -> asio::awaitable<void> {
    storage::Delivery delivery = numbered_delivery(1, 3);
    Outcome outcome = co_await pipeline_->deliver(std::move(delivery), Reservation());
    resumed = std::this_thread::get_id();
    outcomes_[1] = std::move(outcome);
  };
  asio::co_spawn(io_, session, asio::detached);
  io_.run();
  EXPECT_EQ(resumed, std::this_thread::get_id());
  ASSERT_THAT(outcomes_[1].targets, SizeIs(3));
  for (const auto& target : outcomes_[1].targets) EXPECT_EQ(target.status, Status());
  EXPECT_EQ(outcomes_[1].batch_size, 1u);
  EXPECT_THAT(copies_of(driver_, 1, 3), ElementsAre(1, 1, 1));
}

TEST_F(PipelineTest, AddressesAreResolved) {
  start();
  std::vector<storage::Resolution> answers;
  auto session = [&]() -> asio::awaitable<void> {
    std::vector<storage::Address> addresses{{"alice", "example.org"}, {"unknown", "example.org"}};
    answers = co_await pipeline_->resolve(std::move(addresses));
  };
  asio::co_spawn(io_, session, asio::detached);
  io_.run();
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].status.reason(), Reason::ok);
  EXPECT_EQ(answers[1].status.reason(), Reason::no_such_mailbox);
}

TEST_F(PipelineTest, DrainUnderLoadLosesNoOutcome) {
  options_.batch_count = 7;
  start();
  constexpr int sessions = 300;
  for (int i = 0; i < sessions; ++i) deliver(i);
  std::thread io_thread([&] { io_.run(); });
  EXPECT_TRUE(pipeline_->drain(soon()));
  io_thread.join();
  ASSERT_THAT(outcomes_, SizeIs(sessions));
  std::size_t stored = 0;
  for (const auto& [number, outcome] : outcomes_) {
    ASSERT_THAT(outcome.targets, SizeIs(1));
    const Reason reason = outcome.targets[0].status.reason();
    EXPECT_TRUE(reason == Reason::ok || reason == Reason::unavailable) << to_string(reason);
    EXPECT_THAT(copies_of(driver_, number), Each(reason == Reason::ok ? 1 : 0));
    stored += reason == Reason::ok ? 1 : 0;
  }
  EXPECT_EQ(driver_.copies(), stored);
  EXPECT_EQ(metrics_.budget_octets.value(), 0);
}

TEST_F(PipelineTest, DrainSaysWhenItsDeadlinePassed) {
  driver_.on_store = [this](auto) {
    gate_.pass();
    return Status();
  };
  start();
  deliver(1);
  std::thread io_thread([&] { io_.run(); });
  gate_.await_waiting(1);
  EXPECT_FALSE(pipeline_->drain(storage::system_clock().now()));
  gate_.open();
  EXPECT_TRUE(pipeline_->drain(soon()));
  io_thread.join();
  EXPECT_EQ(outcomes_[1].targets.at(0).status, Status());
}

TEST_F(PipelineTest, AfterDrainNewDeliveriesAreDeferred) {
  start();
  EXPECT_TRUE(pipeline_->drain(soon()));
  deliver(1);
  io_.run();
  EXPECT_EQ(outcomes_[1].targets.at(0).status.reason(), Reason::unavailable);
}

// MAIL is refused while the store is down, and nobody's mail is risked to find out that it is back.
TEST_F(PipelineTest, AnOutageIsNoticedAndItsEndTooWithoutAnyDelivery) {
  refuse_connects(INT_MAX / 2);
  options_.outage_tolerance = std::chrono::milliseconds(1);
  pool_.backoff_min = std::chrono::milliseconds(1);
  pool_.backoff_max = std::chrono::milliseconds(2);
  start();
  while (pipeline_->admission() != Reason::unavailable) std::this_thread::yield();
  refusals_ = 0;
  while (pipeline_->admission() != Reason::ok) std::this_thread::yield();
  EXPECT_EQ(driver_.counts().stores, 0);
}

TEST_F(PipelineTest, AShortOutageIsNotShownToClients) {
  refuse_connects(3);
  options_.outage_tolerance = std::chrono::hours(1);
  options_.unavailable_retry = std::chrono::hours(1);
  pool_.backoff_min = std::chrono::milliseconds(1);
  start();
  deliver(1);
  io_.run();
  EXPECT_EQ(outcomes_[1].targets.at(0).status, Status());
  EXPECT_EQ(pipeline_->admission(), Reason::ok);
}

class HangingStore : public PipelineTest {
 protected:
  HangingStore() {
    options_.lanes = 1;
    driver_.on_store = [this](auto) {
      gate_.pass();
      return Status();
    };
  }
  ~HangingStore() override {
    gate_.open();
    pipeline_->drain(soon());
    if (io_thread_.joinable()) io_thread_.join();
  }
  void run_sessions() {
    io_thread_ = std::thread([this] { io_.run(); });
  }
  Reason await_outcome(int number) {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (!outcomes_[number].targets.empty()) return outcomes_[number].targets[0].status.reason();
      }
      std::this_thread::yield();
    }
  }

  std::thread io_thread_;
};

TEST_F(HangingStore, WhatWaitsInTheQueueIsAnsweredByTheDeadline) {
  options_.queue_deadline = std::chrono::seconds(1);
  start();
  deliver(1);
  run_sessions();
  gate_.await_waiting(1);
  deliver(2);
  EXPECT_EQ(await_outcome(2), Reason::deadline);
  gate_.open();
  EXPECT_EQ(await_outcome(1), Reason::ok);
  EXPECT_THAT(copies_of(driver_, 2), ElementsAre(0));
}

// Field report A16: the client's patience ends before the store's; its retry must not store a second copy.
TEST_F(HangingStore, WhatWasTakenIsAnsweredStoredAllTheSameAndRecognisedAfterwards) {
  options_.taken_deadline = std::chrono::seconds(0);
  start();
  deliver(1, 5);
  run_sessions();
  EXPECT_EQ(await_outcome(1), Reason::deadline);
  gate_.open();
  EXPECT_TRUE(pipeline_->drain(soon()));
  io_thread_.join();
  EXPECT_THAT(copies_of(driver_, 1, 5), Each(1));
  pipeline_ = std::make_unique<Pipeline>(driver_, Options(), pool_, metrics_);
  outcomes_.clear();
  io_.restart();
  deliver(1, 5);
  io_.run();
  ASSERT_THAT(outcomes_[1].targets, SizeIs(5));
  for (const auto& target : outcomes_[1].targets) EXPECT_EQ(target.status.reason(), Reason::already_stored);
  EXPECT_THAT(copies_of(driver_, 1, 5), Each(1));
}

TEST_F(HangingStore, AFullQueueIsSeenAtMail) {
  options_.queue_count = 8;
  options_.batch_count = 1;
  start();
  for (int i = 0; i < 8; ++i) deliver(i);
  run_sessions();
  gate_.await_waiting(1);
  while (metrics_.queue_deliveries.value() < 7) std::this_thread::yield();
  EXPECT_EQ(pipeline_->admission(), Reason::busy);
}

TEST_F(HangingStore, WhoFindsNoMemoryInTimeIsToldSo) {
  options_.memory_octets = 100;
  options_.budget_wait = std::chrono::seconds(0);
  start();
  deliver(1);
  run_sessions();
  gate_.await_waiting(1);
  std::atomic<int> answer = -1;
  auto session = [&]() -> asio::awaitable<void> {
    Reservation held;
    const bool fits = co_await pipeline_->reserve(held, 50);
    answer = fits ? 1 : 0;
  };
  asio::co_spawn(io_, session, asio::detached);
  while (answer < 0) std::this_thread::yield();
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(pipeline_->admission(), Reason::busy);
}

TEST_F(HangingStore, WhoWaitsForMemoryGetsItWhenAMessageIsStored) {
  options_.memory_octets = 100;
  start();
  deliver(1);
  run_sessions();
  gate_.await_waiting(1);
  deliver(2);
  gate_.open();
  EXPECT_EQ(await_outcome(2), Reason::ok);
}

// A mailbox that went away after RCPT: the next RCPT must not be told from memory that it is there.
TEST_F(PipelineTest, AMailboxThatIsGoneEndsTheMemoryOfLookups) {
  options_.lookup_cache_ttl = std::chrono::seconds(3600);
  driver_.after_store = [](std::span<storage::TargetOutcome> out) { out[0].status = Status(Reason::no_such_mailbox); };
  start();
  auto session = [&]() -> asio::awaitable<void> {
    for (int round = 0; round < 3; ++round) {
      std::vector<storage::Address> addresses{{"alice", "example.org"}};
      const std::vector<storage::Resolution> answers = co_await pipeline_->resolve(std::move(addresses));
      EXPECT_TRUE(answers.at(0).status.ok());
      if (round == 0) continue;
      storage::Delivery delivery = numbered_delivery(round);
      Outcome outcome = co_await pipeline_->deliver(std::move(delivery), Reservation());
      outcomes_[round] = std::move(outcome);
    }
  };
  asio::co_spawn(io_, session, asio::detached);
  io_.run();
  EXPECT_EQ(outcomes_[1].targets.at(0).status.reason(), Reason::no_such_mailbox);
  EXPECT_THAT(driver_.counts().resolves, SizeIs(2));  // round 1 from memory, round 2 asked again
}

}  // namespace
}  // namespace lmtpd::delivery
