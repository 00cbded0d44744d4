#include "storage/sqlite/checkpointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/admin.h"
#include "storage/sqlite/driver.h"
#include "tests/unit/storage/sqlite/scratch_folder.h"
#include "tests/unit/storage/sqlite/watched_disk.h"

namespace storage::sqlite {
namespace {

constexpr LogLimits small{.step = 10, .restart = 40, .remainder = 10, .limit = 80};
constexpr int pages_of_a_commit = 10;  // at most
constexpr LogLimits endless{.step = 10, .restart = 1 << 30, .remainder = 10, .limit = 1 << 30};

template <typename Condition>
bool eventually(Condition condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// A writer as Connection is one. Rows go into a table of its own.
class Writer {
 public:
  Writer(const Options& options, Checkpointer& checkpointer) : checkpointer_(checkpointer), session_(options) {
    session_.execute_script("CREATE TABLE IF NOT EXISTS dbmail_users (userid TEXT)");
    session_.on_commit([this](int pages) {
      pages_ = pages;
      most_pages_ = std::max(most_pages_, pages);
      checkpointer_.committed(pages);
    });
  }
  ~Writer() { checkpointer_.before_close(session_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void commit_row() {
    checkpointer_.before_transaction(session_);
    session_.begin();
    session_.execute_script("INSERT INTO dbmail_users VALUES (hex(randomblob(3000)))");
    session_.commit();
    ++rows_;
  }
  void commit_rows(int count) {
    for (int i = 0; i < count; ++i) commit_row();
  }
  // Commits until the log starts over, at most so many times.
  [[nodiscard]] bool starts_over_within(int commits) {
    for (int i = 0; i < commits; ++i) {
      const int before = pages_;
      commit_row();
      if (pages_ < before) return true;
    }
    return false;
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int pages() const { return pages_; }
  [[nodiscard]] int most_pages() const { return most_pages_; }

 private:
  Checkpointer& checkpointer_;
  Session session_;
  int rows_ = 0;
  int pages_ = 0;
  int most_pages_ = 0;
};

// Another program that has the file open.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) {
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("cannot open " + file.string());
  }
  ~Reader() { sqlite3_close(database_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The first column of the last row.
  std::string ask(const char* sql) {
    std::string answer;
    const auto keep = [](void* to, int, char** columns, char**) {
      *static_cast<std::string*>(to) = columns[0] == nullptr ? "" : columns[0];
      return 0;
    };
    if (sqlite3_exec(database_, sql, keep, &answer, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database_));
    return answer;
  }
  int rows() { return std::stoi(ask("SELECT count(*) FROM dbmail_users")); }

 private:
  sqlite3* database_ = nullptr;
};

std::string octets_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::filesystem::path log_of(const ScratchFolder& folder) {
  return folder.file().string() + "-wal";
}

TEST(SqliteCheckpointer, CommitsLeaveTheDatabaseFileToTheThread) {
  const ScratchFolder folder;
  WatchedDisk disk;
  Checkpointer checkpointer(folder.options(), endless);
  Writer writer(folder.options(), checkpointer);
  const int before = disk.touches_by(std::this_thread::get_id());
  writer.commit_rows(300);
  EXPECT_EQ(disk.touches_by(std::this_thread::get_id()), before);
  EXPECT_TRUE(eventually([&] { return disk.touches_by_others() > 0; }));
}

// However slow the thread is.
TEST(SqliteCheckpointer, TheLogIsBounded) {
  const ScratchFolder folder;
  Checkpointer checkpointer(folder.options(), small);
  Writer writer(folder.options(), checkpointer);
  writer.commit_rows(500);
  EXPECT_LE(writer.most_pages(), small.limit + pages_of_a_commit);
  EXPECT_EQ(Reader(folder.file()).rows(), writer.rows());
}

TEST(SqliteCheckpointer, AReaderThatHoldsTheLogStopsNobody) {
  const ScratchFolder folder;
  Checkpointer checkpointer(folder.options(), small);
  Writer writer(folder.options(), checkpointer);
  writer.commit_rows(3);
  Reader reader(folder.file());
  reader.ask("BEGIN");
  EXPECT_EQ(reader.rows(), 3);
  writer.commit_rows(300);
  EXPECT_GT(writer.pages(), small.limit);
  EXPECT_EQ(reader.rows(), 3);
  reader.ask("COMMIT");
  EXPECT_EQ(reader.rows(), 303);
  EXPECT_TRUE(writer.starts_over_within(writer.pages()));
  writer.commit_rows(500);
  EXPECT_EQ(reader.rows(), writer.rows());
}

TEST(SqliteCheckpointer, AfterClosingAllIsInTheDatabaseFile) {
  const ScratchFolder folder;
  int rows = 0;
  {
    Checkpointer checkpointer(folder.options(), small);
    Writer writer(folder.options(), checkpointer);
    writer.commit_rows(137);
    rows = writer.rows();
  }
  EXPECT_FALSE(std::filesystem::exists(log_of(folder)));
  EXPECT_EQ(Reader(folder.file()).rows(), rows);
}

// The disk is full, say: mail goes on as long as the log has room, then it waits; none is lost.
TEST(SqliteCheckpointer, ADatabaseFileThatTakesNothingFailsTransactionsAtTheLimit) {
  const ScratchFolder folder;
  WatchedDisk disk;
  Checkpointer checkpointer(folder.options(), small);
  Writer writer(folder.options(), checkpointer);
  disk.refuse_writes = true;
  EXPECT_THROW(writer.commit_rows(500), Error);
  EXPECT_GE(writer.pages(), small.limit);
  EXPECT_THROW(writer.commit_row(), Error);
  const int committed = writer.rows();
  EXPECT_GT(committed, 0);
  EXPECT_EQ(Reader(folder.file()).rows(), committed);
  disk.refuse_writes = false;
  writer.commit_rows(500);
  EXPECT_LE(writer.most_pages(), small.limit + pages_of_a_commit);
  EXPECT_EQ(Reader(folder.file()).rows(), committed + 500);
}

// After a failed sync the kernel may have dropped pages that SQLite counts as moved: then the log must not lose them
// too.
TEST(SqliteCheckpointer, AfterAFailedSyncTheLogIsKeptAndReadAgain) {
  const ScratchFolder folder;
  WatchedDisk disk;
  {
    Checkpointer checkpointer(folder.options(), endless);
    Writer(folder.options(), checkpointer).commit_row();
  }
  const std::string old = octets_of(folder.file());
  int committed = 1;
  {
    Checkpointer checkpointer(folder.options(), endless);
    Writer writer(folder.options(), checkpointer);
    disk.refuse_syncs = true;
    std::string fault;
    EXPECT_TRUE(eventually([&] {
      try {
        writer.commit_row();
      } catch (const Error& error) {
        fault = error.what();
      }
      return !fault.empty();
    }));
    EXPECT_THAT(fault, testing::HasSubstr("could not be synced"));
    disk.refuse_syncs = false;
    EXPECT_THROW(writer.commit_row(), Error);  // the kernel reports a fault only once
    committed += writer.rows();
  }
  ASSERT_TRUE(std::filesystem::exists(log_of(folder)));
  std::ofstream(folder.file(), std::ios::binary) << old;
  Reader reader(folder.file());
  EXPECT_EQ(reader.rows(), committed);
  EXPECT_EQ(reader.ask("PRAGMA integrity_check"), "ok");
}

TEST(SqliteCheckpointer, AFileThatWasPutInPlaceIsLeftAlone) {
  const ScratchFolder folder;
  WatchedDisk disk;
  Checkpointer checkpointer(folder.options(), endless);
  Writer writer(folder.options(), checkpointer);
  writer.commit_rows(50);
  ASSERT_TRUE(eventually([&] { return disk.touches_by_others() > 0; }));
  const ScratchFolder backup;
  { Writer(backup.options(), checkpointer).commit_row(); }
  const std::string wanted = octets_of(backup.file());
  for (const std::string end : {"", "-wal", "-shm"}) {
    std::filesystem::rename(folder.file().string() + end, (folder.path() / "away.db").string() + end);
  }
  std::filesystem::rename(backup.file(), folder.file());
  writer.commit_rows(100);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for the thread to do wrong
  EXPECT_EQ(octets_of(folder.file()), wanted);
  EXPECT_EQ(Reader(folder.file()).rows(), 1);
  // Once writers have it open, it is the one that matters.
  Writer anew(folder.options(), checkpointer);
  EXPECT_TRUE(eventually([&] {
    anew.commit_row();
    return std::filesystem::file_size(folder.file()) > wanted.size();
  }));
}

Delivery large_delivery(int number, const Target& target) {
  Message message;
  message.text = "Subject: " + std::to_string(number) + "\r\n\r\n" + std::string(1 << 20, 'x');
  message.parts.push_back({1, 0, 0, true, {0, message.text.size()}, std::to_string(number)});
  message.internal_date = "2026-01-02 03:04:05";
  message.message_size = message.rfc_size = message.text.size();
  message.content_digest[0] = static_cast<unsigned char>(number);
  std::vector<Target> targets{target};
  return Delivery("sender@example.org", std::move(message), std::move(targets));
}

// The same through the door: 3,000 pages and more, three times what SQLite would checkpoint at inside a commit.
TEST(SqliteCheckpointer, StoringMailLeavesTheDatabaseFileToTheThread) {
  const ScratchFolder folder;
  WatchedDisk disk;
  const auto driver = make_driver(folder.options());
  std::unique_ptr<storage::Admin> admin;
  ASSERT_TRUE(driver->open_admin(admin).ok());
  ASSERT_TRUE(admin->create_schema(IndexSet::lean).ok());
  UserRecord user;
  user.userid = "alice@example.org";
  ASSERT_TRUE(admin->add_user(user).ok());
  std::unique_ptr<storage::Connection> connection;
  ASSERT_TRUE(driver->connect(connection).ok());
  const Address address("alice", "example.org");
  Resolution resolution;
  ASSERT_TRUE(connection->resolve(std::span(&address, 1), std::span(&resolution, 1)).ok());
  ASSERT_EQ(resolution.targets.size(), 1u);
  const int before = disk.touches_by(std::this_thread::get_id());
  for (int number = 0; number < 12; ++number) {
    const Delivery delivery = large_delivery(number, resolution.targets.front());
    TargetOutcome outcome;
    ASSERT_TRUE(connection->store(std::span(&delivery, 1), std::span(&outcome, 1)).ok());
    EXPECT_TRUE(outcome.status.ok());
  }
  EXPECT_EQ(disk.touches_by(std::this_thread::get_id()), before);
  EXPECT_TRUE(eventually([&] { return disk.touches_by_others() > 0; }));
}

}  // namespace
}  // namespace storage::sqlite
