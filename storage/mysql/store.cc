#include "storage/mysql/store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

using batch::RowId;

// `text` columns of this engine end here. A longer ENVELOPE cannot be cut and stay well-formed; clients then ask for
// the header.
constexpr std::size_t max_text = 65535;
constexpr std::string_view empty_envelope = "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)";

template <typename Id>
std::vector<Value> as_values(std::span<const Id> ids) {
  return {ids.begin(), ids.end()};
}

// Keys that name the same content twice are asked once; answers are found by hash, then compared octet by octet.
template <typename Key, typename Bytes>
std::vector<RowId> find_by_hash(Session& session, const Statement& statement, std::span<const Key> keys, Bytes bytes) {
  std::multimap<std::string_view, std::size_t> wanted;
  for (std::size_t i = 0; i < keys.size(); ++i) wanted.emplace(keys[i].hash, i);
  std::vector<Value> hashes;
  for (auto it = wanted.begin(); it != wanted.end(); it = wanted.upper_bound(it->first)) hashes.emplace_back(it->first);
  std::vector<RowId> out(keys.size(), 0);
  session.ask(statement, hashes, [&](const Row& row) {
    const auto [first, last] = wanted.equal_range(row.text(2));
    const std::string found = row.text(3);
    for (auto it = first; it != last; ++it) {
      if (bytes(keys[it->second]) == found) out[it->second] = row.integer(1);
    }
  });
  return out;
}

RowId row_id(const batch::RowRef& ref, const std::vector<RowId>& inserted) {
  return ref.id != 0 ? ref.id : inserted.at(ref.index);
}

}  // namespace

void Store::begin() {
  committing_ = false;
  session_.run(statements::begin);
}

void Store::commit() {
  committing_ = true;
  session_.run(statements::commit);
  committing_ = false;
}

void Store::rollback() noexcept {
  try {
    session_.run(statements::rollback);
  } catch (...) {
    lost_ = true;
  }
}

std::vector<MailboxId> Store::create_mailboxes(std::span<const batch::MailboxName> names) {
  begin();
  std::vector<Value> owners;
  for (const auto& name : names) owners.emplace_back(name.user);
  std::set<UserId> users;
  session_.ask(statements::existing_users, owners, [&](const Row& row) { users.insert(row.integer(1)); });
  std::vector<Value> rows;
  for (const auto& name : names) {
    if (users.contains(name.user)) rows.insert(rows.end(), {name.user, name.name});
  }
  session_.insert(statements::insert_mailboxes, rows);
  const auto ids = mailbox_ids(names);
  std::vector<Value> subscriptions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ids[i] != 0) subscriptions.insert(subscriptions.end(), {names[i].user, ids[i]});
  }
  session_.insert(statements::subscribe, subscriptions);
  session_.run(statements::commit);
  return ids;
}

std::vector<MailboxId> Store::mailbox_ids(std::span<const batch::MailboxName> names) {
  std::vector<Value> questions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    questions.insert(questions.end(), {static_cast<std::int64_t>(i), names[i].user, names[i].name});
  }
  std::vector<MailboxId> ids(names.size(), 0);
  session_.ask(statements::find_mailboxes, questions,
               [&](const Row& row) { ids.at(static_cast<std::size_t>(row.integer(1))) = row.integer(2); });
  return ids;
}

const std::map<std::string, RowId, std::less<>>& Store::header_names(bool reload) {
  if (reload || !header_names_loaded_) {
    header_names_.clear();
    session_.query(statements::header_names, {}, 1,
                   [&](const Row& row) { header_names_.emplace(row.text(2), row.integer(1)); });
    header_names_loaded_ = true;
  }
  return header_names_;
}

void Store::add_header_names(std::span<const std::string> sorted_names) {
  std::vector<Value> rows;
  for (const auto& name : sorted_names) rows.emplace_back(std::string_view(name));
  session_.insert(statements::add_header_names, rows);
}

std::vector<MessageId> Store::find_messages(std::span<const batch::MessageKey> keys) {
  std::multimap<std::pair<std::string_view, MailboxId>, std::size_t> wanted;
  std::vector<Value> ids;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    wanted.emplace(std::pair(keys[i].unique_id, keys[i].mailbox), i);
    ids.emplace_back(keys[i].unique_id);
  }
  std::vector<MessageId> out(keys.size(), 0);
  session_.ask(statements::find_messages, ids, [&](const Row& row) {
    const std::string unique_id = row.text(3);
    const auto [first, last] = wanted.equal_range(std::pair(std::string_view(unique_id), row.integer(2)));
    for (auto it = first; it != last; ++it) out[it->second] = row.integer(1);
  });
  return out;
}

std::vector<RowId> Store::find_parts(std::span<const batch::PartKey> keys) {
  return find_by_hash(session_, statements::find_parts, keys, [](const batch::PartKey& key) { return key.data; });
}

std::vector<RowId> Store::find_values(std::span<const batch::ValueRow> rows) {
  return find_by_hash(session_, statements::find_values, rows, [](const batch::ValueRow& row) { return row.value; });
}

batch::ContentIds Store::insert_content(const batch::Content& content) {
  batch::ContentIds ids;
  std::vector<Value> rows;
  for (const auto& row : content.physmessages) {
    rows.insert(rows.end(), {static_cast<std::int64_t>(row.message_size), static_cast<std::int64_t>(row.rfc_size),
                             row.internal_date});
  }
  ids.physmessages = session_.insert(statements::insert_physmessages, rows);
  rows.clear();
  for (const auto& row : content.parts) {
    rows.insert(rows.end(), {row.hash, row.data, static_cast<std::int64_t>(row.data.size())});
  }
  ids.parts = session_.insert(statements::insert_parts, rows);
  rows.clear();
  for (const auto& row : content.values) {
    rows.insert(rows.end(), {row.hash, row.value, row.sortfield, row.date.empty() ? Value() : Value(row.date)});
  }
  ids.values = session_.insert(statements::insert_values, rows);
  insert_links(content, ids);
  return ids;
}

void Store::insert_links(const batch::Content& content, const batch::ContentIds& ids) {
  const auto physmessage = [&](const auto& row) { return ids.physmessages.at(row.physmessage); };
  std::vector<Value> rows;
  for (const auto& row : content.partlists) {
    rows.insert(rows.end(), {physmessage(row), std::int64_t{row.is_header}, std::int64_t{row.key},
                             std::int64_t{row.depth}, std::int64_t{row.order}, row_id(row.part, ids.parts)});
  }
  session_.insert(statements::insert_partlists, rows);
  rows.clear();
  for (const auto& row : content.headers) {
    rows.insert(rows.end(), {physmessage(row), row.name, row_id(row.value, ids.values)});
  }
  session_.insert(statements::insert_headers, rows);
  rows.clear();
  for (const auto& row : content.references) rows.insert(rows.end(), {physmessage(row), row.text});
  session_.insert(statements::insert_references, rows);
  rows.clear();
  for (const auto& row : content.envelopes) {
    rows.insert(rows.end(), {physmessage(row), row.text.size() <= max_text ? row.text : empty_envelope});
  }
  session_.insert(statements::insert_envelopes, rows);
}

std::vector<batch::MailboxState> Store::lock_mailboxes(std::span<const MailboxId> ascending) {
  std::vector<batch::MailboxState> out;
  session_.ask(statements::lock_mailboxes, as_values(ascending), [&](const Row& row) {
    out.push_back({row.integer(1), row.integer(2), row.integer(3)});
  });
  return out;
}

std::vector<batch::UserState> Store::lock_users(std::span<const UserId> ascending) {
  std::vector<batch::UserState> out;
  session_.ask(statements::lock_users, as_values(ascending), [&](const Row& row) {
    out.push_back({row.integer(1), row.integer(2), row.integer(3)});
  });
  return out;
}

void Store::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                           std::span<const RowId> values) {
  session_.change(statements::delete_physmessages, as_values(physmessages));
  session_.change(statements::delete_parts, as_values(parts));
  session_.change(statements::delete_values, as_values(values));
}

std::vector<MessageId> Store::insert_messages(std::span<const batch::MessageRow> rows) {
  std::vector<Value> values;
  for (const auto& row : rows) values.insert(values.end(), {row.mailbox, row.physmessage, row.unique_id, row.seq});
  return session_.insert(statements::insert_messages, values);
}

void Store::update_sequences(std::span<const batch::SeqUpdate> updates) {
  std::vector<Value> changes;
  std::vector<Value> keys;
  for (const auto& update : updates) {
    changes.insert(changes.end(), {update.mailbox, update.seq});
    keys.emplace_back(update.mailbox);
  }
  session_.change(statements::update_sequences, changes, keys);
}

void Store::add_quota(std::span<const batch::QuotaUpdate> updates) {
  std::vector<Value> changes;
  std::vector<Value> keys;
  for (const auto& update : updates) {
    changes.insert(changes.end(), {update.user, update.octets});
    keys.emplace_back(update.user);
  }
  session_.change(statements::add_quota, changes, keys);
}

}  // namespace storage::mysql
