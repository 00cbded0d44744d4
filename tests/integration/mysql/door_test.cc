// The driver through its door on a real server, where MySQL and MariaDB differ from other engines. The behaviour common
// to all engines is in tests/contract.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "storage/fault_hook.h"
#include "storage/uri.h"
#include "tests/integration/mysql/server_fixture.h"

namespace storage::mysql {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DoorTest : public ServerTest {
 protected:
  [[nodiscard]] SchemaReport report() {
    SchemaReport out;
    const Status status = Driver(options()).check_schema(out);
    EXPECT_TRUE(status.ok()) << status.detail();
    return out;
  }

  [[nodiscard]] std::vector<Delivery> batch(int first, int count, const Target& target) const {
    std::vector<Delivery> deliveries;
    for (int i = first; i < first + count; ++i) {
      deliveries.push_back(delivery("number " + std::to_string(i), "body " + std::to_string(i) + "\n", {target}));
    }
    return deliveries;
  }

  [[nodiscard]] static Status store_all(storage::Connection& connection, const std::vector<Delivery>& deliveries) {
    std::vector<TargetOutcome> out(deliveries.size());
    Status status = connection.store(deliveries, out);
    for (const TargetOutcome& outcome : out)
      EXPECT_TRUE(!status.ok() || outcome.status.ok()) << outcome.status.detail();
    return status;
  }
};

// An account that may only read passed the check, and then every message got 451.
TEST_F(DoorTest, MissingPrivilegesAreNamedAndSuffice) {
  const std::string database = sql().value("SELECT DATABASE()");
  const std::string account = "'p" + database.substr(database.size() - 12) + "'@'%'";
  const auto uri = [&] {
    Uri parsed = parse_uri(options().uri);
    const std::string socket = parsed.parameters.contains("socket") ? "?socket=" + parsed.parameters["socket"] : "";
    const std::string at = socket.empty() ? parsed.host + ":" + std::to_string(parsed.port) : "localhost";
    return "mysql://" + account.substr(1, 13) + ":secret@" + at + "/" + database + socket;
  };
  sql().execute("CREATE USER " + account + " IDENTIFIED BY 'secret'");
  sql().execute("GRANT SELECT ON `" + database + "`.* TO " + account);
  Options poor = options();
  poor.uri = uri();
  SchemaReport out;
  Driver driver(poor);
  ASSERT_TRUE(driver.check_schema(out).ok());
  const std::string grant = "GRANT INSERT, UPDATE, DELETE ON `" + database + "`.* TO " + account;
  EXPECT_THAT(out.problems, Contains(HasSubstr(grant)));
  sql().execute(grant);
  out = {};
  ASSERT_TRUE(driver.check_schema(out).ok());
  EXPECT_THAT(out.problems, IsEmpty());
  sql().execute("DROP USER " + account);
}

TEST_F(DoorTest, ASchemaThatWasCreatedIsComplete) {
  for (const IndexSet set : {IndexSet::dbmail, IndexSet::lean}) {
    Options other = options();
    other.table_prefix = set == IndexSet::lean ? "lean_" : "Full_";
    Driver driver(other);
    std::unique_ptr<storage::Admin> admin;
    ASSERT_TRUE(driver.open_admin(admin).ok());
    const Status created = admin->create_schema(set);
    ASSERT_TRUE(created.ok()) << created.detail();
    EXPECT_EQ(admin->create_schema(set).reason(), Reason::rejected_by_store) << "a second time";
    SchemaReport out;
    ASSERT_TRUE(driver.check_schema(out).ok());
    EXPECT_THAT(out.problems, IsEmpty());
    EXPECT_THAT(out.remarks, Not(Contains(HasSubstr("view"))));
    EXPECT_TRUE(out.server.starts_with("MariaDB 1") || out.server.starts_with("MySQL ")) << out.server;
  }
}

TEST_F(DoorTest, TheSchemaCheckNamesWhatIsMissing) {
  sql().execute("DROP TABLE dbmail_envelope");
  sql().execute("ALTER TABLE dbmail_messages DROP COLUMN seq");
  sql().execute("DROP INDEX hash ON dbmail_mimeparts");
  sql().execute("DELETE FROM dbmail_headername WHERE headername = 'subject'");
  const auto problems = report().problems;
  EXPECT_THAT(problems, Contains(HasSubstr("dbmail_envelope")));
  EXPECT_THAT(problems, Contains(HasSubstr("dbmail_messages.seq")));
  EXPECT_THAT(problems, Contains(HasSubstr("dbmail_mimeparts (hash)")));
  EXPECT_THAT(problems, Contains(HasSubstr("\"subject\"")));
  EXPECT_EQ(problems.size(), 4u);
}

TEST_F(DoorTest, TheSchemaCheckRefusesWhatWouldLoseMail) {
  sql().execute("ALTER TABLE dbmail_aliases CONVERT TO CHARACTER SET utf8mb3");
  sql().execute(
      "ALTER TABLE dbmail_users MODIFY userid varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL");
  sql().execute("ALTER TABLE dbmail_upgrade_steps ENGINE=MyISAM");
  const auto problems = report().problems;
  EXPECT_THAT(problems, Contains(AllOf(HasSubstr("dbmail_aliases"), HasSubstr("utf8mb3"), HasSubstr("CONVERT TO"))));
  EXPECT_THAT(problems, Contains(AllOf(HasSubstr("dbmail_users.userid"), HasSubstr("utf8mb4_bin"))));
  EXPECT_THAT(problems, Contains(AllOf(HasSubstr("dbmail_upgrade_steps"), HasSubstr("MyISAM"))));
  EXPECT_EQ(problems.size(), 3u);
}

// MariaDB makes compressed tables read-only unless told otherwise; MySQL writes them.
TEST_F(DoorTest, CompressedTablesAreRefusedWhereTheyCannotBeWritten) {
  sql().execute("ALTER TABLE dbmail_mimeparts ROW_FORMAT=COMPRESSED");
  const auto setting = sql().query("SHOW VARIABLES LIKE 'innodb_read_only_compressed'");
  const bool read_only = !setting.empty() && setting[0].at(1) == "ON";
  const auto found = report();
  EXPECT_EQ(found.problems.size(), read_only ? 1u : 0u);
  EXPECT_TRUE(!read_only || found.problems.at(0).find("ROW_FORMAT=DYNAMIC") != std::string::npos);
}

TEST_F(DoorTest, ConnectingTellsTemporaryFromWrong) {
  const auto connect_to = [](const std::string& uri) {
    Options options;
    options.uri = uri;
    std::unique_ptr<storage::Connection> connection;
    return Driver(options).connect(connection);
  };
  EXPECT_EQ(connect_to("mysql://mail@/dbmail?socket=/nonexistent/socket").reason(), Reason::unavailable);
  EXPECT_EQ(connect_to("mysql://mail@127.0.0.1:1/dbmail").reason(), Reason::unavailable);
  const std::string server = options().uri;
  const auto path = server.find('/', server.find("://") + 3);
  const Status no_database = connect_to(server.substr(0, path) + "/lmtpd_nowhere" + server.substr(server.find('?')));
  EXPECT_EQ(no_database.reason(), Reason::internal);
  EXPECT_THAT(no_database.detail(), HasSubstr("lmtpd_nowhere"));
  const Status stranger = connect_to("mysql://stranger:hunter2@localhost" + server.substr(path));
  EXPECT_EQ(stranger.reason(), Reason::internal);
  EXPECT_THAT(stranger.detail(), Not(HasSubstr("hunter2")));
}

// One preparation more for a row count that the connection has not seen is the only thing that depends on the batch.
TEST_F(DoorTest, RoundTripsDoNotGrowWithTheBatch) {
  const Target alice = add_user("alice");
  std::multiset<std::string> sent;
  Options counting = options();
  counting.statement_hook = [&](std::string_view name) {
    sent.insert(std::string(name));
    return Fault::none;
  };
  const auto connection = connect(counting);
  ASSERT_TRUE(store_all(*connection, batch(0, 1, alice)).ok());
  std::map<int, std::multiset<std::string>> by_size;
  for (const int size : {1, 5, 40}) {
    sent.clear();
    ASSERT_TRUE(store_all(*connection, batch(1000 * size, size, alice)).ok());
    by_size[size] = sent;
  }
  EXPECT_EQ(by_size[5], by_size[1]);
  EXPECT_EQ(by_size[40], by_size[1]);
  EXPECT_LE(by_size[1].size(), 22u);
}

// Decision: 250 means exactly one copy, and after any fault the identical retry ends with exactly one copy.
TEST_F(DoorTest, EveryFaultAtEveryStatementEndsWithOneCopy) {
  const Target alice = add_user("alice");
  const auto stored = [&] { return std::stoi(sql().value("SELECT COUNT(*) FROM dbmail_messages")); };
  for (const Fault fault : {Fault::fail_before, Fault::fail_after, Fault::cut}) {
    int number = static_cast<int>(fault) * 1000;
    for (int failing = 1, reached = failing; reached >= failing; ++failing, ++number) {
      const int before = stored();
      reached = 0;
      Options faulty = options();
      faulty.statement_hook = [&](std::string_view name) {
        const bool counts = name != "rollback" && !name.starts_with("session.");
        return counts && ++reached == failing ? fault : Fault::none;
      };
      auto connection = connect(faulty);
      const auto deliveries = batch(number, 1, alice);
      const Status first = store_all(*connection, deliveries);
      EXPECT_TRUE(first.ok() || is_transient(first.reason())) << to_string(first.reason());
      connection.reset();
      const bool definite = first.reason() != Reason::in_doubt;
      EXPECT_TRUE(!definite || first.ok() == (stored() != before)) << first.detail();
      ASSERT_TRUE(store_all(*connect(options()), deliveries).ok());
      EXPECT_EQ(stored(), before + 1) << "statement " << failing;
      ASSERT_LT(failing, 60) << "the hook is never reached";
    }
  }
}

TEST_F(DoorTest, UsersAliasesAndMessages) {
  const auto door = admin();
  UserRecord bob;
  bob.userid = "Bob@example.org";
  bob.passwd = "x";
  bob.max_size = 100000;
  ASSERT_TRUE(door->add_user(bob).ok());
  UserRecord again = bob;
  again.userid = "bob@EXAMPLE.org";
  EXPECT_EQ(door->add_user(again).reason(), Reason::rejected_by_store);
  std::optional<UserRecord> found;
  ASSERT_TRUE(door->find_user("BOB@example.org", found).ok());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, bob.id);
  EXPECT_EQ(found->max_size, 100000);

  AliasRecord alias{0, "Info@example.org", std::to_string(bob.id)};
  ASSERT_TRUE(door->add_alias(alias).ok());
  EXPECT_EQ(door->add_alias(alias).reason(), Reason::rejected_by_store) << "a second time";
  const auto connection = connect(options());
  Resolution resolution;
  const Address address("INFO", "example.org");
  ASSERT_TRUE(connection->resolve(std::span(&address, 1), std::span(&resolution, 1)).ok());
  ASSERT_EQ(resolution.targets.size(), 1u) << resolution.status.detail();

  ASSERT_TRUE(store_all(*connection, batch(1, 2, resolution.targets[0])).ok());
  std::vector<MailboxRecord> mailboxes;
  ASSERT_TRUE(door->list_mailboxes(bob.id, mailboxes).ok());
  ASSERT_EQ(mailboxes.size(), 1u);
  EXPECT_EQ(mailboxes[0].messages, 2u);
  std::vector<MessageRecord> messages;
  ASSERT_TRUE(door->list_messages(bob.id, 0, messages).ok());
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1].subject, "number 2");
  EXPECT_EQ(messages[1].internal_date, "2024-02-29 23:59:59");
  std::optional<StoredMessage> loaded;
  ASSERT_TRUE(door->load_message(mailboxes[0].id, messages[1].uid, loaded).ok());
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->parts.size(), 2u);
  EXPECT_EQ(loaded->parts[1].data, "body 2\n");

  ASSERT_TRUE(door->remove_user(bob.id).ok());
  EXPECT_EQ(door->remove_user(bob.id).reason(), Reason::no_such_mailbox);
  std::vector<AliasRecord> aliases;
  ASSERT_TRUE(door->list_aliases(aliases).ok());
  EXPECT_THAT(aliases, IsEmpty());
}

// Sessions as a server's configuration makes them, for accounts that init_connect does not spare.
class ServerSettings : public DoorTest {
 protected:
  void SetUp() override { account_ = "c" + sql().value("SELECT RIGHT(DATABASE(), 12)"); }
  void TearDown() override { sql().execute("DROP USER IF EXISTS '" + account_ + "'@'%'"); }

  [[nodiscard]] std::unique_ptr<storage::Connection> connect_after(const std::string& init) {
    const std::string database = sql().value("SELECT DATABASE()");
    sql().execute("CREATE USER '" + account_ + "'@'%' IDENTIFIED BY 'secret'");
    sql().execute("GRANT ALL ON `" + database + "`.* TO '" + account_ + "'@'%'");
    Options poor = options();
    const Uri parsed = parse_uri(poor.uri);
    const bool by_socket = parsed.parameters.contains("socket");
    poor.uri = "mysql://" + account_ + ":secret@" +
               (by_socket ? "localhost" : parsed.host + ":" + std::to_string(parsed.port)) + "/" + database +
               (by_socket ? "?socket=" + parsed.parameters.at("socket") : "");
    sql().execute("SET GLOBAL init_connect = \"" + init + "\"");
    auto connection = connect(poor);
    sql().execute("SET GLOBAL init_connect = ''");
    return connection;
  }

 private:
  std::string account_;
};

// In GBK an octet like BF takes the backslash in front of an escaped quote along: what follows would be SQL. As with
// character-set-client-handshake=0 and character-set-server=gbk nobody tells the client library.
TEST_F(ServerSettings, MailIsNeverSqlWhateverTheCharset) {
  const Target alice = add_user("alice");
  const auto connection = connect_after("SET SESSION session_track_system_variables = ''; SET NAMES gbk");
  const std::string body = "\xBF', 1); UPDATE dbmail_users SET maxmail_size = 7; COMMIT; -- \n";
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("subject", body, {alice}), out);
  EXPECT_TRUE(status.ok()) << status.detail();
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_users WHERE maxmail_size = 7"), "0");
  EXPECT_EQ(sql().value("SELECT data FROM dbmail_mimeparts ORDER BY id DESC LIMIT 1"), body);
}

// A mailbox that the answer leaves out would be taken for one that is gone, which is a refusal for good.
TEST_F(ServerSettings, NoAnswerIsCutShort) {
  const Target alice = add_user("alice");
  const Target bob = add_user("bob");
  const auto connection = connect_after("SET SESSION sql_select_limit = 1");
  std::vector<TargetOutcome> out;
  const Status status = store(*connection, delivery("subject", "body", {alice, bob}), out);
  EXPECT_TRUE(status.ok()) << status.detail();
  EXPECT_TRUE(out[0].status.ok()) << out[0].status.detail();
  EXPECT_TRUE(out[1].status.ok()) << out[1].status.detail();
}

}  // namespace
}  // namespace storage::mysql
