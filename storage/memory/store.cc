#include "storage/memory/store.h"

#include <algorithm>

namespace storage::memory {
namespace {

template <typename Index, typename Key>
void erase_entry(Index& index, const Key& key, std::int64_t id) {
  const auto [first, last] = index.equal_range(key);
  for (auto entry = first; entry != last; ++entry) {
    if (entry->second != id) continue;
    index.erase(entry);
    return;
  }
}

template <typename Map, typename Wanted>
std::vector<std::int64_t> ids_where(const Map& rows, Wanted wanted) {
  std::vector<std::int64_t> ids;
  for (const auto& [id, row] : rows) {
    if (wanted(row)) ids.push_back(id);
  }
  return ids;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

Store::Store() {
  for (const char* name : {"__@!internal_delivery_user!@__", "anyone", "__public__"}) {
    UserRecord user;
    user.userid = name;
    user.encryption_type = "md5";
    user.internal = true;
    add_user(std::move(user));
  }
  for (const char* name : {"return-path", "reply-to", "in-reply-to", "references", "content-disposition",
                           "content-type", "subject", "date", "bcc", "cc", "to", "from", "message-id"}) {
    add_header_name(name);
  }
  undo_.clear();
}

UserId Store::add_user(UserRecord user) {
  user.id = next_id_++;
  const UserId id = user.id;
  users_by_name.emplace(lower(user.userid), id);
  users.emplace(id, std::move(user));
  return id;
}

void Store::remove_user(UserId id) {
  for (const MailboxId mailbox : ids_where(mailboxes, [&](const Mailbox& row) { return row.owner == id; }))
    remove_mailbox(mailbox);
  const std::string target = std::to_string(id);
  for (const RowId alias : ids_where(aliases, [&](const AliasRecord& row) { return row.deliver_to == target; }))
    remove_alias(alias);
  const auto user = users.find(id);
  if (user == users.end()) return;
  erase_entry(users_by_name, lower(user->second.userid), id);
  users.erase(user);
}

RowId Store::add_alias(std::string alias, std::string deliver_to) {
  const RowId id = next_id_++;
  aliases_by_name.emplace(lower(alias), id);
  aliases.emplace(id, AliasRecord{id, std::move(alias), std::move(deliver_to)});
  return id;
}

void Store::remove_alias(RowId id) {
  const auto alias = aliases.find(id);
  if (alias == aliases.end()) return;
  erase_entry(aliases_by_name, lower(alias->second.alias), id);
  aliases.erase(alias);
}

MailboxId Store::add_mailbox(UserId owner, std::string_view name) {
  if (!users.contains(owner)) return 0;
  for (auto entry = mailboxes_by_name.lower_bound({owner, std::string()});
       entry != mailboxes_by_name.end() && entry->first.first == owner; ++entry) {
    if (lower(entry->first.second) == lower(name)) return entry->second;
  }
  const MailboxId id = next_id_++;
  mailboxes_by_name.emplace(std::pair(owner, std::string(name)), id);
  mailboxes.emplace(id, Mailbox{owner, std::string(name), 1, true});
  subscriptions.emplace(owner, id);
  return id;
}

void Store::remove_mailbox(MailboxId id) {
  const auto mailbox = mailboxes.find(id);
  if (mailbox == mailboxes.end()) return;
  for (const MessageId message : ids_where(messages, [&](const MessageEntry& row) { return row.mailbox == id; })) {
    remove_message(message);
  }
  std::erase_if(subscriptions, [&](const auto& row) { return row.second == id; });
  mailboxes_by_name.erase({mailbox->second.owner, mailbox->second.name});
  mailboxes.erase(mailbox);
}

MessageId Store::add_message(MessageEntry message) {
  const MessageId id = next_id_++;
  messages_by_key.emplace(std::pair(message.mailbox, message.unique_id), id);
  messages.emplace(id, std::move(message));
  on_roll_back([this, id] { remove_message(id); });
  return id;
}

void Store::remove_message(MessageId id) {
  const auto message = messages.find(id);
  if (message == messages.end()) return;
  messages_by_key.erase({message->second.mailbox, message->second.unique_id});
  messages.erase(message);
}

RowId Store::add_part(std::string_view hash, std::string_view data) {
  const RowId id = next_id_++;
  parts_by_hash.emplace(std::string(hash), id);
  parts.emplace(id, Mimepart{std::string(hash), std::string(data), 0});
  on_roll_back([this, id] { remove_part(id); });
  return id;
}

void Store::remove_part(RowId id) {
  const auto part = parts.find(id);
  if (part == parts.end()) return;
  erase_entry(parts_by_hash, part->second.hash, id);
  parts.erase(part);
}

RowId Store::add_value(HeaderValue value) {
  const RowId id = next_id_++;
  values_by_hash.emplace(value.hash, id);
  values.emplace(id, std::move(value));
  on_roll_back([this, id] { remove_value(id); });
  return id;
}

void Store::remove_value(RowId id) {
  const auto value = values.find(id);
  if (value == values.end()) return;
  erase_entry(values_by_hash, value->second.hash, id);
  values.erase(value);
}

RowId Store::add_header_name(std::string_view name) {
  const auto [entry, is_new] = header_names.try_emplace(std::string(name), next_id_);
  if (is_new) header_name_ids_.insert(next_id_++);
  return entry->second;
}

void Store::remove_header_name(std::string_view name) {
  const auto entry = header_names.find(name);
  if (entry == header_names.end()) return;
  header_name_ids_.erase(entry->second);
  header_names.erase(entry);
}

RowId Store::add_physmessage(Physmessage physmessage) {
  const RowId id = next_id_++;
  for (const Partlist& row : physmessage.parts) ++parts.at(row.part).uses;
  for (const auto& [name, value] : physmessage.headers) ++values.at(value).uses;
  physmessages.emplace(id, std::move(physmessage));
  on_roll_back([this, id] { remove_physmessage(id); });
  return id;
}

void Store::remove_physmessage(RowId id) {
  const auto physmessage = physmessages.find(id);
  if (physmessage == physmessages.end()) return;
  for (const Partlist& row : physmessage->second.parts) --parts.at(row.part).uses;
  for (const auto& [name, value] : physmessage->second.headers) --values.at(value).uses;
  physmessages.erase(physmessage);
}

void Store::roll_back() {
  while (!undo_.empty()) {
    const auto step = std::move(undo_.back());
    undo_.pop_back();
    step();
  }
}

}  // namespace storage::memory
