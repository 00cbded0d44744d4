#include "lmtpd/delivery/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

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
  ScriptedDriver driver_;
  asio::io_context io_;
  std::mutex mutex_;
  std::map<int, Outcome> outcomes_;
  std::unique_ptr<Pipeline> pipeline_;
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
  Gate gate;
  driver_.on_store = [&](auto) {
    gate.pass();
    return Status();
  };
  start();
  deliver(1);
  std::thread io_thread([&] { io_.run(); });
  gate.await_waiting(1);
  EXPECT_FALSE(pipeline_->drain(storage::system_clock().now()));
  gate.open();
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

}  // namespace
}  // namespace lmtpd::delivery
