// Exactly once: decisions 1, 2, 4 and 5.
#include "tests/contract/contract.h"

namespace contract {
namespace {

class Redelivery : public Contract {
 protected:
  void SetUp() override {
    alice_ = store().add_user("alice@example.org");
    bob_ = store().add_user("bob@example.org");
    message_ = MadeMessage("again\n").size(100).build();
  }

  UserId alice_ = 0;
  UserId bob_ = 0;
  storage::Message message_;
};

TEST_P(Redelivery, InALaterBatch) {
  const auto first = deliver_one(message_, {store().inbox_of(alice_)});
  const Counts counts = store().counts();
  const auto second = deliver_one(message_, {store().inbox_of(alice_)});
  EXPECT_EQ(reasons(second), std::vector{Reason::already_stored});
  EXPECT_EQ(second[0].message_idnr, first[0].message_idnr);
  EXPECT_EQ(second[0].key, first[0].key);
  EXPECT_EQ(store().counts(), counts);
  EXPECT_EQ(store().used_size("alice@example.org"), 100);
  EXPECT_EQ(store().seq(alice_), 2);
}

// A15: one row even if three RCPTs reach one mailbox.
TEST_P(Redelivery, InTheSameBatch) {
  std::vector<Delivery> batch;
  batch.push_back(delivery_of(message_, {store().inbox_of(alice_), store().inbox_of(bob_)}));
  batch.push_back(delivery_of(message_, {store().inbox_of(bob_), store().inbox_of(bob_)}));
  const auto outcomes = deliver(batch);
  EXPECT_EQ(reasons(outcomes), (std::vector{Reason::ok, Reason::ok, Reason::already_stored, Reason::already_stored}));
  EXPECT_EQ(outcomes[2].message_idnr, outcomes[1].message_idnr);
  EXPECT_EQ(outcomes[3].message_idnr, outcomes[1].message_idnr);
  EXPECT_EQ(store().counts().messages, 2);
  EXPECT_EQ(store().counts().physmessages, 1);
  EXPECT_EQ(store().used_size("bob@example.org"), 100);
}

// A18: neither another sender, nor another mailbox, nor the same Message-ID with another body is a redelivery.
TEST_P(Redelivery, WhatIsNone) {
  const storage::MailboxId sent = store().add_mailbox(alice_, "Sent", true);
  (void)deliver_one(message_, {store().inbox_of(alice_)});
  EXPECT_EQ(reasons(deliver_one(message_, {store().inbox_of(alice_)}, "other@example.org")), std::vector{Reason::ok});
  EXPECT_EQ(reasons(deliver_one(message_, {store().inbox_of(alice_)}, "")), std::vector{Reason::ok});
  EXPECT_EQ(reasons(deliver_one(message_, {Target(alice_, "Sent", sent)})), std::vector{Reason::ok});
  EXPECT_EQ(reasons(deliver_one(message_, {store().inbox_of(bob_)})), std::vector{Reason::ok});
  EXPECT_EQ(reasons(deliver_one(MadeMessage("other\n").build(), {store().inbox_of(alice_)})), std::vector{Reason::ok});
  EXPECT_EQ(store().counts().messages, 6);
}

TEST_P(Redelivery, OnlyTheNewTargetIsStored) {
  (void)deliver_one(message_, {store().inbox_of(alice_)});
  const auto outcomes = deliver_one(message_, {store().inbox_of(alice_), store().inbox_of(bob_)});
  EXPECT_EQ(reasons(outcomes), (std::vector{Reason::already_stored, Reason::ok}));
  EXPECT_EQ(store().counts().messages, 2);
}

// Whatever became of it since: the sender's retry is not to bring it back.
TEST_P(Redelivery, TheRowsStatusDoesNotMatter) {
  const auto first = deliver_one(message_, {store().inbox_of(alice_)});
  for (const int status : {1, 2, 3}) {
    store().set_status(first[0].message_idnr, status);
    EXPECT_EQ(reasons(deliver_one(message_, {store().inbox_of(alice_)})), std::vector{Reason::already_stored})
        << status;
  }
}

TEST_P(Redelivery, ASaltSwitchesItOff) {
  std::vector<Delivery> batch;
  for (const char* salt : {"one", "two", "one"}) {
    batch.push_back(delivery_of(message_, {store().inbox_of(alice_)}));
    batch.back().salt = salt;
  }
  // The salt stays with its Delivery, so a retry is still no second copy.
  EXPECT_EQ(reasons(deliver(batch)), (std::vector{Reason::ok, Reason::ok, Reason::already_stored}));
  EXPECT_EQ(reasons(deliver(batch)), std::vector(3, Reason::already_stored));
  EXPECT_EQ(store().counts().messages, 2);
}

TEST_P(Redelivery, SettlingFindsWhatWasCommitted) {
  const auto stored = deliver_one(message_, {store().inbox_of(alice_)});
  std::vector<TargetOutcome> outcomes(4);
  outcomes[0] = stored[0];
  outcomes[0].message_idnr = 0;
  outcomes[1].status = Status();
  outcomes[1].key = {store().inbox_of(bob_).mailbox_id, stored[0].key.unique_id};
  outcomes[2].status = Status(Reason::over_quota);
  outcomes[3].status = Status();
  outcomes[3].key = {987654321, stored[0].key.unique_id};  // the mailbox is gone
  EXPECT_OK(connection().settle(outcomes));
  EXPECT_EQ(reasons(outcomes), (std::vector{Reason::ok, Reason::in_doubt, Reason::over_quota, Reason::in_doubt}));
  EXPECT_EQ(outcomes[0].message_idnr, stored[0].message_idnr);
  // The connection holds no locks afterwards.
  EXPECT_EQ(reasons(deliver_one(MadeMessage("next\n").build(), {store().inbox_of(alice_)})), std::vector{Reason::ok});
}

ON_EVERY_ENGINE(Redelivery);

}  // namespace
}  // namespace contract
