// tests/unit/storage/batch/recording_tables.h: Tables that note each call and answer as a test has set them up.
// Everything exists and nothing is full unless told otherwise.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/batch/stepped_tables.h"

namespace storage::batch {

class RecordingTables : public SteppedTables {
 public:
  std::vector<std::string> calls;
  std::string throw_at;  // the call that fails

  std::map<std::string, RowId, std::less<>> names = {
      {"from", 1}, {"subject", 2}, {"date", 3}, {"return-path", 4}, {"to", 5}};
  std::map<std::pair<MailboxId, std::string>, MessageId> stored;              // what the look-ups find
  std::function<void()> before_lock;                                          // another writer commits here
  std::map<std::string, RowId, std::less<>> parts_in_store, values_in_store;  // by data
  std::set<MailboxId> gone_mailboxes;
  std::map<UserId, UserState> users;  // others: no limit
  std::set<UserId> gone_users;

  std::vector<std::vector<std::string>> asked_values;
  std::vector<Content> contents;
  std::vector<MessageRow> rows;
  std::vector<SeqUpdate> sequences;
  std::vector<QuotaUpdate> quotas;
  std::vector<RowId> deleted_physmessages, deleted_parts, deleted_values;
  std::vector<MailboxId> locked_mailboxes;
  std::vector<UserId> locked_users;
  std::vector<std::string> added_names;

  void begin() override { note("begin"); }
  void commit() override { note("commit"); }
  void rollback() noexcept override { calls.emplace_back("rollback"); }

  std::vector<MailboxId> create_mailboxes(std::span<const MailboxName> wanted) override {
    note("create_mailboxes");
    std::vector<MailboxId> ids;
    for (const MailboxName& name : wanted) ids.push_back(gone_users.contains(name.user) ? 0 : 500 + name.user);
    return ids;
  }
  const std::map<std::string, RowId, std::less<>>& header_names(bool reload) override {
    note(reload ? "reload_header_names" : "header_names");
    return names;
  }
  void add_header_names(std::span<const std::string> sorted_names) override {
    note("add_header_names");
    for (const std::string& name : sorted_names) names.emplace(name, 100 + static_cast<RowId>(names.size()));
    added_names.assign(sorted_names.begin(), sorted_names.end());
  }
  std::vector<MessageId> find_messages(std::span<const MessageKey> keys) override {
    note("find_messages");
    std::vector<MessageId> ids;
    for (const MessageKey& key : keys) {
      const auto found = stored.find({key.mailbox, std::string(key.unique_id)});
      ids.push_back(found == stored.end() ? 0 : found->second);
    }
    return ids;
  }
  std::vector<RowId> find_parts(std::span<const PartKey> keys) override {
    note("find_parts");
    std::vector<RowId> ids;
    for (const PartKey& key : keys) ids.push_back(id_of(parts_in_store, key.data));
    return ids;
  }
  std::vector<RowId> find_values(std::span<const ValueRow> asked) override {
    note("find_values");
    asked_values.emplace_back();
    for (const ValueRow& row : asked) asked_values.back().emplace_back(row.value);
    std::vector<RowId> ids;
    for (const ValueRow& row : asked) ids.push_back(id_of(values_in_store, row.value));
    return ids;
  }
  ContentIds insert_content(const Content& content) override {
    note("insert_content");
    contents.push_back(content);
    ContentIds ids;
    for (std::size_t i = 0; i < content.physmessages.size(); ++i)
      ids.physmessages.push_back(1000 + static_cast<RowId>(i));
    for (std::size_t i = 0; i < content.parts.size(); ++i) ids.parts.push_back(2000 + static_cast<RowId>(i));
    for (std::size_t i = 0; i < content.values.size(); ++i) ids.values.push_back(3000 + static_cast<RowId>(i));
    return ids;
  }
  std::vector<MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) override {
    if (before_lock) before_lock();
    note("lock_mailboxes");
    locked_mailboxes.assign(ascending.begin(), ascending.end());
    std::vector<MailboxState> states;
    for (const MailboxId id : ascending) {
      if (!gone_mailboxes.contains(id)) states.push_back({id, 0, 10 * id});
    }
    return states;
  }
  std::vector<UserState> lock_users(std::span<const UserId> ascending) override {
    note("lock_users");
    locked_users.assign(ascending.begin(), ascending.end());
    std::vector<UserState> states;
    for (const UserId id : ascending) {
      if (gone_users.contains(id)) continue;
      const auto user = users.find(id);
      states.push_back(user == users.end() ? UserState{id, 0, 0} : user->second);
    }
    return states;
  }
  void delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                      std::span<const RowId> values) override {
    note("delete_content");
    deleted_physmessages.assign(physmessages.begin(), physmessages.end());
    deleted_parts.assign(parts.begin(), parts.end());
    deleted_values.assign(values.begin(), values.end());
  }
  std::vector<MessageId> insert_messages(std::span<const MessageRow> added) override {
    note("insert_messages");
    rows.assign(added.begin(), added.end());
    std::vector<MessageId> ids;
    for (std::size_t i = 0; i < added.size(); ++i) ids.push_back(7000 + static_cast<MessageId>(i));
    return ids;
  }
  void update_sequences(std::span<const SeqUpdate> updates) override {
    note("update_sequences");
    sequences.assign(updates.begin(), updates.end());
  }
  void add_quota(std::span<const QuotaUpdate> updates) override {
    note("add_quota");
    quotas.assign(updates.begin(), updates.end());
  }

 private:
  void note(const std::string& call) {
    calls.push_back(call);
    if (call == throw_at) throw std::runtime_error(call);
  }
  static RowId id_of(const std::map<std::string, RowId, std::less<>>& known, std::string_view text) {
    const auto found = known.find(text);
    return found == known.end() ? 0 : found->second;
  }
};

}  // namespace storage::batch
