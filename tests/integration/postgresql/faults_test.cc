// What becomes of a connection when the server refuses, stalls, or goes away: Reason, and whether the connection may be
// used again.
#include <csignal>
#include <thread>

#include "storage/fault_hook.h"
#include "tests/integration/postgresql/database.h"

namespace storage::postgresql {
namespace {

class FaultsTest : public Database {
 protected:
  // Runs the step on the session; the Status of what it threw.
  template <typename Step>
  static Status outcome(Session& session, Step&& step) {
    try {
      step();
      return {};
    } catch (...) {
      return session.failure();
    }
  }

  static std::string backend(Session& session) {
    return std::string(session.execute_script("SELECT pg_backend_pid()").octets(0, 0));
  }
};

TEST_F(FaultsTest, KilledBackendInsideATransaction) {
  const auto session = connect();
  session->begin();
  sql("SELECT pg_terminate_backend(" + backend(*session) + ")");
  EXPECT_EQ(outcome(*session, [&] { session->execute(Statement::ping); }).reason(), Reason::unavailable);
  EXPECT_FALSE(session->usable());
}

TEST_F(FaultsTest, KilledBackendBeforeCommitIsInDoubt) {
  const auto session = connect();
  session->begin();
  sql("SELECT pg_terminate_backend(" + backend(*session) + ")");
  EXPECT_EQ(outcome(*session, [&] { session->commit(); }).reason(), Reason::in_doubt);
  EXPECT_FALSE(session->usable());
}

TEST_F(FaultsTest, CutAtCommitIsInDoubt) {
  options_.statement_hook = [](std::string_view name) { return name == "commit" ? Fault::cut : Fault::none; };
  const auto session = connect();
  session->begin();
  EXPECT_EQ(outcome(*session, [&] { session->commit(); }).reason(), Reason::in_doubt);
  EXPECT_FALSE(session->usable());
}

TEST_F(FaultsTest, LostAnswerToCommitIsInDoubtAndCommitted) {
  options_.statement_hook = [](std::string_view name) { return name == "commit" ? Fault::fail_after : Fault::none; };
  const auto session = connect();
  session->begin();
  session->execute_script("INSERT INTO dbmail_users (userid, passwd) VALUES ('alice', '')");
  EXPECT_EQ(outcome(*session, [&] { session->commit(); }).reason(), Reason::in_doubt);
  EXPECT_FALSE(session->usable());
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_users WHERE userid = 'alice'"), "1");
}

// Field report A61.
TEST_F(FaultsTest, RefusedCommitIsAConflictAndRolledBack) {
  int commits = 0;
  options_.statement_hook = [&](std::string_view name) {
    return name == "commit" && commits++ == 0 ? Fault::fail_before : Fault::none;
  };
  const auto session = connect();
  session->begin();
  session->execute_script("INSERT INTO dbmail_users (userid, passwd) VALUES ('alice', '')");
  EXPECT_EQ(outcome(*session, [&] { session->commit(); }).reason(), Reason::conflict);
  EXPECT_TRUE(session->usable());
  session->begin();
  session->commit();
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_users WHERE userid = 'alice'"), "0");
}

// A deferred constraint refuses COMMIT itself: definite, nothing is in doubt.
TEST_F(FaultsTest, CommitRefusedByTheServerIsDefinite) {
  sql("ALTER TABLE dbmail_aliases ADD CONSTRAINT later UNIQUE (alias) DEFERRABLE INITIALLY DEFERRED");
  const auto session = connect();
  session->begin();
  session->execute_script("INSERT INTO dbmail_aliases (alias, deliver_to) VALUES ('a', '1'), ('a', '2')");
  EXPECT_EQ(outcome(*session, [&] { session->commit(); }).reason(), Reason::rejected_by_store);
  EXPECT_TRUE(session->usable());
}

TEST_F(FaultsTest, CommitOfAFailedTransactionIsNotSuccess) {
  const auto session = connect();
  session->begin();
  EXPECT_THROW(session->execute_script("SELECT no_such_column"), Error);
  EXPECT_THROW(session->commit(), Error);
}

void write(Store& store, const batch::Content& content) {
  static_cast<void>(store.survey({}, content));
  batch::ContentIds ids;
  static_cast<void>(store.write(content, {}, ids));
}

void lock(Session& session, const std::vector<MailboxId>& ascending) {
  session.execute(Statement::lock_mailboxes, Arguments().add(int8_array(ascending)));
}

TEST_F(FaultsTest, DeadlockIsAConflict) {
  const MailboxId a = add_mailbox("alice");
  const MailboxId b = add_mailbox("bob");
  const auto first = connect();
  const auto second = connect();
  first->begin();
  second->begin();
  const std::vector<MailboxId> low = {a};
  const std::vector<MailboxId> high = {b};
  lock(*first, low);
  lock(*second, high);
  Status other;
  std::thread rival([&] { other = outcome(*second, [&] { lock(*second, low); }); });
  const Status mine = outcome(*first, [&] { lock(*first, high); });
  rival.join();
  EXPECT_TRUE((mine.reason() == Reason::conflict) != (other.reason() == Reason::conflict))
      << mine.detail() << other.detail();
  EXPECT_TRUE(first->usable());
  EXPECT_TRUE(second->usable());
}

TEST_F(FaultsTest, LockTimeoutIsAConflict) {
  options_.lock_timeout = std::chrono::seconds(1);
  const std::vector<MailboxId> mailbox = {add_mailbox("alice")};
  const auto holder = connect();
  holder->begin();
  lock(*holder, mailbox);
  const auto session = connect();
  session->begin();
  const Status status = outcome(*session, [&] { lock(*session, mailbox); });
  EXPECT_EQ(status.reason(), Reason::conflict) << status.detail();
  EXPECT_TRUE(session->usable());
}

TEST_F(FaultsTest, StatementTimeoutIsUnavailable) {
  options_.statement_timeout = std::chrono::seconds(1);
  options_.lock_timeout = std::chrono::seconds(0);
  const std::vector<MailboxId> mailbox = {add_mailbox("alice")};
  const auto holder = connect();
  holder->begin();
  lock(*holder, mailbox);
  const auto session = connect();
  session->begin();
  const Status status = outcome(*session, [&] { lock(*session, mailbox); });
  EXPECT_EQ(status.reason(), Reason::unavailable) << status.detail();
  EXPECT_TRUE(session->usable());
}

// A server that stalls altogether: our own deadline ends the wait, and the connection is given up.
TEST_F(FaultsTest, StalledServerDoesNotHoldUs) {
  const auto session = connect();
  const pid_t pid = std::stoi(backend(*session));
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  const auto start = std::chrono::steady_clock::now();
  const Status status = outcome(*session, [&] { session->execute(Statement::ping); });
  const auto waited = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(::kill(pid, SIGCONT), 0);
  EXPECT_EQ(status.reason(), Reason::unavailable) << status.detail();
  EXPECT_FALSE(session->usable());
  EXPECT_LT(waited, std::chrono::seconds(120));
}

// A clean-up tool removed the reused part between our look-up and our insert: the batch is tried again, the mail is not
// lost.
TEST_F(FaultsTest, VanishedPartIsAConflict) {
  const auto session = connect();
  Store store(*session);
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  content.partlists.push_back({0, true, 1, 0, 0, {999'999, 0}});
  const Status status = outcome(*session, [&] { write(store, content); });
  EXPECT_EQ(status.reason(), Reason::conflict) << status.detail();
  EXPECT_TRUE(session->usable());
}

TEST_F(FaultsTest, BadTextIsRejectedAndTheConnectionLives) {
  const auto session = connect();
  Store store(*session);
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  content.envelopes.push_back({0, "\xFF"});
  EXPECT_EQ(outcome(*session, [&] { write(store, content); }).reason(), Reason::rejected_by_store);
  EXPECT_TRUE(session->usable());
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_physmessage"), "0");
}

TEST_F(FaultsTest, ReadOnlyServerIsUnavailable) {
  sql("ALTER DATABASE " + sql("SELECT current_database()") + " SET default_transaction_read_only = on");
  const auto session = connect();
  Store store(*session);
  const std::vector<std::string> names = {"x-new"};
  const Status status = outcome(*session, [&] { store.add_header_names(names); });
  EXPECT_EQ(status.reason(), Reason::unavailable) << status.detail();
  EXPECT_FALSE(session->usable());
}

TEST_F(FaultsTest, MissingPrivilegeNamesTheRemedy) {
  sql("CREATE ROLE lmtpd_stranger LOGIN PASSWORD 'lmtpd'");
  options_.uri.replace(options_.uri.find("lmtpd:"), 6, "lmtpd_stranger:");
  {
    const auto session = connect();
    Store store(*session);
    const Status status = outcome(*session, [&] { store.header_names(true); });
    EXPECT_EQ(status.reason(), Reason::internal);
    EXPECT_NE(status.detail().find("GRANT"), std::string::npos) << status.detail();
  }
  options_.uri.replace(options_.uri.find("lmtpd_stranger:"), 15, "lmtpd:");
  sql("DROP ROLE lmtpd_stranger");
}

}  // namespace
}  // namespace storage::postgresql
