#include "storage/sqlite/checkpointer.h"

#include <pthread.h>
#include <sqlite3.h>

#include <algorithm>
#include <exception>
#include <string>

namespace storage::sqlite {
namespace {

// The hook counts and breaks what connections do, in their order; the thread has none.
Options without_hook(Options options) {
  options.statement_hook = nullptr;
  return options;
}

}  // namespace

Checkpointer::Checkpointer(const Options& options, const LogLimits& limits)
    : options_(without_hook(options)), limits_(limits), due_(limits.step), limit_(limits.limit) {}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  if (session_) before_close(*session_);
}

void Checkpointer::committed(int pages) noexcept {
  const std::lock_guard lock(mutex_);
  if (pages < pages_) {  // the log has started over
    ++restarts_;
    moved_ = 0;
    due_ = limits_.step;
    limit_ = limits_.limit;
  }
  pages_ = pages;
  if (pages_ < due_ || sync_fault_) return;
  due_ = pages_ + limits_.step;
  wanted_ = true;
  wake_.notify_all();
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    // None to be had now: tried again after `step` pages, and from `limit` on writers move pages themselves.
  }
}

void Checkpointer::before_transaction(Session& writer) {
  switch (writers_share()) {
    case Share::none:
      return;
    case Share::remainder:
      return move_remainder(writer);
    case Share::all:
      return move_all(writer);
  }
}

void Checkpointer::before_close(Session& session) noexcept {
  const std::lock_guard lock(mutex_);
  if (sync_fault_) session.keep_log();
}

Checkpointer::Share Checkpointer::writers_share() {
  require_synced();
  const std::lock_guard lock(mutex_);
  if (pages_ >= limit_) return Share::all;
  const int left = pages_ - moved_;
  return pages_ >= limits_.restart && left > 0 && left <= limits_.remainder ? Share::remainder : Share::none;
}

void Checkpointer::move_remainder(Session& writer) {
  const std::unique_lock pass(pass_, std::try_to_lock);
  if (!pass) return;
  try {
    const auto state = move_pages(writer);
    const std::lock_guard lock(mutex_);
    if (state) moved_ = state->moved;
  } catch (const Error&) {
    // The log has room still; the next transaction fails if it was a sync.
  }
}

void Checkpointer::move_all(Session& writer) {
  const std::lock_guard pass(pass_);
  const auto state = move_pages(writer);
  const std::lock_guard lock(mutex_);
  if (state) {
    pages_ = state->pages;
    moved_ = state->moved;
  }
  limit_ = std::max(limits_.limit, next_after({pages_, moved_}));
}

void Checkpointer::run() {
  pthread_setname_np(pthread_self(), "checkpoint");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || wanted_; });
    if (stop_) return;
    wanted_ = false;
    lock.unlock();
    move_aside();
    lock.lock();
  }
}

void Checkpointer::move_aside() {
  const std::lock_guard pass(pass_);
  std::uint64_t restarts = 0;
  {
    const std::lock_guard lock(mutex_);
    restarts = restarts_;
  }
  try {
    if (!session_) session_ = std::make_unique<Session>(options_);
    session_->require_same_file();
    const auto state = move_pages(*session_);
    if (!state) return;
    sync_file();
    note_aside(*state, restarts);
  } catch (const std::exception&) {
    if (session_) before_close(*session_);
    session_.reset();
  }
}

std::optional<LogState> Checkpointer::move_pages(Session& session) {
  require_synced();  // once more: whoever had the turn before may have failed
  try {
    return session.checkpoint();
  } catch (const Error& error) {
    if (error.code() == SQLITE_IOERR_FSYNC) sync_failed(error);
    throw;
  }
}

// While commits go on, SQLite only writes and leaves the sync to the checkpoint that empties the log, which is a
// writer's; and many pages in one sync hold up the commits' own.
void Checkpointer::sync_file() {
  try {
    session_->sync_file();
  } catch (const Error& error) {
    sync_failed(error);
    throw;
  }
}

void Checkpointer::require_synced() {
  const std::lock_guard lock(mutex_);
  if (sync_fault_) throw Error(*sync_fault_);
}

void Checkpointer::sync_failed(const Error& error) {
  const std::lock_guard lock(mutex_);
  sync_fault_ = Error(error.code(), "the database file could not be synced (" + std::string(error.what()) +
                                        "): mend the disk, then restart lmtpd and whatever else has the file open");
}

void Checkpointer::note_aside(const LogState& state, std::uint64_t restarts) {
  const std::lock_guard lock(mutex_);
  if (restarts_ != restarts) return;  // another log by now
  const bool progress = state.moved > moved_ && state.moved == state.pages;
  moved_ = state.moved;
  due_ = next_after(state);
  if (progress && pages_ >= limits_.restart && pages_ - moved_ > limits_.remainder) wanted_ = true;
}

// A look at a log that a reader holds costs time in proportion to its length.
int Checkpointer::next_after(const LogState& state) const {
  return state.pages + std::max(limits_.step, (state.pages - state.moved) / 4);
}

}  // namespace storage::sqlite
