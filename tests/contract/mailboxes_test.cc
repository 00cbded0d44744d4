// Mailboxes that come and go between RCPT and the end of data.
#include <thread>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class Mailboxes : public Contract {};

// A11: one vanished mailbox is that recipient's affair alone.
TEST_P(Mailboxes, AVanishedMailboxIsARefusal) {
  const UserId alice = store().add_user("alice@example.org");
  const UserId bob = store().add_user("bob@example.org");
  const Target gone = store().inbox_of(bob);
  store().remove_mailbox(gone.mailbox_id);
  std::vector<Delivery> batch;
  batch.push_back(delivery_of(MadeMessage("to both").build(), {store().inbox_of(alice), gone}));
  batch.push_back(delivery_of(MadeMessage("to bob").build(), {gone}));
  batch.push_back(
      delivery_of(MadeMessage("to nobody").build(), {Target(987654, "INBOX", 0), Target(987654, "INBOX", 987654)}));
  EXPECT_EQ(reasons(deliver(batch)), (std::vector{Reason::ok, Reason::no_such_mailbox, Reason::no_such_mailbox,
                                                  Reason::no_such_mailbox, Reason::no_such_mailbox}));
  EXPECT_EQ(store().counts().messages, 1);
  EXPECT_EQ(store().counts().physmessages, 1);
}

// The user is still there: his retry goes to INBOX, so a folder that he deleted must not bounce mail.
TEST_P(Mailboxes, AVanishedFolderIsTemporary) {
  const UserId alice = store().add_user("alice@example.org");
  const auto made = deliver_one(MadeMessage("first").build(), {Target(alice, "Lists", 0)});
  const Target folder(alice, "Lists", made[0].key.mailbox);
  store().remove_mailbox(folder.mailbox_id);
  EXPECT_EQ(reasons(deliver_one(MadeMessage("second").build(), {folder})), std::vector{Reason::unavailable});
  EXPECT_EQ(store().counts().messages, 0);
}

TEST_P(Mailboxes, AVanishedUserTakesHisMailboxesAlong) {
  storage::UserRecord carl;
  carl.userid = "carl@example.org";
  EXPECT_OK(store().admin().add_user(carl));
  const Target target = store().inbox_of(carl.id);
  (void)deliver_one(MadeMessage().build(), {target});
  EXPECT_OK(store().admin().remove_user(carl.id));
  EXPECT_EQ(store().counts().messages, 0);
  EXPECT_EQ(reasons(deliver_one(MadeMessage().build(), {target})), std::vector{Reason::no_such_mailbox});
}

TEST_P(Mailboxes, AMissingInboxIsCreatedAndSubscribed) {
  const UserId alice = store().add_user("alice@example.org");
  store().remove_mailbox(store().mailbox(alice));
  const auto outcomes = deliver_one(MadeMessage().build(), {Target(alice, "INBOX", 0)});
  EXPECT_EQ(reasons(outcomes), std::vector{Reason::ok});
  const storage::MailboxId inbox = store().mailbox(alice);
  EXPECT_NE(inbox, 0);
  EXPECT_EQ(outcomes[0].key.mailbox, inbox);
  EXPECT_TRUE(store().is_subscribed(alice, inbox));
  EXPECT_EQ(store().seq(alice), 2);
}

TEST_P(Mailboxes, NamesMayDifferByNothingThatACollationSees) {
  const UserId alice = store().add_user("alice@example.org");
  std::vector<Delivery> batch;
  for (const char* name : {"Lists", "a_b", "aXb", "100%"}) {
    batch.push_back(delivery_of(MadeMessage(name).build(), {Target(alice, name, 0)}));
  }
  const auto outcomes = deliver(batch);
  EXPECT_EQ(reasons(outcomes), std::vector(4, Reason::ok));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::string& name = batch[i].targets[0].mailbox;
    EXPECT_EQ(store().mailbox(alice, name), outcomes[i].key.mailbox) << name;
    EXPECT_TRUE(store().is_subscribed(alice, outcomes[i].key.mailbox)) << name;
  }
}

// H9 of the specification: both sides get the same mailbox.
TEST_P(Mailboxes, CreatedByManyAtTheSameTime) {
  constexpr int threads = 4;
  const UserId alice = store().add_user("alice@example.org");
  store().remove_mailbox(store().mailbox(alice));
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      const auto connection = connect(driver());
      std::vector<Delivery> batch;
      batch.push_back(delivery_of(MadeMessage("from " + std::to_string(t)).build(),
                                  {Target(alice, "INBOX", 0), Target(alice, "New", 0)}));
      EXPECT_EQ(reasons(deliver(*connection, batch)), std::vector(2, Reason::ok));
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::vector<storage::MailboxRecord> mailboxes;
  EXPECT_OK(store().admin().list_mailboxes(alice, mailboxes));
  ASSERT_EQ(mailboxes.size(), 2u);
  for (const auto& mailbox : mailboxes) {
    EXPECT_EQ(mailbox.messages, static_cast<std::uint64_t>(threads)) << mailbox.name;
    EXPECT_TRUE(store().is_subscribed(alice, mailbox.id)) << mailbox.name;
  }
}

ON_EVERY_ENGINE(Mailboxes);

}  // namespace
}  // namespace contract
