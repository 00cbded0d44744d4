#include "storage/memory/directory.h"

#include <utility>

namespace storage::memory {
namespace {

directory::UserRow row_of(const UserRecord& user) {
  return {user.id, user.userid, user.active, user.max_size, user.used_size};
}

}  // namespace

template <typename Work>
auto Directory::statement(std::string_view name, Work&& work) {
  return execute_hooked(
      hook_, name,
      [&] {
        const auto lock = store_.lock();
        return work();
      },
      [&] { throw InjectedFault(name, true); });
}

std::vector<directory::AliasRow> Directory::aliases(std::span<const std::string> lower_keys) {
  return statement("aliases", [&] {
    std::vector<directory::AliasRow> rows;
    for (const std::string& key : lower_keys) {
      const auto [first, last] = store_.aliases_by_name.equal_range(key);
      for (auto entry = first; entry != last; ++entry) {
        const AliasRecord& alias = store_.aliases.at(entry->second);
        rows.push_back({alias.alias, alias.deliver_to});
      }
    }
    return rows;
  });
}

std::vector<directory::UserRow> Directory::users_by_name(std::span<const std::string> lower_keys) {
  return statement("users_by_name", [&] {
    std::vector<directory::UserRow> rows;
    for (const std::string& key : lower_keys) {
      const auto [first, last] = store_.users_by_name.equal_range(key);
      for (auto entry = first; entry != last; ++entry) rows.push_back(row_of(store_.users.at(entry->second)));
    }
    return rows;
  });
}

std::vector<directory::UserRow> Directory::users_by_id(std::span<const UserId> ids) {
  return statement("users_by_id", [&] {
    std::vector<directory::UserRow> rows;
    for (const UserId id : ids) {
      const auto user = store_.users.find(id);
      if (user != store_.users.end()) rows.push_back(row_of(user->second));
    }
    return rows;
  });
}

std::vector<directory::MailboxRow> Directory::mailboxes(std::span<const directory::MailboxQuestion> questions) {
  return statement("mailboxes", [&] {
    std::vector<directory::MailboxRow> rows;
    for (const directory::MailboxQuestion& question : questions) {
      auto entry = store_.mailboxes_by_name.lower_bound({question.owner, std::string()});
      for (; entry != store_.mailboxes_by_name.end() && entry->first.first == question.owner; ++entry) {
        if (lower(entry->first.second) != lower(question.name)) continue;
        const Mailbox& mailbox = store_.mailboxes.at(entry->second);
        rows.push_back({entry->second, mailbox.owner, mailbox.name, mailbox.selectable});
      }
    }
    return rows;
  });
}

}  // namespace storage::memory
