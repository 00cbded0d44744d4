// storage/memory/store.h: a whole store in memory, with the tables of schema/: for tests, dialogues and benches. It is
// the reference for what the other engines do. One mutex; every function and every field below needs it held, but
// lock() and begin().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/admin.h"
#include "storage/delivery.h"

namespace storage::memory {

using RowId = std::int64_t;

struct Mailbox {
  UserId owner = 0;
  std::string name;
  std::int64_t seq = 1;
  bool selectable = true;  // no_select = 0 and permission = 2
};
struct Partlist {
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  bool is_header = false;
  RowId part = 0;
};
// With the rows of partlists, header, referencesfield and envelope that belong to it.
struct Physmessage {
  std::uint64_t message_size = 0;
  std::uint64_t rfc_size = 0;
  std::string internal_date;
  std::vector<Partlist> parts;
  std::vector<std::pair<RowId, RowId>> headers;  // headername, headervalue
  std::vector<std::string> references;
  std::string envelope;
};
struct Mimepart {
  std::string hash;
  std::string data;
  std::int64_t uses = 0;  // rows of partlists
};
struct HeaderValue {
  std::string hash;
  std::string value;
  std::string sortfield;
  std::string date;       // empty: NULL
  std::int64_t uses = 0;  // rows of header
};
struct MessageEntry {
  MailboxId mailbox = 0;
  RowId physmessage = 0;
  std::string unique_id;
  std::int64_t seq = 0;
  int status = 0;
};

class Store {
 public:
  // A fresh install: internal users, header names.
  Store();

  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // --- rows; each call keeps the indexes right ---
  UserId add_user(UserRecord user);
  void remove_user(UserId id);  // with everything that is his
  RowId add_alias(std::string alias, std::string deliver_to);
  void remove_alias(RowId id);
  // 0: the user does not exist. An existing mailbox of that name, in any case, is left as it is.
  MailboxId add_mailbox(UserId owner, std::string_view name);
  void remove_mailbox(MailboxId id);  // with its messages
  MessageId add_message(MessageEntry message);
  void remove_message(MessageId id);
  RowId add_part(std::string_view hash, std::string_view data);
  void remove_part(RowId id);
  RowId add_value(HeaderValue value);
  void remove_value(RowId id);
  RowId add_header_name(std::string_view name);
  void remove_header_name(std::string_view name);
  [[nodiscard]] bool has_header_name(RowId id) const { return header_name_ids_.contains(id); }
  RowId add_physmessage(Physmessage physmessage);  // counts the uses of its parts and values
  void remove_physmessage(RowId id);

  // --- one transaction at a time: what the rows' functions do is undone by roll_back ---
  void begin() { undo_.clear(); }
  void keep() { undo_.clear(); }
  void roll_back();
  void on_roll_back(std::function<void()> step) { undo_.push_back(std::move(step)); }

  std::map<UserId, UserRecord> users;
  std::map<RowId, AliasRecord> aliases;
  std::map<MailboxId, Mailbox> mailboxes;
  std::set<std::pair<UserId, MailboxId>> subscriptions;
  std::map<RowId, Physmessage> physmessages;
  std::map<RowId, Mimepart> parts;
  std::map<RowId, HeaderValue> values;
  std::map<std::string, RowId, std::less<>> header_names;
  std::map<MessageId, MessageEntry> messages;

  // Indexes.
  std::multimap<std::string, UserId, std::less<>> users_by_name;   // lower case
  std::multimap<std::string, RowId, std::less<>> aliases_by_name;  // lower case
  std::map<std::pair<UserId, std::string>, MailboxId> mailboxes_by_name;
  std::multimap<std::string, RowId, std::less<>> parts_by_hash;
  std::multimap<std::string, RowId, std::less<>> values_by_hash;
  std::map<std::pair<MailboxId, std::string>, MessageId> messages_by_key;

  // How long COMMIT takes, for benches; set before use.
  std::chrono::microseconds commit_delay{0};

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> undo_;
  std::set<RowId> header_name_ids_;
  std::int64_t next_id_ = 1;  // one sequence for all tables; like a database's, it never steps back
};

// ASCII only, as the weakest engine's lower().
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace storage::memory
