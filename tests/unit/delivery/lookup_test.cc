#include "lmtpd/delivery/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/faulty_driver.h"
#include "tests/support/gate.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_driver.h"
#include "tests/unit/delivery/answers.h"

namespace lmtpd::delivery {
namespace {

using std::chrono::seconds;
using storage::Address;
using storage::Reason;
using storage::Status;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::Gate;
using testing_support::ManualClock;
using testing_support::ScriptedDriver;

std::vector<Address> addresses(std::initializer_list<const char*> locals) {
  std::vector<Address> list;
  for (const char* local : locals) list.emplace_back(local, "example.org");
  return list;
}

std::vector<Reason> reasons(const Resolutions& resolutions) {
  std::vector<Reason> list;
  for (const auto& resolution : resolutions) list.push_back(resolution.status.reason());
  return list;
}

class LookupTest : public testing::Test {
 protected:
  ~LookupTest() override {
    gate_.open();
    stop();
  }

  void start(storage::Driver* driver = nullptr) {
    storage::PoolOptions pool;
    pool.size = 1;
    pool_ = std::make_unique<storage::Pool>(driver == nullptr ? driver_ : *driver, pool, clock_);
    lookup_ = std::make_unique<Lookup>(*pool_, options_, metrics_, clock_);
    thread_ = std::thread([this] { lookup_->run(); });
  }
  void stop() {
    if (lookup_ != nullptr) lookup_->close();
    if (thread_.joinable()) thread_.join();
  }
  Resolutions ask(std::initializer_list<const char*> locals) {
    const int number = next_++;
    lookup_->ask(addresses(locals), answers_.completion(number));
    answers_.await(static_cast<std::size_t>(next_));
    return answers_.at(number);
  }
  void ask_later(int number, std::initializer_list<const char*> locals) {
    lookup_->ask(addresses(locals), answers_.completion(number));
  }

  Options options_;
  ManualClock clock_;
  observe::Metrics metrics_;
  // What the driver's hooks use on the look-up thread: never a local of a test.
  Gate gate_;
  std::atomic<bool> broken_ = false;
  std::atomic<int> left_ = 0;
  ScriptedDriver driver_;
  Answers<Resolutions> answers_;
  int next_ = 0;
  std::unique_ptr<storage::Pool> pool_;
  std::unique_ptr<Lookup> lookup_;
  std::thread thread_;
};

TEST_F(LookupTest, AnswersInTheOrderOfTheAddresses) {
  start();
  const Resolutions answers = ask({"alice", "unknown1", "bob"});
  EXPECT_THAT(reasons(answers), ElementsAre(Reason::ok, Reason::no_such_mailbox, Reason::ok));
  EXPECT_EQ(answers[0].targets.at(0).mailbox, "alice");
  EXPECT_EQ(answers[2].targets.at(0).mailbox, "bob");
}

TEST_F(LookupTest, QuestionsThatGatherAreAskedInOneCallWithoutRepetition) {
  driver_.on_resolve = [this](auto) {
    gate_.pass();
    return Status();
  };
  start();
  ask_later(0, {"first"});
  gate_.await_waiting(1);
  ask_later(1, {"a", "b"});
  ask_later(2, {"b", "c", "b"});
  ask_later(3, {"unknown"});
  gate_.open();
  answers_.await(4);
  ASSERT_THAT(driver_.counts().resolves, SizeIs(2));
  EXPECT_EQ(driver_.counts().resolves[1], addresses({"a", "b", "c", "unknown"}));
  EXPECT_THAT(reasons(answers_.at(2)), ElementsAre(Reason::ok, Reason::ok, Reason::ok));
  EXPECT_EQ(answers_.at(2)[2].targets.at(0).mailbox, "b");
  EXPECT_THAT(reasons(answers_.at(3)), ElementsAre(Reason::no_such_mailbox));
}

TEST_F(LookupTest, AYesAndANoAreRememberedForTheirTimes) {
  start();
  ask({"alice", "unknown"});
  ask({"alice", "unknown"});
  EXPECT_THAT(driver_.counts().resolves, SizeIs(1));
  clock_.advance(seconds(1));
  EXPECT_THAT(reasons(ask({"alice", "unknown"})), ElementsAre(Reason::ok, Reason::no_such_mailbox));
  ASSERT_THAT(driver_.counts().resolves, SizeIs(2));
  EXPECT_EQ(driver_.counts().resolves[1], addresses({"unknown"}));  // a no is asked again soon
  clock_.advance(seconds(5));
  ask({"alice"});
  EXPECT_THAT(driver_.counts().resolves, SizeIs(3));
  EXPECT_EQ(metrics_.lookups_cached.value(), 3u);
}

TEST_F(LookupTest, ForgetAsksAgainAndKeepsNothingThatWasUnderWay) {
  gate_.open();
  driver_.on_resolve = [this](auto) {
    gate_.pass();
    return Status();
  };
  start();
  ask({"alice"});
  lookup_->forget();
  gate_.close();
  ask_later(next_++, {"alice"});
  gate_.await_waiting(1);
  lookup_->forget();
  gate_.open();
  answers_.await(2);
  ask({"alice"});
  EXPECT_THAT(driver_.counts().resolves, SizeIs(3));
}

TEST_F(LookupTest, AFailureIsDontKnowAndIsNotRemembered) {
  broken_ = true;
  driver_.on_resolve = [this](auto) { return broken_ ? Status(Reason::internal, "bug") : Status(); };
  start();
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::unavailable));
  broken_ = false;
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::ok));
  EXPECT_EQ(metrics_.lookup_failures.value(), 1u);
}

TEST_F(LookupTest, ALostConnectionIsReplacedOnce) {
  testing_support::FaultyDriver faulty(
      driver_,
      testing_support::fail_first(testing_support::Call::resolve, 1,
                                  {.status = Status(Reason::unavailable), .executed = false, .poisons = true}));
  start(&faulty);
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::ok));
  EXPECT_EQ(driver_.counts().connects, 2);
  stop();
  pool_.reset();  // its connections use the driver of this test
}

TEST_F(LookupTest, AConflictIsTriedAgain) {
  left_ = 2;
  driver_.on_resolve = [this](auto) { return left_-- > 0 ? Status(Reason::conflict) : Status(); };
  start();
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::ok));
}

TEST_F(LookupTest, OneAddressThatTheStoreCannotDigestDoesNotFailTheOthers) {
  driver_.on_resolve = [](std::span<const Address> in) {
    const bool poison = std::ranges::any_of(in, [](const Address& a) { return a.local == "poison"; });
    return poison ? Status(Reason::rejected_by_store, "invalid byte sequence") : Status();
  };
  start();
  EXPECT_THAT(reasons(ask({"a", "b", "poison", "d", "unknown"})),
              ElementsAre(Reason::ok, Reason::ok, Reason::unavailable, Reason::ok, Reason::no_such_mailbox));
}

TEST_F(LookupTest, WhileTheStoreIsKnownToBeDownTheAnswerComesAtOnce) {
  driver_.on_connect = [] { return Status(Reason::unavailable, "connection refused"); };
  options_.outage_tolerance = std::chrono::milliseconds(0);
  start();
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::unavailable));
  const int connects = driver_.counts().connects;
  clock_.advance(seconds(60));
  EXPECT_THAT(reasons(ask({"alice"})), ElementsAre(Reason::unavailable));
  EXPECT_EQ(driver_.counts().connects, connects);
}

TEST_F(LookupTest, TheDeadlineHoldsWhileTheStoreHangs) {
  driver_.on_resolve = [this](auto) {
    gate_.pass();
    return Status();
  };
  start();
  ask_later(0, {"hangs"});
  gate_.await_waiting(1);
  clock_.advance(seconds(10));
  ask_later(1, {"waits"});
  clock_.advance(seconds(10));
  lookup_->expire(clock_.now());
  EXPECT_THAT(reasons(answers_.at(0)), ElementsAre(Reason::unavailable));
  EXPECT_EQ(answers_.count(), 1u);
  clock_.advance(seconds(10));
  lookup_->expire(clock_.now());
  EXPECT_THAT(reasons(answers_.at(1)), ElementsAre(Reason::unavailable));
  gate_.open();
  stop();
  EXPECT_EQ(answers_.count(), 2u);  // nobody is answered twice
}

TEST_F(LookupTest, CloseAnswersWhatIsLeft) {
  start();
  stop();
  ask_later(0, {"alice"});
  EXPECT_THAT(reasons(answers_.at(0)), ElementsAre(Reason::unavailable));
}

TEST_F(LookupTest, NoAddressesNeedNoStore) {
  start();
  EXPECT_THAT(ask({}), IsEmpty());
  EXPECT_THAT(driver_.counts().resolves, IsEmpty());
}

}  // namespace
}  // namespace lmtpd::delivery
