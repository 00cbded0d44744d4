// The driver through its door on a real server, where PostgreSQL differs from other engines: schema and prefix,
// poolers, round trips. The behaviour common to all engines is in tests/contract.
#include <gmock/gmock.h>

#include <map>

#include "storage/admin.h"
#include "storage/fault_hook.h"
#include "storage/postgresql/driver.h"
#include "tests/integration/postgresql/database.h"

namespace storage::postgresql {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A message of two rows and a few header values; number makes it unlike any other.
Message message(int number) {
  Message message;
  const std::string header = "Subject: number " + std::to_string(number) + "\n";
  const std::string body = "body " + std::to_string(number) + std::string(1, '\xFE') + "\n";
  message.text = header + body;
  message.parts.push_back({1, 0, 0, true, {0, header.size()}, "h" + std::to_string(number)});
  message.parts.push_back({1, 0, 1, false, {header.size(), body.size()}, "b" + std::to_string(number)});
  const std::string subject = "number " + std::to_string(number);
  message.headers.push_back({"subject", subject, subject, std::nullopt, "s" + std::to_string(number)});
  message.headers.push_back({"from", "a@example.org", "a", std::nullopt, "shared"});
  message.references = {"r1@example.org", "r2@example.org"};
  message.envelope = "(NIL)";
  message.internal_date = "2025-01-02 03:04:05";
  message.message_size = message.text.size() + 2;
  message.rfc_size = message.message_size + 20;
  message.content_digest[0] = static_cast<unsigned char>(number);
  message.content_digest[1] = static_cast<unsigned char>(number >> 8);
  return message;
}

class DoorTest : public Database {
 protected:
  void SetUp() override {
    Database::SetUp();
    mailbox_ = add_mailbox("alice");
    user_ = std::stoll(sql("SELECT user_idnr FROM dbmail_users WHERE userid = 'alice'"));
  }

  std::vector<Delivery> batch(int first, int count) const {
    std::vector<Delivery> deliveries;
    for (int i = 0; i < count; ++i) {
      deliveries.emplace_back("sender@example.org", message(first + i),
                              std::vector<Target>{{user_, "INBOX", mailbox_}});
    }
    return deliveries;
  }

  std::unique_ptr<storage::Connection> connection() const {
    std::unique_ptr<storage::Connection> out;
    const Status status = make_driver(options())->connect(out);
    EXPECT_TRUE(status.ok()) << status.detail();
    return out;
  }

  static Status store(storage::Connection& connection, const std::vector<Delivery>& deliveries) {
    std::vector<TargetOutcome> outcomes(deliveries.size());
    Status status = connection.store(deliveries, outcomes);
    for (const TargetOutcome& outcome : outcomes) {
      EXPECT_TRUE(!status.ok() || outcome.status.ok()) << outcome.status.detail();
    }
    return status;
  }

  std::string stored_messages() const { return sql("SELECT count(*) FROM dbmail_messages"); }

  MailboxId mailbox_ = 0;
  UserId user_ = 0;
};

TEST_F(DoorTest, SchemaThatWasCreatedIsComplete) {
  for (const IndexSet set : {IndexSet::dbmail, IndexSet::lean}) {
    options_.table_prefix = set == IndexSet::lean ? "lean_" : "Full_";
    const auto driver = make_driver(options());
    std::unique_ptr<storage::Admin> admin;
    ASSERT_TRUE(driver->open_admin(admin).ok());
    const Status created = admin->create_schema(set);
    ASSERT_TRUE(created.ok()) << created.detail();
    EXPECT_EQ(admin->create_schema(set).reason(), Reason::rejected_by_store) << "a second time";
    SchemaReport report;
    ASSERT_TRUE(driver->check_schema(report).ok());
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_THAT(report.server, HasSubstr("PostgreSQL 1"));
  }
}

TEST_F(DoorTest, SchemaCheckNamesWhatIsMissing) {
  sql("DROP TABLE dbmail_envelope; ALTER TABLE dbmail_messages DROP seq; DROP INDEX dbmail_mimeparts_hash");
  SchemaReport report;
  ASSERT_TRUE(make_driver(options())->check_schema(report).ok());
  EXPECT_THAT(report.problems, Contains(HasSubstr("envelope")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("seq")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("hash")));
}

// 250 means committed: whoever lets the server acknowledge before it has written is told, as on MySQL.
TEST_F(DoorTest, LazyCommitsAreRemarked) {
  sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$");
  SchemaReport report;
  ASSERT_TRUE(make_driver(options())->check_schema(report).ok());
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.remarks, Contains(HasSubstr("synchronous_commit=off")));
}

// On a foreign database: each missing right is named with its GRANT, and these GRANTs are enough.
TEST_F(DoorTest, MissingPrivilegesAreNamedAndSuffice) {
  sql("CREATE ROLE lmtpd_restricted LOGIN PASSWORD 'lmtpd'");
  options_.uri.replace(options_.uri.find("lmtpd:"), 6, "lmtpd_restricted:");
  const auto driver = make_driver(options());
  options_.uri.replace(options_.uri.find("lmtpd_restricted:"), 17, "lmtpd:");
  SchemaReport report;
  EXPECT_TRUE(driver->check_schema(report).ok());
  EXPECT_THAT(report.problems, Contains(HasSubstr("GRANT SELECT ON dbmail_aliases TO lmtpd_restricted")));
  for (const std::string& problem : report.problems) {
    const std::size_t grant = problem.find("GRANT ");
    ASSERT_NE(grant, std::string::npos) << problem;
    sql(problem.substr(grant));
  }
  report = SchemaReport();
  EXPECT_TRUE(driver->check_schema(report).ok());
  EXPECT_THAT(report.problems, IsEmpty());
  {
    std::unique_ptr<storage::Connection> connected;
    EXPECT_TRUE(driver->connect(connected).ok());
    const std::vector<Delivery> deliveries = batch(1, 2);
    const Status status = store(*connected, deliveries);
    EXPECT_TRUE(status.ok()) << status.detail();
    std::vector<Delivery> to_new_mailbox;
    to_new_mailbox.emplace_back("sender@example.org", message(9), std::vector<Target>{{user_, "Other", 0}});
    const Status created = store(*connected, to_new_mailbox);
    EXPECT_TRUE(created.ok()) << created.detail();
    const Address address("alice", "");
    Resolution resolution;
    const Status looked_up = connected->resolve(std::span(&address, 1), std::span(&resolution, 1));
    EXPECT_TRUE(looked_up.ok()) << looked_up.detail();
    EXPECT_TRUE(resolution.status.ok()) << resolution.status.detail();
  }
  sql("DROP OWNED BY lmtpd_restricted; DROP ROLE lmtpd_restricted");
}

TEST_F(DoorTest, StoresAndLoads) {
  const auto connected = connection();
  ASSERT_TRUE(store(*connected, batch(1, 3)).ok());
  ASSERT_TRUE(store(*connected, batch(2, 1)).ok()) << "a redelivery";
  EXPECT_EQ(stored_messages(), "3");
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(make_driver(options())->open_admin(admin).ok());
  std::vector<MessageRecord> records;
  ASSERT_TRUE(admin->list_messages(user_, 0, records).ok());
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].subject, "number 2");
  EXPECT_EQ(records[1].from, "a@example.org");
  EXPECT_EQ(records[1].internal_date, "2025-01-02 03:04:05");
  std::optional<StoredMessage> loaded;
  ASSERT_TRUE(admin->load_message(mailbox_, records[1].uid, loaded).ok());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->parts.at(1).data, "body 2\xFE\n");
  EXPECT_EQ(sql("SELECT seq FROM dbmail_mailboxes"), "4");
}

// Field report A54.
TEST_F(DoorTest, WorksBehindAPooler) {
  options_.server_prepared_statements = false;
  const auto connected = connection();
  ASSERT_TRUE(store(*connected, batch(1, 3)).ok());
  ASSERT_TRUE(store(*connected, batch(3, 3)).ok());
  EXPECT_EQ(stored_messages(), "5");
}

TEST_F(DoorTest, RoundTripsDoNotGrowWithTheBatch) {
  int statements_sent = 0;
  options_.statement_hook = [&](std::string_view) {
    ++statements_sent;
    return Fault::none;
  };
  std::map<int, int> sent;
  for (const int size : {1, 5, 40}) {
    const auto connected = connection();
    ASSERT_TRUE(store(*connected, batch(1000 * size, 1)).ok());  // loads what is loaded once
    statements_sent = 0;
    ASSERT_TRUE(store(*connected, batch(1000 * size + 1, size)).ok());
    sent[size] = statements_sent;
  }
  // One more when the spare ids do not last.
  EXPECT_LE(sent[5], sent[1] + 1);
  EXPECT_LE(sent[40], sent[1] + 1);
  EXPECT_LE(sent[40], 20);
}

// Decision: 250 means exactly one copy, and after any fault the identical retry ends with exactly one copy.
TEST_F(DoorTest, EveryFaultAtEveryStatementEndsWithOneCopy) {
  for (const Fault fault : {Fault::fail_before, Fault::fail_after, Fault::cut}) {
    int number = static_cast<int>(fault) * 1000;
    for (int failing = 1, reached = failing; reached >= failing; ++failing, ++number) {
      reached = 0;
      options_.statement_hook = [&](std::string_view name) {
        return name != "rollback" && ++reached == failing ? fault : Fault::none;
      };
      const std::string before = stored_messages();
      const auto deliveries = batch(number, 1);
      const Status first = store(*connection(), deliveries);
      EXPECT_TRUE(first.ok() || is_transient(first.reason())) << to_string(first.reason());
      const bool definite = first.reason() != Reason::in_doubt;
      EXPECT_TRUE(!definite || first.ok() == (stored_messages() != before)) << first.detail();
      options_.statement_hook = nullptr;
      ASSERT_TRUE(store(*connection(), deliveries).ok());
      EXPECT_EQ(std::stoi(stored_messages()), std::stoi(before) + 1) << "statement " << failing;
      ASSERT_LT(failing, 60) << "the hook is never reached";
    }
  }
}

TEST_F(DoorTest, UsersAndAliases) {
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(make_driver(options())->open_admin(admin).ok());
  UserRecord bob;
  bob.userid = "Bob@example.org";
  bob.passwd = "x";
  bob.max_size = 1000;
  ASSERT_TRUE(admin->add_user(bob).ok());
  UserRecord again = bob;
  again.userid = "bob@EXAMPLE.org";
  EXPECT_EQ(admin->add_user(again).reason(), Reason::rejected_by_store);
  std::optional<UserRecord> found;
  ASSERT_TRUE(admin->find_user("BOB@example.org", found).ok());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, bob.id);
  EXPECT_EQ(found->max_size, 1000);
  std::vector<MailboxRecord> mailboxes;
  ASSERT_TRUE(admin->list_mailboxes(bob.id, mailboxes).ok());
  ASSERT_EQ(mailboxes.size(), 1u);
  EXPECT_EQ(mailboxes[0].name, "INBOX");

  AliasRecord alias;
  alias.alias = "Info@example.org";
  alias.deliver_to = std::to_string(bob.id);
  ASSERT_TRUE(admin->add_alias(alias).ok());
  EXPECT_EQ(admin->add_alias(alias).reason(), Reason::rejected_by_store);
  Resolution resolution;
  const Address address("INFO", "example.org");
  ASSERT_TRUE(connection()->resolve(std::span(&address, 1), std::span(&resolution, 1)).ok());
  ASSERT_EQ(resolution.targets.size(), 1u) << resolution.status.detail();
  EXPECT_EQ(resolution.targets[0].mailbox_id, mailboxes[0].id);

  ASSERT_TRUE(admin->remove_user(bob.id).ok());
  EXPECT_EQ(admin->remove_user(bob.id).reason(), Reason::no_such_mailbox);
  std::vector<AliasRecord> aliases;
  ASSERT_TRUE(admin->list_aliases(aliases).ok());
  EXPECT_THAT(aliases, IsEmpty());
}

// A trigger of the store's owner leaves out one of two copies. COMMIT has happened: as a plain failure the other copy
// would come again with the sender's retry.
TEST_F(DoorTest, ARowThatATriggerLeavesOutIsInDoubtNotFailed) {
  const MailboxId other = add_mailbox("bob");
  const UserId bob = std::stoll(sql("SELECT user_idnr FROM dbmail_users WHERE userid = 'bob'"));
  sql("CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS "
      "$$BEGIN IF NEW.mailbox_idnr = " +
      std::to_string(other) + " THEN RETURN NULL; END IF; RETURN NEW; END$$");
  sql("CREATE TRIGGER leave_out BEFORE INSERT ON dbmail_messages FOR EACH ROW EXECUTE FUNCTION leave_out()");
  std::vector<Delivery> deliveries;
  deliveries.emplace_back("sender@example.org", message(1),
                          std::vector<Target>{{user_, "INBOX", mailbox_}, {bob, "INBOX", other}});
  std::vector<TargetOutcome> outcomes(2);
  const auto writer = connection();
  const Status status = writer->store(deliveries, outcomes);
  EXPECT_EQ(stored_messages(), "1");
  EXPECT_EQ(status.reason(), Reason::in_doubt) << status.detail();
  EXPECT_FALSE(writer->usable());
  ASSERT_TRUE(connection()->settle(outcomes).ok());
  EXPECT_TRUE(outcomes[0].status.ok());
  EXPECT_EQ(std::to_string(outcomes[0].message_idnr), sql("SELECT message_idnr FROM dbmail_messages"));
  EXPECT_EQ(outcomes[1].status.reason(), Reason::in_doubt);
}

}  // namespace
}  // namespace storage::postgresql
