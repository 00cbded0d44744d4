// storage/postgresql/conninfo.h: Options → libpq's connection string. Everything that pins a session travels in it, so
// a session without its settings cannot exist and connecting costs no extra round trip. Pure but for the password file;
// the result holds the password: it is never logged.
#pragma once

#include <string>

#include "storage/options.h"

namespace storage::postgresql {

// Throws std::invalid_argument with a sentence for the operator.
//
// With server_prepared_statements off (a pooler in transaction mode) no server option is sent: PgBouncer refuses them,
// and a server session serves several clients. begin_text() then pins each transaction.
[[nodiscard]] std::string conninfo(const Options& options);

// The BEGIN of every transaction.
[[nodiscard]] std::string begin_text(const Options& options);

}  // namespace storage::postgresql
