#include "storage/mysql/errors.h"

#include <cppconn/exception.h>

#include <algorithm>
#include <array>
#include <new>

#include "storage/fault_hook.h"

namespace storage::mysql {
namespace {

struct Meaning {
  int code;
  Reason reason;
  bool poisoned;
};

// clang-format off
constexpr std::array meanings{
    // The transaction, or this statement of it, lost against another one. 1205 rolls back the statement only; the caller rolls back.
    Meaning{1213, Reason::conflict, false},           // deadlock; Galera: certification failed, also at COMMIT
    Meaning{1205, Reason::conflict, false},           // lock wait timeout
    Meaning{3572, Reason::conflict, false},           // NOWAIT
    Meaning{1020, Reason::conflict, false},           // MariaDB, innodb_snapshot_isolation: record changed since last read
    Meaning{1206, Reason::conflict, false},           // lock table full
    Meaning{1412, Reason::conflict, false},           // table definition changed
    Meaning{1615, Reason::conflict, false},           // statement needs to be prepared again
    Meaning{3101, Reason::conflict, false},           // group replication rolled back at COMMIT
    Meaning{1452, Reason::conflict, false},           // a row that was to be reused has been deleted meanwhile; the retry looks again
    Meaning{1216, Reason::conflict, false},
    // The server refuses these rows; the same batch would fail again.
    Meaning{1062, Reason::rejected_by_store, false},  // duplicate key
    Meaning{1586, Reason::rejected_by_store, false},
    Meaning{1048, Reason::rejected_by_store, false},  // NULL in a NOT NULL column
    Meaning{1364, Reason::rejected_by_store, false},  // no default
    Meaning{1406, Reason::rejected_by_store, false},  // too long
    Meaning{1366, Reason::rejected_by_store, false},  // not valid in the column's charset
    Meaning{1300, Reason::rejected_by_store, false},
    Meaning{1264, Reason::rejected_by_store, false},  // out of range
    Meaning{1265, Reason::rejected_by_store, false},
    Meaning{1292, Reason::rejected_by_store, false},
    Meaning{1118, Reason::rejected_by_store, false},  // row too large
    Meaning{1105, Reason::rejected_by_store, false},  // a long parameter beyond max_allowed_packet
    Meaning{1301, Reason::rejected_by_store, false},
    Meaning{1153, Reason::rejected_by_store, true},   // packet too large: the server hangs up
    Meaning{2020, Reason::rejected_by_store, true},
    Meaning{1451, Reason::rejected_by_store, false},  // a child row keeps its parent
    // No room.
    Meaning{1114, Reason::storage_full, false},       // table full
    Meaning{1021, Reason::storage_full, false},       // disk full
    // The server is not there, goes away, or takes no writes now: reconnect, perhaps to another one.
    Meaning{2002, Reason::unavailable, true},
    Meaning{2003, Reason::unavailable, true},
    Meaning{2005, Reason::unavailable, true},
    Meaning{2006, Reason::unavailable, true},
    Meaning{2012, Reason::unavailable, true},
    Meaning{2013, Reason::unavailable, true},
    Meaning{2055, Reason::unavailable, true},
    Meaning{1927, Reason::unavailable, true},         // killed
    Meaning{1317, Reason::unavailable, true},         // interrupted
    Meaning{1053, Reason::unavailable, true},         // shutting down
    Meaning{1077, Reason::unavailable, true},
    Meaning{1079, Reason::unavailable, true},
    Meaning{1080, Reason::unavailable, true},
    Meaning{1152, Reason::unavailable, true},
    Meaning{1158, Reason::unavailable, true},
    Meaning{1159, Reason::unavailable, true},
    Meaning{1160, Reason::unavailable, true},
    Meaning{1161, Reason::unavailable, true},
    Meaning{1184, Reason::unavailable, true},
    Meaning{4031, Reason::unavailable, true},         // idle too long
    Meaning{1040, Reason::unavailable, true},         // too many connections
    Meaning{1129, Reason::unavailable, true},         // host blocked after errors
    Meaning{1203, Reason::unavailable, true},
    Meaning{1226, Reason::unavailable, true},
    Meaning{1461, Reason::unavailable, true},         // max_prepared_stmt_count: leaving frees this connection's
    Meaning{1047, Reason::unavailable, true},         // Galera: node not ready
    Meaning{1290, Reason::unavailable, true},         // --read-only
    Meaning{1792, Reason::unavailable, true},
    Meaning{1836, Reason::unavailable, true},
    Meaning{3032, Reason::unavailable, true},         // offline mode
    Meaning{1037, Reason::unavailable, true},         // server out of memory
    Meaning{1041, Reason::unavailable, true},
    Meaning{1969, Reason::unavailable, false},        // MariaDB: max_statement_time
    Meaning{3024, Reason::unavailable, false},        // MySQL: max_execution_time
};
// clang-format on

// "Got error 28 from storage engine", "Error writing file … (Errcode: 28 …)", "(errno: 28 - No space left on device)"
bool says_disk_full(std::string_view message) {
  return message.find("rror 28 ") != std::string_view::npos || message.find("code: 28") != std::string_view::npos ||
         message.find("errno: 28") != std::string_view::npos;
}

}  // namespace

bool from_client_library(int code) {
  return code == 0 || (code >= 2000 && code < 3000) || (code >= 5000 && code < 6000);
}

Failure classify(int code, std::string_view message) {
  std::string detail = std::to_string(code) + ": " + std::string(message);
  const auto found = std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& m) { return m.code == code; });
  if (found != meanings.end()) return {found->reason, found->poisoned, std::move(detail)};
  if (code == 1142 || code == 1143) detail += " (GRANT SELECT, INSERT, UPDATE, DELETE on the database to this account)";
  if (code == 1146 || code == 1054) detail += " (the schema is incomplete: lmtpctl schema check)";
  if (says_disk_full(message)) return {Reason::storage_full, false, std::move(detail)};
  return {Reason::internal, from_client_library(code), std::move(detail)};
}

Failure translate(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const sql::SQLException& e) {
    return classify(e.getErrorCode(), e.what());
  } catch (const InjectedFault& e) {
    return {e.connection_lost() ? Reason::unavailable : Reason::conflict, e.connection_lost(), e.what()};
  } catch (const std::bad_alloc&) {
    return {Reason::unavailable, true, "out of memory"};
  } catch (const std::exception& e) {
    return {Reason::internal, true, e.what()};
  } catch (...) {
    return {Reason::internal, true, "an exception that is no std::exception"};
  }
}

Failure at_commit(Failure failure) {
  if (failure.reason == Reason::conflict && !failure.poisoned) return failure;
  return {Reason::in_doubt, true, "COMMIT: " + failure.detail};
}

Failure at_connect(Failure failure, int code) {
  switch (code) {
    case 1044:
    case 1045:
    case 1698:
      failure.detail += " (check user, password and privileges in storage.uri)";
      break;
    case 1049:
      failure.detail += " (create the database, or correct its name in storage.uri)";
      break;
    case 2026:
      failure.detail += " (TLS: check ssl_mode and ssl_ca in storage.uri; the certificate must name the host)";
      break;
    default:
      break;
  }
  failure.poisoned = true;
  return failure;
}

}  // namespace storage::mysql
