// storage/mysql/directory.h: storage::directory::Directory on a Session: four questions, one statement each. One
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "storage/directory/directory.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

class Directory final : public directory::Directory {
 public:
  explicit Directory(Session& session) : session_(session) {}

  std::vector<directory::AliasRow> aliases(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_name(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_id(std::span<const UserId> ids) override;
  std::vector<directory::MailboxRow> mailboxes(std::span<const directory::MailboxQuestion> questions) override;

 private:
  Session& session_;
};

}  // namespace storage::mysql
