// storage/memory/admin.h: storage::Admin over a Store. Takes the store's mutex for each call.
#pragma once

#include "storage/admin.h"
#include "storage/memory/store.h"
#include "storage/options.h"

namespace storage::memory {

class Admin : public storage::Admin {
 public:
  // REQUIRES store outlives this object.
  Admin(Store& store, Options options) : store_(store), options_(std::move(options)) {}

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
  // The cached value of a header; empty if none.
  [[nodiscard]] std::string cached(const Physmessage& physmessage, std::string_view name) const;

  Store& store_;
  Options options_;
};

}  // namespace storage::memory
