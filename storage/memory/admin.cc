#include "storage/memory/admin.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "storage/memory/directory.h"

namespace storage::memory {

Status Admin::create_schema(IndexSet) {
  return Status(Reason::rejected_by_store, "the store has its tables already");
}

Status Admin::list_users(std::vector<UserRecord>& out) {
  const auto lock = store_.lock();
  out.clear();
  for (const auto& [id, user] : store_.users) out.push_back(user);
  return Status();
}

Status Admin::find_user(std::string_view userid, std::optional<UserRecord>& out) {
  const auto lock = store_.lock();
  const auto user = store_.users_by_name.find(lower(userid));
  out = user == store_.users_by_name.end() ? std::nullopt : std::optional(store_.users.at(user->second));
  return Status();
}

Status Admin::add_user(UserRecord& user) {
  const auto lock = store_.lock();
  if (store_.users_by_name.contains(lower(user.userid))) {
    return Status(Reason::rejected_by_store, "user " + user.userid + " exists already");
  }
  user.id = store_.add_user(user);
  store_.add_mailbox(user.id, "INBOX");
  return Status();
}

Status Admin::update_user(const UserRecord& user) {
  const auto lock = store_.lock();
  const auto found = store_.users.find(user.id);
  if (found == store_.users.end()) return Status(Reason::no_such_mailbox, "no such user");
  found->second.passwd = user.passwd;
  found->second.encryption_type = user.encryption_type;
  found->second.max_size = user.max_size;
  found->second.active = user.active;
  return Status();
}

Status Admin::remove_user(UserId user) {
  const auto lock = store_.lock();
  if (!store_.users.contains(user)) return Status(Reason::no_such_mailbox, "no such user");
  store_.remove_user(user);
  return Status();
}

Status Admin::list_aliases(std::vector<AliasRecord>& out) {
  const auto lock = store_.lock();
  out.clear();
  for (const auto& [id, alias] : store_.aliases) out.push_back(alias);
  return Status();
}

Status Admin::add_alias(AliasRecord& alias) {
  const auto lock = store_.lock();
  const auto [first, last] = store_.aliases_by_name.equal_range(lower(alias.alias));
  const bool exists = std::any_of(
      first, last, [&](const auto& entry) { return store_.aliases.at(entry.second).deliver_to == alias.deliver_to; });
  if (exists) {
    return Status(Reason::rejected_by_store, "alias " + alias.alias + " to " + alias.deliver_to + " exists already");
  }
  alias.id = store_.add_alias(alias.alias, alias.deliver_to);
  return Status();
}

Status Admin::remove_alias(std::string_view alias, std::string_view deliver_to, std::uint64_t& removed) {
  const auto lock = store_.lock();
  std::vector<RowId> ids;
  const auto [first, last] = store_.aliases_by_name.equal_range(lower(alias));
  for (auto entry = first; entry != last; ++entry) {
    if (deliver_to.empty() || store_.aliases.at(entry->second).deliver_to == deliver_to) ids.push_back(entry->second);
  }
  for (const RowId id : ids) store_.remove_alias(id);
  removed = ids.size();
  return Status();
}

Status Admin::list_mailboxes(UserId user, std::vector<MailboxRecord>& out) {
  const auto lock = store_.lock();
  std::map<MailboxId, MailboxRecord> records;
  for (const auto& [id, mailbox] : store_.mailboxes) {
    if (mailbox.owner == user) records[id] = {id, mailbox.name, 0, 0, mailbox.seq};
  }
  for (const auto& [id, message] : store_.messages) {
    const auto record = records.find(message.mailbox);
    if (record == records.end() || message.status >= 2) continue;
    ++record->second.messages;
    record->second.octets += store_.physmessages.at(message.physmessage).message_size;
  }
  out.clear();
  for (auto& [id, record] : records) out.push_back(std::move(record));
  return Status();
}

Status Admin::list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) {
  const auto lock = store_.lock();
  std::vector<std::pair<MailboxId, MessageRecord>> found;
  for (const auto& [uid, message] : store_.messages) {
    if (message.status >= 2 || (mailbox != 0 && message.mailbox != mailbox)) continue;
    if (store_.mailboxes.at(message.mailbox).owner != user) continue;
    const Physmessage& row = store_.physmessages.at(message.physmessage);
    found.emplace_back(message.mailbox, MessageRecord{uid, message.physmessage, row.message_size, row.internal_date,
                                                      message.unique_id, cached(row, "subject"), cached(row, "from")});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out.clear();
  for (auto& [id, record] : found) out.push_back(std::move(record));
  return Status();
}

Status Admin::load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) {
  const auto lock = store_.lock();
  out.reset();
  const auto message = store_.messages.find(uid);
  if (message == store_.messages.end() || message->second.mailbox != mailbox || message->second.status >= 2)
    return Status();
  const Physmessage& row = store_.physmessages.at(message->second.physmessage);
  out.emplace();
  out->message_size = row.message_size;
  out->rfc_size = row.rfc_size;
  for (const Partlist& part : row.parts) {
    out->parts.push_back({part.key, part.depth, part.order, part.is_header, store_.parts.at(part.part).data});
  }
  std::stable_sort(out->parts.begin(), out->parts.end(), [](const StoredPart& a, const StoredPart& b) {
    return std::tuple(a.key, a.order, -a.depth) < std::tuple(b.key, b.order, -b.depth);
  });
  return Status();
}

Status Admin::explain(const Address& address, std::vector<std::string>& steps, Resolution& result) {
  Directory directory(store_, options_.statement_hook);
  steps.clear();
  directory::resolve(directory, options_, std::span(&address, 1), std::span(&result, 1), &steps);
  return Status();
}

std::string Admin::cached(const Physmessage& physmessage, std::string_view name) const {
  const auto id = store_.header_names.find(name);
  if (id == store_.header_names.end()) return {};
  for (const auto& [header, value] : physmessage.headers) {
    if (header == id->second) return store_.values.at(value).value;
  }
  return {};
}

}  // namespace storage::memory
