#include "storage/sqlite/session.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "storage/uri.h"

namespace storage::sqlite {
namespace {

constexpr int operations_between_deadline_checks = 10000;

std::string with_prefix(std::string_view sql, std::string_view prefix) {
  std::string text;
  for (std::size_t at = sql.find("{}"); at != std::string_view::npos; at = sql.find("{}")) {
    text.append(sql.substr(0, at)).append(prefix);
    sql.remove_prefix(at + 2);
  }
  return text.append(sql);
}

// error: of open() with O_CREAT, or of access() to the folder.
std::string creation_fault(const std::string& path, int error) {
  const std::string folder = std::filesystem::path(path).parent_path();
  if (error == ENOENT || error == ENOTDIR) {
    return "the folder " + folder + " does not exist: create it for the user that lmtpd runs as";
  }
  if (error == EACCES || error == EPERM) {
    return "no permission to create " + path + ": the folder must belong to the user that lmtpd runs as";
  }
  return "cannot create " + path + ": " + std::strerror(error);
}

// SQLite would create the file readable for everybody. Only a new file is opened here: closing a descriptor drops all
// POSIX locks that this process holds on the file, SQLite's included; the mutex keeps other threads from opening it in
// between.
void create_file(const std::string& path) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (descriptor >= 0) {
    ::close(descriptor);
    return;
  }
  if (errno != EEXIST) throw Refused(Reason::internal, creation_fault(path, errno));
}

constexpr const char* ownership = " (file and folder must belong to the user that lmtpd runs as)";

}  // namespace

std::string database_path(const Options& options) {
  const Uri uri = parse_uri(options.uri);
  require_known_parameters(uri, {});
  if (!uri.host.empty() || !uri.user.empty() || uri.path.size() < 2 || uri.path.ends_with('/')) {
    throw std::invalid_argument(
        "storage.uri: SQLite needs an absolute path to a file behind sqlite://, as in "
        "sqlite:///var/lib/lmtpd/store.db");
  }
  return uri.path;
}

bool file_is_missing(const Options& options) {
  const std::filesystem::path file = database_path(options);
  std::error_code unreadable;
  const bool folder = std::filesystem::is_directory(file.parent_path(), unreadable);
  return folder && !std::filesystem::exists(file, unreadable) && !unreadable;
}

std::string obstacle_to_creation(const Options& options) {
  const std::string path = database_path(options);
  const std::string folder = std::filesystem::path(path).parent_path();
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? std::string() : creation_fault(path, errno);
}

Cursor::~Cursor() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Cursor::check(int code) const {
  if (code != SQLITE_OK) throw Error(sqlite3_extended_errcode(database_), sqlite3_errmsg(database_));
}

Cursor& Cursor::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Cursor& Cursor::bind_text(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(statement_, parameter, value.empty() ? "" : value.data(), value.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
  return *this;
}

Cursor& Cursor::bind_blob(int parameter, std::string_view value) {
  // A null pointer would bind NULL.
  check(sqlite3_bind_blob64(statement_, parameter, value.empty() ? "" : value.data(), value.size(), SQLITE_STATIC));
  return *this;
}

Cursor& Cursor::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_, parameter));
  return *this;
}

bool Cursor::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const Error error(sqlite3_extended_errcode(database_), sqlite3_errmsg(database_));
    sqlite3_reset(statement_);
    throw error;
  }
  sqlite3_reset(statement_);
  return false;
}

void Cursor::run() {
  while (step()) {
  }
}

void Cursor::reset() {
  sqlite3_reset(statement_);
}

std::int64_t Cursor::int8(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Cursor::octets(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool Cursor::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

void Session::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}
void Session::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Session::Session(const Options& options) : options_(options) {
  const std::string path = database_path(options_);
  create_file(path);
  open(path);
  set_up();
}

Session::~Session() = default;

void Session::open(const std::string& path) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    const std::string message = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
    throw Refused(Reason::internal, "cannot open " + path + ": " + message + ownership);
  }
  if (sqlite3_db_readonly(database, "main") == 1) {
    throw Refused(Reason::internal, path + " cannot be written" + ownership);
  }
}

void Session::set_up() {
  const auto lock_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options_.lock_timeout);
  sqlite3_busy_timeout(database_.get(), static_cast<int>(lock_timeout.count()));
  switch_to_wal();
  execute(options_.sqlite_synchronous == "EXTRA" ? Statement::synchronous_extra : Statement::synchronous_full);
  if (options_.statement_timeout.count() > 0) {
    sqlite3_progress_handler(database_.get(), operations_between_deadline_checks, &Session::check_deadline, this);
  }
}

// Readers and the writer do not block each other in WAL mode, and a commit is one write and one fsync. Several
// processes may switch a new file at the same time, and SQLite does not wait there.
void Session::switch_to_wal() {
  const auto mode = [&](Statement statement) {
    return execute(statement, [](Cursor& cursor) { return cursor.step() ? cursor.octets(0) : std::string(); });
  };
  if (mode(Statement::journal_mode) == "wal") return;
  const auto give_up = std::chrono::steady_clock::now() + options_.lock_timeout;
  for (;;) {
    try {
      if (mode(Statement::set_journal_mode) == "wal") return;
      throw Refused(Reason::internal,
                    "the file system of " + database_path(options_) + " cannot do WAL (a network share?)");
    } catch (const Error& error) {
      if ((error.code() & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int Session::check_deadline(void* session) {
  return std::chrono::steady_clock::now() > static_cast<const Session*>(session)->deadline_ ? 1 : 0;
}

sqlite3_stmt* Session::prepared(Statement statement) {
  auto& cached = prepared_[static_cast<std::size_t>(statement)];
  if (!cached) {
    const std::string sql = with_prefix(statements[static_cast<std::size_t>(statement)].sql, options_.table_prefix);
    sqlite3_stmt* fresh = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                                        SQLITE_PREPARE_PERSISTENT, &fresh, nullptr);
    if (code != SQLITE_OK) {
      throw Error(sqlite3_extended_errcode(database_.get()),
                  std::string(name_of(statement)) + ": " + sqlite3_errmsg(database_.get()));
    }
    cached.reset(fresh);
  }
  // A COMMIT or ROLLBACK that was interrupted would leave the transaction open.
  const bool limited = statement != Statement::commit && statement != Statement::rollback;
  deadline_ = limited ? std::chrono::steady_clock::now() + options_.statement_timeout
                      : std::chrono::steady_clock::time_point::max();
  return cached.get();
}

void Session::require_same_file() {
  int moved = 0;
  const int code = sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code == SQLITE_OK && moved != 0) throw Error(SQLITE_IOERR, "the database file has been moved or replaced");
}

std::optional<LogState> Session::checkpoint() {
  LogState state;
  const int code =
      sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_PASSIVE, &state.pages, &state.moved);
  if ((code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED) return std::nullopt;
  if (code != SQLITE_OK) throw Error(code, std::string("cannot checkpoint: ") + sqlite3_errmsg(database_.get()));
  return state;
}

void Session::sync_file() {
  sqlite3_file* file = nullptr;
  int code = sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK) code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  if (code != SQLITE_OK) throw Error(code, sqlite3_errstr(code));
}

void Session::keep_log() noexcept {
  int now = 0;
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &now);
}

void Session::on_commit(std::function<void(int)> told) {
  told_ = std::move(told);
  sqlite3_wal_hook(database_.get(), &Session::report_commit, this);
}

int Session::report_commit(void* session, sqlite3*, const char*, int pages) {
  static_cast<Session*>(session)->told_(pages);
  return SQLITE_OK;
}

void Session::execute(Statement statement) {
  execute(statement, [](Cursor& cursor) { cursor.run(); });
}

void Session::execute_script(const std::string& sql) {
  deadline_ = std::chrono::steady_clock::time_point::max();
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw Error(sqlite3_extended_errcode(database_.get()), sqlite3_errmsg(database_.get()));
}

void Session::commit() {
  committing_ = true;
  execute(Statement::commit);
  committing_ = false;
}

void Session::rollback() noexcept {
  if (!in_transaction()) return;
  try {
    execute(Statement::rollback);
  } catch (...) {
    poisoned_ = true;
    release_locks();
  }
}

// A poisoned connection may live on for a while; other writers shall not wait for it.
void Session::release_locks() noexcept {
  try {
    if (in_transaction()) Cursor(database_.get(), prepared(Statement::rollback)).run();
  } catch (...) {
    // Closing the connection ends the transaction.
  }
}

Status Session::failure() noexcept {
  // While the transaction is still open, its COMMIT has certainly not happened; it is rolled back below.
  const bool in_doubt = std::exchange(committing_, false) && !in_transaction();
  try {
    Translation translation = translate(std::current_exception(), in_doubt);
    if (translation.poisoned) poisoned_ = true;
    rollback();
    return std::move(translation.status);
  } catch (...) {  // no memory even for the sentence
    poisoned_ = true;
    return Status(in_doubt ? Reason::in_doubt : Reason::unavailable);
  }
}

bool Session::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

std::int64_t Session::last_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}
std::int64_t Session::changes() const {
  return sqlite3_changes64(database_.get());
}

}  // namespace storage::sqlite
