#include "storage/mysql/directory.h"

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

std::vector<Value> text_values(std::span<const std::string> keys) {
  std::vector<Value> values;
  values.reserve(keys.size());
  for (const std::string& key : keys) values.emplace_back(std::string_view(key));
  return values;
}

directory::UserRow user_row(const Row& row) {
  return {row.integer(1), row.text(2), row.integer(3) != 0, row.integer(4), row.integer(5)};
}

}  // namespace

std::vector<directory::AliasRow> Directory::aliases(std::span<const std::string> lower_keys) {
  std::vector<directory::AliasRow> out;
  session_.ask(statements::aliases, text_values(lower_keys), [&](const Row& row) {
    out.push_back({row.text(1), row.text(2)});
  });
  return out;
}

std::vector<directory::UserRow> Directory::users_by_name(std::span<const std::string> lower_keys) {
  std::vector<directory::UserRow> out;
  session_.ask(statements::users_by_name, text_values(lower_keys),
               [&](const Row& row) { out.push_back(user_row(row)); });
  return out;
}

std::vector<directory::UserRow> Directory::users_by_id(std::span<const UserId> ids) {
  std::vector<directory::UserRow> out;
  session_.ask(statements::users_by_id, std::vector<Value>(ids.begin(), ids.end()),
               [&](const Row& row) { out.push_back(user_row(row)); });
  return out;
}

std::vector<directory::MailboxRow> Directory::mailboxes(std::span<const directory::MailboxQuestion> questions) {
  std::vector<Value> keys;
  for (const auto& question : questions) keys.insert(keys.end(), {question.owner, std::string_view(question.name)});
  std::vector<directory::MailboxRow> out;
  session_.ask(statements::mailboxes, keys, [&](const Row& row) {
    const bool selectable = row.integer(4) == 0 && row.integer(5) == 2;
    out.push_back({row.integer(1), row.integer(2), row.text(3), selectable});
  });
  return out;
}

}  // namespace storage::mysql
