// Decision 20. The law: counter minus sum of live sizes is unchanged by any delivery.
#include <thread>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class Quota : public Contract {
 protected:
  static storage::Message message(const std::string& body, std::uint64_t size) {
    return MadeMessage(body).size(size).build();
  }
};

TEST_P(Quota, InArrivalOrderAsManyAsFit) {
  const UserId user = store().add_user("alice@example.org", 100);
  std::vector<Delivery> batch;
  for (const std::uint64_t size : {60u, 41u, 40u, 1u}) {
    batch.push_back(delivery_of(message("size " + std::to_string(size), size), {store().inbox_of(user)}));
  }
  EXPECT_EQ(reasons(deliver(batch)), (std::vector{Reason::ok, Reason::over_quota, Reason::ok, Reason::over_quota}));
  EXPECT_EQ(store().used_size("alice@example.org"), 100);
  EXPECT_EQ(store().counts().messages, 2);
}

TEST_P(Quota, WithoutALimitTheCounterGoesOn) {
  const UserId user = store().add_user("alice@example.org", 0);
  (void)deliver_one(message("a", 1000), {store().inbox_of(user)});
  (void)deliver_one(message("b", 234), {store().inbox_of(user)});
  EXPECT_EQ(store().used_size("alice@example.org"), 1234);
}

TEST_P(Quota, RedeliveriesDoNotCount) {
  const UserId user = store().add_user("alice@example.org", 100);
  const storage::Message first = message("first", 60);
  (void)deliver_one(first, {store().inbox_of(user)});
  std::vector<Delivery> batch;
  for (int i = 0; i < 3; ++i) batch.push_back(delivery_of(first, {store().inbox_of(user)}));
  batch.push_back(delivery_of(message("second", 40), {store().inbox_of(user)}));
  EXPECT_EQ(reasons(deliver(batch)),
            (std::vector{Reason::already_stored, Reason::already_stored, Reason::already_stored, Reason::ok}));
  EXPECT_EQ(store().used_size("alice@example.org"), 100);
}

// A49: one full mailbox hurts nobody else, and what has no stored copy leaves nothing behind.
TEST_P(Quota, TheOthersGetTheirMail) {
  const UserId full = store().add_user("full@example.org", 10);
  const UserId alice = store().add_user("alice@example.org");
  const auto outcomes = deliver_one(message("to both", 50), {store().inbox_of(alice), store().inbox_of(full)});
  EXPECT_EQ(reasons(outcomes), (std::vector{Reason::ok, Reason::over_quota}));
  EXPECT_EQ(store().used_size("full@example.org"), 0);
}

TEST_P(Quota, ARefusedDeliveryLeavesNothingBehind) {
  const UserId full = store().add_user("full@example.org", 10);
  const UserId alice = store().add_user("alice@example.org");
  EXPECT_EQ(reasons(deliver_one(message("alone", 50), {store().inbox_of(full)})), std::vector{Reason::over_quota});
  EXPECT_EQ(store().counts(), Counts());

  std::vector<Delivery> batch;
  MadeMessage refused("refused");
  refused.size(50)
      .header("to", "only here")
      .part(2, 1, 1, false, "in both")
      .part(3, 1, 1, false, "only refused")
      .size(50);
  refused.reference("r@example.org");
  MadeMessage stored("stored");
  stored.part(2, 1, 1, false, "in both");
  batch.push_back(delivery_of(refused.build(), {store().inbox_of(full)}));
  batch.push_back(delivery_of(stored.build(), {store().inbox_of(alice)}));
  const auto outcomes = deliver(batch);
  EXPECT_EQ(reasons(outcomes), (std::vector{Reason::over_quota, Reason::ok}));
  const Counts counts = store().counts();
  EXPECT_EQ(counts.messages, 1);
  EXPECT_EQ(counts.physmessages, 1);
  EXPECT_EQ(counts.parts, 3);
  EXPECT_EQ(counts.partlists, 3);
  EXPECT_EQ(counts.values, 4);
  EXPECT_EQ(counts.headers, 4);
  EXPECT_EQ(counts.references, 0);
  EXPECT_EQ(counts.envelopes, 1);
  const Entry entry = store().entry(outcomes[1].message_idnr);
  EXPECT_EQ(lines_of(store().rows(entry.physmessage)), lines_of(batch[1].message, store().header_names()));
}

// A48: several writers; exactly as many as fit.
TEST_P(Quota, WritersAtTheSameTime) {
  constexpr int threads = 4;
  constexpr int each = 10;
  const UserId user = store().add_user("alice@example.org", 1000);
  const Target inbox = store().inbox_of(user);
  std::atomic<int> stored = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      const auto connection = connect(driver());
      for (int i = 0; i < each; i += 2) {
        std::vector<Delivery> batch;
        for (int k = i; k < i + 2; ++k) {
          batch.push_back(delivery_of(message(std::to_string(t) + "/" + std::to_string(k), 100), {inbox}));
        }
        for (const TargetOutcome& outcome : deliver(*connection, batch)) {
          if (outcome.status.reason() == Reason::ok) ++stored;
          if (outcome.status.reason() == Reason::over_quota) ++refused;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(stored, 10);
  EXPECT_EQ(refused, threads * each - 10);
  EXPECT_EQ(store().used_size("alice@example.org"), 1000);
  EXPECT_EQ(store().counts().messages, 10);
  EXPECT_EQ(store().counts().physmessages, 10);
  EXPECT_EQ(store().seq(user), 11);
}

ON_EVERY_ENGINE(Quota);

}  // namespace
}  // namespace contract
