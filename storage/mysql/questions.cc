#include "storage/mysql/questions.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

// Keys that name the same content twice are asked once.
template <typename Key, typename Bytes>
Question by_hash(const Statement& statement, std::span<const Key> keys, Bytes bytes, std::vector<batch::RowId>& out) {
  out.assign(keys.size(), 0);
  std::multimap<std::string_view, std::size_t> wanted;
  for (std::size_t i = 0; i < keys.size(); ++i) wanted.emplace(keys[i].hash, i);
  std::vector<Value> hashes;
  for (auto it = wanted.begin(); it != wanted.end(); it = wanted.upper_bound(it->first)) hashes.emplace_back(it->first);
  return {statement, std::move(hashes), [keys, bytes, wanted = std::move(wanted), &out](const Row& row) {
            const auto [first, last] = wanted.equal_range(row.text(2));
            const std::string found = row.text(3);
            for (auto it = first; it != last; ++it) {
              if (bytes(keys[it->second]) == found) out[it->second] = row.integer(1);
            }
          }};
}

}  // namespace

Question messages_question(std::span<const batch::MessageKey> keys, std::vector<MessageId>& out) {
  out.assign(keys.size(), 0);
  std::multimap<std::pair<std::string_view, MailboxId>, std::size_t> wanted;
  std::vector<Value> ids;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    wanted.emplace(std::pair(keys[i].unique_id, keys[i].mailbox), i);
    ids.emplace_back(keys[i].unique_id);
  }
  return {statements::find_messages, std::move(ids), [wanted = std::move(wanted), &out](const Row& row) {
            const std::string unique_id = row.text(3);
            const auto [first, last] = wanted.equal_range(std::pair(std::string_view(unique_id), row.integer(2)));
            for (auto it = first; it != last; ++it) out[it->second] = row.integer(1);
          }};
}

Question parts_question(std::span<const batch::PartKey> keys, std::vector<batch::RowId>& out) {
  return by_hash(
      statements::find_parts, keys, [](const batch::PartKey& key) { return key.data; }, out);
}

Question values_question(std::span<const batch::ValueRow> rows, std::vector<batch::RowId>& out) {
  return by_hash(
      statements::find_values, rows, [](const batch::ValueRow& row) { return row.value; }, out);
}

Question mailboxes_lock(std::span<const MailboxId> ascending, std::vector<batch::MailboxState>& out) {
  return {statements::lock_mailboxes, as_values(ascending), [&out](const Row& row) {
            out.push_back({row.integer(1), row.integer(2), row.integer(3)});
          }};
}

Question users_lock(std::span<const UserId> ascending, std::vector<batch::UserState>& out) {
  return {statements::lock_users, as_values(ascending), [&out](const Row& row) {
            out.push_back({row.integer(1), row.integer(2), row.integer(3)});
          }};
}

}  // namespace storage::mysql
