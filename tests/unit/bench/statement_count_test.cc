// Both levels of bench-ceiling on a real store (SQLite): what they count, and that they store what they say.
#include <gtest/gtest.h>

#include "bench/ceiling/driver_level.h"
#include "bench/ceiling/raw_level.h"
#include "storage/admin.h"
#include "storage/registry.h"
#include "tests/support/scratch_folder.h"

namespace bench::ceiling {
namespace {

class StatementCount : public testing::Test {
 protected:
  StatementCount() {
    work_.storage.uri = "sqlite://" + folder_.path() + "/store.db";
    work_.recipients = {"a@example.org", "b@example.org"};
    work_.connections = 1;
    work_.messages = 60;
    const auto driver = storage::make_driver(work_.storage);
    EXPECT_TRUE(driver->open_admin(admin_).ok());
    EXPECT_TRUE(admin_->create_schema(storage::IndexSet::dbmail).ok());
    for (const std::string& name : work_.recipients) {
      storage::UserRecord user;
      user.userid = name;
      EXPECT_TRUE(admin_->add_user(user).ok());
      users_.push_back(user.id);
    }
  }

  std::uint64_t stored() {
    std::uint64_t count = 0;
    for (const storage::UserId user : users_) {
      std::vector<storage::MailboxRecord> mailboxes;
      EXPECT_TRUE(admin_->list_mailboxes(user, mailboxes).ok());
      for (const auto& mailbox : mailboxes) count += mailbox.messages;
    }
    return count;
  }

  testing_support::ScratchFolder folder_;
  Work work_;
  std::unique_ptr<storage::Admin> admin_;
  std::vector<storage::UserId> users_;
};

std::uint64_t per_transaction(const Result& result) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : result.statements) sum += count;
  return sum / result.transactions;
}

TEST_F(StatementCount, OfATransactionDoesNotGrowWithItsMessages) {
  work_.batch = 5;
  work_.warm_up = 5;
  const Result small = run_driver_level(work_);
  work_.batch = 30;
  work_.seed = 2;
  const Result large = run_driver_level(work_);
  EXPECT_EQ(small.transactions, 12u);
  EXPECT_EQ(large.transactions, 2u);
  for (const auto* result : {&small, &large}) {
    EXPECT_EQ(result->statements.at("begin"), result->transactions);
    EXPECT_EQ(result->statements.at("commit"), result->transactions);
    EXPECT_EQ(result->statements.at("insert_messages"), result->transactions);
  }
  EXPECT_LE(per_transaction(large), per_transaction(small) + 1);
  EXPECT_LE(per_transaction(large), 18u);
  EXPECT_EQ(stored(), 60u + 5 + 60 + 5);
}

TEST_F(StatementCount, RawLevelStoresTheSameMessages) {
  work_.batch = 8;
  work_.recipients_per_message = 2;
  const Result raw = run_raw_level(work_);
  EXPECT_EQ(raw.rows.at("messages"), 120u);
  EXPECT_EQ(raw.rows.at("physmessage"), 60u);
  EXPECT_EQ(raw.transactions, 8u);
  EXPECT_EQ(stored(), 120u);
  // The daemon goes on in the same store: ids and sequences still fit.
  work_.seed = 3;
  EXPECT_EQ(run_driver_level(work_).messages, 60u);
  EXPECT_EQ(stored(), 240u);
  work_.seed = 4;
  EXPECT_EQ(run_raw_level(work_).messages, 60u);
  EXPECT_EQ(stored(), 360u);
}

TEST_F(StatementCount, UnknownRecipientsAreNamed) {
  work_.recipients.push_back("nobody@example.org");
  try {
    (void)run_driver_level(work_);
    FAIL() << "expected a fault";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("nobody@example.org"), std::string::npos);
  }
}

}  // namespace
}  // namespace bench::ceiling
