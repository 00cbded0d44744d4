// tests/unit/storage/sqlite/watched_disk.h: while it lives, SQLite's file system with a witness: who writes to database
// files (not to their logs), and faults of theirs. One at a time; every connection is opened after it and closed before
// it goes.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace storage::sqlite {

class WatchedDisk {
 public:
  WatchedDisk() : system_(sqlite3_vfs_find(nullptr)), vfs_(*system_) {
    disk = this;
    vfs_.zName = "watched";
    vfs_.xOpen = &open;
    if (sqlite3_vfs_register(&vfs_, 1) != SQLITE_OK) throw std::runtime_error("cannot register a VFS");
  }
  ~WatchedDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(system_, 1);
    disk = nullptr;
  }
  WatchedDisk(const WatchedDisk&) = delete;
  WatchedDisk& operator=(const WatchedDisk&) = delete;

  std::atomic<bool> refuse_writes{false};
  std::atomic<bool> refuse_syncs{false};

  // Writes and syncs of database files so far.
  [[nodiscard]] int touches_by(std::thread::id thread) {
    const std::lock_guard lock(mutex_);
    return touches_[thread];
  }
  [[nodiscard]] int touches_by_others() {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [thread, count] : touches_) sum += thread == std::this_thread::get_id() ? 0 : count;
    return sum;
  }

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
    const int code = disk->system_->xOpen(disk->system_, name, file, flags, opened);
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) disk->watch(file);
    return code;
  }
  static int close(sqlite3_file* file) { return disk->forget(file)->xClose(file); }
  static int write(sqlite3_file* file, const void* octets, int count, sqlite3_int64 offset) {
    const sqlite3_io_methods* system = disk->touch(file);
    return disk->refuse_writes ? SQLITE_IOERR_WRITE : system->xWrite(file, octets, count, offset);
  }
  static int sync(sqlite3_file* file, int flags) {
    const sqlite3_io_methods* system = disk->touch(file);
    return disk->refuse_syncs ? SQLITE_IOERR_FSYNC : system->xSync(file, flags);
  }

  struct Watched {
    const sqlite3_io_methods* system;
    sqlite3_io_methods methods;
  };

  void watch(sqlite3_file* file) {
    const std::lock_guard lock(mutex_);
    Watched& watched = files_[file];
    watched.system = file->pMethods;
    watched.methods = *file->pMethods;
    watched.methods.xClose = &close;
    watched.methods.xWrite = &write;
    watched.methods.xSync = &sync;
    file->pMethods = &watched.methods;
  }
  const sqlite3_io_methods* forget(sqlite3_file* file) {
    const std::lock_guard lock(mutex_);
    const sqlite3_io_methods* system = files_.at(file).system;
    files_.erase(file);
    return system;
  }
  const sqlite3_io_methods* touch(sqlite3_file* file) {
    const std::lock_guard lock(mutex_);
    ++touches_[std::this_thread::get_id()];
    return files_.at(file).system;
  }

  static inline WatchedDisk* disk = nullptr;

  sqlite3_vfs* system_;
  sqlite3_vfs vfs_;
  std::mutex mutex_;
  std::map<sqlite3_file*, Watched> files_;  // nodes stay where they are
  std::map<std::thread::id, int> touches_;
};

}  // namespace storage::sqlite
