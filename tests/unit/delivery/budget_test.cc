#include "lmtpd/delivery/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/support/manual_clock.h"
#include "tests/unit/delivery/answers.h"

namespace lmtpd::delivery {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::ManualClock;

class BudgetTest : public testing::Test {
 protected:
  void grow(int number, std::uint64_t octets, seconds patience = seconds(10)) {
    budget_.grow(held_.at(static_cast<std::size_t>(number)), octets, clock_.now() + patience,
                 answers_.completion(number));
  }
  Reservation& held(int number) { return held_.at(static_cast<std::size_t>(number)); }

  ManualClock clock_;
  observe::Metrics metrics_;
  Budget budget_{1000, metrics_};
  Answers<bool> answers_;
  std::array<Reservation, 10> held_;
};

TEST_F(BudgetTest, GivesWhileThereIsRoomAndTakesBack) {
  grow(1, 600);
  EXPECT_TRUE(answers_.at(1));
  EXPECT_EQ(budget_.in_use(), 600u);
  EXPECT_FALSE(budget_.try_grow(held(2), 500));
  held(1).release();
  EXPECT_EQ(budget_.in_use(), 0u);
  EXPECT_TRUE(budget_.try_grow(held(2), 500));
  EXPECT_EQ(metrics_.budget_octets.value(), 500);
}

TEST_F(BudgetTest, AReservationGrows) {
  grow(1, 600);
  grow(1, 400);
  EXPECT_EQ(held(1).octets(), 1000u);
  { const Reservation moved = std::move(held(1)); }
  EXPECT_EQ(budget_.in_use(), 0u);
}

TEST_F(BudgetTest, ServesInOrderOfArrivalSoThatALargeClaimDoesNotStarve) {
  grow(1, 900);
  grow(2, 800);
  grow(3, 50);  // would fit, but came later
  EXPECT_FALSE(budget_.try_grow(held(4), 50));
  EXPECT_THAT(answers_.order(), ElementsAre(1));
  held(1).release();
  EXPECT_THAT(answers_.order(), ElementsAre(1, 2, 3));
  EXPECT_EQ(budget_.in_use(), 850u);
}

TEST_F(BudgetTest, AnswersNoWhenTheDeadlineHasPassed) {
  grow(1, 1000);
  grow(2, 10, seconds(10));
  clock_.advance(seconds(9));
  budget_.expire(clock_.now());
  EXPECT_THAT(answers_.order(), ElementsAre(1));
  clock_.advance(seconds(1));
  budget_.expire(clock_.now());
  EXPECT_FALSE(answers_.at(2));
  EXPECT_EQ(held(2).octets(), 0u);
  EXPECT_EQ(metrics_.budget_timeouts.value(), 1u);
}

TEST_F(BudgetTest, WhoStoodBehindAClaimThatGaveUpIsServedThen) {
  grow(1, 500);
  grow(2, 900, seconds(1));
  grow(3, 100, seconds(10));
  clock_.advance(seconds(1));
  budget_.expire(clock_.now());
  EXPECT_FALSE(answers_.at(2));
  EXPECT_TRUE(answers_.at(3));
}

TEST_F(BudgetTest, AClaimThatCanNeverFitIsRefusedAtOnce) {
  grow(1, 1001);
  EXPECT_FALSE(answers_.at(1));
  grow(2, 600);
  grow(2, 401);
  EXPECT_EQ(held(2).octets(), 600u);
  EXPECT_THAT(answers_.order(), ElementsAre(1, 2, 2));
  EXPECT_FALSE(answers_.all().at(2).at(1));
}

TEST_F(BudgetTest, SaysWhenItIsNearlyFull) {
  grow(1, 875);
  EXPECT_FALSE(budget_.nearly_full());
  grow(2, 10);
  EXPECT_TRUE(budget_.nearly_full());
  held(1).release();
  EXPECT_FALSE(budget_.nearly_full());
  grow(3, 800);
  grow(4, 500);  // waits
  EXPECT_TRUE(budget_.nearly_full());
  held(3).release();
  EXPECT_FALSE(budget_.nearly_full());
}

TEST_F(BudgetTest, ManyThreadsNeverExceedItAndAllAreServed) {
  std::vector<std::thread> threads;
  std::atomic<bool> exceeded = false;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        Reservation mine;
        Answers<bool> answer;
        budget_.grow(mine, static_cast<std::uint64_t>(100 + 50 * i), storage::Instant::max(), answer.completion(0));
        answer.await(1);
        if (!answer.at(0) || budget_.in_use() > 1000) exceeded = true;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(budget_.in_use(), 0u);
}

}  // namespace
}  // namespace lmtpd::delivery
