// storage/mysql/errors.h: what an exception of this engine means. Pure, any thread. Error numbers: server 1000-1999 and
// 3000 up, client library 2000-2999; MySQL 8 and later and MariaDB 10.6 and later agree on all numbers named in
// errors.cc, or one of them never uses it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "storage/status.h"

namespace storage::mysql {

struct Failure {
  Reason reason = Reason::internal;
  bool poisoned = false;  // the connection is of no use any more, or its state is unknown
  std::string detail;
};

// Whether code says that the client library gave up (lost connection, misuse), not that the server refused.
[[nodiscard]] bool from_client_library(int code);

// code: SQLException::getErrorCode(); message: what(), which tells "disk full" where the code does not.
[[nodiscard]] Failure classify(int code, std::string_view message);

// Anything thrown while a statement ran: sql::SQLException, InjectedFault, bad_alloc, bugs of ours.
[[nodiscard]] Failure translate(std::exception_ptr error);

// The same failure, had while COMMIT was in flight: unless the server said that it rolled back, nobody knows: in_doubt.
[[nodiscard]] Failure at_commit(Failure failure);

// The same failure, had while connecting: unavailable when trying again may help, else internal with a sentence for the
// operator.
[[nodiscard]] Failure at_connect(Failure failure, int code);

}  // namespace storage::mysql
