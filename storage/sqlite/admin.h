// storage/sqlite/admin.h: the second door (storage/admin.h) on a connection of its own. One thread.
#pragma once

#include <optional>

#include "storage/admin.h"
#include "storage/sqlite/directory.h"
#include "storage/sqlite/session.h"

namespace storage::sqlite {

class Admin : public storage::Admin {
 public:
  // Opens the file; throws as Session does. A missing file stays missing: only create_schema() makes it, everything else
  // refuses, as an empty file that root left behind would lock the daemon's user out.
  explicit Admin(const Options& options);

  [[nodiscard]] Status create_schema(IndexSet indexes) override;
  [[nodiscard]] Status list_users(std::vector<UserRecord>& out) override;
  [[nodiscard]] Status find_user(std::string_view userid, std::optional<UserRecord>& out) override;
  [[nodiscard]] Status add_user(UserRecord& user) override;
  [[nodiscard]] Status update_user(const UserRecord& user) override;
  [[nodiscard]] Status remove_user(UserId user) override;
  [[nodiscard]] Status list_aliases(std::vector<AliasRecord>& out) override;
  [[nodiscard]] Status add_alias(AliasRecord& alias) override;
  [[nodiscard]] Status remove_alias(std::string_view alias, std::string_view deliver_to,
                                    std::uint64_t& removed) override;
  [[nodiscard]] Status list_mailboxes(UserId user, std::vector<MailboxRecord>& out) override;
  [[nodiscard]] Status list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) override;
  [[nodiscard]] Status load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) override;
  [[nodiscard]] Status explain(const Address& address, std::vector<std::string>& steps, Resolution& result) override;

 private:
  // Nothing thrown leaves an operation.
  template <typename Work>
  Status guarded(Work work);
  template <typename Work>
  Status in_transaction(Work work);
  [[nodiscard]] std::optional<UserRecord> user_named(std::string_view userid);

  const Options options_;
  std::optional<Session> session_;  // none: the file is missing
};

}  // namespace storage::sqlite
