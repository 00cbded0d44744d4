#include "storage/sqlite/errors.h"

#include <sqlite3.h>

#include <new>

#include "storage/fault_hook.h"

namespace storage::sqlite {
namespace {

struct Verdict {
  Reason reason;
  bool poisoned;
};

Verdict verdict_for(int code) {
  switch (code) {
    // A trigger found no parent row: a reused part, value or name was removed. The next attempt looks everything up
    // again.
    case SQLITE_CONSTRAINT_TRIGGER:
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return {Reason::conflict, false};
    default:
      break;
  }
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_SCHEMA:
      return {Reason::conflict, false};
    case SQLITE_FULL:
      return {Reason::storage_full, false};
    case SQLITE_INTERRUPT:
      return {Reason::unavailable, false};  // statement_timeout
    case SQLITE_NOMEM:
      return {Reason::unavailable, true};
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
    case SQLITE_READONLY:
      return {Reason::unavailable, true};
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      return {Reason::rejected_by_store, false};
    default:
      return {Reason::internal, true};  // SQLITE_ERROR (no such table), SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE …
  }
}

std::string_view remedy(int code) {
  switch (code & 0xFF) {
    case SQLITE_ERROR:
      return " (is the schema there? lmtpctl schema check)";
    case SQLITE_READONLY:
      return " (the file and its folder must be writable for the user that lmtpd runs as)";
    case SQLITE_NOTADB:
      return " (storage.uri names a file that is no SQLite database)";
    case SQLITE_CORRUPT:
      return " (stop lmtpd and restore the file from a backup, or try the sqlite3 command .recover)";
    default:
      return "";
  }
}

}  // namespace

Translation translate(const std::exception_ptr& fault, bool in_doubt) {
  try {
    std::rethrow_exception(fault);
  } catch (const InjectedFault& injected) {
    if (!injected.connection_lost()) return {Status(Reason::conflict, injected.what()), false};
    return {Status(in_doubt ? Reason::in_doubt : Reason::unavailable, injected.what()), true};
  } catch (const Refused& refused) {
    return {Status(refused.reason(), refused.what()), false};
  } catch (const Error& error) {
    if (in_doubt) return {Status(Reason::in_doubt, error.what()), true};
    const Verdict verdict = verdict_for(error.code());
    return {Status(verdict.reason, error.what() + std::string(remedy(error.code()))), verdict.poisoned};
  } catch (const std::bad_alloc&) {
    return {Status(in_doubt ? Reason::in_doubt : Reason::unavailable, "out of memory"), true};
  } catch (const std::exception& error) {
    return {Status(in_doubt ? Reason::in_doubt : Reason::internal, error.what()), true};
  } catch (...) {
    return {Status(in_doubt ? Reason::in_doubt : Reason::internal, "unknown exception"), true};
  }
}

}  // namespace storage::sqlite
