#include "storage/sqlite/driver.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "storage/admin.h"
#include "storage/sqlite/session.h"
#include "tests/support/made_message.h"
#include "tests/unit/storage/sqlite/scratch_folder.h"

namespace storage::sqlite {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(SqliteDriver, AFileWithoutSchemaIsReported) {
  const ScratchFolder folder;
  const auto driver = make_driver(folder.options());
  EXPECT_EQ(driver->max_writers(), 1);
  std::unique_ptr<storage::Connection> connection;
  ASSERT_TRUE(driver->connect(connection).ok());
  EXPECT_TRUE(connection->ping().ok());
  SchemaReport report;
  ASSERT_TRUE(driver->check_schema(report).ok());
  EXPECT_THAT(report.server, HasSubstr("SQLite 3."));
  EXPECT_THAT(report.problems, Contains(HasSubstr("lmtpctl schema create")));
  // Mail is refused for now, never for good.
  const Address address("alice", "example.org");
  Resolution resolution;
  const Status status = connection->resolve(std::span(&address, 1), std::span(&resolution, 1));
  EXPECT_EQ(status.reason(), Reason::internal);
  EXPECT_THAT(status.detail(), HasSubstr("lmtpctl schema check"));
}

TEST(SqliteDriver, TheSchemaCheckCreatesNoFile) {
  const ScratchFolder folder;
  SchemaReport report;
  ASSERT_TRUE(make_driver(folder.options())->check_schema(report).ok());
  EXPECT_THAT(report.problems, Contains(HasSubstr("lmtpctl schema create")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("dbmail_messages")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Whoever asks root's lmtpctl about a store that is not there must not leave root's file behind.
TEST(SqliteDriver, OnlySchemaCreateMakesTheFile) {
  const ScratchFolder folder;
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(make_driver(folder.options())->open_admin(admin).ok());
  std::vector<UserRecord> users;
  std::vector<AliasRecord> aliases;
  std::vector<MessageRecord> messages;
  std::vector<std::string> steps;
  Resolution resolution;
  UserRecord user;
  user.userid = "alice@example.org";
  for (const Status& status : {admin->list_users(users), admin->list_aliases(aliases), admin->add_user(user),
                               admin->list_messages(1, 0, messages),
                               admin->explain(Address("alice", "example.org"), steps, resolution)}) {
    EXPECT_EQ(status.reason(), Reason::internal);
    EXPECT_EQ(status.detail(), "there is no store at " + folder.file().string() + ": lmtpctl schema create makes it");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_TRUE(admin->create_schema(IndexSet::dbmail).ok());
  EXPECT_TRUE(std::filesystem::exists(folder.file()));
  EXPECT_TRUE(admin->add_user(user).ok());
  EXPECT_TRUE(admin->list_users(users).ok());
  EXPECT_EQ(users.size(), 4u);
}

// In a process of its own that gives root's privileges up: root may write everywhere.
TEST(SqliteDriverDeathTest, TheSchemaCheckFindsAFolderThatCannotBeWritten) {
  const ScratchFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto check = [&] {
    __user_cap_header_struct self = {_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capset, &self, none) != 0) _exit(2);
    SchemaReport report;
    const Status status = make_driver(folder.options())->check_schema(report);
    report.problems.push_back(status.detail());
    const std::string wanted = "no permission to create " + folder.file().string() + ": the folder must belong to";
    _exit(testing::Matches(Contains(HasSubstr(wanted)))(report.problems) ? 0 : 1);
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
}

TEST(SqliteDriver, FaultsOfConnectingAreSentences) {
  const ScratchFolder folder;
  Options options;
  options.uri = "sqlite://" + (folder.path() / "missing" / "store.db").string();
  std::unique_ptr<storage::Connection> connection;
  const Status status = make_driver(options)->connect(connection);
  EXPECT_EQ(status.reason(), Reason::internal);
  EXPECT_THAT(status.detail(), HasSubstr("does not exist: create it"));
  EXPECT_EQ(connection, nullptr);
}

TEST(SqliteDriver, NothingLessThanFullIsAccepted) {
  Options options;
  options.uri = "sqlite:///nowhere/store.db";
  options.sqlite_synchronous = "EXTRA";
  EXPECT_NE(make_driver(options), nullptr);
  options.sqlite_synchronous = "NORMAL";
  EXPECT_THROW((void)make_driver(options), std::invalid_argument);
}

// Whoever puts a backup in place while lmtpd runs must not have mail acknowledged into the file that went away.
TEST(SqliteDriver, AFileThatWasMovedIsNoStoreAnyMore) {
  const ScratchFolder folder;
  const auto driver = make_driver(folder.options());
  std::unique_ptr<storage::Connection> connection;
  ASSERT_TRUE(driver->connect(connection).ok());
  ASSERT_TRUE(connection->ping().ok());
  std::filesystem::rename(folder.file(), folder.path() / "away.db");
  const Status status = connection->ping();
  EXPECT_EQ(status.reason(), Reason::unavailable);
  EXPECT_THAT(status.detail(), HasSubstr("moved or replaced"));
  EXPECT_FALSE(connection->usable());
  ASSERT_TRUE(driver->connect(connection).ok());
  EXPECT_TRUE(connection->ping().ok());
  EXPECT_TRUE(std::filesystem::exists(folder.file()));
}

TEST(SqliteDriver, OtherPrefixes) {
  const ScratchFolder folder;
  Options options = folder.options();
  options.table_prefix = "Mail2_";
  const auto driver = make_driver(options);
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(driver->open_admin(admin).ok());
  ASSERT_TRUE(admin->create_schema(IndexSet::lean).ok());
  UserRecord user;
  user.userid = "alice@example.org";
  ASSERT_TRUE(admin->add_user(user).ok());
  SchemaReport report;
  ASSERT_TRUE(driver->check_schema(report).ok());
  EXPECT_THAT(report.problems, testing::IsEmpty());
}

TEST(SqliteDriver, ASecondSchemaIsRefusedAndChangesNothing) {
  const ScratchFolder folder;
  const auto driver = make_driver(folder.options());
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(driver->open_admin(admin).ok());
  ASSERT_TRUE(admin->create_schema(IndexSet::dbmail).ok());
  const Status status = admin->create_schema(IndexSet::dbmail);
  EXPECT_EQ(status.reason(), Reason::rejected_by_store);
  EXPECT_THAT(status.detail(), HasSubstr("not empty"));
  std::vector<UserRecord> users;
  EXPECT_TRUE(admin->list_users(users).ok());
  EXPECT_EQ(users.size(), 3u);
}

// DBMail's own schema gives the ids of deleted rows out again. A clean-up tool removes a value that a connection has
// just found, another value gets its id: the next message must not be filed under that one.
TEST(SqliteDriver, AnIdThatComesBackIsNotTakenForTheValueItWas) {
  using testing_support::MadeMessage;
  const ScratchFolder folder;
  const auto driver = make_driver(folder.options());
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(driver->open_admin(admin).ok());
  ASSERT_TRUE(admin->create_schema(IndexSet::dbmail).ok());
  Session other(folder.options());
  other.execute_script(
      "DROP TABLE dbmail_headervalue; CREATE TABLE dbmail_headervalue (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, "
      "headervalue BLOB NOT NULL, sortfield TEXT NOT NULL, datefield DATETIME)");
  UserRecord user;
  user.userid = "alice@example.org";
  ASSERT_TRUE(admin->add_user(user).ok());
  std::vector<MailboxRecord> mailboxes;
  ASSERT_TRUE(admin->list_mailboxes(user.id, mailboxes).ok());
  std::unique_ptr<storage::Connection> connection;
  ASSERT_TRUE(driver->connect(connection).ok());
  const auto deliver = [&](const std::string& body, const std::string& cc) {
    const Delivery delivery = testing_support::delivery_of(MadeMessage(body).header("cc", cc).build(),
                                                           {Target(user.id, "INBOX", mailboxes.at(0).id)});
    TargetOutcome outcome;
    const Status status = connection->store(std::span(&delivery, 1), std::span(&outcome, 1));
    EXPECT_TRUE(status.ok()) << status.detail();
  };
  deliver("1", "z old");
  deliver("2", "z old");  // found
  other.execute_script(
      "DELETE FROM dbmail_physmessage; DELETE FROM dbmail_header; DELETE FROM dbmail_headervalue WHERE headervalue = "
      "CAST('z old' AS BLOB)");
  deliver("3", "z new");
  deliver("4", "z old");
  EXPECT_NO_THROW(other.execute_script(
      "CREATE TABLE filed_under_it (n INTEGER CHECK (n = 1)); INSERT INTO filed_under_it "
      "SELECT count(*) FROM dbmail_header h JOIN dbmail_headervalue v ON v.id = h.headervalue_id WHERE v.headervalue = CAST('z old' AS BLOB)"));
}

}  // namespace
}  // namespace storage::sqlite
