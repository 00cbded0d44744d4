// What only this engine can get wrong, on the real server: its error codes in real situations, COMMIT in doubt,
// collations.
#include <atomic>
#include <chrono>
#include <thread>

#include "storage/mysql/errors.h"
#include "storage/mysql/store.h"
#include "tests/integration/mysql/server_fixture.h"

namespace storage::mysql {
namespace {

class StoreServerTest : public ServerTest {};

TEST_F(StoreServerTest, StoresEveryRow) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  std::vector<TargetOutcome> out;
  const Status status = store(*connection,
                              delivery("Gr\xC3\xBC\xC3\x9F"
                                       "e \xF0\x9F\x93\xAC",
                                       "body\n", {alice}),
                              out);
  ASSERT_TRUE(status.ok()) << status.detail();
  ASSERT_TRUE(out[0].status.ok()) << out[0].status.detail();
  EXPECT_EQ(sql().value("SELECT internal_date FROM dbmail_physmessage"), "2024-02-29 23:59:59");
  EXPECT_EQ(sql().value("SELECT message_idnr FROM dbmail_messages"), std::to_string(out[0].message_idnr));
  EXPECT_EQ(sql().value("SELECT CONCAT(recent_flag, status, seen_flag, seq) FROM dbmail_messages"), "1002");
  EXPECT_EQ(sql().value("SELECT seq FROM dbmail_mailboxes"), "2");
  EXPECT_EQ(sql().value("SELECT HEX(headervalue) FROM dbmail_headervalue"), "4772C3BCC39F6520F09F93AC");
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_partlists"), "2");
  EXPECT_EQ(sql().value("SELECT curmail_size FROM dbmail_users WHERE userid = 'alice'"),
            sql().value("SELECT messagesize FROM dbmail_physmessage"));
}

// However many messages; what is too large for a text costs a few more.
TEST_F(StoreServerTest, ABatchIsFourRoundTrips) {
  const Target alice = add_user("alice");
  std::vector<std::string> names;
  Options counting = options();
  counting.statement_hook = [&](std::string_view name) {
    names.emplace_back(name);
    return Fault::none;
  };
  const auto connection = connect(counting);
  std::vector<TargetOutcome> out;
  ASSERT_TRUE(store(*connection, delivery("first", "loads the header names\n", {alice}), out).ok());
  names.clear();
  std::vector<Delivery> batch;
  for (const char* subject : {"a", "b", "c"}) batch.push_back(delivery(subject, std::string(subject) + "\n", {alice}));
  out.assign(3, TargetOutcome());
  ASSERT_TRUE(connection->store(batch, out).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"begin", "write.contents", "write.links", "commit"}));
  names.clear();
  ASSERT_TRUE(connection->store(batch, out).ok());
  EXPECT_EQ(out[0].status.reason(), Reason::already_stored);
  EXPECT_EQ(names, (std::vector<std::string>{"begin", "rollback"}));
}

TEST_F(StoreServerTest, ReusesPartsOnlyOctetByOctetAndOnlyReferencedOnes) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  std::vector<TargetOutcome> out;
  Delivery first = delivery("one", "the same body\n", {alice});
  const std::string hash = first.message.parts[1].hash;
  // A row that clean-up tools may delete at any moment, and one with the same hash and size but other octets.
  sql().execute("INSERT INTO dbmail_mimeparts (hash, data, size) VALUES ('" + hash + "', 'the same body\\n', 14)");
  ASSERT_TRUE(store(*connection, std::move(first), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mimeparts WHERE hash = '" + hash + "'"), "2");
  ASSERT_TRUE(store(*connection, delivery("two", "the same body\n", {alice}), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mimeparts WHERE hash = '" + hash + "'"), "2");
  Delivery collision = delivery("three", "THE SAME BODY\n", {alice});
  collision.message.parts[1].hash = hash;
  ASSERT_TRUE(store(*connection, std::move(collision), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mimeparts WHERE hash = '" + hash + "'"), "3");
}

TEST_F(StoreServerTest, ReferencesThatDifferInCaseOnlyDoNotCostTheMail) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  Delivery one = delivery("one", "body\n", {alice});
  one.message.references = {"a@example.org", "A@example.org", "b@example.org"};
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, std::move(one), out);
  ASSERT_TRUE(status.ok()) << status.detail();
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_referencesfield"), "2");
}

TEST_F(StoreServerTest, AnEnvelopeBeyondItsColumnDoesNotCostTheMail) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  Delivery one = delivery("one", "body\n", {alice});
  one.message.envelope = "(NIL \"" + std::string(70000, 'x') + "\" NIL NIL NIL NIL NIL NIL NIL NIL)";
  std::vector<TargetOutcome> out;
  ASSERT_TRUE(store(*connection, std::move(one), out).ok());
  EXPECT_EQ(sql().value("SELECT envelope FROM dbmail_envelope"), "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)");
}

TEST_F(StoreServerTest, TheLargestMessageFits) {
  const Target alice = add_user("alice");
  Driver driver(options());
  std::uint64_t octets = 0;
  ASSERT_TRUE(driver.max_message_size(octets).ok());
  const auto connection = connect(options());
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("big", std::string(octets - 100, 'x'), {alice}), out);
  ASSERT_TRUE(status.ok()) << status.detail();
  EXPECT_EQ(sql().value("SELECT MAX(LENGTH(data)) FROM dbmail_mimeparts"), std::to_string(octets - 100));
  // And is found again: the answer is as large.
  ASSERT_TRUE(store(*connection, delivery("big again", std::string(octets - 100, 'x'), {alice}), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mimeparts WHERE LENGTH(data) > 1000"), "1");
}

TEST_F(StoreServerTest, AMailboxInUseIsAConflictAfterTheLockTimeout) {
  const Target alice = add_user("alice");
  Options impatient = options();
  impatient.lock_timeout = std::chrono::seconds(1);
  const auto connection = connect(impatient);
  sql().execute("BEGIN");
  sql().execute("SELECT * FROM dbmail_mailboxes WHERE mailbox_idnr = " + std::to_string(alice.mailbox_id) +
                " FOR UPDATE");
  std::vector<TargetOutcome> out;
  EXPECT_EQ(store(*connection, delivery("one", "body\n", {alice}), out).reason(), Reason::conflict);
  EXPECT_TRUE(connection->usable());
  sql().execute("ROLLBACK");
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_physmessage"), "0");
  ASSERT_TRUE(store(*connection, delivery("one", "body\n", {alice}), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_physmessage"), "1");
}

TEST_F(StoreServerTest, ADeadlockIsAConflictAndTheRetryStores) {
  const Target alice = add_user("alice");
  const Target bob = add_user("bob");
  const auto connection = connect(options());
  const auto lock = [](MailboxId id) {
    return "SELECT * FROM dbmail_mailboxes WHERE mailbox_idnr = " + std::to_string(id) + " FOR UPDATE";
  };
  // The stranger is heavier, so that the server picks the delivery as its victim.
  sql().execute("CREATE TABLE heavy (i INT PRIMARY KEY) ENGINE=InnoDB");
  sql().execute("BEGIN");
  std::string many = "INSERT INTO heavy VALUES (0)";
  for (int i = 1; i < 2000; ++i) many += ", (" + std::to_string(i) + ")";
  sql().execute(many);
  sql().execute(lock(bob.mailbox_id));
  std::vector<TargetOutcome> out;
  Status status;
  std::atomic<bool> ended = false;
  std::thread lane([&] {
    status = store(*connection, delivery("one", "body\n", {alice, bob}), out);
    ended = true;
  });
  // Only this store's sessions count: other tests wait for locks on the same server. The table is read anew only when
  // nobody asked for 100 ms.
  const std::string waiting =
      "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = "
      "t.trx_mysql_thread_id WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()";
  while (!ended && sql().value(waiting) == "0") {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
  sql().execute(lock(alice.mailbox_id));
  lane.join();
  sql().execute("COMMIT");
  EXPECT_EQ(status.reason(), Reason::conflict) << status.detail();
  EXPECT_NE(status.detail().find("1213"), std::string::npos) << status.detail();
  EXPECT_TRUE(connection->usable());
  ASSERT_TRUE(store(*connection, delivery("one", "body\n", {alice, bob}), out).ok());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_messages"), "2");
}

TEST_F(StoreServerTest, AKilledConnectionIsUnavailableAndNotUsable) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  const std::string id = sql().value(
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() ORDER BY id DESC "
      "LIMIT 1");
  sql().execute("KILL " + id);
  std::vector<TargetOutcome> out;
  EXPECT_EQ(store(*connection, delivery("one", "body\n", {alice}), out).reason(), Reason::unavailable);
  EXPECT_FALSE(connection->usable());
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_messages"), "0");
}

// MySQL ends a SELECT by itself and the connection lives; everywhere else the client hangs up.
TEST_F(StoreServerTest, AStatementThatTakesTooLongIsUnavailable) {
  const Target alice = add_user("alice");
  Options impatient = options();
  impatient.statement_timeout = std::chrono::seconds(1);
  impatient.lock_timeout = std::chrono::seconds(50);
  const auto connection = connect(impatient);
  sql().execute("BEGIN");
  sql().execute("SELECT * FROM dbmail_mailboxes WHERE mailbox_idnr = " + std::to_string(alice.mailbox_id) +
                " FOR UPDATE");
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("one", "body\n", {alice}), out);
  EXPECT_EQ(status.reason(), Reason::unavailable) << status.detail();
  EXPECT_EQ(connection->usable(), status.detail().starts_with("3024")) << status.detail();
  sql().execute("ROLLBACK");
}

// A clean-up tool removed the reused part between our look-up and our insert: the batch is tried again, the mail is not
// lost.
TEST_F(StoreServerTest, AVanishedPartIsAConflict) {
  const Options session_options = options();
  Session session(parse_endpoint(session_options), session_options);
  Store tables(session);
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  static_cast<void>(tables.survey({}, content));
  content.partlists.push_back({0, true, 1, 0, 0, {999'999, 0}});
  batch::ContentIds ids;
  try {
    static_cast<void>(tables.write(content, {}, ids));
    ADD_FAILURE() << "a foreign key is missing";
  } catch (...) {
    const Failure failure = translate(std::current_exception());
    EXPECT_EQ(failure.reason, Reason::conflict) << failure.detail;
    EXPECT_FALSE(failure.poisoned);
  }
  tables.rollback();
}

struct CommitCase {
  Fault fault;
  Reason reason;
  bool usable;
  bool arrived;
};

// Field reports A14 and A61.
class CommitServerTest : public StoreServerTest, public testing::WithParamInterface<CommitCase> {};

TEST_P(CommitServerTest, TellsDoubtFromRefusalAndSettles) {
  const CommitCase& c = GetParam();
  const Target alice = add_user("alice");
  Options faulty = options();
  faulty.statement_hook = [&](std::string_view name) { return name == "commit" ? c.fault : Fault::none; };
  const auto connection = connect(faulty);
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("one", "body\n", {alice}), out);
  EXPECT_EQ(status.reason(), c.reason) << status.detail();
  EXPECT_EQ(connection->usable(), c.usable) << status.detail();
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_messages"), c.arrived ? "1" : "0");
  if (c.reason != Reason::in_doubt) return;
  const auto fresh = connect(options());
  const Status settled = fresh->settle(out);
  ASSERT_TRUE(settled.ok()) << settled.detail();
  EXPECT_EQ(out[0].status.reason(), c.arrived ? Reason::ok : Reason::in_doubt);
}

INSTANTIATE_TEST_SUITE_P(All, CommitServerTest,
                         testing::Values(CommitCase{Fault::fail_before, Reason::conflict, true, false},
                                         CommitCase{Fault::fail_after, Reason::in_doubt, false, true},
                                         CommitCase{Fault::cut, Reason::in_doubt, false, false}));

TEST_F(StoreServerTest, MissingMailboxesAreCreatedOnceWhoeverIsFaster) {
  const Target alice = add_user("alice");
  std::vector<std::thread> lanes;
  std::atomic<int> stored = 0;
  for (int lane = 0; lane < 4; ++lane) {
    const std::shared_ptr<storage::Connection> connection = connect(options());
    lanes.emplace_back([&, lane, connection] {
      for (int round = 0; round < 5; ++round) {
        std::vector<TargetOutcome> out;
        const Target detail(alice.user, "list" + std::to_string(round), 0);
        const std::string subject = std::to_string(lane) + "." + std::to_string(round);
        for (int attempt = 0; attempt < 50; ++attempt) {
          if (!store(*connection, delivery(subject, subject, {detail}), out).ok()) continue;
          stored += out[0].status.ok() ? 1 : 0;
          break;
        }
      }
    });
  }
  for (auto& lane : lanes) lane.join();
  EXPECT_EQ(stored, 20);
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mailboxes WHERE name LIKE 'list%'"), "5");
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_subscription"), "6");
}

TEST_F(StoreServerTest, AMailboxOfAUserWhoIsGoneIsRefusedAlone) {
  const Target alice = add_user("alice");
  const auto connection = connect(options());
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("one", "body\n", {Target(999999, "INBOX", 0), alice}), out);
  ASSERT_TRUE(status.ok()) << status.detail();
  EXPECT_EQ(out[0].status.reason(), Reason::no_such_mailbox);
  EXPECT_TRUE(out[1].status.ok());
}

}  // namespace
}  // namespace storage::mysql
