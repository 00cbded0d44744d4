// storage/memory/directory.h: directory::Directory over a Store. Takes the store's mutex for each question.
#pragma once

#include "storage/directory/directory.h"
#include "storage/fault_hook.h"
#include "storage/memory/store.h"

namespace storage::memory {

class Directory : public directory::Directory {
 public:
  Directory(Store& store, const StatementHook& hook) : store_(store), hook_(hook) {}

  std::vector<directory::AliasRow> aliases(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_name(std::span<const std::string> lower_keys) override;
  std::vector<directory::UserRow> users_by_id(std::span<const UserId> ids) override;
  std::vector<directory::MailboxRow> mailboxes(std::span<const directory::MailboxQuestion> questions) override;

 private:
  template <typename Work>
  auto statement(std::string_view name, Work&& work);

  Store& store_;
  const StatementHook& hook_;
};

}  // namespace storage::memory
