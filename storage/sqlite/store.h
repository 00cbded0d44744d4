// storage/sqlite/store.h: the tables of a batch (storage/batch/tables.h) on SQLite. One thread; lives as long as its
// Session.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/batch/stepped_tables.h"
#include "storage/sqlite/session.h"

namespace storage::sqlite {

class Store : public batch::SteppedTables {
 public:
  explicit Store(Session& session) : session_(session) {}

  // After a fault: what was cached may be the reason.
  void drop_caches() {
    header_names_loaded_ = false;
    known_values().clear();
  }

  void begin() override { session_.begin(); }
  void commit() override { session_.commit(); }
  void rollback() noexcept override { session_.rollback(); }

  std::vector<MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override;
  const std::map<std::string, batch::RowId, std::less<>>& header_names(bool reload) override;
  void add_header_names(std::span<const std::string> sorted_names) override;

  std::vector<MessageId> find_messages(std::span<const batch::MessageKey> keys) override;
  std::vector<batch::RowId> find_parts(std::span<const batch::PartKey> keys) override;
  std::vector<batch::RowId> find_values(std::span<const batch::ValueRow> rows) override;
  batch::ContentIds insert_content(const batch::Content& content) override;

  std::vector<batch::MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) override;
  std::vector<batch::UserState> lock_users(std::span<const UserId> ascending) override;
  void delete_content(std::span<const batch::RowId> physmessages, std::span<const batch::RowId> parts,
                      std::span<const batch::RowId> values) override;
  std::vector<MessageId> insert_messages(std::span<const batch::MessageRow> rows) override;
  void update_sequences(std::span<const batch::SeqUpdate> updates) override;
  void add_quota(std::span<const batch::QuotaUpdate> updates) override;

 private:
  template <typename Rows, typename Bind>
  std::vector<batch::RowId> insert(Statement statement, const Rows& rows, Bind bind);
  template <typename Keys, typename Bind>
  std::vector<batch::RowId> find(Statement statement, const Keys& keys, Bind bind);
  template <typename Rows, typename Bind>
  void run(Statement statement, const Rows& rows, Bind bind);

  Session& session_;
  bool header_names_loaded_ = false;
  std::map<std::string, batch::RowId, std::less<>> header_names_;
};

}  // namespace storage::sqlite
