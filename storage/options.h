// storage/options.h: how to reach and use a store. Filled from the configuration, read-only afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "storage/fault_hook.h"

namespace storage {

struct Options {
  // "sqlite:///absolute/path", "postgresql://user:password@host:port/database?…" (also "postgresql:///db?host=/socket/dir"),
  // "mysql://user:password@host:port/database?socket=/path&ssl_ca=/path" (also for MariaDB).
  std::string uri;
  std::string password_file;            // when set, its first line is the password; keeps secrets out of the configuration
  std::string table_prefix = "dbmail_"; // letters, digits and underscore only
  std::chrono::seconds connect_timeout{5};
  std::chrono::seconds statement_timeout{30};
  std::chrono::seconds lock_timeout{10};
  bool recognise_redelivery = true;     // off: unique_id is salted and nothing counts as "already stored"
  bool cache_new_header_names = false;  // on: header names that the store does not know are added to its dictionary
  std::string detail_delimiters = "+";  // each character splits local parts; the first that occurs wins
  bool create_detail_mailboxes = false; // on: a detail that names no mailbox creates it
  std::string sqlite_synchronous = "FULL";  // FULL or EXTRA: what a 250 survives; see storage/sqlite/driver.h
  bool server_prepared_statements = true;   // PostgreSQL behind a transaction pooler: off
  StatementHook statement_hook;             // tests only: faults and counts at each statement; must be thread-safe
};

// Pool of connections of one kind (writers, or look-ups).
struct PoolOptions {
  int size = 2;
  std::chrono::seconds max_age{1800};       // a connection older than this is replaced when it comes back
  std::chrono::seconds idle_check{30};      // idle longer than this: pinged before use
  std::chrono::milliseconds backoff_min{100};
  std::chrono::milliseconds backoff_max{5000};
};

}  // namespace storage
