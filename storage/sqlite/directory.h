// storage/sqlite/directory.h: directory::Directory on SQLite. One thread; lives as long as its Session.
#pragma once

#include "storage/directory/directory.h"
#include "storage/sqlite/session.h"

namespace storage::sqlite {

class Directory : public directory::Directory {
 public:
  explicit Directory(Session& session) : session_(session) {}

  std::vector<directory::AliasRow> aliases(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_name(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_id(std::span<const UserId> ids) override;
  std::vector<directory::MailboxRow> mailboxes(std::span<const directory::MailboxQuestion> questions) override;

 private:
  Session& session_;
};

}  // namespace storage::sqlite
