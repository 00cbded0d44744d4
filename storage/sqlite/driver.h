// storage/sqlite/driver.h: the factory for SQLite 3.38 and later (tested with 3.40). Thread-safe; opens nothing by
// itself.
//
// URI: sqlite:///absolute/path. A missing file is made with mode 0640 by connect() and by Admin::create_schema(), never
// by looking (check_schema(), the rest of Admin); the schema only by create_schema(). The database runs in WAL mode. Options::sqlite_synchronous says what a 250 survives: FULL, a crash of lmtpd,
// of the system and a loss of power, as the WAL is synced at each COMMIT; EXTRA also syncs the folder, for file systems
// that lose directory entries.
//
// The log, <file>-wal, holds up to 64 MiB of mail that is not in the file yet (more while somebody reads for long) and
// goes away when the last program closes the file: back up with the sqlite3 command .backup.
// storage/sqlite/checkpointer.h.
#pragma once

#include <memory>

#include "storage/driver.h"

namespace storage::sqlite {

// Throws std::invalid_argument for a URI or a synchronous mode that cannot be used.
[[nodiscard]] std::unique_ptr<storage::Driver> make_driver(const Options& options);

}  // namespace storage::sqlite
