#include "lmtpd/delivery/ticket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "lmtpd/delivery/budget.h"
#include "tests/support/scripted_driver.h"
#include "tests/unit/delivery/answers.h"

namespace lmtpd::delivery {
namespace {

using storage::Reason;
using testing::ElementsAre;

TEST(Ticket, IsAnsweredOnceEvenByManyThreads) {
  Answers<Outcome> answers;
  {
    Ticket ticket = answers.ticket(1, 2);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { ticket.answer(storage::Status(Reason::busy)); });
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(ticket.answer(storage::Status()));
  }
  EXPECT_EQ(answers.count(), 1u);
  EXPECT_THAT(reasons(answers.at(1)), ElementsAre(Reason::busy, Reason::busy));
}

TEST(Ticket, ADroppedOneAnswersInternal) {
  Answers<Outcome> answers;
  { const Ticket ticket = answers.ticket(1); }
  EXPECT_THAT(reasons(answers.at(1)), ElementsAre(Reason::internal));
}

TEST(Ticket, AMovedOneAnswersOnlyInItsNewPlace) {
  Answers<Outcome> answers;
  {
    Ticket first = answers.ticket(1);
    Ticket second = std::move(first);
    EXPECT_FALSE(first.answer(storage::Status(Reason::busy)));
    EXPECT_TRUE(second.answer(storage::Status(Reason::conflict)));
  }
  EXPECT_EQ(answers.count(), 1u);
}

TEST(Ticket, FreeingTheMessageGivesItsOctetsToOthers) {
  observe::Metrics metrics;
  Budget budget(1000, metrics);
  Answers<Outcome> answers;
  Reservation held;
  ASSERT_TRUE(budget.try_grow(held, 1000));
  Ticket ticket = answers.ticket(1, 1, std::move(held));
  storage::Delivery delivery = testing_support::numbered_delivery(1);
  free_message(delivery, ticket);
  EXPECT_EQ(budget.in_use(), 0u);
  EXPECT_TRUE(ticket.answer(storage::Status()));
}

}  // namespace
}  // namespace lmtpd::delivery
