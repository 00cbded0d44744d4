// tests/golden/stored_mail.h: received octets → Decomposer → Driver → a fresh store on a real engine, and back: by
// plain SQL, and through the admin door as lmtpctl exports. Redelivery recognition is off, and the store caches the
// header names that DBMail's schema has, not ours in addition. One thread; errors throw.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/admin.h"
#include "storage/driver.h"
#include "storage/message.h"
#include "tests/support/message_rows.h"
#include "tests/support/scratch_db.h"

namespace golden {

inline constexpr std::string_view sender = "sender@example.org";
inline constexpr std::string_view return_path = "Return-Path: sender@example.org\r\n";

// Fed in pieces of so many octets; 0: as a whole.
[[nodiscard]] storage::Message decompose(std::string_view received, std::size_t piece = 0);

class StoredMail {
 public:
  explicit StoredMail(testing_support::Engine engine);

  // All in one batch, for one user's INBOX. Returns their UIDs, in order.
  [[nodiscard]] std::vector<storage::MessageId> store(std::vector<storage::Message> messages);

  [[nodiscard]] testing_support::MessageRows rows(storage::MessageId uid);
  [[nodiscard]] storage::StoredMessage load(storage::MessageId uid);
  // Rows of dbmail_messages.
  [[nodiscard]] std::size_t count();

 private:
  testing_support::ScratchStore scratch_;
  std::unique_ptr<storage::Driver> driver_;
  std::unique_ptr<storage::Admin> admin_;
  std::unique_ptr<storage::Connection> connection_;
  storage::Target inbox_;
  std::uint64_t stored_ = 0;
};

// For storage::reassemble and export_message; the views point into message.
[[nodiscard]] std::vector<storage::PartView> views_of(const storage::StoredMessage& message);

}  // namespace golden
