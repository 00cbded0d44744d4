// storage/mysql/admin.h: the second door on this engine (storage/admin.h): one connection of its own, short
// transactions. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/admin.h"
#include "storage/mysql/directory.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

class Admin final : public storage::Admin {
 public:
  // Connects; throws what Session throws. options must outlive it.
  Admin(const Endpoint& endpoint, const Options& options);

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
  // Runs work, which returns a Status; rolls back and translates what it throws.
  template <typename Work>
  [[nodiscard]] Status guarded(Work work);

  const Options& options_;
  Session session_;
  Directory directory_;
};

}  // namespace storage::mysql
