// storage/admin.h: the second door, for lmtpctl: schema, users, aliases, mailboxes, messages. Blocking, one thread, one connection.
// Methods return a Status; refusals (no such user, exists already) come as no_such_mailbox / rejected_by_store with a sentence in
// detail() that lmtpctl prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"
#include "storage/status.h"

namespace storage {

enum class IndexSet : std::uint8_t { dbmail, lean };

struct UserRecord {
  UserId id = 0;
  std::string userid;
  std::string passwd;           // as stored
  std::string encryption_type;  // "", "crypt", "sha512" … as DBMail's readers accept it
  std::int64_t max_size = 0;    // octets; 0: no limit
  std::int64_t used_size = 0;
  bool active = true;
  bool internal = false;        // one of DBMail's three internal users
};

struct AliasRecord {
  std::int64_t id = 0;
  std::string alias;
  std::string deliver_to;  // a numeric user id, or an external address
};

struct MailboxRecord {
  MailboxId id = 0;
  std::string name;
  std::uint64_t messages = 0;  // visible (status < 2)
  std::uint64_t octets = 0;    // sum of their messagesize
  std::int64_t seq = 0;
};

struct MessageRecord {
  MessageId uid = 0;
  std::int64_t physmessage_id = 0;
  std::uint64_t size = 0;         // messagesize
  std::string internal_date;      // "YYYY-MM-DD HH:MM:SS", UTC
  std::string unique_id;
  std::string subject;            // cached header value (decoded, may hold folds); empty if none
  std::string from;
};

// The rows of one message, enough to export it (storage/reassembly.h).
struct StoredPart {
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  bool is_header = false;
  std::string data;
};
struct StoredMessage {
  std::uint64_t message_size = 0;
  std::uint64_t rfc_size = 0;
  std::vector<StoredPart> parts;  // in reading order: key, order, depth descending
};

class Admin {
 public:
  virtual ~Admin() = default;

  // Creates all tables, required rows and the indexes of the set. REQUIRES an empty schema (refused otherwise).
  [[nodiscard]] virtual Status create_schema(IndexSet indexes) = 0;

  [[nodiscard]] virtual Status list_users(std::vector<UserRecord>& out) = 0;
  // nullopt: no such user. The name is compared without case.
  [[nodiscard]] virtual Status find_user(std::string_view userid, std::optional<UserRecord>& out) = 0;
  // Adds the user, his INBOX and its subscription; sets user.id.
  [[nodiscard]] virtual Status add_user(UserRecord& user) = 0;
  // Writes what an administrator may change of the user with user.id: password with its encryption type, max_size, active. The rest of
  // the record is not looked at. no_such_mailbox: there is no such user.
  [[nodiscard]] virtual Status update_user(const UserRecord& user) = 0;
  // Removes the user, his aliases that deliver to him, and by cascade his mailboxes and messages.
  [[nodiscard]] virtual Status remove_user(UserId user) = 0;

  [[nodiscard]] virtual Status list_aliases(std::vector<AliasRecord>& out) = 0;
  [[nodiscard]] virtual Status add_alias(AliasRecord& alias) = 0;
  // removed: how many rows matched alias (without case) and, if not empty, deliver_to.
  [[nodiscard]] virtual Status remove_alias(std::string_view alias, std::string_view deliver_to, std::uint64_t& removed) = 0;

  [[nodiscard]] virtual Status list_mailboxes(UserId user, std::vector<MailboxRecord>& out) = 0;
  // Visible messages in UID order. mailbox 0: all mailboxes of the user (out then in mailbox, UID order).
  [[nodiscard]] virtual Status list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) = 0;
  [[nodiscard]] virtual Status load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) = 0;

  // Each step of the address look-up, one sentence a step, and its result; same code as Connection::resolve.
  [[nodiscard]] virtual Status explain(const Address& address, std::vector<std::string>& steps, Resolution& result) = 0;
};

}  // namespace storage
