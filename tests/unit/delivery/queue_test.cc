#include "lmtpd/delivery/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_driver.h"
#include "tests/unit/delivery/answers.h"

namespace lmtpd::delivery {
namespace {

using std::chrono::seconds;
using storage::Reason;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::ManualClock;
using testing_support::number_of;
using testing_support::numbered_delivery;

std::vector<int> numbers(const Batch& batch) {
  std::vector<int> list;
  for (const auto& delivery : batch.deliveries) list.push_back(number_of(delivery));
  return list;
}

// Octet cap 6400: a message above 1600 is huge, one up to 100 really small.
class QueueTest : public testing::Test {
 protected:
  QueueTest() {
    options_.batch_count = 4;
    options_.batch_octets = 6400;
  }
  Queue& queue() {
    if (queue_ == nullptr) queue_ = std::make_unique<Queue>(options_, lanes_, metrics_, clock_);
    return *queue_;
  }
  void push(int number, std::size_t octets = 100) {
    queue().push(numbered_delivery(number, 1, octets), answers_.ticket(number));
  }
  // As a lane would, without a store.
  void finish(Batch& batch) {
    for (Ticket& ticket : batch.tickets) ticket.answer(storage::Status());
    queue().finish(batch);
  }

  Options options_;
  int lanes_ = 1;
  ManualClock clock_;
  observe::Metrics metrics_;
  Answers<Outcome> answers_;
  std::unique_ptr<Queue> queue_;
};

TEST_F(QueueTest, TakesWhatHasGatheredInOrderOfArrivalUpToTheCount) {
  for (int i = 1; i <= 6; ++i) push(i);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(5, 6));
}

TEST_F(QueueTest, ASingleDeliveryDoesNotWaitForCompany) {
  push(1);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1));
  EXPECT_THAT(clock_.pauses(), IsEmpty());
}

TEST_F(QueueTest, AnIdleLaneIsWokenByAnArrival) {
  std::vector<int> taken;
  std::thread lane([&, &all = queue()] { taken = numbers(all.take_batch()); });
  push(1);
  lane.join();
  EXPECT_THAT(taken, ElementsAre(1));
}

TEST_F(QueueTest, ABatchStaysWithinTheOctetCap) {
  options_.batch_count = 100;
  for (int i = 1; i <= 6; ++i) push(i, 1500);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(5, 6));
}

TEST_F(QueueTest, AReallySmallHeadKeepsItsBatchSmall) {
  push(1, 50);
  push(2, 1000);
  push(3, 1000);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1, 2));
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(3));
}

TEST_F(QueueTest, AHugeDeliveryGoesAloneAndSmallOnesPassIt) {
  lanes_ = 2;
  push(1, 5000);
  push(2);
  push(3, 9000);
  push(4);
  Batch huge = queue().take_batch();
  EXPECT_THAT(numbers(huge), ElementsAre(1));
  EXPECT_TRUE(huge.huge);
  Batch small = queue().take_batch();
  EXPECT_THAT(numbers(small), ElementsAre(2, 4));
  EXPECT_FALSE(small.huge);
}

TEST_F(QueueTest, WithSeveralLanesOneIsAlwaysLeftForSmallOnes) {
  lanes_ = 2;
  push(1, 5000);
  push(2, 5000);
  Batch first = queue().take_batch();
  std::vector<int> taken;
  std::thread other_lane([&, &all = queue()] { taken = numbers(all.take_batch()); });
  push(3);
  other_lane.join();
  EXPECT_THAT(taken, ElementsAre(3));
  finish(first);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(2));
}

TEST_F(QueueTest, ALaneThatWaitsForTheHugeOnesTurnIsWokenWhenTheOtherFinishes) {
  lanes_ = 2;
  push(1, 5000);
  Batch first = queue().take_batch();
  push(2, 5000);
  std::vector<int> taken;
  std::thread other_lane([&, &all = queue()] { taken = numbers(all.take_batch()); });
  finish(first);
  other_lane.join();
  EXPECT_THAT(taken, ElementsAre(2));
}

TEST_F(QueueTest, WithOneLaneTheLinesTakeTurnsSoThatNobodyStarves) {
  options_.batch_count = 2;
  for (int i = 1; i <= 3; ++i) push(i, 5000);
  for (int i = 11; i <= 16; ++i) push(i);
  std::vector<std::vector<int>> order;
  for (int i = 0; i < 6; ++i) {
    Batch batch = queue().take_batch();
    order.push_back(numbers(batch));
    finish(batch);
  }
  EXPECT_THAT(order, ElementsAre(ElementsAre(1), ElementsAre(11, 12), ElementsAre(2), ElementsAre(13, 14),
                                 ElementsAre(3), ElementsAre(15, 16)));
}

TEST_F(QueueTest, FullByCountAnswersBusy) {
  options_.queue_count = 2;
  for (int i = 1; i <= 3; ++i) push(i);
  EXPECT_THAT(reasons(answers_.at(3)), ElementsAre(Reason::busy));
  EXPECT_EQ(answers_.count(), 1u);
  EXPECT_TRUE(queue().nearly_full());
  const Batch batch = queue().take_batch();
  EXPECT_FALSE(queue().nearly_full());
}

TEST_F(QueueTest, FullByOctetsAnswersBusyButOneAlwaysFits) {
  options_.memory_octets = 1000;
  push(1, 5000);
  push(2);
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::busy));
  EXPECT_EQ(answers_.count(), 1u);
}

TEST_F(QueueTest, WhatWaitedTooLongIsDroppedEvenWhileNoLaneComes) {
  push(1);
  clock_.advance(seconds(59));
  push(2, 5000);
  clock_.advance(seconds(1));
  queue().expire(clock_.now());
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::deadline));
  EXPECT_EQ(answers_.count(), 1u);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(2));
  EXPECT_EQ(metrics_.queue_deadlines.value(), 1u);
  EXPECT_EQ(metrics_.queue_octets.value(), 0);
}

TEST_F(QueueTest, ALaneNeverTakesWhatIsOverdue) {
  push(1);
  clock_.advance(seconds(60));
  push(2);
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(2));
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::deadline));
}

TEST_F(QueueTest, ClosedRefusesButHandsOutWhatItHas) {
  push(1);
  queue().close();
  push(2);
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::unavailable));
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1));
  EXPECT_TRUE(queue().take_batch().empty());
}

TEST_F(QueueTest, CloseEndsAWaitingLane) {
  std::thread lane([&all = queue()] { EXPECT_TRUE(all.take_batch().empty()); });
  queue().close();
  lane.join();
}

TEST_F(QueueTest, AbandonAnswersTheRest) {
  push(1);
  push(2, 5000);
  queue().close();
  queue().abandon();
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::unavailable));
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::unavailable));
  EXPECT_TRUE(queue().take_batch().empty());
}

TEST_F(QueueTest, LingerEndsWhenTheBatchIsFull) {
  options_.linger = seconds(3600);
  std::vector<int> taken;
  std::thread lane([&, &all = queue()] { taken = numbers(all.take_batch()); });
  for (int i = 1; i <= 4; ++i) push(i);
  lane.join();
  EXPECT_THAT(taken, ElementsAre(1, 2, 3, 4));
}

TEST_F(QueueTest, LingerEndsWithItsTime) {
  options_.linger = seconds(1);
  push(1);
  clock_.advance(seconds(1));
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1));
}

TEST_F(QueueTest, LingerHoldsNothingBackWhenTheQueueCloses) {
  options_.linger = seconds(3600);
  push(1);
  queue().close();
  EXPECT_THAT(numbers(queue().take_batch()), ElementsAre(1));
}

// However many sessions push and lanes take: every delivery is taken once, none is lost, and the counters end at zero.
TEST_F(QueueTest, ManySessionsAndLanesLoseNothing) {
  lanes_ = 4;
  options_.batch_count = 10;
  Queue& all = queue();
  constexpr int sessions = 8;
  constexpr int each = 200;
  std::vector<std::thread> threads;
  for (int s = 0; s < sessions; ++s) {
    threads.emplace_back([&, s] {
      for (int i = 0; i < each; ++i) push(s * each + i, i % 17 == 0 ? 2000 : 100);
    });
  }
  std::vector<std::thread> lanes;
  for (int l = 0; l < lanes_; ++l) {
    lanes.emplace_back([&] {
      while (true) {
        Batch batch = all.take_batch();
        if (batch.empty()) return;
        finish(batch);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  all.close();
  for (auto& thread : lanes) thread.join();
  const auto results = answers_.all();
  ASSERT_EQ(results.size(), static_cast<std::size_t>(sessions * each));
  for (const auto& [number, outcomes] : results) {
    ASSERT_EQ(outcomes.size(), 1u);
    ASSERT_THAT(reasons(outcomes[0]), ElementsAre(Reason::ok));
  }
  EXPECT_EQ(metrics_.queue_deliveries.value(), 0);
  EXPECT_EQ(metrics_.queue_octets.value(), 0);
}

}  // namespace
}  // namespace lmtpd::delivery
