// storage/sqlite/session.h: one open database, its prepared statements, and THE place where this engine executes (fault
// hook, DECISIONS.md). Faults are thrown (Error, InjectedFault); the owner translates them. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/fault_hook.h"
#include "storage/options.h"
#include "storage/sqlite/errors.h"
#include "storage/sqlite/statements.h"

struct sqlite3;
struct sqlite3_stmt;

namespace storage::sqlite {

class Session;

// A prepared statement while it runs. Parameters count from 1, columns from 0. Bound views must live until the next
// step().
class Cursor {
 public:
  Cursor(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  ~Cursor();  // ready for the next use
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Cursor& bind(int parameter, std::int64_t value);
  Cursor& bind_text(int parameter, std::string_view value);
  Cursor& bind_blob(int parameter, std::string_view value);  // empty: a blob of length 0, never NULL
  Cursor& bind_null(int parameter);

  // True: a row is there. After the last row the statement can be bound again.
  [[nodiscard]] bool step();
  // For statements without rows.
  void run();
  // Ends a statement whose further rows are not wanted.
  void reset();

  [[nodiscard]] std::int64_t int8(int column) const;
  [[nodiscard]] std::string octets(int column) const;  // NULL: empty
  [[nodiscard]] bool is_null(int column) const;

 private:
  void check(int code) const;

  sqlite3* database_;
  sqlite3_stmt* statement_;
};

// The write-ahead log at a checkpoint.
struct LogState {
  int pages = 0;
  int moved = 0;  // of these, into the database file; less than pages while a reader needs them in the log
};

class Session {
 public:
  // Opens the file, creating it with mode 0640. Throws Refused (folder missing …), Error, std::invalid_argument (URI).
  explicit Session(const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // work(Cursor&) binds and steps as often as its set needs; returns what work returns.
  template <typename Work>
  auto execute(Statement statement, Work&& work) {
    return execute_hooked(
        options_.statement_hook, name_of(statement),
        [&] {
          Cursor cursor(database_.get(), prepared(statement));
          return work(cursor);
        },
        [&] { throw InjectedFault(name_of(statement), true); });
  }
  // A statement without values and rows.
  void execute(Statement statement);
  // Text that is not ours: the statements of a schema file.
  void execute_script(const std::string& sql);

  // Throws Error if the path names another file by now, or none (a backup was put in place): what is written here would be lost.
  void require_same_file();

  // Moves what it can from the log into the database file without waiting for anybody. Nothing: somebody else is doing so.
  [[nodiscard]] std::optional<LogState> checkpoint();
  // Syncs the database file; SQLite itself does so only in a checkpoint that empties the log.
  void sync_file();
  // Closing shall not move anything.
  void keep_log() noexcept;
  // Told after each commit here how many pages the log holds. SQLite no longer checkpoints inside commits then.
  void on_commit(std::function<void(int pages)> told);

  void begin() { execute(Statement::begin); }
  void commit();
  // Nothing to do without a transaction. Poisons the connection when it fails.
  void rollback() noexcept;

  // Turns what is in flight into a Status: rolls back, poisons the connection where needed. Call it inside a catch
  // block.
  [[nodiscard]] Status failure() noexcept;

  [[nodiscard]] bool usable() const { return !poisoned_; }
  [[nodiscard]] std::int64_t last_id() const;
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  [[nodiscard]] static std::string_view name_of(Statement statement) {
    return statements[static_cast<std::size_t>(statement)].name;
  }
  void open(const std::string& path);
  void set_up();
  void switch_to_wal();
  [[nodiscard]] sqlite3_stmt* prepared(Statement statement);
  [[nodiscard]] bool in_transaction() const;
  void release_locks() noexcept;
  static int check_deadline(void* session);
  static int report_commit(void* session, sqlite3* database, const char* name, int pages);

  const Options options_;
  std::function<void(int)> told_;
  std::unique_ptr<sqlite3, Close> database_;
  std::array<std::unique_ptr<sqlite3_stmt, Finalize>, statement_count> prepared_;  // destroyed before database_
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  bool committing_ = false;
  bool poisoned_ = false;
};

// Throws std::invalid_argument unless uri is sqlite:///absolute/path.
[[nodiscard]] std::string database_path(const Options& options);

// True: the folder is there, and the file is not. False also when that cannot be found out; opening it then says why.
[[nodiscard]] bool file_is_missing(const Options& options);

// Why this process could not create the missing file, as a sentence; empty: nothing is known to be in the way. Creates nothing.
[[nodiscard]] std::string obstacle_to_creation(const Options& options);

}  // namespace storage::sqlite
