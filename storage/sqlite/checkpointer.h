// storage/sqlite/checkpointer.h: moves committed pages from the write-ahead log into the database file, on a thread and
// a connection of its own, so that commits do not pay for it (DECISIONS.md). One per Driver; writers report each
// commit.
//
//   pages in the log    who moves them
//   below `restart`     the thread, whenever `step` pages have come in; it syncs the file after each time
//   from `restart` on   the thread as often as it can; when at most `remainder` pages are left, the next writer, before
//                       its transaction: a log starts over only when a transaction finds nothing left in it
//   from `limit` on     the writer, all of them, before its transaction, however long that takes
//
// A reader may hold pages in the log; then both try again more and more rarely, and the log grows.
//
// A commit is synced into the log and is durable by that; SQLite decides what may be moved. Faults of the thread: it
// drops its connection and tries again after `step` pages; from `limit` on the writer's own attempt throws, so that a
// disk that takes no more becomes the Status of a batch. A sync that fails is another matter: the kernel may have
// forgotten pages that SQLite counts as moved. Then nothing is moved any more, no connection empties the log when it
// closes, and no transaction begins until lmtpd starts anew, when SQLite reads the log from its beginning.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "storage/options.h"
#include "storage/sqlite/errors.h"
#include "storage/sqlite/session.h"

namespace storage::sqlite {

// In pages of the database: 4 KiB unless somebody chose otherwise. Measured, DECISIONS.md.
struct LogLimits {
  int step = 250;
  int restart = 8000;
  int remainder = 100;
  int limit = 16000;
};

// Any thread. Outlives the sessions that report to it.
class Checkpointer {
 public:
  explicit Checkpointer(const Options& options, const LogLimits& limits = LogLimits());
  ~Checkpointer();  // waits for the thread
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // A transaction has been committed, and the log holds so many pages by now.
  void committed(int pages) noexcept;

  // On the writer's thread, outside of a transaction. Throws Error when the log is full and cannot be emptied, or after
  // a failed sync.
  void before_transaction(Session& writer);

  // Call it before a session is closed that has reported here.
  void before_close(Session& session) noexcept;

 private:
  enum class Share : std::uint8_t { none, remainder, all };

  [[nodiscard]] Share writers_share();
  void move_remainder(Session& writer);
  void move_all(Session& writer);
  void run();
  void move_aside();
  [[nodiscard]] std::optional<LogState> move_pages(Session& session);
  void sync_file();
  void require_synced();
  void sync_failed(const Error& error);
  void note_aside(const LogState& state, std::uint64_t restarts);
  [[nodiscard]] int next_after(const LogState& state) const;

  const Options options_;
  const LogLimits limits_;

  std::mutex pass_;                   // held while pages are moved and synced; locked before mutex_
  std::unique_ptr<Session> session_;  // the thread's; guarded by pass_

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  int pages_ = 0;                    // in the log, as far as we know
  int moved_ = 0;                    // of these
  int due_ = 0;                      // the thread's turn: when the log holds so many
  int limit_ = 0;                    // the writer's: likewise
  std::uint64_t restarts_ = 0;       // of the log
  std::optional<Error> sync_fault_;  // for ever
  bool wanted_ = false;
  bool stop_ = false;
  std::thread thread_;  // started when it is wanted for the first time
};

}  // namespace storage::sqlite
