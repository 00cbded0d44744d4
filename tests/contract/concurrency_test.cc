// A60: UIDs become visible in ascending order, and seq with them, whoever delivers at the same time.
#include <atomic>
#include <thread>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class Concurrency : public Contract {};

// What an IMAP client does: it asks what came since, and never looks below again.
void poll(storage::Driver& driver, UserId user, storage::MailboxId mailbox, std::atomic<bool>& done,
          std::vector<storage::MessageId>& seen) {
  std::unique_ptr<storage::Admin> admin;
  EXPECT_OK(driver.open_admin(admin));
  for (bool last = false; !last;) {
    last = done;
    std::vector<storage::MessageRecord> messages;
    EXPECT_OK(admin->list_messages(user, mailbox, messages));
    const storage::MessageId known = seen.empty() ? 0 : seen.back();
    for (const auto& message : messages) {
      if (message.uid > known) seen.push_back(message.uid);
    }
    EXPECT_EQ(messages.size(), seen.size()) << "a message appeared below a UID that was already visible";
    if (messages.size() != seen.size()) return;
  }
}

TEST_P(Concurrency, UidsBecomeVisibleInAscendingOrder) {
  constexpr int threads = 4;
  constexpr int batches = 12;
  const UserId alice = store().add_user("alice@example.org");
  const UserId bob = store().add_user("bob@example.org");
  const Target first = store().inbox_of(alice);
  const Target second = store().inbox_of(bob);
  std::atomic<bool> done = false;
  std::vector<storage::MessageId> seen;
  std::thread poller([&] { poll(driver(), alice, first.mailbox_id, done, seen); });
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      const auto connection = connect(driver());
      for (int i = 0; i < batches; ++i) {
        std::vector<Delivery> batch;
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        // Opposite orders of the same mailboxes: no deadlock that costs a message.
        std::vector<Target> targets = t % 2 == 0 ? std::vector{first, second} : std::vector{second, first};
        batch.push_back(delivery_of(MadeMessage("small " + name).build(), targets));
        batch.push_back(delivery_of(
            MadeMessage(std::string(static_cast<std::size_t>(t) * 20000 + 1, 'x') + name).build(), {first}));
        for (const TargetOutcome& outcome : deliver(*connection, batch)) EXPECT_EQ(outcome.status.reason(), Reason::ok);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  poller.join();
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(threads) * batches * 2);
  EXPECT_EQ(store().seq(alice), 1 + threads * batches * 2);
  std::int64_t last_seq = 1;
  for (const storage::MessageId uid : seen) {
    const std::int64_t seq = store().entry(uid).seq;
    EXPECT_EQ(seq, last_seq + 1) << uid;
    last_seq = seq;
  }
}

// Two connections get the same message at once (a client that gave up waiting and came again).
TEST_P(Concurrency, OneCopyOfARedeliveryThatOverlaps) {
  constexpr int threads = 4;
  const UserId alice = store().add_user("alice@example.org");
  const Target inbox = store().inbox_of(alice);
  for (int round = 0; round < 5; ++round) {
    const storage::Message message = MadeMessage("round " + std::to_string(round)).build();
    std::atomic<int> stored = 0;
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&] {
        const auto connection = connect(driver());
        std::vector<Delivery> batch;
        batch.push_back(delivery_of(message, {inbox}));
        const auto outcomes = deliver(*connection, batch);
        EXPECT_TRUE(outcomes[0].status.ok());
        if (outcomes[0].status.reason() == Reason::ok) ++stored;
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(stored, 1);
    EXPECT_EQ(store().counts().messages, round + 1);
    EXPECT_EQ(store().counts().physmessages, round + 1);
  }
}

ON_EVERY_ENGINE(Concurrency);

}  // namespace
}  // namespace contract
