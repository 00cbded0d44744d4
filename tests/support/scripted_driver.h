// tests/support/scripted_driver.h: a store in memory, as simple as the rooms above the door need it: it remembers
// copies by identity, counts what happens, and asks the test's hooks before each call. Behind FaultyDriver it also
// loses answers. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/driver.h"

namespace testing_support {

class ScriptedDriver : public storage::Driver {
 public:
  // Set before use. A failure is what the call returns; nothing is stored then. Called without a lock.
  std::function<storage::Status()> on_connect = [] { return storage::Status(); };
  std::function<storage::Status(std::span<const storage::Delivery>)> on_store = [](auto) { return storage::Status(); };
  std::function<storage::Status(std::span<const storage::Address>)> on_resolve = [](auto) { return storage::Status(); };
  std::function<storage::Status()> on_settle = [] { return storage::Status(); };
  std::function<storage::Status()> on_ping = [] { return storage::Status(); };
  std::function<void()> on_close = [] {};  // before a connection is gone; must not throw
  // May turn outcomes of a committed transaction into refusals.
  std::function<void(std::span<storage::TargetOutcome>)> after_store = [](auto) {};
  // Whether a connection that just saw this failure is still good.
  std::function<bool(storage::Reason)> survives = [](storage::Reason reason) {
    return reason != storage::Reason::unavailable && reason != storage::Reason::in_doubt;
  };
  int writers = 8;

  storage::Status connect(std::unique_ptr<storage::Connection>& out) override;
  int max_writers() const override { return writers; }
  storage::Status check_schema(storage::SchemaReport&) override { return storage::Status(); }
  storage::Status max_message_size(std::uint64_t& octets) override;
  storage::Status open_admin(std::unique_ptr<storage::Admin>& out) override;

  // --- what happened ---
  struct Counts {
    int connects = 0;   // tried
    int open = 0;       // connections that exist now
    int most_open = 0;  // … at the same time
    int pings = 0;
    int stores = 0;  // tried
    int settles = 0;
    std::vector<std::size_t> batches;                     // deliveries per committed transaction
    std::vector<std::vector<storage::Address>> resolves;  // addresses per call
  };
  [[nodiscard]] Counts counts() const;
  // Copies of that identity in that mailbox: exactly once means 0 or 1.
  [[nodiscard]] int copies(storage::MailboxId mailbox, const std::string& unique_id) const;
  [[nodiscard]] std::size_t copies() const;  // of all

 private:
  friend class ScriptedConnection;

  mutable std::mutex mutex_;
  Counts counts_;
  std::map<std::pair<storage::MailboxId, std::string>, int> copies_;
};

// A message of about `octets` for `targets` mailboxes, whose identity is its number. Mailbox ids: 1 … targets.
[[nodiscard]] storage::Delivery numbered_delivery(int number, int targets = 1, std::size_t octets = 100);
// The number again.
[[nodiscard]] int number_of(const storage::Delivery& delivery);
// Copies of that message in the store, one count per target.
[[nodiscard]] std::vector<int> copies_of(const ScriptedDriver& driver, int number, int targets = 1);

}  // namespace testing_support
