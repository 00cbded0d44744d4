#include "lmtpd/delivery/lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/faulty_driver.h"
#include "tests/support/gate.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_driver.h"
#include "tests/unit/delivery/answers.h"

namespace lmtpd::delivery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using storage::Delivery;
using storage::Reason;
using storage::Status;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing_support::Call;
using testing_support::CallFault;
using testing_support::FaultyDriver;
using testing_support::ManualClock;
using testing_support::number_of;
using testing_support::numbered_delivery;
using testing_support::ScriptedDriver;

// The law of exactly once (DECISIONS.md 6), seen from here: one outcome per ticket and target, never a permanent one for a fault of ours,
// and a positive one means exactly one copy.
void expect_law(const std::map<int, std::vector<Outcome>>& results, const ScriptedDriver& driver, std::size_t count,
                int targets) {
  ASSERT_THAT(results, SizeIs(count));
  for (const auto& [number, outcomes] : results) {
    ASSERT_THAT(outcomes, SizeIs(1)) << "message " << number;
    const std::vector<int> copies = copies_of(driver, number, targets);
    ASSERT_THAT(outcomes[0].targets, SizeIs(targets)) << "message " << number;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const Reason reason = outcomes[0].targets[i].status.reason();
      EXPECT_TRUE(storage::is_stored(reason) || storage::is_transient(reason)) << to_string(reason);
      EXPECT_GE(copies[i], storage::is_stored(reason) ? 1 : 0) << "message " << number << ' ' << to_string(reason);
      EXPECT_LE(copies[i], 1) << "message " << number;
    }
  }
}

class LaneTest : public testing::Test {
 protected:
  LaneTest() { pool_options_.size = 1; }

  // Stores messages 1 … count as one batch, on this thread.
  void store(int count, int targets = 1, storage::Driver* driver = nullptr) {
    storage::Pool pool(driver == nullptr ? driver_ : *driver, pool_options_, clock_);
    Queue queue(options_, 1, metrics_, clock_);
    Lane lane(queue, pool, options_, metrics_, clock_);
    for (int i = 1; i <= count; ++i) queue.push(numbered_delivery(i, targets), answers_.ticket(i, targets));
    queue.close();
    lane.run();
    EXPECT_EQ(pool.state().leased, 0);
    EXPECT_EQ(answers_.count(), static_cast<std::size_t>(count));
  }

  void poison(std::set<int> numbers, Reason reason = Reason::rejected_by_store) {
    driver_.on_store = [numbers = std::move(numbers), reason](std::span<const Delivery> batch) {
      for (const Delivery& delivery : batch) {
        if (numbers.contains(number_of(delivery))) return Status(reason, "poisoned");
      }
      return Status();
    };
  }

  Options options_;
  storage::PoolOptions pool_options_;
  ManualClock clock_;
  observe::Metrics metrics_;
  ScriptedDriver driver_;
  Answers<Outcome> answers_;
};

TEST_F(LaneTest, ABatchIsOneTransactionAndEveryTicketIsAnswered) {
  store(50, 3);
  EXPECT_THAT(driver_.counts().batches, ElementsAre(50));
  for (int i = 1; i <= 50; ++i) {
    EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(Reason::ok, Reason::ok, Reason::ok));
    EXPECT_EQ(answers_.at(i).batch_size, 50u);
  }
  EXPECT_EQ(metrics_.batches_committed.value(), 1u);
  EXPECT_EQ(metrics_.deliveries_committed.value(), 50u);
}

TEST_F(LaneTest, OutcomesAreSplitByTheirDelivery) {
  storage::Pool pool(driver_, pool_options_, clock_);
  Queue queue(options_, 1, metrics_, clock_);
  Lane lane(queue, pool, options_, metrics_, clock_);
  for (const auto& [number, targets] : {std::pair{1, 2}, {2, 1}, {3, 3}, {1001, 1}}) {
    queue.push(numbered_delivery(number, targets), answers_.ticket(number, targets));
  }
  queue.push(numbered_delivery(2, 1), answers_.ticket(4, 1));  // equal content: recognised
  queue.close();
  lane.run();
  EXPECT_THAT(reasons(answers_.at(1)), SizeIs(2));
  EXPECT_THAT(reasons(answers_.at(2)), SizeIs(1));
  EXPECT_THAT(reasons(answers_.at(3)), SizeIs(3));
  EXPECT_THAT(reasons(answers_.at(4)), ElementsAre(Reason::already_stored));
}

TEST_F(LaneTest, WaitAndCommitAreMeasured) {
  driver_.on_store = [&](auto) {
    clock_.advance(milliseconds(40));
    return Status();
  };
  storage::Pool pool(driver_, pool_options_, clock_);
  Queue queue(options_, 1, metrics_, clock_);
  Lane lane(queue, pool, options_, metrics_, clock_);
  queue.push(numbered_delivery(1), answers_.ticket(1));
  clock_.advance(milliseconds(7));
  queue.close();
  lane.run();
  EXPECT_EQ(answers_.at(1).wait, milliseconds(7));
  EXPECT_EQ(answers_.at(1).commit, milliseconds(40));
  EXPECT_EQ(metrics_.wait_microseconds.sum(), 7000u);
  EXPECT_EQ(metrics_.commit_microseconds.sum(), 40000u);
}

// Field report A57: one bad row spoils the batch.
struct Poisoned {
  const char* name;
  std::set<int> numbers;
};

class PoisonedBatch : public LaneTest, public testing::WithParamInterface<Poisoned> {};

TEST_P(PoisonedBatch, FailsAloneAndItsNeighboursCommit) {
  const auto& bad = GetParam().numbers;
  poison(bad);
  store(50);
  for (int i = 1; i <= 50; ++i) {
    const bool is_bad = bad.contains(i);
    EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(is_bad ? Reason::rejected_by_store : Reason::ok)) << i;
    EXPECT_THAT(copies_of(driver_, i), ElementsAre(is_bad ? 0 : 1)) << i;
  }
  // Halving: at most two failures per level and culprit, never one call per message.
  if (bad.size() <= 2) {
    EXPECT_LE(driver_.counts().stores, 1 + 2 * 6 * static_cast<int>(bad.size()));
  }
  EXPECT_GE(metrics_.batches_split.value(), 1u);
  EXPECT_GE(metrics_.batches_failed.value(), bad.size());
}

std::set<int> everybody() {
  std::set<int> all;
  for (int i = 1; i <= 50; ++i) all.insert(i);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Positions, PoisonedBatch,
                         testing::Values(Poisoned{"first", {1}}, Poisoned{"middle", {25}}, Poisoned{"last", {50}},
                                         Poisoned{"two", {7, 31}}, Poisoned{"neighbours", {25, 26}},
                                         Poisoned{"all", everybody()}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(LaneTest, ABugInTheStoreForOneMessageIsIsolatedToo) {
  poison({3}, Reason::internal);
  store(4);
  EXPECT_THAT(reasons(answers_.at(3)), ElementsAre(Reason::internal));
  EXPECT_THAT(reasons(answers_.at(4)), ElementsAre(Reason::ok));
}

// Field report A55: "gone away" turned out to be the packet limit.
TEST_F(LaneTest, AMessageThatMakesTheServerHangUpIsIsolated) {
  poison({5}, Reason::unavailable);
  store(8);
  for (int i = 1; i <= 8; ++i)
    EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(i == 5 ? Reason::unavailable : Reason::ok));
}

TEST_F(LaneTest, ARefusalOfATransactionIsNeverPermanentUnlessItIsTheSize) {
  poison({1}, Reason::no_such_mailbox);
  store(1);
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::internal));
}

TEST_F(LaneTest, AMessageAboveThePacketLimitIsTooLargeAndItsNeighbourCommits) {
  poison({1}, Reason::message_too_large);
  store(2);
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::message_too_large));
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::ok));
}

TEST_F(LaneTest, AFullDiskIsNotTriedAgainInPieces) {
  poison({1}, Reason::storage_full);
  store(20);
  EXPECT_EQ(driver_.counts().stores, 1);
  EXPECT_THAT(reasons(answers_.at(20)), ElementsAre(Reason::storage_full));
}

// Field reports A56 and A61: deadlocks and refused COMMITs are retried as a whole batch, with jitter, and bounded.
TEST_F(LaneTest, ADeadlockIsRetriedWholeWithGrowingJitter) {
  int left = 5;
  driver_.on_store = [&](auto) { return left-- > 0 ? Status(Reason::conflict, "deadlock") : Status(); };
  store(10);
  EXPECT_THAT(driver_.counts().batches, ElementsAre(10));
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::ok));
  ASSERT_THAT(clock_.pauses(), SizeIs(5));
  milliseconds longest = options_.retry_min;
  for (const milliseconds pause : clock_.pauses()) {
    EXPECT_LE(pause, longest);
    longest *= 2;
  }
  EXPECT_EQ(driver_.counts().connects, 1);  // the connection was still good
  EXPECT_EQ(metrics_.conflicts_retried.value(), 5u);
}

TEST_F(LaneTest, AConflictThatStaysIsDeferredAfterTheRetries) {
  driver_.on_store = [](auto) { return Status(Reason::conflict, "deadlock"); };
  store(1);
  EXPECT_EQ(driver_.counts().stores, 1 + options_.conflict_retries);
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::conflict));
}

TEST_F(LaneTest, ALockThatSomebodyKeepsHoldsUpOnlyTheMessageForThatMailbox) {
  driver_.on_store = [&](std::span<const Delivery> batch) {
    for (const Delivery& delivery : batch) {
      if (number_of(delivery) != 9) continue;
      clock_.advance(seconds(10));
      return Status(Reason::conflict, "lock timeout");
    }
    return Status();
  };
  options_.conflict_retries = 0;
  store(16);
  for (int i = 1; i <= 16; ++i)
    EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(i == 9 ? Reason::conflict : Reason::ok));
  EXPECT_LE(answers_.at(1).commit, seconds(10));  // the half without it commits after one timeout
}

// Field report A14: the connection dies while COMMIT is in flight.
class LostCommit : public LaneTest, public testing::WithParamInterface<bool> {};

TEST_P(LostCommit, IsSettledOnAFreshConnection) {
  const bool arrived = GetParam();
  const CallFault lost{.status = Status(Reason::in_doubt, "lost"), .executed = arrived, .poisons = true};
  FaultyDriver faulty(driver_, testing_support::fail_first(Call::store, 1, lost));
  store(5, 3, &faulty);
  expect_law(answers_.all(), driver_, 5, 3);
  for (int i = 1; i <= 5; ++i) EXPECT_THAT(reasons(answers_.at(i)), Each(arrived ? Reason::ok : Reason::in_doubt));
  EXPECT_EQ(driver_.counts().connects, 2);
  EXPECT_EQ(driver_.counts().settles, 1);
  EXPECT_EQ(metrics_.batches_in_doubt.value(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Commit, LostCommit, testing::Bool(),
                         [](const auto& test) { return test.param ? "arrived" : "did_not_arrive"; });

TEST_F(LaneTest, ADoubtThatCannotBeSettledStaysADoubt) {
  const CallFault lost{.status = Status(Reason::in_doubt, "lost"), .executed = true, .poisons = true};
  FaultyDriver faulty(driver_, testing_support::fail_first(Call::store, 1, lost));
  driver_.on_settle = [] { return Status(Reason::unavailable, "still restarting"); };
  store(3, 2, &faulty);
  for (int i = 1; i <= 3; ++i) EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(Reason::in_doubt, Reason::in_doubt));
}

TEST_F(LaneTest, SettlingIsTriedAgain) {
  const CallFault lost{.status = Status(Reason::in_doubt, "lost"), .executed = true, .poisons = true};
  FaultyDriver faulty(driver_, testing_support::fail_first(Call::store, 1, lost));
  int left = 2;
  driver_.on_settle = [&] { return left-- > 0 ? Status(Reason::conflict, "lock timeout") : Status(); };
  store(3, 1, &faulty);
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::ok));
}

// Field report A52: a restarted database.
TEST_F(LaneTest, ALostConnectionIsReplacedAndTheBatchStoredWhole) {
  int left = 2;
  driver_.on_store = [&](auto) { return left-- > 0 ? Status(Reason::unavailable, "terminated") : Status(); };
  store(10);
  EXPECT_THAT(driver_.counts().batches, ElementsAre(10));
  EXPECT_EQ(driver_.counts().connects, 3);
  EXPECT_EQ(metrics_.unavailable_retried.value(), 2u);
}

TEST_F(LaneTest, AnUnreachableStoreDefersTheBatch) {
  driver_.on_connect = [&] { return Status(Reason::internal, "wrong password"); };
  options_.unavailable_retry = seconds(0);
  store(3);
  for (int i = 1; i <= 3; ++i) EXPECT_THAT(reasons(answers_.at(i)), ElementsAre(Reason::unavailable));
  EXPECT_EQ(answers_.at(1).targets[0].status.detail(), "wrong password");
}

TEST_F(LaneTest, AnExceptionAnswersEveryTicketAndTheLaneGoesOn) {
  bool first = true;
  driver_.on_store = [&](auto) -> Status {
    if (std::exchange(first, false)) throw std::runtime_error("bug");
    return Status();
  };
  options_.batch_count = 3;
  store(6);
  EXPECT_THAT(reasons(answers_.at(3)), ElementsAre(Reason::internal));
  EXPECT_THAT(reasons(answers_.at(4)), ElementsAre(Reason::ok));
}

// Decision 28.
TEST_F(LaneTest, ATransactionThatStaysOpenIsAnsweredWhileItGoesOn) {
  testing_support::Gate gate;
  driver_.on_store = [&](auto) {
    gate.pass();
    return Status();
  };
  storage::Pool pool(driver_, pool_options_, clock_);
  Queue queue(options_, 1, metrics_, clock_);
  Lane lane(queue, pool, options_, metrics_, clock_);
  for (int i = 1; i <= 2; ++i) queue.push(numbered_delivery(i), answers_.ticket(i));
  queue.close();
  std::thread thread([&] { lane.run(); });
  gate.await_waiting(1);
  clock_.advance(seconds(299));
  lane.expire(clock_.now());
  EXPECT_EQ(answers_.count(), 0u);
  clock_.advance(seconds(1));
  lane.expire(clock_.now());
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::deadline));
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::deadline));
  gate.open();
  thread.join();
  lane.expire(clock_.now());
  EXPECT_EQ(answers_.count(), 2u);
  EXPECT_EQ(metrics_.taken_deadlines.value(), 2u);
  EXPECT_THAT(copies_of(driver_, 1), ElementsAre(1));  // the client's retry will be recognised
}

// Every call of the whole course fails once, for every k: nobody is left without an answer, nothing is stored twice,
// and the identical retry of what was deferred ends with exactly one copy.
struct Cut {
  const char* name;
  Reason reason;
  bool executed;
};

class CutAtEveryCall : public LaneTest, public testing::WithParamInterface<std::tuple<Cut, int>> {};

TEST_P(CutAtEveryCall, EveryTicketGetsOneLegalOutcome) {
  const auto& [cut, targets] = GetParam();
  options_.unavailable_retry = seconds(0);
  constexpr int count = 5;
  for (std::uint64_t k = 1;; ++k) {
    SCOPED_TRACE(k);
    FaultyDriver faulty(driver_, testing_support::fail_call(k, {Status(cut.reason, "cut"), cut.executed, true}));
    Answers<Outcome> answers;
    storage::Pool pool(faulty, pool_options_, clock_);
    Queue queue(options_, 1, metrics_, clock_);
    Lane lane(queue, pool, options_, metrics_, clock_);
    const int base = static_cast<int>(k) * 100;
    for (int i = 0; i < count; ++i) queue.push(numbered_delivery(base + i, targets), answers.ticket(base + i, targets));
    queue.close();
    lane.run();
    expect_law(answers.all(), driver_, count, targets);
    Answers<Outcome> retried;
    {
      Queue again(options_, 1, metrics_, clock_);
      Lane other(again, pool, options_, metrics_, clock_);
      clock_.advance(seconds(60));
      for (int i = 0; i < count; ++i)
        again.push(numbered_delivery(base + i, targets), retried.ticket(base + i, targets));
      again.close();
      other.run();
    }
    for (int i = 0; i < count; ++i) ASSERT_THAT(copies_of(driver_, base + i, targets), Each(1));
    EXPECT_EQ(pool.state().leased, 0);
    if (faulty.calls() < k) break;  // the fault was never reached: every k has been tried
    ASSERT_LT(k, 50u);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, CutAtEveryCall,
                         testing::Combine(testing::Values(Cut{"unavailable", Reason::unavailable, false},
                                                          Cut{"conflict", Reason::conflict, false},
                                                          Cut{"internal", Reason::internal, false},
                                                          Cut{"doubt_lost", Reason::in_doubt, false},
                                                          Cut{"doubt_arrived", Reason::in_doubt, true}),
                                          testing::Values(1, 3)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "_targets";
                         });

}  // namespace
}  // namespace lmtpd::delivery
