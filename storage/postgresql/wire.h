// storage/postgresql/wire.h: libpq without its blocking calls: connect, send and receive, each with a deadline, so that
// a silent server or a dropped network never holds a lane. Faults are thrown as Error. One thread per PGconn.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgresql/arguments.h"
#include "storage/postgresql/rows.h"

namespace storage::postgresql::wire {

using Timeout = std::chrono::milliseconds;  // zero: wait for ever

// Connects and authenticates; the caller owns the handle (non-blocking, notices dropped). The error holds the server's
// SQLSTATE when it refused us; the message never holds the password.
[[nodiscard]] PGconn* dial(const std::string& conninfo, Timeout timeout);

// One statement with its values; lives as long as what it points to.
struct Request {
  std::string_view name;
  const std::string* text = nullptr;  // nullptr: name is that of a prepared statement
  const Arguments* arguments = nullptr;
};

// Each sends one request and waits for its complete answer; throws Error for a refusal or a lost connection.
// Several statements in text: the last answer counts, the first error wins.
Rows query(PGconn* connection, const std::string& text, Timeout timeout);
void prepare(PGconn* connection, const std::string& name, const std::string& text, Timeout timeout);
Rows execute(PGconn* connection, const Request& request, Timeout timeout);
// All requests in one round trip (libpq's pipeline mode); their answers, in order. The first that fails stops the rest,
// a COMMIT among them included; its name is in front of the error.
std::vector<Rows> execute_together(PGconn* connection, std::span<const Request> requests, Timeout timeout);

// The SQLSTATE inside libpq's verbose message of a failed connection attempt; empty when the server did not send one.
[[nodiscard]] std::string sqlstate_in(std::string_view verbose_message);

}  // namespace storage::postgresql::wire
