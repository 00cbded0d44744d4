// tests/contract/store_under_test.h: a fresh store on one engine, and its rows seen without the code under test: raw
// SQL on the real engines, the Store's maps in memory. One thread, the drivers it hands out excepted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/admin.h"
#include "storage/driver.h"
#include "tests/support/message_rows.h"

namespace contract {

enum class Kind { memory, sqlite, postgresql, mysql };
[[nodiscard]] std::string to_string(Kind kind);
// memory, and every engine that was built.
[[nodiscard]] std::vector<Kind> kinds_of_this_build();
// Those where others can write while a batch is being stored.
[[nodiscard]] std::vector<Kind> kinds_with_servers();

// How many rows each table has.
struct Counts {
  std::int64_t messages = 0;
  std::int64_t physmessages = 0;
  std::int64_t parts = 0;
  std::int64_t partlists = 0;
  std::int64_t values = 0;
  std::int64_t headers = 0;
  std::int64_t references = 0;
  std::int64_t envelopes = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
void PrintTo(const Counts& counts, std::ostream* out);

// The messages row.
struct Entry {
  storage::MailboxId mailbox = 0;
  std::int64_t physmessage = 0;
  std::string unique_id;
  std::int64_t status = 0;
  std::int64_t recent_flag = 0;
  std::int64_t other_flags = 0;  // sum
  std::int64_t seq = 0;
};

class StoreUnderTest {
 public:
  [[nodiscard]] static std::unique_ptr<StoreUnderTest> make(Kind kind);
  virtual ~StoreUnderTest() = default;

  using Change = std::function<void(storage::Options&)>;
  [[nodiscard]] virtual std::unique_ptr<storage::Driver> driver(const Change& change = {}) = 0;

  // --- through the driver's own doors ---
  [[nodiscard]] storage::Admin& admin();
  [[nodiscard]] storage::UserId add_user(const std::string& userid, std::int64_t max_size = 0);
  void add_alias(const std::string& alias, const std::string& deliver_to);
  [[nodiscard]] storage::MailboxId mailbox(storage::UserId user, const std::string& name = "INBOX");  // 0: none
  [[nodiscard]] storage::Target inbox_of(storage::UserId user);
  [[nodiscard]] std::int64_t used_size(const std::string& userid);
  [[nodiscard]] std::int64_t seq(storage::UserId user, const std::string& name = "INBOX");

  // --- behind them ---
  [[nodiscard]] virtual Counts counts() = 0;
  [[nodiscard]] virtual Entry entry(storage::MessageId uid) = 0;
  [[nodiscard]] virtual testing_support::MessageRows rows(std::int64_t physmessage) = 0;
  [[nodiscard]] virtual std::vector<std::string> header_names() = 0;
  [[nodiscard]] virtual bool is_subscribed(storage::UserId user, storage::MailboxId mailbox) = 0;
  virtual storage::MailboxId add_mailbox(storage::UserId owner, const std::string& name, bool selectable) = 0;
  virtual void remove_mailbox(storage::MailboxId mailbox) = 0;
  virtual void deactivate(storage::UserId user) = 0;
  virtual void set_status(storage::MessageId uid, int status) = 0;
  virtual void remove_header_name(const std::string& name) = 0;
  // What a clean-up tool with an old list does at the worst moment: every physmessage, part and value goes.
  virtual void remove_all_content() = 0;
  // A row of mimeparts that no partlists row references.
  virtual void add_unused_part(const std::string& hash, const std::string& data) = 0;

 private:
  std::unique_ptr<storage::Driver> own_driver_;
  std::unique_ptr<storage::Admin> admin_;
};

// One line per row of physmessage, partlists with mimeparts, header with its value, referencesfield, envelope. Sorted.
[[nodiscard]] std::vector<std::string> lines_of(const testing_support::MessageRows& rows);
// What the rows of a message must be; names: the header names that the store caches.
[[nodiscard]] std::vector<std::string> lines_of(const storage::Message& message, const std::vector<std::string>& names);

}  // namespace contract
