#include "storage/batch/batch_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/made_message.h"
#include "tests/unit/storage/batch/recording_tables.h"

namespace storage::batch {
namespace {

using testing::ElementsAre;
using testing_support::delivery_of;
using testing_support::MadeMessage;

class BatchStore : public testing::Test {
 protected:
  void add(std::string body, std::vector<Target> targets) {
    batch_.push_back(delivery_of(MadeMessage(body).size(100).build(), std::move(targets)));
  }
  void store() {
    std::size_t targets = 0;
    for (const Delivery& delivery : batch_) targets += delivery.targets.size();
    out_ = std::vector<TargetOutcome>(targets);
    store_batch(tables_, batch_, out_, options_);
  }
  [[nodiscard]] std::string key_of(std::size_t delivery, MailboxId mailbox) const {
    return unique_id(batch_[delivery].sender, mailbox, batch_[delivery].message.content_digest, "");
  }

  RecordingTables tables_;
  Options options_;
  std::vector<Delivery> batch_;
  std::vector<TargetOutcome> out_;
};

// Decisions 3 and 4: the cheap look-up, then content; locks and the look-up that counts directly before COMMIT.
TEST_F(BatchStore, OrderOfTheSteps) {
  add("a", {Target(2, "INBOX", 20), Target(1, "INBOX", 10)});
  add("b", {Target(1, "INBOX", 10)});
  store();
  EXPECT_THAT(tables_.calls, ElementsAre("header_names", "begin", "find_messages", "find_parts", "find_values",
                                         "insert_content", "lock_mailboxes", "lock_users", "find_messages",
                                         "insert_messages", "update_sequences", "add_quota", "commit"));
  EXPECT_THAT(tables_.locked_mailboxes, ElementsAre(10, 20));
  EXPECT_THAT(tables_.locked_users, ElementsAre(1, 2));
}

TEST_F(BatchStore, MissingMailboxesComeBeforeTheTransaction) {
  add("a", {Target(2, "INBOX", 0), Target(3, "INBOX", 0)});
  tables_.gone_users = {3};
  store();
  EXPECT_EQ(tables_.calls[0], "create_mailboxes");
  EXPECT_EQ(tables_.calls[2], "begin");
  EXPECT_EQ(out_[0].status.reason(), Reason::ok);
  EXPECT_EQ(out_[0].key.mailbox, 502);
  EXPECT_EQ(out_[1].status.reason(), Reason::no_such_mailbox);
}

TEST_F(BatchStore, RedeliveriesCostOneSurvey) {
  add("a", {Target(1, "INBOX", 10)});
  tables_.stored[{10, key_of(0, 10)}] = 77;
  store();
  EXPECT_THAT(tables_.calls,
              ElementsAre("header_names", "begin", "find_messages", "find_parts", "find_values", "rollback"));
  EXPECT_EQ(out_[0].status.reason(), Reason::already_stored);
  EXPECT_EQ(out_[0].message_idnr, 77);
}

// Another writer committed the same message between the cheap look-up and the lock.
TEST_F(BatchStore, TheLookUpUnderTheLockCounts) {
  add("a", {Target(1, "INBOX", 10)});
  tables_.before_lock = [&] { tables_.stored[{10, key_of(0, 10)}] = 77; };
  store();
  EXPECT_EQ(tables_.calls.back(), "rollback");  // the content goes with the transaction
  EXPECT_EQ(out_[0].status.reason(), Reason::already_stored);

  tables_ = RecordingTables();
  add("b", {Target(1, "INBOX", 10)});
  tables_.before_lock = [&] { tables_.stored[{10, key_of(0, 10)}] = 77; };
  store();
  EXPECT_THAT(tables_.deleted_physmessages, ElementsAre(1000));
  EXPECT_EQ(tables_.calls.back(), "commit");
  EXPECT_EQ(out_[0].status.reason(), Reason::already_stored);
  EXPECT_EQ(out_[1].status.reason(), Reason::ok);
  ASSERT_EQ(tables_.rows.size(), 1u);
  EXPECT_EQ(tables_.rows[0].physmessage, 1001);
}

TEST_F(BatchStore, OutcomesAreProvisionalWhenCommitIsLost) {
  add("a", {Target(1, "INBOX", 10), Target(2, "INBOX", 20)});
  add("a", {Target(1, "INBOX", 10)});
  tables_.users[2] = {2, 50, 0};
  tables_.throw_at = "commit";
  EXPECT_THROW(store(), std::runtime_error);
  EXPECT_EQ(out_[0].status.reason(), Reason::ok);
  EXPECT_EQ(out_[0].key, StoredKey(10, key_of(0, 10)));
  EXPECT_EQ(out_[1].status.reason(), Reason::over_quota);
  EXPECT_EQ(out_[2].status.reason(), Reason::already_stored);
  EXPECT_EQ(out_[2].key, out_[0].key);
}

TEST_F(BatchStore, NoTargetsNoWork) {
  add("a", {});
  store();
  EXPECT_TRUE(tables_.calls.empty());
}

TEST(SettleOutcomes, LooksUpUnderTheLocks) {
  RecordingTables tables;
  tables.stored[{10, "found"}] = 77;
  std::vector<TargetOutcome> outcomes(3);
  outcomes[0].status = Status();
  outcomes[0].key = {20, "lost"};
  outcomes[1].status = Status(Reason::over_quota);
  outcomes[2].status = Status(Reason::already_stored);
  outcomes[2].key = {10, "found"};
  settle_outcomes(tables, outcomes);
  EXPECT_THAT(tables.calls, ElementsAre("begin", "lock_mailboxes", "find_messages", "rollback"));
  EXPECT_THAT(tables.locked_mailboxes, ElementsAre(10, 20));
  EXPECT_EQ(outcomes[0].status.reason(), Reason::in_doubt);
  EXPECT_EQ(outcomes[1].status.reason(), Reason::over_quota);
  EXPECT_EQ(outcomes[2].status.reason(), Reason::already_stored);
  EXPECT_EQ(outcomes[2].message_idnr, 77);
}

TEST(SettleOutcomes, NothingToAsk) {
  RecordingTables tables;
  std::vector<TargetOutcome> outcomes(1);
  settle_outcomes(tables, outcomes);
  EXPECT_TRUE(tables.calls.empty());
}

}  // namespace
}  // namespace storage::batch
