// storage/driver.h: THE DOOR. Everything above it speaks of addresses, deliveries and outcomes; everything below of SQL.
// Drivers block and are simple on purpose: they run on lane, look-up and control threads, never on an I/O thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/delivery.h"
#include "storage/options.h"
#include "storage/status.h"

namespace storage {

class Admin;  // storage/admin.h

// One connection = one world. Used by one thread at a time, owned by a pool or by the caller. No method throws: whatever a client
// library throws, bad_alloc included, becomes a Status.
class Connection {
 public:
  virtual ~Connection() = default;

  // Looks addresses up: out[i] answers in[i]. REQUIRES in.size() == out.size().
  // On success every out[i].status is final. On failure (unavailable, conflict, internal) out is meaningless: "don't know".
  // Round trips do not grow with in.size(). Reads only, except that detail mailboxes are never created here.
  [[nodiscard]] virtual Status resolve(std::span<const Address> in, std::span<Resolution> out) = 0;

  // Stores a batch in ONE transaction, all or nothing. out has one entry per target, in order: batch[0].targets, batch[1].targets …
  // On success every out[i] is final and durable; a refusal (over quota, user gone) is data and does not stop
  // the others; a target whose folder (not INBOX) is gone is unavailable: the retry goes to INBOX.
  // On any failure but in_doubt nothing is stored and out is meaningless. in_doubt: COMMIT may have happened; out holds provisional
  // outcomes with their keys, for settle() on a fresh connection. Missing INBOXes are created in short transactions of their own
  // before the batch's.
  [[nodiscard]] virtual Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) = 0;

  // After in_doubt, on a fresh connection: under the mailbox locks, looks up each provisional outcome (status ok with a key);
  // found → stays ok (message_idnr from the row); not found → Status in_doubt for that target. Refusals stay as they are.
  [[nodiscard]] virtual Status settle(std::span<TargetOutcome> outcomes) = 0;

  // One cheap round trip.
  [[nodiscard]] virtual Status ping() = 0;

  // False once an error has poisoned the connection: throw it away.
  [[nodiscard]] virtual bool usable() const = 0;
};

// What the schema check found; each line names one thing and is ready for the log.
struct SchemaReport {
  std::vector<std::string> problems;  // must be mended: lmtpd exits 78
  std::vector<std::string> remarks;   // works, but: slower, or a choice to know of
  std::string server;                 // "PostgreSQL 15.8", "MariaDB 10.11.6", "SQLite 3.40.1"
};

// Thread-safe factory. Constructed once from Options; opens nothing by itself.
class Driver {
 public:
  virtual ~Driver() = default;

  // A new connection with the session pinned (UTF-8, UTC, READ COMMITTED, strict). unavailable: cannot be reached now;
  // internal with a sentence for the operator: wrong password, no such database … (still temporary for mail).
  [[nodiscard]] virtual Status connect(std::unique_ptr<Connection>& out) = 0;

  // Writers that make sense at once; SQLite: 1.
  [[nodiscard]] virtual int max_writers() const = 0;

  // Compares the database with what lmtpd needs. Never alters anything.
  [[nodiscard]] virtual Status check_schema(SchemaReport& out) = 0;

  // The largest message the server can take: its packet limit minus 64 KiB; UINT64_MAX where there is none.
  [[nodiscard]] virtual Status max_message_size(std::uint64_t& octets) = 0;

  // The second door: users, aliases, export, schema creation (storage/admin.h). Own connection.
  [[nodiscard]] virtual Status open_admin(std::unique_ptr<Admin>& out) = 0;
};

}  // namespace storage
