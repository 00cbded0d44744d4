#include "storage/sqlite/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/unit/storage/sqlite/scratch_folder.h"

namespace storage::sqlite {
namespace {

using testing::HasSubstr;

std::string journal_mode_of(Session& session) {
  return session.execute(Statement::journal_mode,
                         [](Cursor& cursor) { return cursor.step() ? cursor.octets(0) : std::string("nothing"); });
}

TEST(SqliteSession, ANewFileIsNotForEverybody) {
  const ScratchFolder folder;
  const Session session(folder.options());
  const auto mode = std::filesystem::status(folder.file()).permissions();
  EXPECT_EQ(mode & std::filesystem::perms::others_all, std::filesystem::perms::none);
  EXPECT_EQ(mode & std::filesystem::perms::group_write, std::filesystem::perms::none);
}

TEST(SqliteSession, WritesAhead) {
  const ScratchFolder folder;
  Session session(folder.options());
  EXPECT_EQ(journal_mode_of(session), "wal");
}

TEST(SqliteSession, AMissingFolderIsNamed) {
  const ScratchFolder folder;
  Options options;
  options.uri = "sqlite://" + (folder.path() / "missing" / "store.db").string();
  try {
    const Session session(options);
    FAIL() << "opened";
  } catch (const Refused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr((folder.path() / "missing").string()));
    EXPECT_THAT(refused.what(), HasSubstr("does not exist"));
    EXPECT_EQ(refused.reason(), Reason::internal);
  }
}

TEST(SqliteSession, AFileThatIsNoDatabaseStaysAsItIs) {
  const ScratchFolder folder;
  std::ofstream(folder.file()) << std::string(5000, 'x');
  EXPECT_THROW(Session(folder.options()), Error);
  std::ifstream file(folder.file());
  std::string content;
  std::getline(file, content);
  EXPECT_EQ(content, std::string(5000, 'x'));
}

TEST(SqliteSession, ManyOpenANewFileAtOnce) {
  const ScratchFolder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Session session(folder.options());
      EXPECT_EQ(journal_mode_of(session), "wal");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SqliteSession, WaitsForALockAndThenGivesUp) {
  const ScratchFolder folder;
  Options options = folder.options();
  options.lock_timeout = std::chrono::seconds(1);
  Session holder(options);
  Session waiter(options);
  holder.begin();
  const auto start = std::chrono::steady_clock::now();
  try {
    waiter.begin();
    FAIL() << "two writers";
  } catch (...) {
    EXPECT_EQ(waiter.failure().reason(), Reason::conflict);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(900));
  EXPECT_TRUE(waiter.usable());
  holder.rollback();
  waiter.begin();
  waiter.commit();
}

TEST(SqliteSession, AStatementThatTakesTooLongEnds) {
  const ScratchFolder folder;
  Options options = folder.options();
  options.statement_timeout = std::chrono::seconds(1);
  Session session(options);
  // A look-up over 27 thousand million rows.
  session.execute_script(
      "CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i "
      "FROM n");
  session.execute_script(
      "CREATE VIEW dbmail_users AS SELECT a.i AS user_idnr, 'x' AS userid, 1 AS active, 0 AS maxmail_size, 0 AS "
      "curmail_size "
      "FROM numbers a, numbers b, numbers c");
  const auto start = std::chrono::steady_clock::now();
  try {
    session.execute(Statement::users_by_name, [](Cursor& cursor) {
      cursor.bind_text(1, "[\"x\"]");
      cursor.run();
    });
    FAIL() << "finished";
  } catch (...) {
    EXPECT_EQ(session.failure().reason(), Reason::unavailable);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300));
  EXPECT_TRUE(session.usable());
}

TEST(SqliteSession, EmptyBlobsAreNotNull) {
  const ScratchFolder folder;
  Session session(folder.options());
  session.execute_script(
      "CREATE TABLE dbmail_mimeparts (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, data BLOB NOT NULL, size)");
  session.execute(Statement::insert_part, [](Cursor& cursor) {
    cursor.bind_text(1, std::string_view()).bind_blob(2, std::string_view());
    cursor.run();
  });
  EXPECT_EQ(session.last_id(), 1);
}

TEST(SqliteSession, ACommitThatWasRefusedIsNotInDoubt) {
  const ScratchFolder folder;
  Options options = folder.options();
  Fault fault = Fault::none;
  options.statement_hook = [&](std::string_view name) { return name == "commit" ? fault : Fault::none; };
  const auto reason_of = [&](Fault at_commit) {
    fault = at_commit;
    Session session(options);
    session.begin();
    try {
      session.commit();
    } catch (...) {
      return session.failure().reason();
    }
    return Reason::ok;
  };
  EXPECT_EQ(reason_of(Fault::none), Reason::ok);
  EXPECT_EQ(reason_of(Fault::fail_before), Reason::conflict);
  EXPECT_EQ(reason_of(Fault::fail_after), Reason::in_doubt);
  EXPECT_EQ(reason_of(Fault::cut), Reason::unavailable);  // the transaction was still open: certainly not committed
}

// A poisoned connection that has not been destroyed yet keeps no other writer waiting.
TEST(SqliteSession, ABrokenRollbackReleasesTheLock) {
  const ScratchFolder folder;
  Options options = folder.options();
  options.lock_timeout = std::chrono::seconds(1);
  options.statement_hook = [](std::string_view name) { return name == "rollback" ? Fault::cut : Fault::none; };
  Session broken(options);
  broken.begin();
  broken.rollback();
  EXPECT_FALSE(broken.usable());
  Session next(folder.options());
  next.begin();
  next.commit();
}

}  // namespace
}  // namespace storage::sqlite
